"""How the service shows who it is and what it speaks, where it serves HTTPS. `cli.serve` asks."""

import ssl

from muster.domain.errors import Invalid
from muster.runtime.settings import Settings

VERSIONS = {"VersionTLS12": ssl.TLSVersion.TLSv1_2, "VersionTLS13": ssl.TLSVersion.TLSv1_3}
"""The names that settings have for what the library calls otherwise."""

SUITES = {
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-RSA-CHACHA20-POLY1305",
}
ALWAYS = frozenset({"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"})
"""Those of TLS 1.3, which has no others."""


def tls_of(settings: Settings) -> ssl.SSLContext | None:
    """How HTTPS is spoken; None if it is not. Raises `Invalid` naming what is wrong."""
    if not settings.https_cert:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = VERSIONS.get(settings.tls_version, ssl.TLSVersion.TLSv1_2)
    try:
        context.load_cert_chain(settings.https_cert, settings.https_key)
    except (OSError, ValueError) as error:
        raise Invalid(
            f"HTTPS_CERT_FILE {settings.https_cert} and HTTPS_KEY_FILE {settings.https_key} cannot be used:"
            f" both must be in PEM form, and the key must be that of the certificate ({type(error).__name__})"
        ) from error
    if settings.tls_version and settings.tls_ciphers:
        context.set_ciphers(":".join(_suites(settings)))
    return context


def _suites(settings: Settings) -> list[str]:
    unknown = sorted(settings.tls_ciphers - SUITES.keys() - ALWAYS)
    if unknown:
        raise Invalid(f"TLS_CIPHER_SUITES names {unknown[0]!r}, which is not spoken; there are {', '.join(SUITES)}")
    spoken = [SUITES[name] for name in sorted(settings.tls_ciphers & SUITES.keys())]
    return spoken or list(SUITES.values())
