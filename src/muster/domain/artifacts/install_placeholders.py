"""What an install-config says of vSphere and Nutanix before the user has told where they are.

Read by `install_config`; the user puts the real values in after the installation.
"""

from typing import Any

VSPHERE: dict[str, Any] = {
    "vcenters": [
        {
            "datacenters": ["datacenterplaceholder"],
            "password": "passwordplaceholder",
            "server": "vcenterplaceholder",
            "user": "usernameplaceholder",
        }
    ],
    "failureDomains": [
        {
            "name": "assisted-generated-failure-domain",
            "region": "assisted-generated-region",
            "zone": "assisted-generated-zone",
            "server": "vcenterplaceholder",
            "topology": {
                "computeCluster": "/datacenterplaceholder/host/clusterplaceholder",
                "datacenter": "datacenterplaceholder",
                "datastore": "/datacenterplaceholder/datastore/defaultdatastoreplaceholder",
                "folder": "/datacenterplaceholder/vm/folderplaceholder",
                "networks": ["networkplaceholder"],
            },
        }
    ],
}
"""One vCenter with one failure domain, as releases from 4.13 on read them."""

OLD_VSPHERE: dict[str, Any] = {
    "vCenter": "vcenterplaceholder",
    "username": "usernameplaceholder",
    "password": "passwordplaceholder",
    "datacenter": "datacenterplaceholder",
    "defaultDatastore": "defaultdatastoreplaceholder",
    "cluster": "clusterplaceholder",
    "network": "networkplaceholder",
}
"""The same as older releases read it."""

NUTANIX: dict[str, Any] = {
    "prismCentral": {
        "endpoint": {"address": "prism.central.placeholder.address", "port": 9440},
        "username": "username_placeholder",
        "password": "password_placeholder",
    },
    "prismElements": [
        {
            "endpoint": {"address": "prism.element.placeholder.address", "port": 9440},
            "uuid": "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
            "name": "prism_endpoint_name_placeholder",
        }
    ],
    "subnetUUIDs": ["yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy"],
}
"""One Prism Central with one element and one subnet."""
