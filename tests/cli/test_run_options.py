"""Options of `tournament run`, for people before they play and for scripts that watch."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import tournament
from tests.cli.in_process import Shown, run_cli
from tests.contest_runs import (
    CONTEST,
    REPOSITORY,
    THRESHOLDS,
    ContestDir,
    bot_source,
    command_line,
    environment,
    make_contest,
)
from tournament.cli import playing, screen
from tournament.runner import archives, contest_run
from tournament.runner.listener import Progress, ProgressListener
from tournament.runner.prepare import Prepared
from tournament.standings.matches import Matches
from tournament.standings.standings import Standing, Standings

SEED = "a long seed of the tests of options"
# What docs/how_to/automation.md says of estimates.
FACTOR = 2.0
_ESTIMATE = re.compile(
    r"^(?P<title>.+): \d+ bots of \S+, (?P<legs>[\d,]+) of (?P<total>[\d,]+) legs, about (?P<games>[\d.]+[kMG]?) games,"
    r" (?P<size>[\d.]+[kMG]?)B of records, (?P<least>at least )?(?P<seconds>[\d,]+) s on \d+ cores?"
    r"( \([\d.]+ core hours\))?(, not measured yet)?,"
    r" into (?P<place>.+)$",
    re.MULTILINE,
)


def count(text: str) -> float:
    """12.3M as a number."""
    return float(text.rstrip("kMG").replace(",", "")) * {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1)


def estimates(told: Shown) -> dict[str, dict[str, float]]:
    """Return what a dry run estimates, by the contest's title."""
    found = {match["title"]: match.groupdict() for match in _ESTIMATE.finditer(told.out)}
    return {
        title: {name: count(text) for name, text in values.items() if name not in ("title", "place", "least")}
        for title, values in found.items()
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two contests, with bots that play, one that is broken, and files that are none."""
    place = tmp_path_factory.mktemp("options")
    poker = place / "entrants" / CONTEST
    poker.mkdir(parents=True)
    for name in ("likeme", "naive"):
        shutil.copy(REPOSITORY / "entrants" / CONTEST / f"{name}.c", poker)
    (poker / "torn.c").write_text("int a(const Bot *b) { return")
    (poker / "r.rs").write_text("fn main() {}")
    (poker / "half_done").mkdir()
    (poker / "README.md").write_text("Not a bot, and no riddle either.")
    turns = place / "entrants" / "short_dilemma"
    turns.mkdir()
    for name in ("grudger", "tit_for_tat"):
        shutil.copy(REPOSITORY / "entrants" / "prisoners_dilemma" / f"{name}.c", turns)
    (place / "tournament.toml").write_text(
        f'executor = "local"\nworkers = 1\n[{CONTEST}]\nsessions = 400\nseed = "{SEED}"\n'
        f'[short_dilemma]\nrules = "matrix_game"\nmoves = ["cooperate", "defect"]\npayoffs = [[3, 0], [5, 1]]\n'
        f'turns_per_game = 50\ngames_per_session = 3\nend_probability = 0.02\nsessions = 300\nseed = "{SEED}"\n'
    )
    return place


@pytest.fixture(scope="module")
def told(folder: Path) -> dict[str, Shown]:
    """Return the output of a dry run, of a strict run with lines of JSON, and of a dry run again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(screen, "_JSON_SECONDS", 0.0)
        before = run_cli("run", "--dry-run", columns=200)
        assert not [path for path in folder.rglob("*") if path.suffix == ".parquet"]
        run = run_cli("run", "--progress", "json", "--strict")
        after = run_cli("run", "--dry-run", "--strict")
    return {"before": before, "run": run, "after": after}


def test_a_dry_run_guesses_what_the_run_then_takes(told: dict[str, Shown], folder: Path) -> None:
    guessed = estimates(told["before"])
    assert told["before"].code == 0 and len(guessed) == 2
    for name, guess in zip((CONTEST, "short_dilemma"), guessed.values()):
        played = tournament.load(str(folder / "results" / name))
        assert guess["legs"] == guess["total"] == 1
        games = played.ranking.games
        assert 1 / FACTOR < guess["games"] / games < FACTOR
        parts = (folder / "results" / name).glob("[!h]*/*.parquet")  # History isn't counted.
        size = sum(path.stat().st_size for path in parts)
        assert 1 / FACTOR < guess["size"] / size < FACTOR
        assert guess["seconds"] >= 1
    assert "torn: broken: at the end of the file: error:" in told["before"].out


def test_what_is_played_is_not_to_be_played(told: dict[str, Shown]) -> None:
    assert not estimates(told["after"])
    assert told["after"].out.count(", nothing to play; ") == 2


def test_dry_run_counts_matches_of_edited_and_new_bots(
    told: dict[str, Shown], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    bots = tmp_path / "here" / "entrants" / "short_dilemma"

    def to_play() -> tuple[float, float]:
        (guess,) = estimates(run_cli("run", "short_dilemma", "--dry-run", columns=200)).values()
        assert bool(guess["games"]) == bool(guess["size"]) == bool(guess["legs"])
        return guess["legs"], guess["total"]

    (bots / "grudger.c").write_text("int move(const Bot *bot) { return bot->turn % 2; }\n")
    assert to_play() == (1, 1)
    shutil.copy(bots / "tit_for_tat.c", bots / "third.c")
    assert to_play() == (3, 3)
    shutil.copy(folder / "entrants" / "short_dilemma" / "grudger.c", bots)
    assert to_play() == (2, 3)
    (bots / "tit_for_tat.c").unlink()
    assert to_play() == (1, 1)


def test_strict_fails_for_a_bot_that_cannot_play(told: dict[str, Shown], folder: Path) -> None:
    assert (told["run"].code, told["after"].code) == (1, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run_cli("run", CONTEST).code == 0
        assert run_cli("run", "short_dilemma", "--strict").code == 0


def test_a_disqualified_bot_fails_a_strict_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots that came or changed during the run are named, too."""
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "calm.c").write_text(bot_source(*THRESHOLDS["calm"]))
    (bots / "zero.c").write_text(
        "int a(const Bot *b) { volatile int z = 0; return 9 / z; }\nint b(const Bot *b, int x) { return 1; }\n"
    )
    run_prepared = contest_run.run_prepared

    def meanwhile(prepared: Prepared, listener: ProgressListener) -> object:
        (bots / "late.c").write_text(bot_source(*THRESHOLDS["bold"]))
        (bots / "calm.c").write_text(bot_source(*THRESHOLDS["calm"], "another comment"))
        (bots / "notes.txt").write_text("no bot")
        return run_prepared(prepared, listener)

    monkeypatch.setattr(playing, "run_prepared", meanwhile)
    monkeypatch.chdir(tmp_path)
    words = ["run", CONTEST, "--entrants", "bots", "--sessions", "10", "--seed", SEED, "--executor", "local"]
    run = run_cli(*words, "--strict")
    assert run.code == 1
    assert "zero: disqualified: divided by zero" in run.out
    assert "calm.c, late.c were added or changed during the run: run again to play them" in run.out


def test_progress_is_lines_of_json_up_to_the_records(told: dict[str, Shown], folder: Path) -> None:
    page = (REPOSITORY / "docs" / "how_to" / "automation.md").read_text()
    documented = set(re.findall(r"`(\w+)`", page[page.index("`--progress json` writes") :].split("\n\n")[0]))
    lines = [json.loads(line) for line in told["run"].err.splitlines()]
    assert {line["contest"] for line in lines} == {CONTEST, "short_dilemma"}
    said, progress = ([line for line in lines if ("message" in line) is told_so] for told_so in (True, False))
    assert all(set(line) == {"at", "contest", "message"} for line in said)
    fields = {"at", "contest", "legs", "total_legs", "games", "seconds", "seconds_left", "leader", "cluster"}
    assert all(set(line) == fields for line in progress) and fields | {"message"} == documented
    for contest in (CONTEST, "short_dilemma"):
        last = [line for line in progress if line["contest"] == contest][-1]
        played = tournament.load(str(folder / "results" / contest))
        assert (last["legs"], last["total_legs"], last["games"]) == (1, 1, played.ranking.games)
        assert last["leader"] == played.standings["name"].iloc[0]


@pytest.mark.parametrize(("as_json", "apart"), [(True, 1.0), (False, 30.0)])
def test_progress_line_appears_on_time_with_run_progress(
    as_json: bool, apart: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs report sixteen times for each line that is due, and end in between."""
    now = 100.0
    monkeypatch.setattr(screen, "time", SimpleNamespace(monotonic=lambda: now))
    written = io.StringIO()
    with screen.Screen(Console(file=written), "A contest", contest="a_contest", as_json=as_json) as shows:
        for legs in range(1, 71):
            now += apart / 16
            leader = Standing("ahead", "c", "", 1)
            shows.on_progress(
                Progress(legs, 90, 10 * legs, legs / 4, 2.5, Standings((leader,), Matches.from_matches, ()))
            )
    lines = written.getvalue().splitlines()
    if not as_json:
        assert [re.sub(" legs.*", "", line) for line in lines] == [f"A contest: {legs}/90" for legs in (16, 32, 48, 64)]
        return
    expected: list[dict[str, object]] = [
        {"contest": "a_contest", "legs": legs, "total_legs": 90, "games": 10 * legs, "seconds": legs / 4}
        | {"seconds_left": 2.5, "cluster": None, "leader": "ahead"}
        for legs in (16, 32, 48, 64, 70)
    ]
    told = [json.loads(line) for line in lines]
    assert all(datetime.fromisoformat(line.pop("at")).tzinfo for line in told) and told == expected


def test_options_go_before_variables_and_these_before_settings(folder: Path, tmp_path: Path) -> None:
    settings = f'[short_dilemma]\nrules = "matrix_game"\nentrants = "{folder / "entrants" / "short_dilemma"}"\n'
    for name in ("here", "there"):
        (tmp_path / f"{name}.toml").write_text(f'results = "of_{name}"\nworkers = 2\n{settings}')
    here = str(tmp_path / "here.toml")

    def place(*more: str, **variables: str) -> str:
        """Return the folder that a dry run names, or its complaint."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            for name, value in variables.items():
                patch.setenv(f"TOURNAMENT_{name}", value)
            told = run_cli("run", "short_dilemma", "--dry-run", "--seed", SEED, *more, columns=200)
        return Path(told.out.strip().rpartition(" into ")[2]).parent.name if told.code == 0 else told.err

    assert place(CONFIG=here) == "of_here"
    assert place("--config", "there.toml", CONFIG=here) == "of_there"
    assert place(CONFIG=here, RESULTS="of_variable") == "of_variable"
    assert place("--results", "of_option", CONFIG=here, RESULTS="of_variable") == "of_option"
    for name, wrong, right in (("WORKERS", "-1", "1"), ("EXECUTOR", "dask", "local")):
        option = f"--{name.lower()}"
        assert f"{option} {wrong}: " in place(CONFIG=here, **{name: wrong})  # the file's is none
        assert place(option, right, CONFIG=here, **{name: wrong}) == "of_here"


def test_a_shell_completes_commands_and_options(tmp_path: Path) -> None:
    """Commands have their own process, because a program's name follows from its start."""
    code = "import sys; sys.argv = ['tournament']; from tournament.__main__ import main; main()"

    def asked(**variables: str) -> str:
        process = subprocess.run(
            [sys.executable, "-c", code], env=environment(variables), cwd=tmp_path, capture_output=True, text=True
        )
        return process.stdout

    words = {"COMP_WORDS": "tournament rep", "COMP_CWORD": "1"}
    assert asked(_TOURNAMENT_COMPLETE="complete_bash", **words).split() == ["report", "replay"]
    script = asked(_TOURNAMENT_COMPLETE="source_bash")
    assert script.strip().endswith("complete -o default -F _tournament_completion tournament")


@pytest.fixture(scope="module")
def long_played(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    """More games than are archived without a question, whose number is lowered."""
    place = make_contest(tmp_path_factory.mktemp("long"), ["bold", "calm"], sessions=150)
    place.play()
    return place


@pytest.fixture
def long_place(long_played: ContestDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ContestDir:
    monkeypatch.setattr(archives, "_MANY_GAMES", 500)
    shutil.copytree(long_played.folder, tmp_path / "here")
    return ContestDir(tmp_path / "here")


def read_some(terminal: int) -> bytes:
    """Return what can be read from a terminal, or nothing after its other end was closed."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


SESSIONS = "sessions was 150, is "
SEED_CHANGED = "they have another seed"


@pytest.mark.parametrize(
    ("options", "key", "blamed"),
    [
        (["--sessions", "9", "--seed", "a seed of no other test"], "", f"{SESSIONS}9; {SEED_CHANGED}: so"),
        ([], "memory_megabytes = 100", "memory_megabytes was 64, is 100: so"),
    ],
)
def test_no_long_play_is_archived_by_mistake(long_place: ContestDir, options: list[str], key: str, blamed: str) -> None:
    if key:
        others = [line for line in long_place.config.read_text().splitlines() if not line.startswith(key.split()[0])]
        long_place.config.write_text("\n".join([*others, key, ""]))
    arguments = long_place.arguments(*options)
    would = run_cli(*arguments, "--dry-run", columns=300)
    assert would.code == 0
    what = rf"{re.escape(blamed)} these records of [\d,]+ games in .* would move to an archive beside, and play would"
    assert re.search(what, would.out)
    stopped = run_cli(*arguments)
    assert stopped.code == 2 and re.search(f"tournament: {what} start again; give --archive to let them", stopped.err)
    assert len(stopped.err.splitlines()) <= 2 and "Traceback" not in stopped.err
    archive = long_place.results.with_name(f"{CONTEST}-archive-1")
    assert not archive.exists() and tournament.load(str(long_place.results)).ranking.games > 500
    assert run_cli(*arguments, "--archive").code == 0
    assert tournament.load(str(archive)).ranking.games > 500


@pytest.mark.parametrize("answer", ["n", "y"])
def test_on_a_terminal_long_play_is_asked_for(long_place: ContestDir, answer: str) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    lowered = "from tournament.runner import archives; archives._MANY_GAMES = 500\n"
    command = command_line(long_place.arguments("--sessions", "9"), lowered)
    done = subprocess.run(
        command, env=environment({"COLUMNS": "300"}), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, timeout=100
    )
    os.close(theirs)
    asked = b"".join(iter(lambda: read_some(ours), b"")).decode()
    os.close(ours)
    assert done.returncode == (answer == "n")
    archive = long_place.results.with_name(f"{CONTEST}-archive-1")
    assert f"{SESSIONS}9: so these records of" in asked and "Continue? [y/N]" in asked
    assert archive.exists() == (answer == "y")


def test_a_dry_run_says_which_legs_would_leave(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"])
    place.play()
    place.write_bot("calm", bot_source(9, 8))
    told = run_cli(*place.arguments("--dry-run"), columns=300)
    assert "2 legs of bots that changed or left would leave the records" in told.out
    assert tournament.load(str(place.results)).ranking.games


def test_a_run_by_options_says_which_to_repeat(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"])
    assert "repeat" not in run_cli(*place.arguments("--sessions", "40")).out  # Settings say so.
    told = run_cli(*place.arguments("--sessions", "9", "--replicas", "3", "--seed", "hush"), columns=300)
    assert "use --sessions 9 --replicas 3 --seed … again" in told.out


def test_options_may_mend_settings_that_alone_are_too_much(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], 10**9, "replicas = 2")
    assert run_cli(*place.arguments("--dry-run")).code == 2
    assert run_cli(*place.arguments("--dry-run", "--sessions", "9")).code == 0


def test_records_of_another_game_are_not_archived_unasked(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], sessions=2)
    place.play()
    place.results.rename(place.results.with_name("late"))
    for bot, move in (("x.py", 0), ("y.py", 1)):
        (place.folder / "others").mkdir(exist_ok=True)
        (place.folder / "others" / bot).write_text(f"def move(view):\n    return {move}\n")
    place.config.write_text(
        '[late]\nrules = "matrix_game"\nentrants = "others"\nmoves = ["a", "b"]\npayoffs = [[0, 1], [-1, 0]]\n'
    )
    stopped = run_cli("run", "late", "--config", str(place.config), "--results", str(place.results.parent))
    assert stopped.code == 2 and f"games of {CONTEST}" in stopped.err and "give --archive to let them" in stopped.err
