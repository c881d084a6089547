"""Programs: bots that are a folder with a bot.toml, packed, built, unpacked where they play, and started."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shutil
import stat
import tarfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tournament.cache import cache_trouble
from tournament.errors import BadInput, RunFailed
from tournament.sandbox import confinement
from tournament.sandbox.confinement import Confined, LaunchSpec, Limits, how_it_ended
from tournament.sandbox.scratch import scratch_folder
from tournament.sandbox.settings import SandboxSettings

FILE_NAME = "bot.toml"
_MOST_BYTES = 64 << 20
_MOST_FILES = 2000
_MOST_LEVELS = 32
_MOST_RECIPE_BYTES = 1 << 16
_MOST_COMMAND_BYTES = 1 << 14
_BUILD_SECONDS = 300
_TRIAL_SECONDS = 0.2
_MOST_TRIALS = 10  # of as long, on a busy machine
_PATH = "/usr/local/bin:/usr/bin:/bin"
_LEFT_OUT = {"__pycache__", ".git"}
# What compilers are made of. Not all of /usr: people keep work of their own in some of its folders.
_SYSTEM = (
    *(
        f"{root}/{name}"
        for root in ("", "/usr", "/usr/local")
        for name in ("bin", "lib", "lib64", "include", "libexec")
    ),
    "/usr/share",
    "/usr/local/go",
    "/usr/x86_64-linux-gnu",
    "/usr/aarch64-linux-gnu",
    "/etc/alternatives",
)


@dataclass(frozen=True)
class Recipe:
    """What bot.toml says: the command that plays, and the one that builds it, if any."""

    command: tuple[str, ...]
    build: tuple[str, ...] = ()


class BadRecipe(Exception):
    """A bot.toml that is none; the message names the line."""


def read_recipe(text: str, where: str) -> Recipe:
    """Read a bot.toml. Raises BadRecipe naming `where` and the line."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRecipe(f"{where}: {error}") from None
    for key in document:
        if key not in ("command", "build"):
            shown = key if re.fullmatch(r"[\w-]{1,40}", key) else ascii(key)[:40]
            raise BadRecipe(f"{where}, line {_line_of(text, key)}: unknown key {shown}; there are command, build")
    if "command" not in document:
        raise BadRecipe(f'{where}: lacks command, for example: command = ["python3", "bot.py"]')
    words: dict[str, tuple[str, ...]] = {}
    for key, value in document.items():
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(word, str) and word and "\0" not in word for word in value)
        ):
            raise BadRecipe(
                f'{where}, line {_line_of(text, key)}: {key} must be a list of words, like ["python3", "bot.py"]'
            )
        if sum(len(word.encode("utf-8", "surrogatepass")) + 1 for word in value) > _MOST_COMMAND_BYTES:
            raise BadRecipe(
                f"{where}, line {_line_of(text, key)}: {key} has more than {_MOST_COMMAND_BYTES >> 10} KiB of words"
            )
        words[key] = tuple(value)
    return Recipe(words["command"], words.get("build", ()))


def _line_of(text: str, key: str) -> int:
    lines = text.splitlines()
    return next(
        (number for number, line in enumerate(lines, 1) if re.match(rf'\s*"?{re.escape(key)}"?\s*[.=]', line)), 1
    )


def pack(folder: Path, *, built: bool = False) -> bytes:
    """A folder as one archive, the same bytes for the same files.

    `built`: builds can't mark files as executable, so those that look so are.
    Raises BadInput for links, for too much, and for what can't be read.
    """
    content = io.BytesIO()
    total = 0
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, path in sorted(_files(folder, folder.name)):
            try:
                source, mode = _read_plainly(path, _MOST_BYTES - total)
            except OSError as error:
                raise BadInput(f"{folder.name}/{name}: can't be read: {error.strerror}") from None
            if source is None:
                raise BadInput(f"{folder.name}: larger than {_MOST_BYTES >> 20} MiB")
            total += len(source)
            entry = tarfile.TarInfo(name)
            entry.size = len(source)
            entry.mode = 0o755 if mode & 0o100 or (built and source.startswith((b"\x7fELF", b"#!"))) else 0o644
            archive.addfile(entry, io.BytesIO(source))
    return content.getvalue()


def _files(folder: Path, shown: str) -> Iterator[tuple[str, Path]]:
    """The files of a folder by their paths in it. Raises BadInput for what a program's folder may not have."""
    count = 0
    folders = [(folder, "")]
    while folders:
        current, prefix = folders.pop()
        try:
            entries = list(_limited(current, _MOST_FILES + 1))
        except OSError as error:
            raise BadInput(f"{shown}/{prefix}: can't be read: {error.strerror}") from None
        for entry in entries:
            if entry.name in _LEFT_OUT:
                continue
            count += 1
            if count > _MOST_FILES:
                raise BadInput(f"{shown}: more than {_MOST_FILES:,} files")
            name = f"{prefix}{entry.name}"
            if not name.isprintable():  # which also tells what isn't UTF-8
                raise BadInput(f"{shown}/{ascii(name)[1:-1]}: its name can't be printed; rename it")
            if entry.is_dir(follow_symlinks=False):
                if name.count("/") == _MOST_LEVELS:
                    raise BadInput(f"{shown}: more than {_MOST_LEVELS} folders in each other")
                folders.append((Path(entry.path), f"{name}/"))
            elif entry.is_file(follow_symlinks=False):
                yield name, Path(entry.path)
            else:
                raise BadInput(f"{shown}/{name}: a program's folder has plain files only")


def _limited(folder: Path, most: int) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for _, entry in zip(range(most), entries):
            yield entry


def _read_plainly(path: Path, most: int) -> tuple[bytes | None, int]:
    """A file's content, None if it has more bytes than `most`, and its mode. Raises OSError for a link."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if found.st_size > most or not stat.S_ISREG(found.st_mode):
            return None, found.st_mode
        source = file.read(most + 1)
    return (source if len(source) <= most else None), found.st_mode


def unpack(archive: bytes, folder: Path) -> None:
    """Write an archive's files into an empty folder. Raises RunFailed for one that `pack` can't have made."""
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            for entry in opened:
                path = PurePosixPath(entry.name)
                source = opened.extractfile(entry) if entry.isfile() else None
                if source is None or path.is_absolute() or ".." in path.parts:
                    raise RunFailed("a program's archive is damaged")
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read())
                target.chmod(entry.mode & 0o755)
    except (tarfile.TarError, FileExistsError, NotADirectoryError, IsADirectoryError):
        raise RunFailed("a program's archive is damaged") from None


class BuildFailed(Exception):
    """A program's build command failed; the message has its complaints."""


def recipe_of(archive: bytes) -> Recipe:
    """The recipe in an archive. Raises BadRecipe."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        try:
            file = opened.extractfile(FILE_NAME)
        except KeyError:
            file = None
        if file is None:
            raise BadRecipe(f"lacks {FILE_NAME}")
        content = file.read(_MOST_RECIPE_BYTES + 1)
        if len(content) > _MOST_RECIPE_BYTES:
            raise BadRecipe(f"{FILE_NAME}: larger than {_MOST_RECIPE_BYTES >> 10} KiB")
        try:
            return read_recipe(content.decode(), FILE_NAME)
        except UnicodeDecodeError:
            raise BadRecipe(f"{FILE_NAME}: it is not UTF-8 text") from None


def build(archive: bytes, sandbox: SandboxSettings) -> bytes:
    """What plays: the archive, or what its build command makes of it, run in the sandbox in a copy.

    Raises BuildFailed and BadRecipe.
    """
    recipe = recipe_of(archive)
    if not recipe.build:
        return archive
    with scratch_folder() as whole:
        folder = whole / "bot"
        scratch = whole / "scratch"
        folder.mkdir()
        scratch.mkdir()
        unpack(archive, folder)
        system = [path for path in _SYSTEM if os.path.exists(path)]
        finished = confinement.run(
            LaunchSpec(
                Limits(4096, _BUILD_SECONDS, open_files=1024, file_megabytes=1024, processes=64),
                command=[_found(recipe.build[0], folder), *recipe.build[1:]],
                folder=folder,
                readable=[*system, *sandbox.readable],
                writable=[str(folder), str(scratch)],
                environment={"PATH": _PATH, "HOME": str(scratch), "TMPDIR": str(scratch), "LC_ALL": "C.UTF-8"},
                purpose="build",
            ),
            sandbox.mode,
            _BUILD_SECONDS,
        )
        if finished.status != 0:
            raise BuildFailed(_complaint(recipe, finished, folder))
        try:
            return pack(folder, built=True)
        except BadInput as problem:
            raise BuildFailed(str(problem)) from None


def _complaint(recipe: Recipe, finished: confinement.Finished, folder: Path) -> str:
    text = (finished.errors + finished.output).decode(errors="replace").replace(f"{folder}/", "")
    lines = [line for line in text.splitlines() if line.strip()]
    what = f"its build ({' '.join(recipe.build)}) {finished.in_words}"
    return "\n".join([what, *lines[:12], *([f"… and {len(lines) - 12} more lines"] if len(lines) > 12 else [])])


_sound: set[Path] = set()  # the programs' folders that this process has seen to be whole


def place(archive: bytes, cache: Path) -> Path:
    """The folder in which a program plays: unpacked once on a machine, kept by content, again if it was changed.

    Raises RunFailed when it can't be written.
    """
    folder = cache / "programs" / hashlib.sha256(archive).hexdigest()
    if folder in _sound and folder.exists():
        return folder
    with cache_trouble(folder.parent):
        if not _is_whole(folder, archive):
            folder.parent.mkdir(parents=True, exist_ok=True)
            with scratch_folder(folder.parent) as whole:
                aside = whole / "unpacked"
                aside.mkdir()
                unpack(archive, aside)
                _forget_times(aside)
                with contextlib.suppress(FileNotFoundError):  # who plays in it goes on there
                    os.rename(folder, whole / "changed")
                try:
                    os.rename(aside, folder)
                except OSError:
                    if not folder.exists():  # else somebody else was faster
                        raise
    _sound.add(folder)
    return folder


def _is_whole(folder: Path, archive: bytes) -> bool:
    """Whether a folder has an archive's files, and no others. Raises RunFailed for an archive that is damaged."""
    try:
        files = {path for path in folder.rglob("*") if not path.is_dir()}
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            for entry in opened:
                path = folder / entry.name
                source = opened.extractfile(entry)
                found, mode = _read_plainly(path, entry.size)
                if source is None or found != source.read() or mode & 0o777 != entry.mode & 0o755:
                    return False
                files.discard(path)
    except tarfile.TarError:
        raise RunFailed("a program's archive is damaged") from None
    except OSError:
        return False
    return not files


def _forget_times(folder: Path) -> None:
    """Set when files were last read far ahead: the system then doesn't note it any more.

    Else one leg could read files for the next, which sees which ones were.
    """
    ahead = time.time() + 1e9
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (ahead, 1e9))


def start(
    archive: bytes, sandbox: SandboxSettings, cache: Path, *, memory_megabytes: int, cpu_seconds: int
) -> Confined:
    """Start a program. Raises RunFailed when its command isn't found here, and BadInput."""
    words = recipe_of(archive).command
    folder = place(archive, cache)
    return start_in(folder, words, sandbox, memory_megabytes=memory_megabytes, cpu_seconds=cpu_seconds)


def start_in(
    folder: Path, words: Sequence[str], sandbox: SandboxSettings, *, memory_megabytes: int, cpu_seconds: int
) -> Confined:
    """Start a command in a folder, which it may read. Raises RunFailed when it isn't found here, and BadInput."""
    command = _found(words[0], folder)
    return confinement.start(
        LaunchSpec(
            Limits(memory_megabytes + 64, cpu_seconds),
            command=[command, *words[1:]],
            folder=folder,
            readable=[str(folder), *_read_by(command), *sandbox.readable],
        ),
        sandbox.mode,
    )


class CantStart(Exception):
    """A program that ends at once; the message says how."""


def try_start(archive: bytes, sandbox: SandboxSettings, cache: Path, *, memory_megabytes: int) -> None:
    """Start a program for nobody. Raises CantStart when it ends before it is asked anything."""
    process = start(archive, sandbox, cache, memory_megabytes=memory_megabytes, cpu_seconds=10)
    errors = os.dup(process.errors)
    try:
        status = _early_end(process)
        if status is not None:
            os.set_blocking(errors, False)
            complaints: list[str] = []
            with contextlib.suppress(BlockingIOError):
                complaints = os.read(errors, 4096).decode(errors="replace").strip().splitlines()
            why = f": {complaints[-1][:200]}" if complaints else ""
            raise CantStart(f"can't start: {how_it_ended(status)} before it was asked anything{why}")
    finally:
        os.close(errors)
        process.end()


def _early_end(process: Confined) -> int | None:
    """Its status if it ends within _TRIAL_SECONDS; those that it waits for a processor don't count."""
    before = process.run_delay()
    for _ in range(_MOST_TRIALS):
        status = process.ended_by_itself(_TRIAL_SECONDS)
        delay = process.run_delay()
        if status is not None or (delay - before < _TRIAL_SECONDS / 4 and not process.waits_for_processor()):
            return status
        before = delay
    return None


class CommandMissing(RunFailed):
    """The machine lacks what a program's command names."""


def _found(word: str, folder: Path) -> str:
    """The path of a command: in the program's folder if it has a slash, else one of the system's."""
    if "/" in word:
        path = folder / word
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            raise CommandMissing(f"{word} is not in its folder")
        if not os.access(path, os.X_OK):
            raise CommandMissing(f"{word} can't be executed; chmod +x it")
        return str(path)
    found = shutil.which(word, path=_PATH) or shutil.which(word)
    if found is None:
        raise CommandMissing(f"{word} is not installed on this machine; in its own folder it would be ./{word}")
    return found


def _read_by(command: str, *, seen: bool = False) -> list[str]:
    """What an interpreter reads besides the system's libraries: itself and its own library."""
    path = os.path.realpath(command)
    paths = {command, path}
    with open(path, "rb") as file:
        first = file.readline(256)
    if first.startswith(b"#!"):
        words = first[2:].decode(errors="replace").split()
        if words and Path(words[0]).name == "env":
            words.pop(0)
        # Only the system's: a file that a stranger names here is not to be read for that.
        interpreter = shutil.which(Path(words[0]).name, path=_PATH) if words else None
        if interpreter is not None and not (seen and command == interpreter):
            paths.update(_read_by(interpreter, seen=True))
    prefix = Path(path).parent.parent
    name = Path(path).name
    # A virtual environment's interpreter reads where it comes from.
    own = Path(command).parent.parent / "pyvenv.cfg"
    for folder in (prefix / "lib" / name, own, *_LIBRARIES.get(re.sub(r"[\d.]+$", "", name), ())):
        paths.add(str(folder))
    if name.startswith("python") and prefix not in (Path("/"), Path("/usr"), Path("/usr/local")):
        paths.add(str(prefix / "lib"))
    return sorted(path for path in paths if os.path.exists(path))


# Where Debian keeps the libraries of common interpreters.
_LIBRARIES: dict[str, tuple[Path, ...]] = {
    "python": (Path("/usr/lib/python3"),),
    "perl": (Path("/usr/share/perl"), Path("/usr/share/perl5"), Path("/usr/lib/x86_64-linux-gnu/perl")),
    "ruby": (Path("/usr/lib/ruby"), Path("/var/lib/gems")),
    "node": (Path("/usr/share/nodejs"), Path("/usr/lib/node_modules")),
    "nodejs": (Path("/usr/share/nodejs"),),
    "lua": (Path("/usr/share/lua"),),
    "java": (Path("/usr/lib/jvm"), Path("/etc/java-17-openjdk")),
    "guile": (Path("/usr/share/guile"), Path("/usr/lib/x86_64-linux-gnu/guile")),
}
