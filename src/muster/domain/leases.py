"""Virtual addresses by DHCP: the MAC addresses under which they are leased, and the text in which a lease is kept.

Every host of a cluster asks the DHCP server under the same two MAC addresses, so all of them get the same two
virtual addresses, and the nodes keep them after the installation. The step `dhcp-lease-allocate` uses this.
"""

import re

API = "api"
INGRESS = "ingress"

_VENDOR = (0x00, 0x1A, 0x4A)
_OWN_BYTES = 3

_MIX = bytes((
    251, 175, 119, 215, 81, 14, 79, 191, 103, 49, 181, 143, 186, 157, 0, 232, 31, 32, 55, 60, 152, 58, 17, 237, 174,
    70, 160, 144, 220, 90, 57, 223, 59, 3, 18, 140, 111, 166, 203, 196, 134, 243, 124, 95, 222, 179, 197, 65, 180, 48,
    36, 15, 107, 46, 233, 130, 165, 30, 123, 161, 209, 23, 97, 16, 40, 91, 219, 61, 100, 10, 210, 109, 250, 127, 22,
    138, 29, 108, 244, 67, 207, 9, 178, 204, 74, 98, 126, 249, 167, 116, 34, 77, 193, 200, 121, 5, 20, 113, 71, 35,
    128, 13, 182, 94, 25, 226, 227, 199, 75, 27, 41, 245, 230, 224, 43, 225, 177, 26, 155, 150, 212, 142, 218, 115,
    241, 73, 88, 105, 39, 114, 62, 255, 192, 201, 145, 214, 168, 158, 221, 148, 154, 122, 12, 84, 82, 163, 44, 139,
    228, 236, 205, 242, 217, 11, 187, 146, 159, 64, 86, 239, 195, 42, 106, 198, 118, 112, 184, 172, 87, 2, 173, 117,
    176, 229, 247, 253, 137, 185, 99, 164, 102, 147, 45, 66, 231, 52, 141, 211, 194, 206, 246, 238, 56, 110, 78, 248,
    63, 240, 189, 93, 92, 51, 53, 183, 19, 171, 72, 50, 33, 104, 101, 69, 8, 252, 83, 120, 76, 135, 85, 54, 202, 125,
    188, 213, 96, 235, 136, 208, 162, 129, 190, 132, 156, 38, 47, 1, 7, 254, 24, 4, 216, 131, 89, 21, 28, 133, 37, 153,
    149, 80, 170, 68, 6, 169, 234, 151,
))  # fmt: skip
"""The permutation of RFC 3074."""

_LEASE = re.compile(r"\s*lease\s*[{](?:\s+[a-z-]+ [^;}]*;)*\s+[}]\s*")
_ENDS = re.compile(r"(?<=\s)(renew|rebind|expire) [^;}]*;")


def vip_mac(cluster_id: str, name: str) -> str:
    """The MAC address under which a cluster leases its virtual address `api` or `ingress`."""
    key = f"{cluster_id}-{name}".encode()
    return ":".join(f"{each:02x}" for each in (*_VENDOR, *(_pearson(key, turn) for turn in range(_OWN_BYTES))))


def _pearson(key: bytes, turn: int) -> int:
    """One byte of a key's Pearson hash; every turn gives another one."""
    mixed = _MIX[(key[0] + turn) % len(_MIX)]
    for each in key:
        mixed = _MIX[mixed ^ each]
    return mixed


def is_lease(text: str) -> bool:
    """Whether a text is one lease as DHCP clients write it, or none at all."""
    return not text or _LEASE.fullmatch(text) is not None


def without_end(lease: str) -> str:
    """A lease that is never renewed and never runs out, since whoever took it will be gone by then."""
    return _ENDS.sub(r"\1 never;", lease)
