"""Features of discovery images: a table that `FEATURES` is made of."""

from collections.abc import Callable

from muster.domain.infra_envs import ImageType

from .feature import OCI, Choice, Feature, Plan
from .levels import ever


def _is(kind: ImageType) -> Callable[[Plan], bool]:
    return lambda plan: plan.infra_env is not None and plan.infra_env.type is kind


IMAGES = (
    Feature(
        id="MINIMAL_ISO",
        not_on=ever("s390x"),
        choice=Choice(field="image_type", words="a minimal-iso", instead="use full-iso", made=_is(ImageType.MINIMAL)),
    ),
    Feature(
        id="FULL_ISO",
        not_for=ever(OCI),
        excludes=ever("EXTERNAL_PLATFORM_OCI"),
        choice=Choice(field="image_type", words="a full-iso", instead="use minimal-iso", made=_is(ImageType.FULL)),
    ),
)
"""The kinds of image that hosts are started from."""
