"""The words of a MachineConfig: what every node of a role is to be like. System manifests and operators use them."""

from typing import Any

from muster.domain.roles import Role

from .ignition import Config

ROLE = "machineconfiguration.openshift.io/role"
"""The label that says for which nodes a MachineConfig is."""


def machine_config(
    name: str, role: Role, config: Config | None = None, kernel_arguments: tuple[str, ...] = ()
) -> dict[str, Any]:
    """What all nodes of a role get: an Ignition config, arguments of their kernel, or both."""
    spec: dict[str, Any] = {"config": config} if config else {}
    if kernel_arguments:
        spec["kernelArguments"] = list(kernel_arguments)
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": {"name": name, "labels": {ROLE: role.value}},
        "spec": spec,
    }
