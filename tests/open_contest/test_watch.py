"""Contests that are kept current: what comes is played, what is wrong is told, and what is shown gives no card away."""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import tournament
from tests.contest_runs import CONTEST, ContestDir, bot_source, make_contest
from tests.open_contest.support import failing_at
from tests.processes import wait_until
from tournament.config import Config, load_config
from tournament.errors import InputError
from tournament.open_contest import publish as publish_module
from tournament.open_contest import watch as watch_module
from tournament.open_contest.publish import publish
from tournament.open_contest.watch import Watch
from tournament.runner.listener import NullListener, ProgressListener
from tournament.runner.seed import read_seed
from tournament.standings.standings import Standings
from tournament.store.storage import open_storage


class Told:
    """Keeps what is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    @contextmanager
    def round(self, _config: Config) -> Iterator[ProgressListener]:
        yield NullListener()

    def tell(self, contest: str, what: str) -> None:
        self.lines.append(what)

    def show(self, config: Config, standings: Standings) -> None:
        pass


class Kept:
    """A place that is watched by a thread."""

    def __init__(self, place: ContestDir) -> None:
        self.place, self.told = place, Told()
        self.published = place.folder / "published"
        options = {"executor": "local", "workers": 1}
        now = datetime(2026, 6, 1, tzinfo=UTC)
        self.watch = Watch([CONTEST], place.config, options, self.published, self.told, now=lambda: now)
        self._heard = 0
        self._stopped = threading.Event()
        self.watch.stopping = self._stopped.is_set
        self._thread = threading.Thread(target=self.watch.keep)

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

        assert wait_until(is_said, 300) and self._thread.is_alive(), self.told.lines[self._heard :]
        return True

    def shown(self) -> tuple[str, dict[str, Any]]:
        """The page and the board."""
        place = self.published / "c" / CONTEST
        return (place / "index.html").read_text(), json.loads((place / "board.json").read_text())

    def board(self) -> list[str]:
        return [line["name"] for line in self.shown()[1]["leaderboard"]]


def settled(place: ContestDir, edit: Callable[[str], str]) -> None:
    place.config.write_text(edit(place.config.read_text()))


@pytest.mark.slow
def test_what_comes_is_played_and_what_is_wrong_is_told(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold"])
    with Kept(place) as kept:
        assert kept.says("waits: a tournament needs two bots")
        place.write_bot("calm", "int a(const Bot *bot) { return 1; }\nint b(const Bot *bot, int bet) { return 1; }\n")
        assert kept.says("the board is current")
        assert sorted(kept.board()) == ["bold", "calm"]
        old = kept.shown()[1]["versions"]["calm"][-1]
        place.write_bot("calm", "int a(const Bot *bot) { return 2; }\nint b(const Bot *bot, int bet) { return 1; }\n")
        assert kept.says("the board is current")
        first, second = kept.shown()[1]["versions"]["calm"]
        assert first[0] == old[0] != second[0] and first[2] == old[2] and second[4] == 2
        place.write_bot("torn", "int a(const Bot *bot) { return 1 }\n")
        assert kept.says("torn is refused: .*error")
        assert kept.says("the board is current")
        (place.entrants / "calm.c").unlink()
        assert kept.says("waits: a tournament needs two bots")
        assert sorted(kept.board()) == ["bold", "calm", "torn"]  # the last whole board


@pytest.mark.slow
def test_settings_that_are_wrong_or_would_archive_change_nothing(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"])
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
    assert tournament.load(str(place.results)).setup.settings["sessions"] == 40


@pytest.mark.slow
def test_an_error_at_any_call_of_a_round_or_a_reload_is_told_and_the_round_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is played here: what the round calls does nothing."""
    place = make_contest(tmp_path, ["bold", "calm"])
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    prepared = Mock(entrants=[], incompatible_records=lambda: None)
    monkeypatch.setattr(watch_module, "prepare_contest", lambda *_: nullcontext(prepared))
    monkeypatch.setattr(watch_module, "run_prepared", lambda *_: None)
    monkeypatch.setattr(watch_module, "_wait", lambda _: None)
    monkeypatch.setattr(watch_module, "_WHOLE_SECONDS", 0.0)
    monkeypatch.setattr(watch_module, "_AGAIN_SECONDS", 0.0)
    shown: list[bool] = []
    monkeypatch.setattr(watch_module, "publish", lambda *_, open: shown.append(open))
    places = []
    for number in range(1, 1_000):
        watch = Kept(place).watch
        settled(place, lambda text, number=number: f"{text}\n# {number}\n")  # type: ignore[misc]
        rounds = iter(range(4))
        watch.stopping = lambda rounds=rounds: next(rounds, None) is None  # type: ignore[misc]
        with failing_at(number, RuntimeError, "_look_at_settings", "_attend") as happened:
            watch.keep()
        assert isinstance(watch.shown, Told) and "the board is current" in watch.shown.lines, happened
        assert watch.current().is_good, happened
        if not happened:
            break
        assert any("RuntimeError" in line for line in watch.shown.lines), happened
        places += happened
    assert len(set(places)) > 15, places


@pytest.mark.parametrize("what", ["publish", "publish_index"])
def test_what_cannot_be_published_is_set_aside_until_something_changes_and_play_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    place = make_contest(tmp_path, ["bold", "calm"])
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    played, tried = [], []

    def run(_prepared: object, listener: ProgressListener) -> None:
        listener.on_progress(Mock(standings=None))
        played.append("whole")

    def fails(*_: object, **__: object) -> None:
        tried.append(what)
        raise ZeroDivisionError

    prepared = Mock(entrants=[], incompatible_records=lambda: None)
    monkeypatch.setattr(watch_module, "prepare_contest", lambda *_: nullcontext(prepared))
    monkeypatch.setattr(watch_module, "run_prepared", run)
    monkeypatch.setattr(watch_module, "is_whole", lambda _: True)
    for name, value in (("_WHOLE_SECONDS", 0.0), ("_AGAIN_SECONDS", 0.0), ("_PUBLISH_SECONDS", 0.0), ("_PAUSE", 0.0)):
        monkeypatch.setattr(watch_module, name, value)
    monkeypatch.setattr(watch_module, "publish", lambda *_, open: None)
    kept = Kept(place)
    monkeypatch.setattr(watch_module, what, fails)
    for edit in range(2):
        for _ in range(6):
            kept.watch._attend(kept.watch._contests[0])
        aside = [line for line in kept.told.lines if "set aside until something changes" in line]
        assert (len(tried), len(played), len(aside)) == (2 * edit + 2, edit + 1, edit + 1), kept.told.lines
        assert "ZeroDivisionError; please report it" in aside[-1]
        place.write_bot("calm", f"// {edit}\n")


def test_until_settled_is_for_a_final(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], settings="until_settled = 0.9")
    with pytest.raises(InputError, match="until_settled is for a final"):
        Kept(place)


@pytest.mark.parametrize(
    ("settings", "closes", "is_told"),
    [
        ("", "2026-07-01T00:00:00Z", True),
        ("", "2026-05-01T00:00:00Z", False),
        ("replicas = 10", "2026-07-01T00:00:00Z", False),
        ("until_settled = 0.9", "2026-07-01T00:00:00Z", False),
        ("tables = 2", "2026-07-01T00:00:00Z", False),
    ],
)
def test_a_final_without_places_is_told_while_there_is_time(
    tmp_path: Path, settings: str, closes: str, is_told: bool
) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], settings=settings)
    settled(place, lambda text: f"{text}\n[watch]\ncloses = {closes}\n")
    kept = Kept(place)
    kept.watch.stopping = lambda: True
    kept.watch.keep()
    said = "the final will give no places, with one match of each pair: set replicas = 10, or until_settled, before"
    assert any(line.startswith(said) for line in kept.told.lines) is is_told


def test_a_final_against_house_players_gives_places_with_one_replica(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "tournament.toml").write_text(
        '[two_card_draw]\nentrants = "bots"\n[watch]\ncloses = 2026-07-01T00:00:00Z\n'
    )
    told = Told()
    now = datetime(2026, 6, 1, tzinfo=UTC)
    watch = Watch(["two_card_draw"], tmp_path / "tournament.toml", {}, tmp_path / "page", told, now=lambda: now)
    watch.stopping = lambda: True
    watch.keep()
    assert not [line for line in told.lines if "places" in line]


@pytest.mark.parametrize("folder", [".", "results", "bots/page", "results/von_neumann_poker/games"])
def test_only_what_everybody_may_see_is_published(tmp_path: Path, folder: str) -> None:
    place = make_contest(tmp_path, ["bold"])
    with pytest.raises(InputError, match="everybody sees that folder"):
        Watch([CONTEST], place.config, {}, tmp_path / folder, Told())


def final_seed(folder: Path) -> str:
    (final,) = (folder / "results").glob("final-*")
    location = str(final / CONTEST)
    return read_seed(open_storage(location), tournament.load(location).setup.settings["seed"])


TALKER = """
def a(bot):
    if bot.card > 0.9:
        raise ValueError(f"SECRET {bot.card}")
    print("SECRET", bot.card)
    return 0

def b(bot, bet):
    return 1
"""


@pytest.mark.parametrize("is_provisional", [False, True])
def test_boards_of_a_final_are_shown_as_open_until_its_last_leg_is_played(
    is_provisional: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board that isn't open has the seed, and with it the cards of legs that are left, such as failed ones."""
    place = make_contest(tmp_path, ["bold", "calm"])
    settled(place, lambda text: f"{text}\n[watch]\ncloses = 2026-06-01T00:00:00Z\n")
    boards: list[bool | str] = []

    def run(_prepared: object, listener: ProgressListener) -> Mock:
        for _ in range(2):
            listener.on_progress(Mock(standings=None))
        boards.append("all is played")
        failed = Mock(match=3, title="bold against calm", reason="ValueError: no (rules.py, line 1)")
        return Mock(is_provisional=is_provisional, failed_legs=[failed])

    prepared = Mock(entrants=[], incompatible_records=lambda: None)
    monkeypatch.setattr(watch_module, "prepare_contest", lambda *_: nullcontext(prepared))
    monkeypatch.setattr(watch_module, "run_prepared", run)
    monkeypatch.setattr(watch_module, "is_whole", lambda _: True)
    monkeypatch.setattr(watch_module, "publish", lambda *_, open: boards.append(open))
    monkeypatch.setattr(watch_module, "_PUBLISH_SECONDS", 0.0)
    monkeypatch.setattr(watch_module, "_PAUSE", 0.0)
    kept = Kept(place)
    kept.watch._attend(kept.watch._contests[0])
    assert boards == [True, True, "all is played", is_provisional]
    said = [text for text in kept.told.lines if "final" in text]
    assert ("rules failed in match 3" in said[-1]) is is_provisional and (
        kept.watch._contests[0].again is not None
    ) is (is_provisional)
    front = (kept.published / "index.html").read_text()
    assert "closed <time" in front and "At the end a final" not in front


@pytest.mark.slow
def test_an_open_board_shows_games_without_bots_words_until_the_final_is_played(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], settings="max_faults = 1000\nreplicas = 2")
    (place.entrants / "talker.py").write_text(TALKER)
    settled(place, lambda text: f"{text}\n[watch]\ncloses = 2026-06-02T15:00:00+02:00\n")
    with Kept(place) as kept:
        assert kept.says("the board is current")
        page, board = kept.shown()
        assert "SECRET" not in page + json.dumps(board) and 'id="games-data"' in page
        assert str(tmp_path) not in page + json.dumps(board)
        assert "Open contest, closes 2026-06-02 13:00 UTC; then a final is played" in page and 'href="../../"' in page
        assert board["open"] is True and board["leaderboard"][0]["games"] > 0
        seed = read_seed(open_storage(str(place.results)), tournament.load(str(place.results)).setup.settings["seed"])
        assert str(seed) not in page
        kept.watch.now = lambda: datetime(2026, 6, 2, 13, tzinfo=UTC)
        assert kept.says("the final is played")
        page, board = kept.shown()
        kept.watch.now = lambda: datetime(2026, 6, 1, tzinfo=UTC)  # set back
        assert kept.watch.current().over == {CONTEST}
    again = Kept(place).watch
    assert again.current().over == {CONTEST}
    assert str(final_seed(tmp_path)) in page
    final = tournament.load(str(place.folder / "results" / "final-20260602T130000Z" / CONTEST))
    assert len(final.games) and {match.legs for match in final.ranking.matches} == {2}
    assert final.setup.settings["seed"] != tournament.load(str(place.results)).setup.settings["seed"]
    front = (kept.published / "index.html").read_text()
    assert ">Final: it alone counts<" in page and "closed <time" in front and "Hand in a bot" not in front
    assert "SECRET" in page and 'id="games-data"' in page and board["open"] is False
    assert [line["score"] for line in board["leaderboard"]] == [line.score for line in final.ranking.entrants]


def test_a_bot_that_is_handed_in_again_meets_no_card_twice(tmp_path: Path) -> None:
    """Over its versions, against each opponent."""
    place = make_contest(tmp_path, ["bold", "calm"], sessions=20)
    seen: list[set[tuple[float, float]]] = []
    for above in (4, 5, 6):
        place.write_bot("probe", bot_source(above, 3))
        place.play()
        games = tournament.load(str(place.results)).games
        for opponent in ("bold", "calm"):
            of_both = games[(games.bot_0 == opponent) & (games.bot_1 == "probe")]
            seen.append(set(zip(of_both.a_card.tolist(), of_both.b_card.tolist())))
    assert all(len(cards) > 50 for cards in seen)
    assert len(set.union(*seen)) == sum(map(len, seen))


RUDE = """
Words = type("BUY at example.org", (Exception,), {})


def a(bot):
    raise Words


def b(bot, bet):
    raise Words
"""


@pytest.mark.slow
def test_open_board_has_no_word_of_a_bot_and_a_stamp_of_its_own(tmp_path: Path) -> None:
    """Also not the class of its exception. Two boards within a second differ."""
    place = make_contest(tmp_path, ["bold", "calm"])
    place.write_bot("dull", bot_source(4, 4))
    (place.entrants / "rude.py").write_text(RUDE)
    place.play()
    folder = tmp_path / "published" / "c" / CONTEST
    stamps = []
    for round_ in range(2):
        publish(tmp_path / "published", CONTEST, load_config(CONTEST, place.config), open=True)
        stamps.append((folder / "stamp").read_text())
        board = json.loads((folder / "board.json").read_text())
        (line,) = (line for line in board["leaderboard"] if line["name"] == "rude")
        page = (folder / "index.html").read_text()
        assert line["reason"] == "failed" and "BUY" not in page + json.dumps(board) and stamps[-1] in page
        assert gzip.decompress((folder / "index.html.gz").read_bytes()).decode() == page
        if not round_:
            place.write_bot("bold", bot_source(7, 7))
            place.play()
    assert stamps[0] != stamps[1]


@pytest.mark.parametrize(("contest", "open", "games"), [
    (CONTEST, True, True), ("two_card_draw", True, False), ("two_card_draw", False, True),
])  # fmt: skip
def test_a_board_has_games_but_where_others_meet_the_same_hands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contest: str, open: bool, games: bool
) -> None:
    asked: dict[str, bool] = {}

    def find(_location: str, **how: Any) -> None:
        asked.update(how)
        raise InputError("no records here")

    monkeypatch.setattr(publish_module, "find", find)
    monkeypatch.setattr(publish_module, "load", lambda _: Mock())
    monkeypatch.setattr(publish_module, "read_seed", lambda *_: "1")
    (tmp_path / "tournament.toml").write_text(f"[{contest}]\n")
    with pytest.raises(InputError):
        publish(tmp_path, contest, load_config(contest, tmp_path / "tournament.toml"), open=open)
    assert (asked["with_games"], asked["only_sums"]) == (games, not games)
