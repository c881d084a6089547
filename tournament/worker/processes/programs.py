"""Programs: bots that are a folder with a bot.toml, unpacked where they play, and started."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tournament.artifacts.archive import read_plainly, recipe_of, unpack
from tournament.artifacts.commands import executed, find_command, read_by
from tournament.cache import cache_trouble, list_entry, make_folder
from tournament.errors import RunError
from tournament.leg import Unfit, cant_start
from tournament.sandbox.outside import fork_server, run_command
from tournament.sandbox.outside.exit_status import KILLED, how_it_ended, judge
from tournament.sandbox.outside.launch import LaunchSpec, ProcessLimits, Program
from tournament.sandbox.outside.process_time import MachineBusyError, TimeBudget
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings

_TRIAL_SECONDS, _MAX_COMPLAINTS = 0.2, 4096
# Runtimes reserve much more than they use: what counts is resident. What is only reserved ends no one, up to this.
_TIMES_WRITABLE, _MORE_WRITABLE = 4, 512  # megabytes

_checked_folders: set[Path] = set()  # folders of programs that this process has checked


def unpack_once(archive: bytes, cache: Path) -> Path:
    """Return a program's folder: stored by content, and unpacked once on a machine, or again if it was changed.

    A process checks a folder only once, so later changes aren't noticed unless the folder is gone.

    Args:
        archive: The program's archive.
        cache: Folder of the cache. Programs are in its folder "programs".

    Raises:
        RunError: The folder can't be written, or the archive is damaged.
    """
    folder = cache / "programs" / hashlib.sha256(archive).hexdigest()
    if folder in _checked_folders and folder.exists():
        return folder
    with cache_trouble(folder.parent):
        if not _is_complete(folder, archive):
            make_folder(folder.parent)
            with scratch_folder(folder.parent) as whole:
                aside = whole / "unpacked"
                aside.mkdir(mode=0o700)  # folders in it may be others' to write, by the mask of the user
                unpack(archive, aside)
                with contextlib.suppress(FileNotFoundError):  # programs that play in it go on there
                    os.rename(folder, whole / "changed")
                try:
                    os.rename(aside, folder)
                except OSError:
                    if not folder.exists():  # otherwise another worker was faster
                        raise
    _checked_folders.add(folder)
    list_entry(folder)
    return folder


def _is_complete(folder: Path, archive: bytes) -> bool:
    """Return whether a folder has exactly an archive's files, with their modes. It is False if one can't be read.

    Raises:
        RunError: The archive is damaged.
    """
    try:
        files = {path for path in folder.rglob("*") if not path.is_dir()}
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            for entry in opened:
                path = folder / entry.name
                source = opened.extractfile(entry)
                found, mode = read_plainly(path, entry.size)
                if source is None or found != source.read() or mode & 0o777 != entry.mode & 0o755:
                    return False
                files.discard(path)
    except tarfile.TarError:
        raise RunError("a program's archive is damaged") from None
    except OSError:
        return False
    return not files


def most_megabytes(memory_megabytes: int) -> int:
    """Return the memory limit of a program's process, in MiB: 64 more than a bot's."""
    return memory_megabytes + 64


def launch_of(
    archive: bytes, sandbox: SandboxSettings, cache: Path, *, memory_megabytes: int, cpu_seconds: int
) -> LaunchSpec:
    """Return the launch of a program, which is unpacked into the cache.

    Args:
        archive: The program's archive.
        sandbox: Settings of the sandbox.
        cache: Folder of the cache. The unpacked program must stay there as long as it runs.
        memory_megabytes: Memory of a bot by the contest's settings, in MiB.
        cpu_seconds: Limit of the process's processor time, in seconds.

    Raises:
        RunError: Its command isn't found or can't be executed here, or it can't be unpacked.
        OSError: The command's file can't be read.
        Unfit: bot.toml is missing or wrong.
    """
    first, *others = recipe_of(archive).command
    folder = unpack_once(archive, cache)
    try:
        command = [find_command(first, folder), *others]
    except Unfit as missing:  # existed where the bot was built
        raise RunError(str(missing)) from None
    return launch_in(folder, command, sandbox, memory_megabytes=memory_megabytes, cpu_seconds=cpu_seconds)


def launch_in(
    folder: Path, command: Sequence[str], sandbox: SandboxSettings, *, memory_megabytes: int, cpu_seconds: int
) -> LaunchSpec:
    """Return the launch of a command, whose first word is a file's path, in a folder, which it can read.

    Args:
        folder: The folder in which the command runs.
        command: Path of the file to execute, and its arguments.
        sandbox: Settings of the sandbox, with further paths that the process can read.
        memory_megabytes: Memory of a bot by the contest's settings, in MiB.
        cpu_seconds: Limit of the process's processor time, in seconds.

    Raises:
        OSError: The command's file can't be read.
    """
    return LaunchSpec(
        Program([*executed(command[0]), *command[1:]]),
        ProcessLimits(
            most_megabytes(memory_megabytes),
            cpu_seconds,
            writable_megabytes=_TIMES_WRITABLE * memory_megabytes + _MORE_WRITABLE,
        ),
        folder,
        readable=[str(folder), *read_by(command[0]), *sandbox.readable_paths],
    )


def try_start(archive: bytes, sandbox: SandboxSettings, cache: Path, *, memory_megabytes: int) -> None:
    """Start a program as a trial, watch it for a fifth of a second of its own time, and end it.

    Args:
        archive: The program's archive.
        sandbox: Settings of the sandbox.
        cache: Folder of the cache, into which the program is unpacked.
        memory_megabytes: Memory of a bot by the contest's settings, in MiB.

    Raises:
        Unfit: It ends in this time, or its bot.toml is missing or wrong.
        MachineBusyError: It was killed from outside, or can't be started.
        InputError: This machine can't confine it.
        RunError: It can't be unpacked, or its command isn't found.
        OSError: Its file can't be read, or too many files are open.
        CommandAborted: The thread must end.
    """
    launch = launch_of(archive, sandbox, cache, memory_megabytes=memory_megabytes, cpu_seconds=10)
    process = fork_server.start(launch, sandbox.mode)
    try:
        _, errors, goes_on = run_command.listen(process, TimeBudget(process.use, _TRIAL_SECONDS), most=_MAX_COMPLAINTS)
        if not goes_on and (status := process.ended_by_itself()) is not None:
            if judge(status) == "the machine":
                raise MachineBusyError(KILLED)
            complaints = errors.decode(errors="replace").strip().splitlines()
            folder = f"{unpack_once(archive, cache)}/"
            why = complaints[-1].replace(folder, "")[:200] if complaints else ""
            raise cant_start(f"{how_it_ended(status)} before it was asked anything{': ' if why else ''}{why}")
    finally:
        process.end()
