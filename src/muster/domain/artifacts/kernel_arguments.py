"""Turns what a user wants the kernel to be told into its words, and asks whether an image has room for them.

iPXE scripts and images have them; `discovery_ignition.py` asks when an infra-env is saved.
"""

import msgspec

from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.inputs.fields import Problems
from muster.domain.inputs.infra_envs import KernelArgumentInput
from muster.domain.policy import Policy
from muster.domain.steps.download_boot_artifacts import system_url

ROOM = 1024
"""Bytes that images keep for words of users, behind those that the image has itself."""

ROOM_S390X = 896
"""The same there, with the words of the image itself, of which nothing is known here."""

AROUND = 2
"""A space before the words, and a line end behind them."""

ROOTFS, MEDIUM = "coreos.live.rootfs_url=", "coreos.liveiso=scos-9.0.20250101-0"
"""What a minimal image says in place of what a full one says, which is at least as long as this."""


def kernel_arguments(infra_env: InfraEnv) -> tuple[str, ...]:
    """The words, in the order in which they are told."""
    arguments = msgspec.json.decode(infra_env.kernel_arguments or "[]", type=tuple[KernelArgumentInput, ...])
    return tuple(str(each.value) for each in arguments)


def kernel_room_problems(infra_env: InfraEnv, policy: Policy) -> Problems:
    """The image has room for the words."""
    words = " ".join(kernel_arguments(infra_env)).encode()
    room = _room(infra_env, policy) if words else 0
    if len(words) > room:
        yield (
            f"kernel_arguments: take {len(words)} bytes together, and the image has room for {max(room, 0)};"
            " leave some of them out"
        )


def _room(infra_env: InfraEnv, policy: Policy) -> int:
    if infra_env.cpu_architecture == "s390x":
        return ROOM_S390X - AROUND
    if infra_env.type is not ImageType.MINIMAL:
        return ROOM - AROUND
    image = policy.catalogue.os_image(infra_env.openshift_version, infra_env.cpu_architecture)
    return ROOM - AROUND - len(f"{ROOTFS}{system_url(image, policy)}") + len(MEDIUM)
