"""Turns what an installer has made of a cluster into the files that its hosts install from.

`runtime/preparation.py` asks for them and puts them into storage. The installer knows nothing of the service and of
what has been discovered; both is added here: to the config of the host that starts the cluster (`bootstrap.py`), to
that of each role (`roles.py`), and for each host (`pointers.py`).
"""

import json

from muster.domain.artifacts.assets import Assets, Files, Order
from muster.domain.artifacts.ignition import encoded

from .bootstrap import bootstrap_config
from .pointers import host_configs
from .roles import role_config

__all__ = ["post_processed"]


def post_processed(order: Order, assets: Assets) -> Files:
    """Every file by the name under which it is kept; `Invalid` if something was asked for that cannot be had."""
    roles = {role: role_config(order, role, config) for role, config in assets.roles.items()}
    configs = {"bootstrap": bootstrap_config(order, assets), **roles, **host_configs(order, assets, roles)}
    return Files(
        openshift_cluster_id=assets.openshift_cluster_id,
        files={
            **{f"{name}.ign": encoded(config) for name, config in configs.items()},
            "metadata.json": assets.metadata,
            "install-config.yaml": json.dumps(order.install_config, indent=2).encode(),
            "kubeconfig-noingress": assets.kubeconfig,
            "kubeadmin-password": assets.password,
        },
    )
