"""Lines of systemd units that more than one artifact has."""

from muster.domain.networks import Proxy


def environment(proxy: Proxy) -> str:
    """The proxy as programs look for it, in capitals and not; what is not set is there and empty."""
    values = {"HTTP_PROXY": proxy.http_proxy, "HTTPS_PROXY": proxy.https_proxy, "NO_PROXY": proxy.no_proxy}
    pairs = [(spelled, value) for name, value in values.items() for spelled in (name, name.lower())]
    return "".join(variable(name, value) for name, value in pairs)


def variable(name: str, value: str) -> str:
    """One variable, whatever is in its value."""
    quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'Environment="{name}={quoted}"\n'
