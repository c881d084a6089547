"""Runs a program's build command in the sandbox, in a copy of its folder."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from tournament.artifacts.archive import pack, recipe_of, unpack
from tournament.artifacts.bot_toml import Recipe
from tournament.artifacts.commands import OF_JAVA, PATH, find_command
from tournament.errors import InputError, truncate_lines
from tournament.leg import Unfit
from tournament.sandbox.outside import probe, run_command
from tournament.sandbox.outside.exit_status import OUT_OF_TIME, judge, kills_for_memory
from tournament.sandbox.outside.launch import Build, LaunchSpec, limits_of_build
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.sandbox.outside.scratch import is_full, scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings

_SECONDS = 300  # own time of a build (`sandbox.outside.process_time`)
_MAX_OUTPUT_BYTES = 1 << 16  # bytes of a build's output
# Folders that compilers need. Other folders of /usr can contain people's work.
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
    *map(str, OF_JAVA),
)


def build(archive: bytes, sandbox: SandboxSettings) -> bytes:
    """Return the archive that plays: this one, or the result of its build command in a copy of it.

    It is this one, unchanged, if bot.toml has no build command. A build gets 300 seconds of its own time.

    Args:
        archive: The submitted folder, packed.
        sandbox: How builds are confined, what they can read, and the disk space that they leave.

    Raises:
        Unfit: bot.toml is missing or wrong, or the build's command isn't in the folder or can't be executed. These are
            permanent. Or, not permanently, the command isn't installed, the build fails or exceeds a limit, or the
            built folder can't be packed.
        MachineBusyError: The system killed the build, perhaps because it used too much memory, or is too busy.
        RunError: The archive can't have been made by `archive.pack`, or the sandbox's probe was killed from outside.
        tarfile.TarError: The archive is damaged.
        OSError: The disk is full, a folder can't be written, or the build can't be started.
        InputError: This machine can't confine builds.
        CommandAborted: The thread must end.
    """
    recipe = recipe_of(archive)
    if not recipe.build:
        return archive
    probe.probe_builds(sandbox.mode)
    return _build(archive, recipe, sandbox)


def _build(archive: bytes, recipe: Recipe, sandbox: SandboxSettings) -> bytes:
    kills = kills_for_memory()
    with scratch_folder() as whole:
        folder = whole / "bot"
        scratch = whole / "scratch"
        folder.mkdir()
        scratch.mkdir()
        unpack(archive, folder)
        system = [path for path in _SYSTEM if os.path.exists(path)]
        finished = run_command.run(
            LaunchSpec(
                Build(
                    [[find_command(recipe.build[0], folder), *recipe.build[1:]]],
                    {"PATH": PATH, "HOME": str(scratch), "TMPDIR": str(scratch), "LC_ALL": "C.UTF-8"},
                    writable=[str(folder), str(scratch)],
                ),
                limits_of_build(2 * _SECONDS, free_megabytes=sandbox.min_free_disk_mb),
                folder,
                readable=[*system, *sandbox.readable_paths],
            ),
            sandbox.mode,
            _SECONDS,
            most=_MAX_OUTPUT_BYTES,
        )
        if finished.status != 0:
            if is_full(whole):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            complaint = _complaint(recipe, finished, folder)
            passed_limit = bool(finished.cut_off or finished.excess or finished.status in OUT_OF_TIME)
            killed = kills_for_memory() - kills
            if judge(finished.status, passed_limit=passed_limit, kills=killed, of="build") == "the machine":
                raise MachineBusyError(complaint)
            raise Unfit(complaint, is_permanent=False)
        try:
            return pack(folder, built=True)
        except InputError as problem:
            raise Unfit(str(problem), is_permanent=False) from None


def _complaint(recipe: Recipe, finished: run_command.Finished, folder: Path) -> str:
    """Return how a build ended, as text, and the first twelve lines of its output below.

    Lines on standard error come first. Blank lines don't count, and paths in the folder are shown from there.

    Args:
        recipe: The recipe with the build command.
        finished: The build's end.
        folder: The folder in which it ran.
    """
    text = (finished.errors + finished.output).decode(errors="replace").replace(f"{folder}/", "")
    lines = [line for line in text.splitlines() if line.strip()]
    summary = f"its build ({' '.join(recipe.build)}) {finished.in_words}"
    return "\n".join([summary, *truncate_lines(lines, 12)])
