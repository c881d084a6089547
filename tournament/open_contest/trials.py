"""Trials of submitted bots: commands in processes that end with the server."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tournament.cache import LISTED_IN, cache_folder
from tournament.errors import InputError
from tournament.keys import drawn_seed
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.store.storage import split_location

# Maximum seconds of a quick trial, including its start.
QUICK_SECONDS = 8.0
_MAX_TEXT, _MAX_FAULTS = 20_000, 20
# Maximum characters of a replay.
_MAX_REPLAY = 400_000
# Niceness of practice matches and replays, so that trials are quick at the same time.
_NICE = 10
# With -P Python can't import an upload instead of a module with its name. PYTHONHASHSEED fixes the order of sets.
_COMMAND = [sys.executable, "-P", "-m", "tournament.cli.forking"]
_ENVIRONMENT = {"COLUMNS": "400", "NO_COLOR": "1", "PYTHONSAFEPATH": "1", "PYTHONHASHSEED": "0"}


class Forks:
    """A process that forks commands. It is started with the first command, and again if it ended.

    Threads can use it at the same time.
    """

    def __init__(self) -> None:
        self._lock, self._asks, self._running = threading.Lock(), socket.socket(), list[subprocess.Popen[bytes]]()

    def start(self) -> None:
        """Start the process unless it is running, so that the first trial doesn't have to wait for it.

        Raises:
            OSError: It can't be started.
        """
        with self._lock:
            self._start()

    def _start(self) -> None:
        """Start the process unless it is running. The caller has the lock.

        Raises:
            OSError: It can't be started.
        """
        if self._running and self._running[-1].poll() is None:
            return
        self._asks.close()
        self._asks, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {**os.environ, **_ENVIRONMENT, "OPENBLAS_NUM_THREADS": "1"}
        with theirs:
            self._running = [subprocess.Popen(_COMMAND, stdin=theirs.fileno(), env=environment, start_new_session=True)]

    def fork(self, request: str, output: int, complaint: int) -> int:
        """Have a command forked.

        Args:
            request: The command as JSON.
            output: Descriptor for its output.
            complaint: Descriptor for its errors.

        Returns:
            Descriptor of a pipe, with a line of the process id and then the status. The pipe ends with the command.
            The caller closes it.

        Raises:
            OSError: The process can't be started, or ended.
        """
        told, tells = os.pipe()
        try:
            with self._lock:
                self._start()
                socket.send_fds(self._asks, [request.encode()], [tells, output, complaint])
        except BaseException:
            os.close(told)
            raise
        finally:
            os.close(tells)
        return told


forks = Forks()


def quick_check(
    settings: Path, contest: str, bot: Path, built: Path, stopping: Callable[[], bool]
) -> tuple[bool | None, str]:
    """Check whether a bot builds, starts, and plays three games, as `tournament check --quick` does.

    Args:
        settings: Path of the settings file.
        contest: Name of the contest.
        bot: Path of the bot.
        built: File that receives the list of the trial's files in the cache.
        stopping: Called often; returns whether to stop the trial.

    Returns:
        Whether the bot passed, or None if it took more than 8 seconds, was stopped, or ended without a verdict.
        Second, the text for its author, of at most 20,000 characters.

    Raises:
        RunError: The cache can't be used.
        OSError: This machine can't start the command.
    """
    found, text = check(settings, contest, bot, built, QUICK_SECONDS, stopping, quick=True)
    if found is None:
        return None, f"no end in {QUICK_SECONDS:g} s: an endless loop, or a slow build? The full trial decides"
    if found:  # The full trial has the verdict.
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("verdict")).rstrip()
    return found, text


def check(
    settings: Path,
    contest: str,
    bot: Path,
    built: Path,
    seconds: float,
    stopping: Callable[[], bool],
    *,
    quick: bool = False,
) -> tuple[bool | None, str]:
    """Check a bot as `tournament check` does, on its own seed.

    Args:
        settings: Path of the settings file.
        contest: Name of the contest.
        bot: Path of the bot.
        built: File that receives the list of the trial's files in the cache.
        seconds: Maximum duration.
        stopping: Called often; returns whether to stop the trial.
        quick: Whether to play only a few games.

    Returns:
        Whether it passed, and the text for its author, of at most 20,000 characters. A full trial that took too long or
        was stopped isn't passed. None means that a quick one did, or that the command ended without a verdict.

    Raises:
        RunError: The cache can't be used.
        OSError: This machine can't start the command.
    """
    arguments = ["check", bot.name, "--submission-limits", "--contest", contest, "--seed", drawn_seed()]
    arguments += ["--quick"] if quick else []
    status, said, complaint = _command(settings, arguments, bot.parent, built, seconds, stopping)
    # The command to repeat it names paths of this machine.
    lines = [line for line in (said or complaint).splitlines() if not line.startswith("again: ")]
    has_verdict = status == InputError.exit_code or any(line.lstrip().startswith("verdict") for line in lines)
    # The bot was too slow.
    if status is None and not quick:
        return False, complaint
    return status == 0 if has_verdict else None, "\n".join(lines).strip()[:_MAX_TEXT]


def play_practice(
    settings: Path,
    contest: str,
    bot: Path,
    built: Path,
    seconds: float,
    stopping: Callable[[], bool],
    *,
    baseline: Path | None,
    opponents: Sequence[str],
    sessions: int,
) -> tuple[bool | None, str]:
    """Play a practice match on a new seed, as `tournament match` does.

    Args:
        settings: Path of the settings file.
        contest: Name of the contest.
        bot: Path of the bot.
        built: File that receives the list of the trial's files in the cache.
        seconds: Maximum duration.
        stopping: Called often; returns whether to stop the match.
        baseline: Version to compare with, which plays the same deals; None if there is none.
        opponents: Names of house players, or paths of bots; all if there are none.
        sessions: Sessions of a match with each opponent.

    Returns:
        True and the figures as JSON, with the first 20 faults of the bot and of its baseline. False and a reason if it
        took too long or was stopped. None and a reason if the command failed, perhaps because of this machine.

    Raises:
        RunError: The cache can't be used.
        OSError: This machine can't start the command.
    """
    arguments = ["match", contest, bot.name, *opponents, "--json", "--workers", "1", "--seed", drawn_seed()]
    arguments += ["--sessions", str(sessions), *(["--baseline", str(baseline)] if baseline else [])]
    status, said, complaint = _command(settings, arguments, bot.parent, built, seconds, stopping, nice=_NICE)
    try:
        report = json.loads(said)
    except ValueError:
        return False if status is None else None, _last_line(settings, complaint)
    del report["seed"]
    # An opponent's faults have what it printed, which only its author may see.
    report["faults"] = [fault for fault in report["faults"] if fault["bot"] == bot.stem]
    report |= {
        "baseline": baseline and baseline.name,
        "disqualified": [Path(one).name for one in report["disqualified"]],
    }
    for faults, count in (("faults", "fault_count"), ("baseline_faults", "baseline_fault_count")):
        report |= {count: len(report[faults]), faults: report[faults][:_MAX_FAULTS]}
    return True, json.dumps(report, indent=2)


def replay_game(
    settings: Path,
    contest: str,
    bot: str,
    records: str,
    seconds: float,
    stopping: Callable[[], bool],
    *,
    opponent: str,
    session: int = 0,
    game: int | None = None,
) -> tuple[bool, str]:
    """Show a recorded session of a bot against an opponent, or a game of it, as `tournament replay` does.

    Args:
        settings: Path of the settings file.
        contest: Name of the contest.
        bot: Name of the bot.
        records: Folder or URL of the contest's records.
        seconds: Maximum duration.
        stopping: Called often; returns whether to stop the replay.
        opponent: Name of the opponent.
        session: Session of the match, from 0.
        game: Game of the session, from 0; None for all.

    Returns:
        Whether it could be shown, and the steps as JSON, or the reason. Other bots' output is left out. More than
        400,000 characters can't be shown.

    Raises:
        RunError: The cache can't be used.
        OSError: This machine can't start the command.
    """
    arguments = ["replay", contest, "--match", f"{bot},{opponent}", "--session", str(session), "--json"]
    arguments += ["--results", split_location(records)[0], *(["--game", str(game)] if game is not None else [])]
    _, said, complaint = _command(settings, arguments, settings.parent, None, seconds, stopping, nice=_NICE)
    try:
        report = json.loads(said)
    except ValueError:
        return False, _last_line(settings, complaint)
    own = {step["seat"] for one in report["games"] for step in one["steps"] if step["bot"] == bot}
    report["faults"] = [fault for fault in report["faults"] if fault["seat"] in own]
    for one in report["games"]:
        for step in one["steps"]:
            if step["seat"] not in own:
                step |= {"printed": "", "fault": step["fault"] and "a fault, whose details only its author sees"}
    text = json.dumps(report)
    if len(text) > _MAX_REPLAY:
        return False, f"this session has {len(report['games']):,} games, too many to show together; ask for one game"
    return True, text


def _last_line(settings: Path, complaint: str) -> str:
    """Return the last line of a command's errors, without paths of this machine. "" if it wrote none.

    Raises:
        RunError: The cache can't be used.
    """
    why = (complaint.strip().splitlines() or [""])[-1]
    for place in (settings.parent, cache_folder()):
        why = why.replace(str(place), "…")
    return why[:_MAX_TEXT]


def _command(
    settings: Path,
    arguments: Sequence[str],
    folder: Path,
    built: Path | None,
    seconds: float,
    stopping: Callable[[], bool],
    *,
    nice: int = 0,
) -> tuple[int | None, str, str]:
    """Run a command and return its status, output and errors.

    The status is None if it took too long or was stopped. The output is then empty, and the errors say so.

    Args:
        settings: Path of the settings file.
        arguments: The command's words.
        folder: Folder in which it runs.
        built: File that receives the list of its files in the cache; None for no list.
        seconds: Maximum duration.
        stopping: Called several times a second; returns whether to stop the command.
        nice: Increment of its niceness.

    Raises:
        OSError: This machine can't start the command.
    """
    environment = {**os.environ, **_ENVIRONMENT, "TOURNAMENT_CONFIG": str(settings)}
    if built:
        environment[LISTED_IN] = str(built.absolute())
    end = time.monotonic() + seconds
    with (
        scratch_folder() as scratch,  # However the command ends, nothing that it wrote stays.
        tempfile.TemporaryFile() as said,
        tempfile.TemporaryFile() as complaint,
    ):
        environment["TMPDIR"] = str(scratch)
        request = {"words": arguments, "folder": str(folder), "environment": environment, "nice": nice}
        pipe_end = forks.fork(json.dumps(request), said.fileno(), complaint.fileno())
        with open(pipe_end, "rb", 0) as pipe:
            lines, signals = b"", [signal.SIGTERM, signal.SIGKILL]
            while True:
                remaining = end - time.monotonic() if lines and signals else 1.0
                if select.select([pipe], [], [], min(0.2, max(remaining, 0)))[0]:
                    if not (more := pipe.read(100)):
                        break
                    lines += more
                elif (stopping() or time.monotonic() > end) and signals and b"\n" in lines:
                    os.kill(int(lines.split()[0]), signals.pop(0))
                    end = time.monotonic() + 5 if len(signals) == 1 else end
        if len(signals) < 2:
            return None, "", f"the {arguments[0]} took longer than {seconds:g} s"
        _, status = (*lines.split(), b"255")[:2]
        for file in (said, complaint):
            file.seek(0)
        return int(status), said.read().decode(errors="replace"), complaint.read().decode(errors="replace")
