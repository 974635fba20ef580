"""`muster image`: looks into live images and makes them one's own, without any service."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from muster.domain.errors import Broken, Invalid
from muster.domain.inputs.infra_envs import KernelValue
from muster.domain.record import Record
from muster.image.customise import CONFIG, Customisation, customised, room
from muster.image.embedded import embedded_files
from muster.image.live import Live, read_live
from muster.image.minimal import why_not_minimal, write_minimal
from muster.image.regions import Composed, Extent, composed
from muster.image.remote import RemoteSource, shown
from muster.image.source import FileSource
from muster.image.writing import copied, whole

from .options import AsJson

WIDE = 240
"""Characters in a line where there is no terminal to say so."""


class Embedded(Record, omit_defaults=False):
    """An Ignition config in an image, without anything in it that may be secret."""

    version: str
    bytes: int
    files: tuple[str, ...]
    units: tuple[str, ...]
    users: tuple[str, ...]


class Sight(Record, omit_defaults=False):
    """A live image as a person wants to know it."""

    volume: str
    build: str
    architecture: str
    bytes: int
    kind: str
    ignition: Embedded | None
    ignition_room: int
    other_files: tuple[str, ...]
    kernel_arguments: str | None
    kernel_arguments_default: str | None
    kernel_arguments_room: int | None
    features: tuple[str, ...]
    minimal: str
    """Empty if a minimal image can be made of it, otherwise why not."""


def show(
    file: Annotated[str, typer.Argument(help="A file, or a URL, of which only a few parts are fetched.")],
    *,
    as_json: AsJson = False,
    ignition: Annotated[
        bool, typer.Option("--ignition", help="Print the Ignition config in it, with all secrets, and nothing else.")
    ] = False,
) -> None:
    """Show what a live image is, and what it was customised with."""
    with _opened(file) as source:
        live = read_live(source)
        files = embedded_files(source, live)
        not_minimal = why_not_minimal(source, live)
    if ignition and CONFIG not in files:
        raise Invalid(f"There is no Ignition config in the image; `muster image customise {file} --ignition` adds one")
    if ignition:
        typer.echo(files[CONFIG], nl=False)
        return
    sight = _sight(live, files, not_minimal)
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(sight)).decode())
        return
    console = Console()
    (console if console.is_terminal else Console(width=WIDE)).print(_table(sight))


def customise(
    file: Annotated[Path, typer.Argument(help="A live image as it was published; it stays as it is.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    ignition: Annotated[Path | None, typer.Option(help="The Ignition config that the system is to find.")] = None,
    karg: Annotated[
        list[str] | None, typer.Option(help="Add a kernel argument, such as console=ttyS0; may be given again.")
    ] = None,
    minimal: Annotated[bool, typer.Option("--minimal", help="Leave the system out; it is fetched at start.")] = False,
    rootfs_url: Annotated[str, typer.Option(help="Where it is fetched: the URL of images/pxeboot/rootfs.img.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a copy of a live image that has an Ignition config, kernel arguments, or only what is needed to start."""
    wanted = Customisation(
        ignition=_config(ignition) if ignition else b"",
        kernel_arguments=tuple(_argument(each) for each in karg or ()),
        rootfs_url=rootfs_url,
    )
    _check(file, output, wanted, minimal=minimal, force=force)
    with _told(output), TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as folder:
        base = _minimal(file, Path(folder)) if minimal else file
        _write(base, output, wanted)
    Console().print(f"{output} is written: {_size(output.stat().st_size)}.", highlight=False, soft_wrap=True)


def _check(file: Path, output: Path, wanted: Customisation, *, minimal: bool, force: bool) -> None:
    """Whatever can be wrong with a wish is said before anything is written."""
    if wanted == Customisation(ignition=b"") and not minimal:
        raise Invalid("There is nothing to customise; give --ignition, --karg, or --minimal with --rootfs-url")
    if minimal and not wanted.rootfs_url:
        raise Invalid("--minimal leaves the system out; say with --rootfs-url where the machines fetch it")
    with _told(file):
        itself = output.exists() and output.samefile(file)
    if itself:
        raise Invalid(f"{output} is the image itself, which stays as it is; choose another file for --output")
    if output.exists() and not force:
        raise Invalid(f"{output} exists; choose another file for --output, or write over it with --force")
    with _opened(str(file)) as source:
        live = read_live(source)
        not_minimal = why_not_minimal(source, live)
    if minimal and not_minimal:
        raise Invalid(not_minimal)
    if wanted.rootfs_url and not minimal and not live.minimal:
        raise Invalid("--rootfs-url is for minimal images, and this one has the system in it; add --minimal")


def _minimal(file: Path, folder: Path) -> Path:
    """The minimal image of a full one, in a folder."""
    target = folder / "minimal.iso"
    with _opened(str(file)) as source:
        write_minimal(source, read_live(source), target)
    return target


def _write(base: Path, output: Path, wanted: Customisation) -> None:
    with closing(FileSource(base)) as source:
        live = read_live(source)
        written = composed(Extent(offset=0, length=live.size), customised(live, wanted))
        with whole(output) as file, _progress(output.name, written) as advance:
            for region in written.regions:
                copied(source, (region,), lambda piece: advance(file.write(piece)))


@contextmanager
def _progress(name: str, written: Composed) -> Iterator[Any]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"Writing {name}", total=written.length)
        yield lambda count: progress.advance(task, count)


@contextmanager
def _opened(name: str) -> Iterator[FileSource | RemoteSource]:
    """A file or a URL to read from; whatever is wrong with it is told with its name."""
    remote = "://" in name
    with _told(name), closing(RemoteSource(name) if remote else FileSource(Path(name))) as source:
        try:
            yield source
        except Broken as error:
            raise Broken(f"{shown(name) if remote else name}: {error}") from error


@contextmanager
def _told(name: str | Path) -> Iterator[None]:
    """What the operating system refuses is told in a sentence, with the name of the file."""
    try:
        yield
    except OSError as error:
        raise Broken(f"{name}: {os.strerror(error.errno or 0)}") from error


def _config(file: Path) -> bytes:
    """An Ignition config; `Invalid` if it is none."""
    with _told(file):
        content = file.read_bytes()
    try:
        told = msgspec.json.decode(content, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise Invalid(f"--ignition {file}: is not a JSON object: {error}") from error
    if not isinstance(told.get("ignition"), dict) or not isinstance(told["ignition"].get("version"), str):
        raise Invalid(f"--ignition {file}: has no ignition.version; write one in, such as 3.2.0, or run Butane over it")
    return content


def _argument(text: str) -> str:
    try:
        return msgspec.convert(text, KernelValue)
    except msgspec.ValidationError:
        raise Invalid(f'--karg {text!r}: put what has spaces in it into quotes, as in name="a value"') from None


def _sight(live: Live, files: dict[str, bytes], not_minimal: str) -> Sight:
    left = room(live, Customisation(ignition=files.get(CONFIG, b"")))
    kargs = live.kargs
    return Sight(
        volume=live.volume_id,
        build=live.build,
        architecture=live.architecture,
        bytes=live.size,
        kind="minimal" if live.minimal else "full",
        ignition=_embedded(files[CONFIG]) if CONFIG in files else None,
        ignition_room=left.ignition,
        other_files=tuple(each for each in files if each != CONFIG),
        kernel_arguments=kargs.now if kargs else None,
        kernel_arguments_default=kargs.default if kargs else None,
        kernel_arguments_room=kargs.size - 1 - len(kargs.now) if kargs else None,
        features=live.features,
        minimal=not_minimal,
    )


def _embedded(content: bytes) -> Embedded:
    try:
        told = msgspec.json.decode(content, type=dict[str, Any])
        named = (("storage", "files", "path"), ("systemd", "units", "name"), ("passwd", "users", "name"))
        files, units, users = (
            tuple(str(each[key]) for each in told.get(part, {}).get(kind, ())) for part, kind, key in named
        )
        version = str(told["ignition"]["version"])
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError):
        return Embedded(version="unknown", bytes=len(content), files=(), units=(), users=())
    return Embedded(version=version, bytes=len(content), files=files, units=units, users=users)


def _table(sight: Sight) -> Table:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in _lines(sight):
        table.add_row(name, text)
    return table


def _lines(sight: Sight) -> Iterator[tuple[str, str]]:
    yield "Volume", sight.volume
    yield "Build", sight.build
    yield "Architecture", sight.architecture
    yield "Kind", f"{sight.kind}, {_size(sight.bytes)}"
    yield "Ignition", _told_config(sight.ignition) if sight.ignition else "none"
    yield "  room left", f"{sight.ignition_room:,} bytes"
    if sight.other_files:
        yield "  other files", ", ".join(sight.other_files)
    if sight.kernel_arguments is None:
        yield "Kernel arguments", "cannot be changed in this image"
    else:
        yield "Kernel arguments", sight.kernel_arguments
        yield "  room left", f"{sight.kernel_arguments_room:,} characters"
    if sight.kernel_arguments != sight.kernel_arguments_default:
        yield "  as published", str(sight.kernel_arguments_default)
    yield "Features", ", ".join(sight.features) or "none"
    yield "Minimal image", sight.minimal or "can be made, with --minimal"


def _told_config(config: Embedded) -> str:
    users = ", ".join(config.users) or "none"
    return (
        f"version {config.version}, {config.bytes:,} bytes: {len(config.files)} files, {len(config.units)} units, "
        f"users: {users} (--ignition prints it)"
    )


def _size(count: int) -> str:
    return f"{count / 1_000_000:,.1f} MB"
