"""Fields with hostile bots: each bot's file says what must become of it, and nothing else may happen."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import wasmtime

from tests.processes import descendants, wait_until
from tournament.config import ExecutorName, load_config
from tournament.contests import find_contest
from tournament.records.results import Results, load
from tournament.runner.contest_run import run_contest
from tournament.runner.listener import Progress
from tournament.sandbox.outside import fork_server
from tournament.store.storage import join_location

HERE = Path(__file__).resolve().parent
SHARED = HERE / "shared"  # what several bots have in common, put beside or into them
_OF_SHARED = re.compile(rf"^from ({'|'.join(path.stem for path in SHARED.glob('*.py'))}) import .*\n", re.MULTILINE)
CONTEST = "von_neumann_poker"
# What no bot may read; it must appear nowhere.
SECRET = "a yellow canary sings 71c2e9"
# What bots that leave something behind call it; segments of shared memory have the number as their key.
LEFT_BEHIND = "left_by_a_hostile_bot"
LEFT_BEHIND_KEY = 0x7E57B07
SETTINGS: dict[str, object] = {"sessions": 6, "seed": 11, "max_faults": 0, "idle_seconds": 0.4, "seconds": 30.0}
Bots = Mapping[str, str | Mapping[str, str]]  # files, or the files of a folder, by name
GOOD: Bots = {
    "steady.c": """
        int a(const Bot *bot) { return bot->card > 0.6f ? 20 : 0; }
        int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
    """,
    "patient.py": """
import random
class Patient:
    def a(self, bot): return random.randrange(20) if bot.card > 0.7 else 0
    def b(self, bot, bet): return bot.card > 0.4 + bet / 200
""",
    "plain": {
        "bot.toml": 'command = ["sh", "bot.sh"]',
        "bot.sh": """
read sessions
while read words; do
    set -- $words
    case $2 in
        '"a",') echo "ACTION 7" ;;
        '"b",') case $4 in 0.[6-9]*) echo "ACTION 1" ;; *) echo "ACTION 0" ;; esac ;;
    esac
done
""",
    },
}


# What ends the source of a Python bot that has no `b`, since it attacks when it is its turn to bet.
CALLS = "\n\ndef b(bot, bet):\n    return bot.card > 0.5\n"


class Verdict(NamedTuple):
    """The required status of a bot, and words, one of which the reason contains."""

    statuses: list[str]
    words: list[str]


def verdict_of(bot: Path) -> Verdict:
    """Return the verdict that a bot's file, or a program's bot.toml, requires."""
    text = (bot / "bot.toml" if bot.is_dir() else bot).read_text()
    found = re.search(r"Verdict: ([a-z, ]+)(?:: (.*))?$", text, re.MULTILINE)
    assert found, f"{bot} has no verdict"
    return Verdict(found[1].split(", "), found[2].split(" or ") if found[2] else [])


def bots_in(folder: str) -> list[Path]:
    return sorted(path for path in (HERE / folder).iterdir() if not path.name.startswith((".", "__pycache__")))


class Listener:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.on_message = self.told.append

    def on_progress(self, progress: Progress) -> None:
        self.told.append(repr(progress.standings))


@dataclass
class Ground:
    """A folder for one tournament.

    Attributes:
        canary: A file that no bot can read.
    """

    folder: Path
    told: Listener = field(default_factory=Listener)

    @property
    def entrants(self) -> Path:
        return self.folder / "entrants"

    @property
    def canary(self) -> Path:
        return self.folder / "canary"

    @property
    def results(self) -> Path:
        return self.folder / "results"

    @property
    def folders(self) -> list[str]:
        """The options that name its folders."""
        return ["--entrants", str(self.entrants), "--results", str(self.results)]

    def prepare(self, bots: Iterable[Path], good: Bots = GOOD) -> None:
        """Write the canary, the good bots and the hostile ones, with the paths that they attack."""
        self.entrants.mkdir(parents=True)
        self.canary.write_text(f"{SECRET}\n")
        self.canary.chmod(0o600)
        os.utime(self.canary, (1e9, 1e9))
        for name, content in good.items():
            files = {"": content} if isinstance(content, str) else content
            for inner, text in files.items():
                path = self.entrants / name / inner if inner else self.entrants / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
        for bot in bots:
            target = self.entrants / bot.name
            if bot.is_dir():
                shutil.copytree(bot, target, ignore=shutil.ignore_patterns("__pycache__"))
                wanted = "hostile.h" if (target / "bot.c").exists() else "bot.sh"
                if not (target / wanted).exists():
                    shutil.copy(SHARED / wanted, target)
                for path in target.rglob("*"):
                    if path.is_file():
                        path.write_text(self._aimed(path.read_text()))
                continue
            text = self._aimed(bot.read_text())
            if bot.suffix == ".wat":
                target.with_suffix(".wasm").write_bytes(wasmtime.wat2wasm(text))
            else:
                target.write_text(text if bot.suffix != ".py" or "def b(" in text else text + CALLS)

    def _aimed(self, text: str) -> str:
        text = self._whole(text).replace("@checkout@", str(HERE.parents[1]))
        for name in ("canary", "executable"):
            text = text.replace(f"@{name}@", str(self.folder / name))
        return text.replace("@opponent@", str(self.entrants / "steady.c"))

    def _whole(self, text: str) -> str:
        """Return a bot's text with its imports from SHARED replaced by their text."""
        return _OF_SHARED.sub(lambda found: self._whole((SHARED / f"{found[1]}.py").read_text()), text)

    def config(self, **settings: object) -> Path:
        keys = [f"{key} = {value!r}\n" for key, value in {**SETTINGS, **settings}.items()]
        path = self.folder / "tournament.toml"
        path.write_text(f"[{CONTEST}]\n{''.join(keys)}")
        return path

    def play(self, executor: ExecutorName = "local", **settings: object) -> Results:
        how: dict[str, Any] = {"results": self.results, "entrants": self.entrants, "executor": executor}
        config = load_config(CONTEST, self.config(**settings), workers=2, **how)
        run_contest(find_contest(CONTEST), config, self.told)
        return load(join_location(config.results, CONTEST))

    def assert_secret_is_kept(self, results: Results) -> None:
        """Check that the canary is unchanged, and in no message and no record."""
        assert self.canary.read_text() == f"{SECRET}\n"
        found = self.canary.stat()
        assert (found.st_mode & 0o7777, found.st_mtime, found.st_uid) == (0o600, 1e9, os.getuid())
        texts = [*self.told.told, results.entrants.to_csv(), results.standings.to_csv()]
        assert not [text for text in texts if SECRET in text]
        for path in self.results.rglob("*"):
            assert path.is_dir() or SECRET.encode() not in path.read_bytes(), path


def assert_verdicts(results: Results, bots: Iterable[Path]) -> None:
    """Check that each hostile bot has the status and the reason that its file requires."""
    lines = results.entrants.set_index("name")
    wrong = []
    for bot in bots:
        statuses, words = verdict_of(bot)
        line = lines.loc[bot.stem if bot.is_file() else bot.name]
        reason = str(line.reason)
        if line.status not in statuses or (words and not any(word in reason for word in words)):
            wrong.append(f"{bot.name}: expected {statuses}, {words}, got {line.status}: {reason}")
        assert all(character.isprintable() or character == "\n" for character in reason), (bot.name, reason)
    assert not wrong, "\n".join(wrong)


def assert_good_ones_are_untouched(results: Results, alone: Results, good: Bots = GOOD) -> None:
    """Check that the good bots are ranked, and that their games are those of a tournament without hostile bots."""
    names = sorted(Path(name).stem for name in good)
    lines = results.entrants.set_index("name")
    for name in names:
        assert lines.loc[name].status == "ok", (name, lines.loc[name].reason)
    for number, x in enumerate(names):
        for y in names[number + 1 :]:
            assert games_between(results, x, y) == games_between(alone, x, y), (x, y)


def assert_they_fare_as_said(
    ground: Ground, scratch: Path, alone: Results, bots: list[Path], good: Bots, **settings: Any
) -> None:
    """Hostile bots among good ones get their verdicts, and leave others, canary and machine as they were."""
    ground.prepare(bots, good)
    with nothing_survives(scratch):
        results = ground.play(**settings)
    assert_verdicts(results, bots)
    assert_good_ones_are_untouched(results, alone, good)
    ground.assert_secret_is_kept(results)


def games_between(results: Results, x: str, y: str) -> bytes:
    games = results.games
    mine = games[(games.bot_0 == x) & (games.bot_1 == y)].drop(columns=["match", "bot_0", "bot_1"])
    assert len(mine), (x, y)
    return b"".join(mine[column].to_numpy().tobytes() for column in mine)


def confined_processes() -> dict[int, str]:
    """Return the command lines of this test's confined processes, also of orphans, without those that fork others."""
    fork_server.end_idle()
    marks = ("'landlock'", str(HERE.parents[1]))  # others may run tests of another copy
    found = {
        pid: line for pid, line in descendants(0).items() if all(mark in line for mark in marks) or LEFT_BEHIND in line
    }
    mine = {*descendants(os.getpid()), *(pid for pid in found if _parent_of(pid) in (None, 1))}
    return {pid: line for pid, line in found.items() if pid in mine}


def _parent_of(process: int) -> int | None:
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return None


@contextlib.contextmanager
def nothing_survives(scratch: Path) -> Iterator[None]:
    """Assert that the block leaves no process, no file and no shared memory behind."""
    before = set(descendants(os.getpid()))
    yield
    fork_server.end_idle()
    assert wait_until(lambda: set(descendants(os.getpid())) <= before), descendants(os.getpid())
    assert_no_files_are_left(scratch)


def assert_no_files_are_left(scratch: Path) -> None:
    """Nothing lies in the tournament's own temporary folder, or where everybody may write."""
    assert list(scratch.iterdir()) == []
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", str(HERE), os.getcwd()):
        assert not [name for name in os.listdir(folder) if LEFT_BEHIND in name], folder
    for kind in ("shm", "sem", "msg"):
        with contextlib.suppress(FileNotFoundError):
            assert str(LEFT_BEHIND_KEY) not in Path("/proc/sysvipc", kind).read_text().split()
