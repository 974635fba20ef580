"""What the fields of answers are made of."""

from typing import Annotated, TypeAlias, TypeVar

from msgspec import Meta, UnsetType

from muster.domain.inputs.fields import Uuid

T = TypeVar("T")

Maybe: TypeAlias = T | UnsetType
"""Something that is left out where it is empty, false or zero."""

Id = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
"""An id that was made here."""

GivenId = Uuid
"""An id that somebody else has made, in whichever form they write it."""

Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Document = Annotated[str, Meta(description="A document in JSON, as text.")]
