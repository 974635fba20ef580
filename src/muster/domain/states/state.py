"""What a state is: a value that clients see, with its meaning."""

from enum import StrEnum
from typing import Self


class State(StrEnum):
    """A state with its meaning; the value is what clients see."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        """A member from its value and its meaning."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member
