"""Contests that are kept current: what comes is played, what is wrong is told, and what is shown gives no card away."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import tournament
from tests.contest_runs import CONTEST, Place, assert_same, command_line, environment, new_place, outcome
from tests.processes import comes
from tournament.config import Config
from tournament.errors import BadInput
from tournament.open_contest.publishing import _rounded
from tournament.open_contest.watch import Watch
from tournament.runner.watcher import NobodyWatching, Watcher


class Told:
    """Keeps what is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    @contextmanager
    def round(self, _config: Config) -> Iterator[Watcher]:
        yield NobodyWatching()

    def tell(self, contest: str, what: str) -> None:
        self.lines.append(what)


class Kept:
    """A place that is watched by a thread."""

    def __init__(self, place: Place) -> None:
        self.place, self.told = place, Told()
        self.published = place.folder / "published"
        options = {"executor": "local", "workers": 1}
        self.watch = Watch([CONTEST], place.config, options, self.published, self.told)
        self._heard = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self.watch.keep, args=(self._stopped.is_set,))

    def __enter__(self) -> Kept:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def says(self, words: str) -> bool:
        """Whether it comes to say something, after what was found before."""

        def is_said() -> bool:
            found = [place for place, line in enumerate(self.told.lines) if re.search(words, line)]
            later = [place for place in found if place >= self._heard]
            self._heard = later[0] + 1 if later else self._heard
            return bool(later) or not self._thread.is_alive()

        assert comes(is_said) and self._thread.is_alive(), self.told.lines[self._heard :]
        return True

    def board(self) -> list[str]:
        board = json.loads((self.published / CONTEST / "board.json").read_text())
        return [line["name"] for line in board["leaderboard"]]


def settled(place: Place, edit: Callable[[str], str]) -> None:
    place.config.write_text(edit(place.config.read_text()))


def test_what_comes_is_played_and_what_is_wrong_is_told(tmp_path: Path) -> None:
    place = new_place(tmp_path, ["bold"])
    with Kept(place) as kept:
        assert kept.says("waits: a tournament needs two bots")
        place.write_bot("calm", "int a(const Bot *bot) { return 1; }\nint b(const Bot *bot, int bet) { return 1; }\n")
        assert kept.says("the board is current")
        assert sorted(kept.board()) == ["bold", "calm"]
        place.write_bot("torn", "int a(const Bot *bot) { return 1 }\n")
        assert kept.says("torn is refused: .*error")
        assert kept.says("the board is current")
        (place.entrants / "calm.c").unlink()
        assert kept.says("waits: a tournament needs two bots")
        assert sorted(kept.board()) == ["bold", "calm", "torn"]  # the last whole board


def test_settings_that_are_wrong_or_would_archive_change_nothing(tmp_path: Path) -> None:
    place = new_place(tmp_path, ["bold", "calm"])
    good = place.config.read_text()
    with Kept(place) as kept:
        assert kept.says("the board is current")
        for wrong, why in (
            ("sessions = 30", "sessions was 40, is 30"),
            ("sessions = x", "line 3"),
            ("more = 1", "unknown"),
        ):
            settled(place, lambda text, wrong=wrong: re.sub("sessions = .*", wrong, text))  # type: ignore[misc]
            assert kept.says(f"{why}.*the settings before stay")
            settled(place, lambda _: good)
            assert kept.says("read again")
        place.write_bot("dull", "int a(const Bot *bot) { return 1; }\nint b(const Bot *bot, int bet) { return 1; }\n")
        assert kept.says("the board is current") and len(kept.board()) == 3
    assert tournament.load(str(place.results)).field.settings["sessions"] == 40


def test_a_newcomer_does_not_wait_for_the_others_replicas(tmp_path: Path) -> None:
    place = new_place(tmp_path, ["bold", "calm", "dull"], sessions=20_000, settings="replicas = 400")
    with Kept(place) as kept:
        assert comes(lambda: (place.results / "games").exists() and len(list((place.results / "games").iterdir())) > 1)
        place.write_bot("even", "int a(const Bot *bot) { return 1; }\nint b(const Bot *bot, int bet) { return 1; }\n")
        assert comes(lambda: any("even" in (match.x, match.y) for match in _matches(place)))
        assert not (kept.published / CONTEST).exists()
        settled(place, lambda text: text.replace("replicas = 400", "replicas = 1"))
        assert kept.says("the board is current") and len(kept.board()) == 4


def _matches(place: Place) -> list[tournament.standings.standings.MatchResult]:  # type: ignore[name-defined]
    return list(tournament.load(str(place.results)).ranking.matches)


def test_until_settled_is_for_a_final(tmp_path: Path) -> None:
    place = new_place(tmp_path, ["bold", "calm"], settings="until_settled = 0.9")
    with pytest.raises(BadInput, match="until_settled is for a final"):
        Kept(place)


def test_the_final_is_played_on_other_cards_and_only_then_all_is_shown(tmp_path: Path) -> None:
    place = new_place(tmp_path, ["bold", "calm", "dull"])
    crook = "int a(const Bot *bot) { __builtin_trap(); }\nint b(const Bot *bot, int bet) { return 1; }\n"
    place.write_bot("crook", crook)
    closes = datetime.now(UTC) + timedelta(seconds=20)
    settled(place, lambda text: f"{text}\n[watch]\ncloses = {closes.isoformat()}\n")
    with Kept(place) as kept:
        assert kept.says("the board is current")
        page = (kept.published / CONTEST / "index.html").read_text()
        assert datetime.now(UTC) < closes, "too slow a machine for this test"
        games = tournament.load(str(place.results)).games
        assert kept.says("the final is played")
    final = tournament.load(str(place.folder / "results" / "final" / CONTEST))
    assert len(final.games) and not final.games["a_card"].isin(games["a_card"]).any()
    shown = (kept.published / CONTEST / "index.html").read_text()
    assert 'id="games-data"' in shown and "card 0." in shown
    assert "card 0." not in page and "asked" not in re.findall(r'"asked": ?"[^"]+"', page)
    assert json.loads((kept.published / CONTEST / "board.json").read_text())["open"] is False


def test_figures_have_three_digits() -> None:
    import numpy as np

    assert _rounded({"a": (1.23456, [9876.5]), "b": 12345}) == {"a": (1.23, [9880.0]), "b": 12345}
    assert _rounded(np.array([1.23456, 0.0, -98765.0, np.inf])).tolist() == [1.23, 0.0, -98800.0, np.inf]


def test_killed_at_any_moment_it_goes_on_as_one_run_would_have_been(tmp_path: Path) -> None:
    names = ["bold", "calm", "dull", "even"]
    whole = new_place(tmp_path / "whole", names, sessions=2_000)
    whole.play()
    place = new_place(tmp_path / "watched", names, sessions=2_000)
    command = command_line(["watch", CONTEST, "--config", str(place.config), "--publish", str(tmp_path / "published")])
    for after in (0.7, 1.0, 1.4):
        with subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as one:
            with pytest.raises(subprocess.TimeoutExpired):
                one.wait(after)
            one.kill()
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as last:
        assert last.stdout
        assert any("the board is current" in line for line in last.stdout)
        last.send_signal(signal.SIGTERM)
        _, complaints = last.communicate(timeout=30)
    assert last.returncode == 130 and "stopped" in complaints.splitlines()[-1]
    assert_same(outcome(place.results), outcome(whole.results))
