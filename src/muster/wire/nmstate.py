"""Network settings as users write them: nmstate's YAML to what it says, with the lines of everything that is wrong.

What is behind the port `Networks` calls it. Plain words mean what they mean to nmstate (YAML 1.2): `on` and `yes` are
text until a flag is expected, and MAC addresses and times are always text.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml import CSafeLoader, MappingNode, ScalarNode, SequenceNode, YAMLError

from muster.domain.nmstate.network import ReadNetwork, read_tree, unreadable
from muster.domain.nmstate.tree import At, Node, Problem, Scalar

from .yaml_text import Harmful, inspected

LONGEST_NUMBER = 20
"""The digits of the largest number that anything can be set to; what is longer stays text."""


class _Loader(CSafeLoader):
    """Scalars keep their text; what they mean is said below."""

    yaml_implicit_resolvers: dict[str, Any] = {}


FLAGS = {**dict.fromkeys(("true", "True", "TRUE"), True), **dict.fromkeys(("false", "False", "FALSE"), False)}
NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+)")
BROKEN = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")


TAGS = frozenset(f"tag:yaml.org,2002:{each}" for each in ("str", "seq", "map"))
"""What values have where no tag was written."""


def read_network(text: str) -> ReadNetwork:
    """What one document says and what is wrong about it, every problem with its line."""
    try:
        found = len(inspected(text))
        if found > 1:
            return unreadable(Problem(at=At(), text=f"has {found} documents; write one for each host"))
        root = yaml.compose(text, Loader=_Loader)
    except Harmful as error:
        return unreadable(Problem(at=At(), text=str(error)))
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or getattr(error, "reason", None)
        return unreadable(Problem(at=At(line=mark.line + 1 if mark else 0), text=f"is not YAML: {said}"))
    wrong: list[Problem] = []
    tree = None if root is None else _node(root, At(), wrong)
    return unreadable(*wrong) if wrong or tree is None or tree.value is None else read_tree(tree)


def _node(found: Any, at: At, wrong: list[Problem]) -> Node:
    """A value with its line; `wrong` gathers what no document of nmstate has."""
    line = max(at.line, found.start_mark.line + 1)
    if found.tag not in TAGS:
        wrong.append(
            Problem(at=at.but(line=line), text=f"has the tag {found.tag}, which means nothing here; leave it out")
        )
    if isinstance(found, ScalarNode):
        return Node(line=line, value=_scalar(found))
    if isinstance(found, SequenceNode):
        items = (_node(each, At(path=f"{at.path}[{number}]"), wrong) for number, each in enumerate(found.value))
        return Node(line=line, value=tuple(items))
    return Node(line=line, value=dict(_fields(found, at, wrong)))


def _fields(found: MappingNode, at: At, wrong: list[Problem]) -> Iterator[tuple[str, Node]]:
    lines: dict[str, int] = {}
    for key, value in found.value:
        line = key.start_mark.line + 1
        if not isinstance(key, ScalarNode):
            wrong.append(Problem(at=at.but(line=line), text="the name of a field is a plain word"))
            continue
        name = str(key.value)
        here = At(line=line, path=f"{at.path}.{name}" if at.path else name)
        if name in lines:
            wrong.append(Problem(at=here, text=f"is written in line {lines[name]} already"))
        lines.setdefault(name, line)
        yield name, _node(value, here, wrong)


def _scalar(found: ScalarNode) -> Scalar:
    """What a scalar means: what is quoted or in a block is text, and so is what looks like nothing else."""
    text = str(found.value)
    if found.style:
        return text
    if text in NOTHING:
        return None
    if text in FLAGS:
        return FLAGS[text]
    if len(text) <= LONGEST_NUMBER and WHOLE.fullmatch(text):
        return int(text, 0)
    number = float(text) if BROKEN.fullmatch(text) else math.inf
    return number if math.isfinite(number) else text
