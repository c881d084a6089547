"""What the server has commands find out about a bot that was submitted: in processes that end with it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tournament.cache import LISTED_IN, cache_folder
from tournament.errors import InputError
from tournament.keys import drawn_seed
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.store.storage import folder_of

CHECK_SECONDS, PRACTICE_SECONDS = 180.0, 900.0
_MOST_SAID, _MOST_FAULTS = 20_000, 20
_MOST_SHOWN = 400_000  # characters of a replay
# The command in a process that ends with the server, also with one that is killed.
_WHILE_SERVED = """
import sys
from tournament.sandbox.inside.libc import end_with
end_with(int(sys.argv.pop(1)))
from tournament.__main__ import main
main()
"""


@dataclass(frozen=True)
class Wish:
    """What a practice match or a replay is asked for: `opponents` by name or file, all of them if none is named, and
    how many `sessions`; or a session against an `opponent`, and a game of it."""

    contest: str
    bot: str
    opponents: tuple[str, ...] = ()
    sessions: int | None = None
    opponent: str = ""
    session: int = 0
    game: int | None = None


def check(
    settings: Path, contest: str, bot: Path, built: Path, stopping: Callable[[], bool]
) -> tuple[bool | None, str]:
    """Whether `tournament check` finds a bot fit, on a seed of its own, and what it says; None: it came to no end.
    `built` lists what it left in the cache."""
    words = ["check", bot.name, "--submission-limits", "--contest", contest, "--seed", drawn_seed()]
    status, said, complaint = _command(settings, words, bot.parent, built, CHECK_SECONDS, stopping)
    # The command to repeat it names paths of this machine.
    lines = [line for line in (said or complaint).splitlines() if not line.startswith("again: ")]
    found = status in (None, InputError.exit_code) or any(line.lstrip().startswith("verdict") for line in lines)
    return status == 0 if found else None, "\n".join(lines).strip()[:_MOST_SAID]


def play_practice(
    settings: Path,
    contest: str,
    bot: Path,
    former: Path | None,
    built: Path,
    stopping: Callable[[], bool],
    wish: Wish = Wish("", ""),
) -> tuple[bool | None, str]:
    """Whether `tournament match` plays a bot against all entrants, or those of the `wish`, on a seed of its own, with
    the same deals for its `former` version, and what it tells of both, with their faults and what they printed."""
    words = ["match", contest, bot.name, *wish.opponents, "--json", "--workers", "1", "--seed", drawn_seed()]
    words += ["--baseline", str(former)] if former else []
    words += ["--sessions", str(wish.sessions)] if wish.sessions else []
    status, said, complaint = _command(settings, words, bot.parent, built, PRACTICE_SECONDS, stopping)
    try:
        found = json.loads(said)
    except ValueError:
        return False if status is None else None, _last_line(settings, complaint)
    del found["seed"]
    # An opponent's faults have what it printed, which only its author may see.
    found["faults"] = [fault for fault in found["faults"] if fault["bot"] == bot.stem]
    found |= {"baseline": former and former.name, "disqualified": [Path(one).name for one in found["disqualified"]]}
    for faults, count in (("faults", "fault_count"), ("baseline_faults", "baseline_fault_count")):
        found |= {count: len(found[faults]), faults: found[faults][:_MOST_FAULTS]}
    return True, json.dumps(found, indent=2)


def show_game(settings: Path, records: str, wish: Wish, stopping: Callable[[], bool]) -> tuple[bool, str]:
    """Whether `tournament replay` shows a recorded session of a bot, or a game of it, and what it tells, without what
    the opponent printed."""
    words = ["replay", wish.contest, "--match", f"{wish.bot},{wish.opponent}", "--session", str(wish.session), "--json"]
    words += ["--results", folder_of(records)[0]] + (["--game", str(wish.game)] if wish.game is not None else [])
    _, said, complaint = _command(settings, words, settings.parent, None, CHECK_SECONDS, stopping)
    try:
        found = json.loads(said)
    except ValueError:
        return False, _last_line(settings, complaint)
    own = {step["seat"] for game in found["games"] for step in game["steps"] if step["bot"] == wish.bot}
    found["faults"] = [fault for fault in found["faults"] if fault["seat"] in own]
    for game in found["games"]:
        for step in game["steps"]:
            if step["seat"] not in own:
                step |= {"printed": "", "fault": step["fault"] and "a fault, of which its author is told more"}
    text = json.dumps(found)
    if len(text) > _MOST_SHOWN:
        return False, f"this session has {len(found['games']):,} games, too many to be shown at once: ask for one game"
    return True, text


def _last_line(settings: Path, complaint: str) -> str:
    """What a command complained of, without paths of this machine."""
    why = (complaint.strip().splitlines() or [""])[-1]
    for place in (settings.parent, cache_folder()):
        why = why.replace(str(place), "…")
    return why[:_MOST_SAID]


def _command(
    settings: Path, words: Sequence[str], folder: Path, built: Path | None, seconds: float, stopping: Callable[[], bool]
) -> tuple[int | None, str, str]:
    """The status of a command, and what it prints and complains of. None: it took too long, or is to stop."""
    # -P: else Python would take the upload for a module of that name, and run it as the server.
    command = [sys.executable, "-P", "-c", _WHILE_SERVED, str(os.getpid()), *words]
    environment = {**os.environ, "TOURNAMENT_CONFIG": str(settings), "COLUMNS": "400", "NO_COLOR": "1"}
    environment["PYTHONSAFEPATH"] = "1"  # for what it starts
    if built:
        environment[LISTED_IN] = str(built.absolute())
    end = time.monotonic() + seconds
    with (
        scratch_folder() as scratch,  # however it ends, nothing that it wrote stays
        subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "TMPDIR": str(scratch)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ) as running,
    ):
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
