"""Calls about hosts, most of them by agents."""

from muster.domain.inputs.hosts import HostUpdate
from muster.wire.hosts import HostCreate, HostProgressReport, InstructionsQuery, LogsProgress
from muster.wire.steps import StepReply

from .endpoint import AGENT, BYTES, HOST, INFRA_ENV, READER, USER, v2

REGISTER_HOST = v2("v2RegisterHost", f"POST {INFRA_ENV}/hosts", AGENT, status=201, body=HostCreate)
LIST_HOSTS = v2("v2ListHosts", f"GET {INFRA_ENV}/hosts", READER, AGENT)
GET_HOST = v2("v2GetHost", f"GET {HOST}", READER)
UPDATE_HOST = v2("v2UpdateHost", f"PATCH {HOST}", USER, status=201, body=HostUpdate)
DELETE_HOST = v2("v2DeregisterHost", f"DELETE {HOST}", USER, status=204)
GET_NEXT_STEPS = v2("v2GetNextSteps", f"GET {HOST}/instructions", AGENT, query=InstructionsQuery)
POST_STEP_REPLY = v2("v2PostStepReply", f"POST {HOST}/instructions", AGENT, status=204, body=StepReply)
HOST_PROGRESS = v2("v2UpdateHostInstallProgress", f"PUT {HOST}/progress", AGENT, body=HostProgressReport)
HOST_LOGS_PROGRESS = v2("v2UpdateHostLogsProgress", f"PUT {HOST}/logs-progress", AGENT, status=204, body=LogsProgress)
DOWNLOAD_HOST_IGNITION = v2(
    "v2DownloadHostIgnition",
    "GET /infra-env/{infra_env_id}/hosts/{host_id}/downloads/ignition",
    READER,
    AGENT,
    gives=BYTES,
)
