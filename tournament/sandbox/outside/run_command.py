"""Runs a confined process to its end, and reads its output."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import select
import time
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import InputError, printable
from tournament.sandbox.inside.bootstrap import NO_CONFINEMENT, NOT_CONFINED
from tournament.sandbox.outside import scratch
from tournament.sandbox.outside.confined import Confined, own_bytes
from tournament.sandbox.outside.confinement import start
from tournament.sandbox.outside.ending import CommandAborted, ending
from tournament.sandbox.outside.exit_status import how_it_ended
from tournament.sandbox.outside.launch import MAX_THREADS, Build, LaunchSpec, Mode, ProcessLimits
from tournament.sandbox.outside.process_time import GroupUse, TimeBudget, members, stat_fields
from tournament.sandbox.outside.tier import MEND

LOOK_SECONDS = 0.1
_DISK_SECONDS = 0.2  # interval of the disk's samples


@dataclass(frozen=True)
class Finished:
    """The end of a confined command.

    Attributes:
        status: Exit status, or minus a signal's number. A command that had to be ended has the status of SIGKILL,
            unless it ended just before.
        output: Its standard output, cut where it exceeded the limit.
        errors: Its standard error, cut, too.
        cut_off: Whether it had to be ended: after its time, for an excess, or because it didn't end after its output.
        excess: The resource of which it used too much as text, such as "more than 512 MB of disk". "" for none.
        seconds: Its own time in seconds, as of the last sample.
    """

    status: int
    output: bytes
    errors: bytes
    cut_off: bool
    excess: str = ""
    seconds: float = 0.0

    @property
    def in_words(self) -> str:
        """The end as text: an exceeded resource, that it took too long, or how it ended."""
        if self.excess:
            return f"took {self.excess}"
        return "took too long" if self.cut_off else how_it_ended(self.status)

    @property
    def last_words(self) -> str:
        """The last line of its standard error, "" if that is empty. Unprintable characters stay."""
        return next(reversed(self.errors.decode(errors="replace").strip().splitlines()), "")


def run(launch: LaunchSpec, mode: Mode, seconds: float, stdin: bytes = b"", most: int = 1 << 24) -> Finished:
    """Run a confined build to its end, or any command with mode "off".

    It must read its input before it writes much.

    Args:
        launch: Its description.
        mode: Whether it is confined.
        seconds: Maximum seconds of its own time (`process_time`).
        stdin: Its input. By default it is empty.
        most: Approximate number of bytes that are kept of each output. By default 16 MiB.

    Returns:
        Its end. A command that exceeds a limit or fails raises nothing.

    Raises:
        InputError: There is no Landlock.
        MachineBusyError: The machine is too busy to give it its time.
        OSError: The disk has no space for a build, a folder is missing, or the command can't be started or sampled.
        CommandAborted: The thread must end.
    """
    return finish(start(launch, mode), launch, seconds, stdin, most)


def finish(process: Confined, launch: LaunchSpec, seconds: float, stdin: bytes = b"", most: int = 1 << 24) -> Finished:
    """Run a started process to its end. Kill it if it exceeds a limit, or on any exception.

    Once its output is closed, it gets five seconds to end. Its pipes are closed in any case.

    Args:
        process: The process.
        launch: Its description.
        seconds: Maximum seconds of its own time (`process_time`).
        stdin: Its input. By default it is empty. The process must read it before it writes much.
        most: Approximate number of bytes that are kept of each output. By default 16 MiB.

    Returns:
        Its end. A command that exceeds a limit or fails raises nothing.

    Raises:
        MachineBusyError: The machine is too busy to give it its time.
        OSError: The disk has no space for a build, or was filled by others. Or a build can't be sampled.
        CommandAborted: The thread must end.
    """
    watch: BuildWatch | None = None
    try:
        with contextlib.suppress(BrokenPipeError):  # the process's end gives the reason
            process.write(stdin)
        process.close_input()
        build = launch.what if isinstance(launch.what, Build) else None
        watch = BuildWatch(process.pid, build, launch.limits) if build and build.watched else None
        use = GroupUse(process.pid) if build else process.use
        had = TimeBudget(use, seconds)
        output, errors, cut_off = listen(process, had, most=most, watch=watch)
        if not cut_off and process.ended_by_itself(5.0) is None:
            cut_off = True
    finally:
        status = process.end()
    if watch and watch.disk and watch.disk.was_filled_by_others():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return Finished(status, output, errors, cut_off, watch.excess if watch else "", had.used)


def check_confined(finished: Finished, whom: str) -> None:
    """Check that a process didn't end because it couldn't be confined.

    Don't call this for a program of an untrusted author, which could exit with the same status.

    Args:
        finished: Its end.
        whom: Name of processes like it, at the start of the message, such as "compilers".

    Raises:
        InputError: It couldn't be confined.
    """
    if finished.status == NOT_CONFINED:
        why = printable(finished.last_words.removeprefix(NO_CONFINEMENT))
        raise InputError(f"{whom} can't be confined: {why}; {MEND}")


class BuildWatch:
    """Samples what the processes of a build use together, for which the system has no limit.

    Attributes:
        disk: The disk space that it uses. None if it can't write.
        excess: The resource of which it used too much as text. "" for none, as of the last sample.

    Args:
        group: ID of the build's process group.
        build: The build.
        limits: Its limits. Memory of all processes together can reach twice the limit of one process. At most 1,024
            threads can run.

    Raises:
        OSError: The disk has too little space, or the first folder is missing.
    """

    def __init__(self, group: int, build: Build, limits: ProcessLimits) -> None:
        self._group = group
        self.disk = (
            scratch.DiskUse(build.writable, limits.disk_megabytes << 20, limits.free_megabytes << 20)
            if build.writable
            else None
        )
        self._most_bytes = 2 * limits.memory_megabytes << 20
        self._processes = limits.processes
        self._next = self._next_of_disk = 0.0
        self.excess = ""

    def look(self) -> bool:
        """Sample the processes. Return whether they used too much of the resource that `excess` then names.

        The disk is sampled at most every 0.2 seconds, and the processes every 0.1 seconds or less often. Between
        samples the last result stays.

        Raises:
            OSError: The build's first folder is missing, or /proc can't be read.
        """
        if self.disk and (now := time.monotonic()) >= self._next_of_disk:
            self._next_of_disk = now + _DISK_SECONDS
            self.excess = self.disk.excess()
        if (now := time.monotonic()) >= self._next and not self.excess:
            processes = list(members(self._group))
            threads = sum(int(fields[17]) for _, fields in processes)
            if len(processes) > self._processes + 1 or threads > MAX_THREADS:  # one is the supervisor
                self.excess = f"more than {self._processes} processes or {MAX_THREADS:,} threads"
            elif self._takes_too_much_memory(processes):
                self.excess = f"more than {self._most_bytes >> 20:,} MB of memory"
            self._next = now + max(LOOK_SECONDS, 5 * (time.monotonic() - now))
        return bool(self.excess)

    def _takes_too_much_memory(self, processes: list[tuple[Path, list[str]]]) -> bool:
        """Return whether processes take too much memory together.

        Args:
            processes: Folder in /proc and fields of `stat` of each.
        """
        # Counting their own memory is slow. `stat` shows no pages of a process whose first thread has ended.
        if sum(_resident(fields) for _, fields in processes) <= self._most_bytes and not any(
            int(fields[17]) > 1 for _, fields in processes if fields[0] == "Z"
        ):
            return False
        # 0 bytes of its own mean that it has just ended, or that the kernel doesn't count them.
        own = (own_bytes(int(folder.name)) or _resident(stat_fields(folder)) for folder, _ in processes)
        return sum(own) > self._most_bytes


def _resident(fields: list[str]) -> int:
    """Return the resident bytes of a process by its `stat` fields, 0 once it has ended."""
    return int(fields[21]) * resource.getpagesize() if fields else 0


def listen(
    process: Confined,
    had: TimeBudget,
    *,
    most: int = 1 << 24,
    max_bytes: int | None = None,
    watch: BuildWatch | None = None,
) -> tuple[bytes, bytes, bool]:
    """Read a process's output until it has closed it, its own time is over, or it used too much.

    Args:
        process: The process.
        had: The limit of its own time, which counts from when this was made.
        most: Approximate number of bytes that are kept of each output. By default 16 MiB. Further bytes are read and
            lost.
        max_bytes: Number of bytes of standard output after which to stop. Stop also once it is closed. None reads both
            outputs to their end.
        watch: Samples a build, and stops when that used too much. None for no samples.

    Returns:
        Standard output, standard error, and whether it still has one of them open. The process still runs then.

    Raises:
        OSError: The first folder of a build is missing, or /proc can't be read.
        MachineBusyError: The machine is too busy to give it its time.
        CommandAborted: The thread must end.
    """
    heard: dict[int, bytearray] = {process.answers: bytearray(), process.errors: bytearray()}
    answers = heard[process.answers]
    waiting = select.poll()
    for descriptor in heard:
        waiting.register(descriptor, select.POLLIN)
    open_descriptors = set(heard)
    while open_descriptors and not had.is_over() and not (watch and watch.look()):
        if ending.is_set():
            raise CommandAborted
        for descriptor, _ in waiting.poll(min(had.seconds, LOOK_SECONDS) * 1000):
            chunk = os.read(descriptor, 65536)
            if not chunk:
                waiting.unregister(descriptor)
                open_descriptors.discard(descriptor)
            elif len(heard[descriptor]) < most:
                heard[descriptor] += chunk
        if max_bytes is not None and (len(answers) >= max_bytes or process.answers not in open_descriptors):
            break
    return bytes(answers), bytes(heard[process.errors]), bool(open_descriptors)
