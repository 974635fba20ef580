"""Histories as tests tell them: a row for each thing that happened, so many seconds after the beginning."""

from datetime import datetime, timedelta
from typing import Any

from builders import CLUSTER_ID, INFRA_ENV_ID, NOW
from muster.domain.history import HistoryRow
from muster.domain.views import cluster_scope


def after(seconds: float) -> datetime:
    """So many seconds after the beginning."""
    return NOW + timedelta(seconds=seconds)


class Tale:
    """A history of one cluster, told row by row."""

    def __init__(self) -> None:
        self.rows: list[HistoryRow] = []

    def cluster(self, second: float, status: str = "", *, by: str = "Ticked", **patch: Any) -> "Tale":
        """Something changed about the cluster."""
        return self._row(second, "cluster", CLUSTER_ID, by, patch | ({"status": status} if status else {}))

    def host(self, second: float, name: str, status: str = "", *, by: str = "Progressed", **patch: Any) -> "Tale":
        """Something changed about a host."""
        key = f"{INFRA_ENV_ID}/{name}"
        return self._row(second, "host", key, by, patch | ({"status": status} if status else {}))

    def image(self, second: float, **patch: Any) -> "Tale":
        """Something changed about the discovery image."""
        return self._row(second, "infra_env", INFRA_ENV_ID, "UpdateInfraEnv", patch)

    def stage(self, second: float, name: str, stage: str, status: str = "") -> "Tale":
        """A host came to a stage."""
        return self.host(second, name, status, progress={"current_stage": stage}, status_info=stage)

    def registered(self, *hosts: str, role: str = "master") -> "Tale":
        """The cluster is described and its hosts are known."""
        self.cluster(0, "insufficient", by="RegisterCluster", name="lab")
        for host in hosts:
            self.host(1, host, "known", by="Registered", role=role, requested_hostname=host)
        return self.cluster(2, "ready")

    def install(self, second: float, *hosts: str) -> "Tale":
        """The user presses install."""
        self.cluster(
            second, "preparing-for-installation", by="Install", preparation={"attempt": 1, "status": "not_started"}
        )
        for host in hosts:
            self.host(second, host, "preparing-for-installation", by="Install")
        return self

    def told_to_install(self, second: float, *hosts: str) -> "Tale":
        """Everything is prepared."""
        self.cluster(second, "installing", preparation={"status": "success"})
        for host in hosts:
            self.host(second, host, "installing", by="Replied")
        return self

    def installed(self, second: float, name: str) -> "Tale":
        """A host is done."""
        return self.stage(second, name, "Done", "installed")

    def _row(self, second: float, kind: str, key: str, by: str, patch: dict[str, Any]) -> "Tale":
        number = len(self.rows) + 1
        row = HistoryRow(
            cursor=f"0.{number}",
            scope=cluster_scope(CLUSTER_ID),
            version=number,
            at=after(second),
            actor="worker" if by in {"Prepared", "KubeconfigPublished"} else "admin",
            triggers=(by,),
            kind=kind,
            key=key,
            patch=patch,
        )
        self.rows.append(row)
        return self
