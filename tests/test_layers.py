"""Imports go down only, and what is dangerous lives in one place (docs/architecture.md)."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "muster"

MAY_IMPORT = {
    "domain": set(),
    "wire": {"domain"},
    "ports": {"image", "domain"},
    "machine": {"domain"},
    "image": {"domain", "wire"},
    "adapters": {"ports", "machine", "image", "wire", "domain"},
    "runtime": {"ports", "domain"},
    "client": {"wire", "domain"},
    "api": {"runtime", "ports", "image", "wire", "domain"},
    "agent": {"client", "wire", "domain", "machine", "ports"},
    "installer": {"client", "wire", "domain", "machine", "ports", "agent"},
    "lab": {"client", "wire", "domain", "ports", "agent", "installer", "adapters.machine", "adapters.releases"},
    "cli": {"client", "image", "wire", "domain", "lab"},
}
"""Each layer and what it may look at besides itself."""

EXCEPTIONS = {
    "runtime/wiring.py": {"adapters"},
    "cli/serve.py": {"api", "runtime"},
    "cli/config.py": {"api", "runtime"},
    "cli/replay.py": {"api", "runtime"},
    "cli/backup.py": {"runtime", "adapters.backup"},
    "cli/token.py": {"runtime", "adapters.clock"},
}
"""The one place that names adapters, and the commands that start the service, show its settings and use its key."""

CORE_MAY_USE = {"msgspec"}
ONLY_IN = {
    "subprocess": {"adapters/machine"},
    "uuid.uuid4": {"adapters"},
    "datetime.now": {"adapters"},
    "time.time": {"adapters"},
}
STANDARD_BUT_NOT_FOR_THE_CORE = {"asyncio", "logging", "os", "random", "secrets", "socket", "time", "uuid"}


def modules():
    return sorted(SOURCE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def layer_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    package = ("muster", *path.relative_to(SOURCE).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_module_looks_only_at_the_layers_below_it(path):
    layer = layer_of(path)
    if layer == "__init__":
        return
    allowed = MAY_IMPORT[layer] | EXCEPTIONS.get(name_of(path), set()) | {layer, "__version__"}
    for imported in imports_of(path):
        if imported.startswith("muster."):
            inside = imported.removeprefix("muster.")
            assert any(inside == each or inside.startswith(f"{each}.") for each in allowed), (
                f"{name_of(path)} must not import {imported}"
            )


@pytest.mark.parametrize("path", sorted((SOURCE / "domain").rglob("*.py")), ids=name_of)
def test_the_core_uses_only_the_quiet_part_of_the_standard_library(path):
    import sys

    for imported in imports_of(path):
        top = imported.split(".")[0]
        if top in {"muster", ""}:
            continue
        assert top in sys.stdlib_module_names | CORE_MAY_USE, f"{name_of(path)} must not import {imported}"
        assert top not in STANDARD_BUT_NOT_FOR_THE_CORE, f"{name_of(path)} must not import {imported}"


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_what_is_dangerous_lives_in_one_place(path):
    tree = ast.parse(path.read_text())
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | imports_of(path)
    for what, places in ONLY_IN.items():
        if any(name_of(path).startswith(place) for place in places):
            continue
        assert not any(each == what or each.startswith(f"{what}.") for each in used), f"{name_of(path)} uses {what}"


def test_the_core_is_synchronous():
    for path in (SOURCE / "domain").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            assert not isinstance(node, (ast.AsyncFunctionDef, ast.Await)), f"{name_of(path)} waits"
