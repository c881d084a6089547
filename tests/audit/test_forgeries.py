"""Nothing that somebody claims in a results folder is believed: each forgery is found, first by who must find it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.audit.forgeries import FORGERIES, FORGERIES_OF_HOUSE, SESSIONS, Finder, Forgery
from tests.contest_runs import CONTEST, SEEDS, Place, new_place, shipped_place
from tournament.api import run, verify
from tournament.errors import TournamentError
from tournament.records.results import load

PATH = """
import sys
def a(bot):
    print("thinking", file=sys.stderr)
    return {}[bot.money] if bot.money == 110 else 10
def b(bot, bet): return 1
"""
EVEN = (
    "int n; int a(const Bot *b) { if (++n > 40) __builtin_trap(); return 0; } int b(const Bot *b, int x) { return 1; }"
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Records of one part: a bot that is broken, one whose faults end its legs, and a process that has faults."""
    place = new_place(tmp_path_factory.mktemp("forgeries"), ["bold", "calm"], SESSIONS, "faults_allowed = 2")
    place.config.write_text(place.config.read_text().replace(f'seed = "{SEEDS[7]}"\n', ""))
    place.write_bot("dull", "int a(const Bot *bot) { return }\n")
    place.write_bot("even", EVEN)
    (place.entrants / "path.py").write_text(PATH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, *legs: False)
        patch.setattr("tournament.runner.tasks.plays_in_turn", lambda *player: False)  # it would be a task of its own
        place.play()
    return place


class HousePlace(Place):
    """A place of the contest with house players."""

    @property
    def results(self) -> Path:
        return self.folder / "results" / HOUSE


def finder_of(place: Place) -> Finder | None:
    """Who finds first that something is wrong, or can't be checked."""
    try:
        load(str(place.results))
    except TournamentError:
        return "reading"
    finders: tuple[tuple[int, Finder], ...] = ((0, "verify"), (1000, "verify --replay"))
    for replay, finder in finders:
        try:
            if verify(place.results.name, config=place.config, replay=replay).exit_code:
                return finder
        except TournamentError:
            return finder
    return None


def test_nothing_is_found_in_what_was_played(played: Place) -> None:
    found = verify(CONTEST, config=played.config, replay=1000)
    assert (found.problems, found.notes, found.replayed) == ((), (), found.legs)


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.claim)
def test_a_forgery_is_found(played: Place, tmp_path: Path, forgery: Forgery) -> None:
    shutil.copytree(played.folder, tmp_path / "here")
    place = Place(tmp_path / "here")
    forgery.make(place)
    assert finder_of(place) == forgery.found_by


HOUSE = "two_card_draw"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("house")
    config = shipped_place(folder, HOUSE, "random_legal.c", f'seed = "{SEEDS[7]}"\nhands = 100\nservers = 1')
    run(HOUSE, config=config, executor="local")
    place = HousePlace(folder)
    assert verify(HOUSE, config=place.config, replay=10).exit_code == 0
    return place


@pytest.mark.parametrize("forgery", FORGERIES_OF_HOUSE, ids=lambda forgery: forgery.claim)
def test_a_forgery_of_house_players_is_found(house: Place, tmp_path: Path, forgery: Forgery) -> None:
    shutil.copytree(house.folder, tmp_path / "here")
    place = HousePlace(tmp_path / "here")
    forgery.make(place)
    assert finder_of(place) == forgery.found_by
