"""What users lay over a cluster, over REST: its install-config, the checks to be ignored, what their own tools keep."""

from muster.api.call import Call, serves
from muster.api.clusters import asked, view_of
from muster.domain.clusters import Cluster, PlatformType
from muster.domain.inputs.ignored import IgnoredValidations
from muster.domain.inputs.install_configs import install_config_text
from muster.domain.preflight import Preflight, preflight
from muster.domain.supported_platforms import supported_platforms
from muster.domain.triggers import IgnoreValidations, KeepUiSettings, OverrideInstallConfig
from muster.domain.views import View
from muster.wire.clusters import ignored_out
from muster.wire.endpoints import clusters as rows


def _cluster(view: View) -> Cluster:
    assert view.cluster is not None
    return view.cluster


@serves(rows.SUPPORTED_PLATFORMS)
async def list_supported_platforms(call: Call) -> tuple[PlatformType, ...]:
    """The platforms that the hosts of a cluster could make up."""
    view = await view_of(call)
    return supported_platforms(_cluster(view), view.living)


@serves(rows.PREFLIGHT_REQUIREMENTS)
async def preflight_requirements(call: Call) -> Preflight:
    """What a cluster is going to need of its hosts."""
    return preflight(_cluster(await view_of(call)), call.service.policy)


@serves(rows.GET_INSTALL_CONFIG)
async def get_install_config(call: Call) -> str:
    """The install-config as it would be used now."""
    return install_config_text(await view_of(call))


@serves(rows.UPDATE_INSTALL_CONFIG)
async def update_install_config(call: Call) -> None:
    """Lay changes over the install-config."""
    await asked(call, OverrideInstallConfig(overrides=call.body))


@serves(rows.GET_IGNORED_VALIDATIONS)
async def get_ignored_validations(call: Call) -> IgnoredValidations:
    """The checks in spite of which the installation may go on."""
    return ignored_out(_cluster(await view_of(call)))


@serves(rows.SET_IGNORED_VALIDATIONS)
async def set_ignored_validations(call: Call) -> IgnoredValidations:
    """Go on in spite of these checks."""
    return ignored_out(_cluster(await asked(call, IgnoreValidations(changes=call.body))))


@serves(rows.GET_UI_SETTINGS)
async def get_ui_settings(call: Call) -> str:
    """What a user interface has had kept."""
    return _cluster(await view_of(call)).ui_settings


@serves(rows.UPDATE_UI_SETTINGS)
async def update_ui_settings(call: Call) -> str:
    """Keep something for a user interface."""
    return _cluster(await asked(call, KeepUiSettings(settings=call.body))).ui_settings
