"""The agent protocol: instructions out, replies in."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args
from zlib import crc32

import msgspec

from muster.domain.record import Record
from muster.domain.steps import STEPS, Instructions
from muster.domain.steps.download_boot_artifacts import BootArtifactsRequest

from .json import text
from .query import Number

StepType = Literal[
    "", "connectivity-check", "execute", "inventory", "install", "free-network-addresses", "dhcp-lease-allocate",
    "api-vip-connectivity-check", "tang-connectivity-check", "ntp-synchronizer", "installation-disk-speed-check",
    "container-image-availability", "domain-resolution", "stop-installation", "logs-gather", "next-step-runner",
    "upgrade-agent", "download-boot-artifacts", "reboot-for-reclaim", "verify-vips",
]  # fmt: skip
"""Every kind of step that the protocol knows, asked for here or not."""

StepKind = Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(get_args(StepType)[1:])})]
AfterSteps = Annotated[str, msgspec.Meta(extra_json_schema={"enum": ["exit", "continue"]})]


class StepOut(Record, omit_defaults=False):
    """One instruction as an agent reads it."""

    step_type: StepKind
    step_id: str
    args: tuple[str, ...]


class StepsOut(Record):
    """The answer to an agent that asks what to do; null if that is nothing."""

    instructions: tuple[StepOut, ...] | None
    next_instruction_seconds: int = 0
    post_step_action: AfterSteps = ""


class StepReply(Record, forbid_unknown_fields=True):
    """What an agent sends when it has done a step, well or badly."""

    step_type: StepType = ""
    step_id: str = ""
    exit_code: Number = 0
    output: str | None = None
    error: str | None = None


def encode_instructions(instructions: Instructions, signed: Callable[[str], str] = str) -> bytes:
    """Instructions as JSON. The id of a step follows from what is asked, so the same view gives the same bytes.

    `signed` makes a link to what is not for everybody one that lets in whoever follows it.
    """
    steps = []
    for step in instructions.steps:
        args = tuple(arg if isinstance(arg, str) else text(_opened(arg, signed)) for arg in step.args)
        steps.append(
            StepOut(step_type=step.kind, step_id=f"{step.kind}-{crc32(''.join(args).encode()):08x}", args=args)
        )
    return msgspec.json.encode(
        StepsOut(
            instructions=tuple(steps) or None,
            next_instruction_seconds=instructions.seconds,
            post_step_action=instructions.action,
        )
    )


def _opened(arg: Any, signed: Callable[[str], str]) -> Any:
    return arg.but(initrd_url=signed(arg.initrd_url)) if isinstance(arg, BootArtifactsRequest) else arg


_READERS: dict[str, msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(step.reads) for kind, step in STEPS.items() if step.reads is not None
}


def decode_reply(kind: str, output: str) -> Any:
    """What a step's output says, in the shape the step reads; None where there is nothing to read.

    What the step does not read is dropped. Agents write null where they have nothing to say.
    """
    if kind not in _READERS or (not output and STEPS[kind].tolerant):
        return None
    try:
        return _decoded(kind, output)
    except RecursionError as error:
        raise msgspec.ValidationError("it is nested too deeply") from error


def _decoded(kind: str, output: str) -> Any:
    try:
        return _READERS[kind].decode(output)
    except msgspec.ValidationError:
        return msgspec.convert(_without_nulls(msgspec.json.decode(output)), STEPS[kind].reads)


def _without_nulls(value: Any) -> Any:
    """A document in which what is null is simply not there."""
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value
