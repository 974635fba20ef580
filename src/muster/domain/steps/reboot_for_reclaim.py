"""The `reboot-for-reclaim` step: an installed host starts from the discovery image that it has fetched."""

from muster.domain.record import Record

from .download_boot_artifacts import HOST_ROOT
from .step import Step


class ReclaimRequest(Record):
    """Where the host's own files are found."""

    host_fs_mount_dir: str


STEP = Step(kind="reboot-for-reclaim", ask=lambda _: (ReclaimRequest(host_fs_mount_dir=HOST_ROOT),))
