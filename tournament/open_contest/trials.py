"""What the server has commands find out about a bot that was handed in: in processes that end with it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tournament.cache import LISTED_IN, cache_folder
from tournament.errors import InputError
from tournament.keys import drawn_seed

CHECK_SECONDS, PRACTICE_SECONDS = 180.0, 900.0
_MOST_SAID, _MOST_FAULTS = 20_000, 20
# The command in a process that ends with the server, also with one that is killed.
_WHILE_SERVED = """
import sys
from tournament.sandbox.inside.c_library import end_with
end_with(int(sys.argv.pop(1)))
from tournament.__main__ import main
main()
"""


def check(
    settings: Path, contest: str, bot: Path, built: Path, stopping: Callable[[], bool]
) -> tuple[bool | None, str]:
    """Whether `tournament check` finds a bot fit, on a seed of its own, and what it says; None: it came to no end.
    `built` lists what it left in the cache."""
    words = ["check", bot.name, "--as-submitted", "--contest", contest]
    status, said, complaint = _command(settings, words, bot.parent, built, CHECK_SECONDS, stopping)
    # The command to repeat it names paths of this machine.
    lines = [line for line in (said or complaint).splitlines() if not line.startswith("again: ")]
    found = status in (None, InputError.exit_code) or any(line.lstrip().startswith("verdict") for line in lines)
    return status == 0 if found else None, "\n".join(lines).strip()[:_MOST_SAID]


def play_practice(
    settings: Path, contest: str, bot: Path, former: Path | None, built: Path, stopping: Callable[[], bool]
) -> tuple[bool | None, str]:
    """Whether `tournament match` plays a bot against all entrants, on a seed of its own, with the same deals for its
    `former` version, and what it tells of both, with their faults and what they printed."""
    words = ["match", contest, bot.name, "--json", "--workers", "1"]
    words += ["--baseline", str(former)] if former else []
    status, said, complaint = _command(settings, words, bot.parent, built, PRACTICE_SECONDS, stopping)
    try:
        found = json.loads(said)
    except ValueError:  # its last line may name paths of this machine
        why = (complaint.strip().splitlines() or [""])[-1]
        for place in (settings.parent, cache_folder()):
            why = why.replace(str(place), "…")
        return False if status is None else None, why[:_MOST_SAID]
    del found["seed"]
    found |= {"baseline": former and former.name, "disqualified": [Path(one).name for one in found["disqualified"]]}
    for faults, count in (("faults", "fault_count"), ("baseline_faults", "baseline_fault_count")):
        found |= {count: len(found[faults]), faults: found[faults][:_MOST_FAULTS]}
    return True, json.dumps(found, indent=2)


def _command(
    settings: Path, words: Sequence[str], folder: Path, built: Path, seconds: float, stopping: Callable[[], bool]
) -> tuple[int | None, str, str]:
    """The status of a command, and what it prints and complains of. None: it took too long, or is to stop."""
    # -P: else Python would take the upload for a module of that name, and run it as the server.
    command = [sys.executable, "-P", "-c", _WHILE_SERVED, str(os.getpid()), *words, "--seed", drawn_seed()]
    environment = {**os.environ, "TOURNAMENT_CONFIG": str(settings), "COLUMNS": "100", "NO_COLOR": "1"}
    environment["PYTHONSAFEPATH"] = "1"  # for what it starts
    environment[LISTED_IN] = str(built.absolute())
    end = time.monotonic() + seconds
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as running:
        while True:
            try:
                said, complaint = running.communicate(timeout=0.2)
                return running.returncode, said, complaint
            except subprocess.TimeoutExpired:
                if stopping() or time.monotonic() > end:
                    running.terminate()
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        running.communicate(timeout=5)
                    running.kill()
                    return None, "", f"the {words[0]} took longer than {seconds:g} s"
