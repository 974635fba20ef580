"""Logs on their way to a service, in the form in which browsers and agents send files."""

from calling import V2, Caller, Reply
from making import Made


def a_form(content: bytes, name: str = "upfile", boundary: str = "edge") -> tuple[bytes, dict[str, str]]:
    """A form with one file, as browsers and agents send it."""
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="logs.tar.gz"\r\n'
    body = head.encode() + b"Content-Type: application/gzip\r\n\r\n" + content + f"\r\n--{boundary}--\r\n".encode()
    return body, {"Content-Type": f"multipart/form-data; boundary={boundary}"}


def upload(api: Caller, it: Made, content: bytes = b"logs", query: str = "logs_type=controller", **form: str) -> Reply:
    body, headers = a_form(content, **form)
    return api.raw("POST", f"{V2}{it.cluster}/logs?{query}", body, headers)


def of_host(it: Made) -> str:
    return f"logs_type=host&host_id={it.host_id}&infra_env_id={it.infra_env_id}"
