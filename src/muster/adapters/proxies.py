"""The proxy that the environment names for an address. Whoever calls servers of others asks for it.

It is not left to the HTTP client: that would look for logins in files of the user's too.
"""

from urllib.request import getproxies, proxy_bypass

from yarl import URL


def proxy_for(url: URL) -> str | None:
    """The proxy by way of which an address is called; None if it is called directly."""
    if proxy_bypass(f"{url.host}:{url.port}"):
        return None
    return getproxies().get(url.scheme)
