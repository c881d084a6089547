"""Contests that are kept current: what comes is played, what is wrong is told, and what is shown gives no card away."""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import tournament
from tests.commands import run_cli
from tests.contest_runs import CONTEST, SEEDS, ContestDir, bot_source, make_contest
from tests.open_contest.support import failing_at
from tests.processes import wait_until
from tests.runner.test_failed_rules import CONFIG, RULES
from tournament.config import Config, load_config
from tournament.errors import InputError
from tournament.open_contest import publish as publish_module
from tournament.open_contest import watch as watch_module
from tournament.open_contest.publish import publish, unready
from tournament.open_contest.watch import Watch, select_finalists
from tournament.records.finals import records_with
from tournament.runner import seed as seed_module
from tournament.runner.listener import NullListener, ProgressListener
from tournament.standings.matches import Match, Matches
from tournament.standings.standings import Standing, Standings
from tournament.store.field import FailedLeg

CLOSING = datetime(2026, 6, 1, tzinfo=UTC)
STANDINGS = Mock(failed_legs=[], is_provisional=False)


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

    def __init__(self, place: ContestDir, contest: str = CONTEST, now: datetime = CLOSING) -> None:
        self.place, self.told, self.contest = place, Told(), contest
        self.published = place.folder / "published"
        options = {"executor": "local", "workers": 1}
        self.watch = Watch([contest], place.config, options, self.published, self.told, now=lambda: now)
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
        """Return whether it says something later than what was found before."""

        def is_said() -> bool:
            found = [place for place, line in enumerate(self.told.lines) if re.search(words, line)]
            later = [place for place in found if place >= self._heard]
            self._heard = later[0] + 1 if later else self._heard
            return bool(later) or not self._thread.is_alive()

        assert wait_until(is_said, 300) and self._thread.is_alive(), self.told.lines[self._heard :]
        return True

    def shown(self) -> tuple[str, dict[str, Any]]:
        """Return the page and the values of the board."""
        place = self.published / "c" / self.contest
        return (place / "index.html").read_text(), json.loads((place / "board.json").read_text())

    def attend(self) -> None:
        """Play and publish what is missing once."""
        self.watch._attend(self.watch._contests[0])

    def board(self) -> list[str]:
        return [line["name"] for line in self.shown()[1]["leaderboard"]]


def settled(place: ContestDir, edit: Callable[[str], str]) -> None:
    place.config.write_text(edit(place.config.read_text()))


PASSES = "int a(const Bot *bot) {{ return {}; }}\nint b(const Bot *bot, int bet) {{ return 1; }}\n"


@pytest.mark.slow
def test_watch_plays_new_bots_and_keeps_good_settings(tmp_path: Path) -> None:
    """Settings that are wrong, or would archive records, change nothing."""
    place = make_contest(tmp_path, ["bold"])
    good = place.config.read_text()
    with Kept(place) as kept:
        assert kept.says("waits: a tournament needs two bots")
        place.write_bot("calm", PASSES.format(1))
        assert kept.says("the board is current")
        assert sorted(kept.board()) == ["bold", "calm"]
        old = kept.shown()[1]["versions"]["calm"][-1]
        for wrong, why in (("sessions = 30", "sessions was 40, is 30"), ("sessions = x", "line 3")):
            settled(place, lambda text, wrong=wrong: re.sub("sessions = .*", wrong, text))  # type: ignore[misc]
            assert kept.says(f"{why}.*the settings before stay")
            settled(place, lambda _: good)
            assert kept.says("read again")
        place.write_bot("calm", PASSES.format(2))
        assert kept.says("the board is current")
        first, second = kept.shown()[1]["versions"]["calm"]
        assert first[0] == old[0] != second[0] and first[2] == old[2] and second[4] == 2
        place.write_bot("torn", "int a(const Bot *bot) { return 1 }\n")
        assert kept.says("torn is refused: .*error")
        assert kept.says("the board is current")
        (place.entrants / "calm.c").unlink()
        assert kept.says("waits: a tournament needs two bots")
        assert sorted(kept.board()) == ["bold", "calm", "torn"]  # the last whole board
    assert tournament.load(str(place.results)).setup.settings["sessions"] == 40


def nothing_is_played(patch: pytest.MonkeyPatch, run: Callable[..., Mock]) -> None:
    """Have `run` instead of rounds, and no waits."""
    prepared = Mock(entrants=[], incompatible_records=lambda: None)
    patch.setattr(watch_module, "prepare_contest", lambda *_: nullcontext(prepared))
    patch.setattr(watch_module, "run_prepared", run)
    patch.setattr(watch_module, "_wait", lambda _: None)
    patch.setattr(watch_module, "_is_worth_showing", lambda _: True)
    for name in ("_WHOLE_SECONDS", "_RETRY_SECONDS", "_PUBLISH_SECONDS", "_PAUSE"):
        patch.setattr(watch_module, name, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.thorough)])
def test_error_at_any_call_of_round_is_told_and_round_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    place = make_contest(tmp_path, ["bold", "calm"])
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    nothing_is_played(monkeypatch, lambda *_: STANDINGS)
    monkeypatch.setattr(watch_module, "publish", lambda *_, **__: None)
    places = []
    for number in range(1, 1_000, every):
        watch = Kept(place).watch
        settled(place, lambda text, number=number: f"{text}\n# {number}\n")  # type: ignore[misc]
        rounds = iter(range(4))
        watch.stopping = lambda rounds=rounds: next(rounds, None) is None  # type: ignore[misc]
        with failing_at(number, RuntimeError, "_reload_settings", "_attend") as happened:
            watch.keep()
        assert isinstance(watch.shown, Told) and "the board is current" in watch.shown.lines, happened
        assert watch.current().is_good, happened
        if not happened:
            break
        assert any("RuntimeError" in line for line in watch.shown.lines), happened
        places += happened
    assert len(set(places)) > 45 / every, places


def test_error_of_ours_in_publishing_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = make_contest(tmp_path, ["bold", "calm"])
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    played, tried = [], []

    def run(_prepared: object, listener: ProgressListener) -> Mock:
        listener.on_progress(Mock(standings=None))
        played.append("whole")
        return STANDINGS

    def fails(*_: object, **__: object) -> None:
        tried.append("")
        raise ZeroDivisionError

    nothing_is_played(monkeypatch, run)
    kept = Kept(place)
    monkeypatch.setattr(watch_module, "publish", fails)
    for edit in range(2):
        for _ in range(3):
            kept.attend()
        assert len(tried) == 2 * (edit + 1) and len(played) == edit + 1
        place.write_bot("calm", f"// {edit}\n")
    (told,) = (line for line in kept.told.lines if "play goes on without it" in line)
    assert "ZeroDivisionError; please report it" in told


def test_until_settled_requires_final(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], settings="until_settled = 0.9")
    with pytest.raises(InputError, match="until_settled requires a final"):
        Kept(place)


@pytest.mark.parametrize("folder", [".", "results", "bots/page"])
def test_secret_folder_is_not_published(tmp_path: Path, folder: str) -> None:
    place = make_contest(tmp_path, ["bold"])
    with pytest.raises(InputError, match="that folder is public"):
        Watch([CONTEST], place.config, {}, tmp_path / folder, Told())


TALKER = """
def a(bot):
    if bot.card > 0.9:
        raise type("SECRET", (Exception,), {})(f"SECRET {bot.card}")
    print("SECRET", bot.card)
    return 0

def b(bot, bet):
    return 1
"""


@pytest.mark.parametrize("is_provisional", [False, True])
def test_boards_of_final_are_open_until_last_leg(
    is_provisional: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Final boards have the seed, and with it the cards of legs that are left, such as failed ones."""
    place = make_contest(tmp_path, ["bold", "calm"])
    settled(place, lambda text: f"{text}\n[watch]\ncloses = 2026-06-01T00:00:00Z\n")
    boards: list[bool | str] = []

    def run(_prepared: object, listener: ProgressListener) -> Mock:
        for _ in range(2):
            listener.on_progress(Mock(standings=None))
        boards.append("all is played")
        failed = FailedLeg(3, 0, ("bold", "calm"), "", 0, 0, "ValueError: no (rules.py, line 1)")
        return Mock(is_provisional=is_provisional, failed_legs=[failed] if is_provisional else [])

    nothing_is_played(monkeypatch, run)
    monkeypatch.setattr(watch_module, "publish", lambda *_, open, **__: boards.append(open))
    kept = Kept(place)
    kept.attend()
    assert boards == [True, True, "all is played", is_provisional]
    said = [text for text in kept.told.lines if "final" in text]
    assert ("rules failed in match 3" in said[-1]) is is_provisional
    assert (kept.watch._contests[0].retry_at is not None) is is_provisional
    front = (kept.published / "index.html").read_text()
    assert "closed <time" in front and "At the end a final" not in front


@pytest.mark.parametrize(("contest", "open", "games"), [
    (CONTEST, True, True), ("two_card_draw", True, False), ("two_card_draw", False, True),
])  # fmt: skip
def test_open_board_hides_games_of_shared_hands(
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
        publish(tmp_path, contest, load_config(contest, tmp_path / "tournament.toml"), "", open=open)
    assert (asked["with_games"], asked["only_sums"]) == (games, not games)


def test_final_of_best_is_played_on_fresh_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Show games, but neither the seed nor output of bots, on the open board, which decides nothing."""
    seeds = (f"seed {number} of a test of finals" for number in count())
    monkeypatch.setattr(seed_module, "drawn_seed", lambda: next(seeds))
    monkeypatch.setattr(watch_module, "_WHOLE_SECONDS", 0.0)
    place = make_contest(tmp_path, [], sessions=10, settings="replicas = 6\nmax_faults = 1000")
    settled(place, lambda text: f"{text}\n[watch]\ncloses = 2026-06-01T00:00:00Z\nfinal_top = 2\n")
    place.entrants.mkdir()
    (place.entrants / "talker.py").write_text(TALKER)
    place.write_bot("bad", PASSES.format(50))
    kept = Kept(place, now=datetime(2026, 5, 31, tzinfo=UTC))
    before = kept.watch.now
    kept.attend()
    page, board = kept.shown()
    assert not re.search(f"SECRET|{SEEDS[7]}|{tmp_path}", page + json.dumps(board)) and 'id="games-data"' in page
    assert gzip.decompress((kept.published / "c" / CONTEST / "index.html.gz").read_bytes()).decode() == page
    assert "Open contest, closes 2026-06-01 00:00 UTC; then a final is played" in page and 'href="../../"' in page
    assert board["open"] is True and board["leaderboard"][0]["games"] > 0
    place.write_bot("best", bot_source(5, 4))
    place.write_bot("good", bot_source(6, 5))
    kept.watch.now = lambda: CLOSING
    kept.attend()
    assert kept.told.lines[-1] == "the final is played", kept.told.lines
    kept.watch.now = before  # The clock is set back.
    assert kept.watch.current().over == {CONTEST}
    results = (place.folder / "results" / f"{kind}-20260601T000000Z" / CONTEST for kind in ("preliminary", "final"))
    preliminary, final = (tournament.load(str(path)) for path in results)
    assert {line.name for line in final.ranking.entrants} == {"best", "good"}
    worst = [line for line in preliminary.ranking.entrants if line.name in ("talker", "bad")]
    assert len(preliminary.ranking.entrants) == 4 and all((line.rank_low or 0) > 2 for line in worst)
    assert len({one.setup.settings["seed"] for one in (preliminary, final, tournament.load(str(place.results)))}) == 3
    names = [line.name for line in (*final.ranking.entrants, *worst)]
    lines = json.loads(run_cli("leaderboard", "--final", "--json", "--config", str(place.config)).out)
    assert [(line["name"], line["rank"], line["status"]) for line in lines] == list(
        zip(names, (1, 2, 3, 4), ("ok", "ok", "preliminary", "preliminary"))
    )
    page, board = kept.shown()
    assert kept.board() == names and board["open"] is False and "Final of the best 2: it alone counts" in page
    assert "seed 1 of a test of finals" in page and 'id="games-data"' in page
    shown = (kept.published / "preliminary" / CONTEST / "index.html").read_text()
    front = (kept.published / "index.html").read_text()
    assert "SECRET" in shown and f"/preliminary/{CONTEST}/" in front and "closed <time" in front
    assert records_with(final.location, "good") == final.location
    assert records_with(final.location, "bad") == preliminary.location
    monkeypatch.setattr(watch_module, "publish", lambda *_, **__: None)
    again = Kept(place)  # The first was killed.
    again.attend()
    assert again.watch.current().over == {CONTEST} and again.told.lines[-1] == "the final is played"
    assert len(tournament.load(final.location).games) == len(final.games)


@pytest.mark.parametrize(
    ("bots", "finalists"),
    [
        ([("a", 9.0, 1), ("b", 8.0, 2), ("c", 7.0, 2), ("d", 1.0, 4)], "abc"),  # c may be second
        ([("a", 9.0, 1), ("b", 8.0, 1), ("c", 7.0, 3), ("d", 1.0, 3)], "ab"),
        ([("a", 9.0, None), ("b", 8.0, None), ("c", 8.0, None), ("d", 1.0, None)], "abc"),  # Bots have no places.
        ([("a", 9.0, 1)], "a"),
    ],
)
def test_finalists_are_all_possibly_among_best(bots: list[tuple[str, float, int | None]], finalists: str) -> None:
    lines = [
        Standing(name, "c", "", rank=rank, score=score, matches=3, rank_low=low)
        for rank, (name, score, low) in enumerate(bots, 1)
    ]
    unmet = Standing("e", "c", "", rank=len(lines) + 1, rank_low=1)
    ranking = Standings((*lines, unmet, Standing("f", "c", "")), Matches.from_matches, ())
    assert "".join(select_finalists(ranking, 2)) == finalists


def met(names: str, pairs: str, failed: str = "") -> Standings:
    """Return standings of bots with names of a letter, in which these pairs met."""
    matches = [
        Match(number, x, y, 1, 1, 1, 0.0, None, 0.0, None) for number, (x, y) in enumerate(map(tuple, pairs.split()))
    ]
    legs = [FailedLeg(9, 0, tuple(pair), "", 0, 0, "") for pair in failed.split()]
    lines = [Standing(name, "c", "", rank=rank) for rank, name in enumerate(names, 1)]
    return Standings(tuple(lines), lambda: Matches.from_matches(matches), (), failed_legs=tuple(legs))


@pytest.mark.parametrize(
    ("ranking", "left_out", "is_shown"),
    [
        (met("abcd", "ab ac ad bc"), "d", True),  # a new bot has met one of three
        (met("abcd", "ab"), "cd", True),
        (met("abcde", "ab"), "cde", False),
        (met("abcd", "ab ac ad bc bd", failed="cd"), "", True),
        (met("abcd", ""), "bcd", False),
    ],
)
def test_board_omits_bots_that_have_not_met_all(ranking: Standings, left_out: str, is_shown: bool) -> None:
    assert len(unready(ranking)) == len(left_out) and watch_module._is_worth_showing(ranking) is is_shown
    if left_out != "bcd":
        assert unready(ranking) == {*left_out}


def test_bot_that_has_not_met_all_is_below_line(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"])
    place.play()
    folder, stamps = tmp_path / "page" / "c" / CONTEST, set()
    for late in ({"calm"}, {"dull"}):  # Two boards within a second have stamps of their own.
        config = load_config(CONTEST, place.config)
        publish(tmp_path / "page", CONTEST, config, "", open=True, unready=lambda _, of=late: of)  # type: ignore[misc]
        stamps.add((folder / "stamp").read_text())
    lines = json.loads((folder / "board.json").read_text())["leaderboard"]
    assert len(stamps) == 2
    shown = {line["name"]: (line["rank"] is None, line["matches"], line["reason"]) for line in lines}
    assert shown == {"bold": (False, 1, None), "calm": (False, 1, None), "dull": (True, 0, "not all played")}


def test_failed_rules_are_named_on_board_and_play_continues(tmp_path: Path) -> None:
    limit = 'int(Path(__file__).with_name("limit").read_text())'
    (tmp_path / "sum.py").write_text(RULES.replace(limit, "59").replace('"sum"', '"bids"'))
    (tmp_path / "tournament.toml").write_text(CONFIG.replace("[sum]", "[bids]"))
    place = ContestDir(tmp_path)
    for name, bid in {"ann": 10, "bob": 20, "dan": 40}.items():
        place.write_bot(name, f"int bid(const View *view) {{ return {bid}; }}\n")
    kept = Kept(place, "bids")
    kept.attend()
    page, board = kept.shown()
    assert board["failed_matches"] == ["bob against dan"] and "the rules failed in bob against dan" in page
    assert "is too much" not in page + json.dumps(board)  # What rules say can have what bots say.
    assert {line["name"]: line["matches"] for line in board["leaderboard"]} == {"ann": 2, "bob": 1, "dan": 1}
    assert any("60 is too much" in line and "the contest goes on" in line for line in kept.told.lines)
    place.write_bot("eve", "int bid(const View *view) { return 5; }\n")
    kept.attend()
    assert sorted(kept.board()) == ["ann", "bob", "dan", "eve"] and kept.told.lines[-1] == "the board is current"
