"""Calls about the manifests of a cluster."""

from muster.domain.inputs.manifests import ManifestCreate, ManifestUpdate
from muster.wire.answers.manifests import ManifestOut
from muster.wire.manifests import ManifestQuery, ManifestsQuery

from .endpoint import ANYONE, BYTES, CLUSTER, USER, v2

LIST_MANIFESTS = v2(
    "V2ListClusterManifests", f"GET {CLUSTER}/manifests", ANYONE, query=ManifestsQuery, answers=tuple[ManifestOut, ...]
)
CREATE_MANIFEST = v2(
    "V2CreateClusterManifest",
    f"POST {CLUSTER}/manifests",
    ANYONE,
    status=201,
    body=ManifestCreate,
    answers=ManifestOut,
    also=(422,),
)
UPDATE_MANIFEST = v2(
    "V2UpdateClusterManifest",
    f"PATCH {CLUSTER}/manifests",
    ANYONE,
    body=ManifestUpdate,
    answers=ManifestOut,
    also=(422,),
)
DELETE_MANIFEST = v2("V2DeleteClusterManifest", f"DELETE {CLUSTER}/manifests", USER, query=ManifestQuery, also=(422,))
DOWNLOAD_MANIFEST = v2(
    "v2DownloadClusterManifest", f"GET {CLUSTER}/manifests/files", ANYONE, query=ManifestQuery, gives=BYTES, also=(422,)
)
