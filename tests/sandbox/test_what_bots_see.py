"""A bot sees the same in a check, a match, a run and a replay: nothing open to it tells which of them it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.contest_runs import CONTEST, make_contest
from tests.worker.support import build, play, script, write_bot
from tournament.api import replay
from tournament.config import load_config
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.records.results import load
from tournament.runner.listener import NullListener
from tournament.trial.check import check_bot
from tournament.trial.match import play_match

# Digests of all that a process can read about itself and its surroundings, one word each.
LOOKS = """
import fcntl, gc, hashlib, locale, os, resource, signal, stat, sys, threading, time


def found(look, *arguments):
    try:
        return look(*arguments)
    except (OSError, ValueError) as error:
        return f"{type(error).__name__} {error.args[0]}"


def descriptors():
    return [
        (number, stat.S_IFMT(os.fstat(number).st_mode), fcntl.fcntl(number, fcntl.F_GETFL))
        for number in range(64)
        if not isinstance(found(os.fstat, number), str)
    ]


TOLD = ""


def look_around():
    return {
        "told": lambda: TOLD,
        "environment": lambda: sorted(os.environ.items()),
        "arguments": lambda: [sys.argv, sys.orig_argv, sys.flags, sys.path, sys.executable],
        "folder": lambda: os.getcwd().rpartition("/")[2],
        "descriptors": lambda: descriptors(),
        "rights": lambda: [os.getresuid(), os.getresgid(), os.getgroups(), found(os.umask, 0)],
        "limits": lambda: [found(resource.getrlimit, limit) for limit in range(16)],
        "cores": lambda: [len(os.sched_getaffinity(0)), os.cpu_count(), found(os.nice, 0)],
        "files": lambda: [found(os.listdir, path) for path in (".", "/", "/proc", "/sys", "/tmp", "/etc", "/dev")],
        "proc": lambda: [type(found(os.stat, f"/proc/{name}")) for name in ("self", "1", "meminfo", os.getppid())],
        "family": lambda: [os.getpid() == found(os.getpgid, 0), os.getpid() == found(os.getsid, 0)],
        "threads": lambda: [threading.active_count(), threading.get_native_id() - os.getpid()],
        "signals": lambda: [signal.getsignal(n) for n in range(1, 32)] + [found(signal.pthread_sigmask, 0, [])],
        "clocks": lambda: [found(time.clock_getres, clock) for clock in range(12)],
        "system": lambda: [os.uname()[2:], locale.setlocale(locale.LC_ALL), len(os.uname().nodename)],
        "interpreter": lambda: [sorted(sys.modules), gc.get_threshold(), sys.getrecursionlimit(), gc.isenabled()],
    }


def looks():
    seen = look_around()
    return " ".join(f"{name}={hashlib.sha256(repr(found(seen[name])).encode()).hexdigest()[:6]}" for name in seen)
"""
PYTHON = LOOKS + "\n\ndef a(bot): raise ValueError(looks())\ndef b(bot, bet): raise ValueError(looks())\n"
PROGRAM = f"""{LOOKS}

TOLD = sys.stdin.readline()
sys.stdin.readline()
words = looks().split()
for first in range(0, len(words), 8):
    print(*words[first : first + 8], file=sys.stderr)
sys.exit(1)
"""


@pytest.mark.parametrize("kind", ["python", "program"])
def test_bot_sees_the_same_in_every_command(kind: str, tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"])
    path = place.entrants / ("looks.py" if kind == "python" else "looks")
    write_bot(path, PYTHON if kind == "python" else script(PROGRAM))
    config = load_config(CONTEST, place.config)
    no_one = NullListener()
    seen: dict[str, dict[str, str]] = {}

    def note(where: str, *texts: str | None) -> None:
        seen[where] = dict(re.findall(r"(\w+)=([0-9a-f]{6})", " ".join(text or "" for text in texts)))

    checked = check_bot(VON_NEUMANN_POKER, config.contest, config.sandbox, path, no_one)
    note("check", checked.faults[0].message, checked.faults[0].last_output)
    matched = play_match(VON_NEUMANN_POKER, config, path, [place.entrants / "bold.c"], no_one)
    note("match", matched.faults[0][1].message, matched.faults[0][1].last_output)
    place.play(workers=2)
    results = load(str(place.results))
    first = results.faults.iloc[0]
    note("run", first.message, first.last_output)
    again = replay(
        CONTEST, config=place.config, match=int(first.match), session=int(first.session), game=int(first.game)
    )
    step = next(step for step in again.games[0].steps if step.fault)
    note("replay", step.fault, step.printed)
    differing = {
        name: {where: words.get(name) for where, words in seen.items()}
        for name in seen["run"]
        if len({words.get(name) for words in seen.values()}) > 1
    }
    assert len(seen["run"]) == 16, (first.message, first.last_output)
    assert differing == {}


def test_fault_text_hides_addresses_and_command() -> None:
    plain = "import sys\ndef b(bot, bet): return 1\ndef a(bot): return 1\n"
    tells = plain.replace("return 1\n", "raise ValueError(f'{object()} {max} {sys.orig_argv} at 0x1F')\n")
    (played,) = play(build({"one.py": tells, "two.py": plain}), Settings())
    what = played.result.faults[0].message
    assert what.startswith("ValueError: <object object> <built-in function max> ['/"), what
    assert what.endswith("', 'one'] (line 3 in a)"), what
