"""What the operator of the service may set about names in the DNS; `table.py` has it as a part."""

from muster.domain.record import Record
from muster.domain.setting import setting

from .forms import Pairs


class NameSettings(Record):
    """Where names are created, and with which login. The names in capitals are those of the environment."""

    base_dns_domains: Pairs = setting(
        "BASE_DNS_DOMAINS", {}, "Domains whose names the service may create, as domain:zone/provider."
    )
    logins_file: str = setting(
        "AWS_SHARED_CREDENTIALS_FILE",
        "",
        "The file with the login that may change those domains; if empty, AWS_ACCESS_KEY_ID and its secret.",
    )
    logins_part: str = setting("AWS_PROFILE", "default", "Under which name that login is in the file.")
    route53_url: str = setting(
        "AWS_ENDPOINT_URL_ROUTE_53", "https://route53.amazonaws.com", "Where Route 53 is asked to create names."
    )
