"""What users ask of checks: to go on in spite of them, and to try again."""

from muster.domain.draft import Accepts, Draft
from muster.domain.inputs.ignored import with_ignored, with_reset
from muster.domain.triggers import IgnoreValidations, ResetValidation


def ignore(draft: Draft, asked: IgnoreValidations) -> None:
    """The installation may go on in spite of these checks."""
    draft.put(with_ignored(draft.cluster, asked.changes))


def reset(draft: Draft, asked: ResetValidation) -> None:
    """What a check says is to be found out again."""
    draft.put(with_reset(draft.host(asked.host_id), asked.validation))


ACCEPTS: Accepts = {IgnoreValidations: ignore, ResetValidation: reset}
