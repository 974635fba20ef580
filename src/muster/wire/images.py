"""What callers may ask of discovery images."""

from muster.domain.infra_envs import ImageType
from muster.domain.record import Record

X86 = "x86_64"


class ImageQuery(Record):
    """Which image is wanted."""

    version: str
    type: ImageType
    arch: str = X86


class BootQuery(Record):
    """Of which image a part is wanted."""

    version: str
    arch: str = X86


class AddrsizeQuery(Record):
    """Of which image the size of the initrd is wanted; there is only one architecture that asks."""

    version: str
