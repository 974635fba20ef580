"""Calls about discovery images."""

from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate
from muster.wire.infra_envs import InfraEnvsQuery

from .endpoint import AGENT, IMAGE, IMAGE_LINK, INFRA_ENV, LINK, READER, USER, WATCHER, v2

REGISTER_INFRA_ENV = v2("RegisterInfraEnv", "POST /infra-envs", USER, status=201, body=InfraEnvCreate)
LIST_INFRA_ENVS = v2("ListInfraEnvs", "GET /infra-envs", READER, WATCHER, query=InfraEnvsQuery)
GET_INFRA_ENV = v2("GetInfraEnv", f"GET {INFRA_ENV}", READER, AGENT, LINK, IMAGE, IMAGE_LINK)
UPDATE_INFRA_ENV = v2("UpdateInfraEnv", f"PATCH {INFRA_ENV}", USER, status=201, body=InfraEnvUpdate)
DELETE_INFRA_ENV = v2("DeregisterInfraEnv", f"DELETE {INFRA_ENV}", USER, status=204)
INFRA_ENV_IMAGE_URL = v2("GetInfraEnvDownloadURL", f"GET {INFRA_ENV}/downloads/image-url", USER)
