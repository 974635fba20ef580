"""Calls about hosts, most of them by agents."""

from muster.domain.inputs.host_overrides import HostIgnition, InstallerArgs
from muster.domain.inputs.hosts import HostUpdate
from muster.wire.answers.hosts import HostOut, IgnitionOut, RegistrationOut
from muster.wire.cluster_requests import AgentHeaders
from muster.wire.hosts import Binding, HostCreate, HostProgressReport, InstructionsQuery, LogsProgress
from muster.wire.steps import StepReply, StepsOut

from .endpoint import AGENT, BYTES, HOST, INFRA_ENV, READER, USER, v2

REGISTER_HOST = v2(
    "v2RegisterHost",
    f"POST {INFRA_ENV}/hosts",
    AGENT,
    status=201,
    body=HostCreate,
    answers=RegistrationOut,
    headers=AgentHeaders,
)
LIST_HOSTS = v2("v2ListHosts", f"GET {INFRA_ENV}/hosts", READER, AGENT, answers=tuple[HostOut, ...])
GET_HOST = v2("v2GetHost", f"GET {HOST}", READER, answers=HostOut)
UPDATE_HOST = v2("v2UpdateHost", f"PATCH {HOST}", USER, status=201, body=HostUpdate, answers=HostOut)
DELETE_HOST = v2("v2DeregisterHost", f"DELETE {HOST}", USER, status=204)
GET_NEXT_STEPS = v2(
    "v2GetNextSteps", f"GET {HOST}/instructions", AGENT, query=InstructionsQuery, answers=StepsOut, headers=AgentHeaders
)
POST_STEP_REPLY = v2(
    "v2PostStepReply", f"POST {HOST}/instructions", AGENT, status=204, body=StepReply, headers=AgentHeaders
)
HOST_PROGRESS = v2(
    "v2UpdateHostInstallProgress", f"PUT {HOST}/progress", AGENT, body=HostProgressReport, headers=AgentHeaders
)
HOST_LOGS_PROGRESS = v2("v2UpdateHostLogsProgress", f"PUT {HOST}/logs-progress", AGENT, status=204, body=LogsProgress)
BIND_HOST = v2("BindHost", f"POST {HOST}/actions/bind", USER, body=Binding, answers=HostOut)
UNBIND_HOST = v2("UnbindHost", f"POST {HOST}/actions/unbind", USER, answers=HostOut)
INSTALL_HOST = v2("v2InstallHost", f"POST {HOST}/actions/install", USER, status=202, answers=HostOut)
RESET_HOST = v2("v2ResetHost", f"POST {HOST}/actions/reset", USER, answers=HostOut)
RESET_HOST_VALIDATION = v2("v2ResetHostValidation", f"PATCH {HOST}/actions/reset-validation/{{validation_id}}", USER)
UPDATE_INSTALLER_ARGS = v2(
    "v2UpdateHostInstallerArgs", f"PATCH {HOST}/installer-args", USER, status=201, body=InstallerArgs, answers=HostOut
)
GET_HOST_IGNITION = v2("v2GetHostIgnition", f"GET {HOST}/ignition", USER, answers=IgnitionOut, also=(409,))
UPDATE_HOST_IGNITION = v2("v2UpdateHostIgnition", f"PATCH {HOST}/ignition", USER, status=201, body=HostIgnition)
DOWNLOAD_HOST_IGNITION = v2(
    "v2DownloadHostIgnition",
    "GET /infra-env/{infra_env_id}/hosts/{host_id}/downloads/ignition",
    READER,
    AGENT,
    gives=BYTES,
    also=(409,),
)
