"""Calls about discovery images."""

from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate
from muster.wire.answers.infra_envs import InfraEnvOut, LinkOut
from muster.wire.infra_envs import InfraEnvFileQuery, InfraEnvsQuery, PresignedFileQuery

from .endpoint import AGENT, BYTES, IMAGE, IMAGE_LINK, INFRA_ENV, LINK, READER, USER, WATCHER, v2

REGISTER_INFRA_ENV = v2(
    "RegisterInfraEnv", "POST /infra-envs", USER, status=201, body=InfraEnvCreate, answers=InfraEnvOut
)
LIST_INFRA_ENVS = v2(
    "ListInfraEnvs", "GET /infra-envs", READER, WATCHER, query=InfraEnvsQuery, answers=tuple[InfraEnvOut, ...]
)
GET_INFRA_ENV = v2("GetInfraEnv", f"GET {INFRA_ENV}", READER, AGENT, LINK, IMAGE, IMAGE_LINK, answers=InfraEnvOut)
UPDATE_INFRA_ENV = v2(
    "UpdateInfraEnv", f"PATCH {INFRA_ENV}", USER, status=201, body=InfraEnvUpdate, answers=InfraEnvOut
)
DELETE_INFRA_ENV = v2("DeregisterInfraEnv", f"DELETE {INFRA_ENV}", USER, status=204)
INFRA_ENV_IMAGE_URL = v2("GetInfraEnvDownloadURL", f"GET {INFRA_ENV}/downloads/image-url", USER, answers=LinkOut)
DOWNLOAD_INFRA_ENV_FILES = v2(
    "v2DownloadInfraEnvFiles",
    f"GET {INFRA_ENV}/downloads/files",
    READER,
    AGENT,
    LINK,
    IMAGE,
    IMAGE_LINK,
    query=InfraEnvFileQuery,
    gives=BYTES,
)
PRESIGNED_INFRA_ENV_FILE = v2(
    "GetInfraEnvPresignedFileURL",
    f"GET {INFRA_ENV}/downloads/files-presigned",
    USER,
    query=PresignedFileQuery,
    answers=LinkOut,
)
DOWNLOAD_MINIMAL_INITRD = v2(
    "DownloadMinimalInitrd", f"GET {INFRA_ENV}/downloads/minimal-initrd", READER, LINK, IMAGE, gives=BYTES, also=(204,)
)
REGENERATE_SIGNING_KEY = v2(
    "RegenerateInfraEnvSigningKey", f"POST {INFRA_ENV}/regenerate-signing-key", USER, status=204
)
