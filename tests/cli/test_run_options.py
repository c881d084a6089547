"""Options of `tournament run`, for people before they play and for scripts that watch."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tournament
from tests.commands import Ended, command, run_cli
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
from tournament.runner.listener import ProgressListener
from tournament.runner.prepare import Prepared

SEED = "a long seed of the tests of options"
# What docs/how_to/automation.md says of estimates.
FACTOR = 2.0
_ESTIMATE = re.compile(
    r"^(?P<title>.+): \d+ bots of \S+, (?P<legs>[\d,]+) of (?P<total>[\d,]+) legs, about (?P<games>[\d.]+[kMG]?) games,"
    r" (?P<size>[\d.]+[kMG]?)B of records, (?:at least )?(?P<seconds>[\d,]+) s on ",
    re.MULTILINE,
)


def estimates(told: Ended) -> dict[str, dict[str, float]]:
    """Return what a dry run estimates, by the contest's title."""

    def count(text: str) -> float:
        return float(text.rstrip("kMG").replace(",", "")) * {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1)

    found = (match.groupdict() for match in _ESTIMATE.finditer(told.out))
    return {values.pop("title"): {name: count(text) for name, text in values.items()} for values in found}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two contests, with bots that play, one that is broken, and files that are none."""
    place = tmp_path_factory.mktemp("options")
    files = {
        "torn.c": "int a(const Bot *b) { return",
        "r.rs": "fn main() {}",
        "README.md": "Not a bot.",
        "half_done/notes": "",
    }
    for contest, bots in ((CONTEST, ("likeme", "naive")), ("prisoners_dilemma", ("grudger", "tit_for_tat"))):
        for name in bots:
            files[f"../{contest}/{name}.c"] = (REPOSITORY / "entrants" / contest / f"{name}.c").read_text()
    for name, text in files.items():
        path = place / "entrants" / CONTEST / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (place / "tournament.toml").write_text(
        f'executor = "local"\nworkers = 1\n[{CONTEST}]\nsessions = 400\nseed = "{SEED}"\n'
        f'[short]\nrules = "matrix_game"\nmoves = ["cooperate", "defect"]\npayoffs = [[3, 0], [5, 1]]\n'
        f'entrants = "entrants/prisoners_dilemma"\nturns_per_game = 50\ngames_per_session = 3\nend_probability = 0.02\n'
        f'sessions = 300\nseed = "{SEED}"\n'
    )
    return place


@pytest.fixture(scope="module")
def told(folder: Path) -> dict[str, Ended]:
    """Return the output of a dry run, of a strict run with lines of JSON, and of a dry run again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(screen, "_JSON_SECONDS", 0.0)
        before = run_cli("run", "--dry-run", columns=200)
        assert not list(folder.rglob("*.parquet"))
        run = run_cli("run", "--progress", "json", "--strict")
        after = run_cli("run", "--dry-run", "--strict")
    return {"before": before, "run": run, "after": after}


def test_dry_run_guesses_what_run_then_takes(told: dict[str, Ended], folder: Path) -> None:
    guessed = estimates(told["before"])
    assert told["before"].code == 0 and len(guessed) == 2
    for name, guess in zip((CONTEST, "short"), guessed.values()):
        played = tournament.load(str(folder / "results" / name))
        assert guess["legs"] == guess["total"] == 1
        assert 1 / FACTOR < guess["games"] / played.ranking.games < FACTOR
        parts = (folder / "results" / name).glob("[!h]*/*.parquet")  # History isn't counted.
        assert 1 / FACTOR < guess["size"] / sum(path.stat().st_size for path in parts) < FACTOR
        assert guess["seconds"] >= 1
    assert "torn: broken: at the end of the file: error:" in told["before"].out
    assert not estimates(told["after"]) and told["after"].out.count(", nothing to play; ") == 2


def test_dry_run_counts_matches_of_edited_and_new_bots(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"])
    place.play()

    def to_play() -> tuple[float, float]:
        told = run_cli(*place.arguments("--dry-run"), columns=200)
        (guess,) = estimates(told).values()
        assert bool(guess["games"]) == bool(guess["size"]) == bool(guess["legs"])
        return guess["legs"], guess["total"]

    place.write_bot("dull", bot_source(9, 9))
    assert to_play() == (2, 3)
    place.write_bot("calm", bot_source(9, 8))
    assert to_play() == (3, 3)
    told = run_cli(*place.arguments("--dry-run"), columns=300)
    assert "1 leg of bots that changed or left would leave the records" in told.out
    assert tournament.load(str(place.results)).ranking.games


def test_strict_run_fails_for_broken_or_disqualified_bot(
    told: dict[str, Ended], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots that came or changed during the run are named, too."""
    assert (told["run"].code, told["after"].code) == (1, 1)
    monkeypatch.chdir(folder)
    assert run_cli("run", CONTEST).code == run_cli("run", "short", "--strict").code == 0
    place = make_contest(tmp_path, ["calm"], sessions=10)
    place.write_bot("zero", "int a(Bot *b) { volatile int z = 0; return 9 / z; }\nint b(Bot *b, int x) { return 1; }\n")
    run_prepared = contest_run.run_prepared

    def meanwhile(prepared: Prepared, listener: ProgressListener) -> object:
        place.write_bot("late", bot_source(*THRESHOLDS["bold"]))
        place.write_bot("calm", bot_source(*THRESHOLDS["calm"], "another comment"))
        return run_prepared(prepared, listener)

    monkeypatch.setattr(playing, "run_prepared", meanwhile)
    run = run_cli(*place.arguments("--strict"))
    assert run.code == 1
    assert "zero: disqualified: divided by zero" in run.out
    assert "calm.c, late.c were added or changed during the run: run again to play them" in run.out


def test_progress_is_json_up_to_last_leg(told: dict[str, Ended], folder: Path) -> None:
    page = (REPOSITORY / "docs" / "how_to" / "automation.md").read_text()
    documented = set(re.findall(r"`(\w+)`", page[page.index("`--progress json` writes") :].split("\n\n")[0]))
    lines = [json.loads(line) for line in told["run"].err.splitlines()]
    assert {line["contest"] for line in lines} == {CONTEST, "short"}
    fields = {"at", "contest", "legs", "total_legs", "games", "seconds", "seconds_left", "leader", "cluster"}
    said = [line for line in lines if "message" in line]
    assert all(set(line) == {"at", "contest", "message"} for line in said) and fields | {"message"} == documented
    progress = [line for line in lines if line not in said]
    assert all(set(line) == fields for line in progress)
    for contest in (CONTEST, "short"):
        last = [line for line in progress if line["contest"] == contest][-1]
        played = tournament.load(str(folder / "results" / contest))
        assert (last["legs"], last["total_legs"], last["games"]) == (1, 1, played.ranking.games)
        assert last["leader"] == played.standings["name"].iloc[0]


def test_options_precede_variables_and_these_settings(tmp_path: Path) -> None:
    make_contest(tmp_path, ["bold", "calm"])
    for name in ("here", "there"):
        (tmp_path / f"{name}.toml").write_text(f'results = "of_{name}"\n[{CONTEST}]\nentrants = "bots"\n')

    def place(*more: str, **variables: str) -> str:
        """Return the folder that a dry run names, or its complaint."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {"CONFIG": "here.toml", **variables}.items():
                patch.setenv(f"TOURNAMENT_{name}", value)
            told = command(tmp_path, "run", CONTEST, "--dry-run", *more, columns=200)
        return Path(told.out.strip().rpartition(" into ")[2]).parent.name if told.code == 0 else told.err

    assert place() == "of_here" and place("--config", "there.toml") == "of_there"
    assert place(RESULTS="of_variable") == "of_variable"
    assert place("--results", "of_option", RESULTS="of_variable") == "of_option"
    assert "--workers -1: " in place(WORKERS="-1") and place("--workers", "1", WORKERS="-1") == "of_here"


def test_shell_completes_commands() -> None:
    """Start a process, because a program's name follows from its start."""
    code = "import sys; sys.argv = ['tournament']; from tournament.__main__ import main; main()"
    words = {"COMP_WORDS": "tournament rep", "COMP_CWORD": "1", "_TOURNAMENT_COMPLETE": "complete_bash"}
    done = subprocess.run([sys.executable, "-c", code], env=environment(words), capture_output=True, text=True)
    assert done.stdout.split() == ["report", "replay"]


SESSIONS = "sessions was 150, is "


@pytest.fixture
def long_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ContestDir:
    """More games than are archived without a question, whose number is lowered."""
    place = make_contest(tmp_path, ["bold", "calm"], sessions=150)
    place.play()
    monkeypatch.setattr(archives, "_MANY_GAMES", 500)
    return place


@pytest.mark.parametrize(
    ("options", "key", "blamed"),
    [
        (["--sessions", "9", "--seed", "of no other test"], "", f"{SESSIONS}9; they have another seed: so"),
        ([], "memory_megabytes = 100\n", "memory_megabytes was 64, is 100: so"),
    ],
)
def test_long_records_are_not_archived_by_mistake(
    long_place: ContestDir, options: list[str], key: str, blamed: str
) -> None:
    with long_place.config.open("a") as config:
        config.write(key)
    arguments = long_place.arguments(*options)
    would = run_cli(*arguments, "--dry-run", columns=300)
    what = rf"{re.escape(blamed)} these records of [\d,]+ games in .* would move to an archive beside, and play would"
    assert would.code == 0 and re.search(what, would.out)
    stopped = run_cli(*arguments)
    assert stopped.code == 2 and re.search(f"tournament: {what} start again; give --archive to let them", stopped.err)
    archive = long_place.results.with_name(f"{CONTEST}-archive-1")
    assert not archive.exists() and tournament.load(str(long_place.results)).ranking.games > 500
    assert run_cli(*arguments, "--archive").code == 0
    assert tournament.load(str(archive)).ranking.games > 500


@pytest.mark.parametrize("answer", ["n", "y"])
def test_terminal_asks_before_it_archives_long_records(long_place: ContestDir, answer: str) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    lowered = "from tournament.runner import archives; archives._MANY_GAMES = 500\n"
    words = command_line(long_place.arguments("--sessions", "9"), lowered)
    done = subprocess.run(
        words, env=environment({"COLUMNS": "300"}), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, timeout=100
    )
    os.set_blocking(ours, False)
    asked = os.read(ours, 1 << 16).decode()
    for end in (ours, theirs):
        os.close(end)
    assert done.returncode == (answer == "n")
    assert f"{SESSIONS}9: so these records of" in asked and "Continue? [y/N]" in asked
    assert long_place.results.with_name(f"{CONTEST}-archive-1").exists() == (answer == "y")


def test_records_of_another_game_are_not_archived_unasked(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], sessions=2)
    place.play()
    place.results.rename(place.results.with_name("late"))
    shutil.copytree(REPOSITORY / "entrants" / "prisoners_dilemma", place.folder / "others")
    place.config.write_text('[late]\nrules = "matrix_game"\nentrants = "others"\n')
    stopped = run_cli("run", "late", "--config", str(place.config), "--results", str(place.results.parent))
    assert stopped.code == 2 and f"games of {CONTEST}" in stopped.err and "give --archive to let them" in stopped.err
