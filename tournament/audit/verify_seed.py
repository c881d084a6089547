"""Whether the seed is as its fingerprint says, and house players are as the seed makes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tournament.audit.report import Problem
from tournament.audit.verify_records import BRING_BACK, MOST_OF_HOUSE, REMOVE_FIRST, WRITE
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import RunFailed, TournamentError
from tournament.runner.resume import house_files
from tournament.runner.seed import seed_of, unlike_seed
from tournament.store.ledger import Field
from tournament.store.ledger_reading import text_of
from tournament.store.secrets import SECRETS
from tournament.store.storage import Storage


def find_seed(storage: Storage, given: str | None, field: Field) -> tuple[str | None, list[Problem], list[str]]:
    """The seed of a field, if it is here; what is wrong with its two files; and a note where it can't be compared."""
    fingerprint = str(field.settings.get("seed"))
    try:
        seed = seed_of(storage, given, fingerprint)
    except RunFailed as problem:
        if storage.everything(SECRETS).keys() & {fingerprint, f"{fingerprint}-copy"}:
            place = f"{SECRETS}/{fingerprint}"
            return None, [Problem(place, "is damaged", "bring it back from a copy, or give the seed")], []
        return None, [], [f"without its seed nothing can be played again: {problem}"]
    unlike = unlike_seed(storage, seed)
    if len(unlike) == 2 and not any(unlike.values()):  # given, and not kept here
        return seed, [], []
    return (
        seed,
        [
            Problem(place, "is damaged", REMOVE_FIRST) if there else Problem(place, "is missing", BRING_BACK)
            for place, there in unlike.items()
        ],
        [],
    )


@dataclass(frozen=True)
class HouseFound:
    """What is wrong with house players, and what could not be checked."""

    problems: list[Problem]
    notes: list[str]


def check_house(
    storage: Storage,
    contest: Contest,
    settings: ContestSettings,
    config: Config,
    field: Field,
    say: Callable[[str], None],
) -> HouseFound:
    """Work out the house players again, with the seed in the settings, and compare them with field and files."""
    if contest.house is None:
        return HouseFound([], [])
    if settings.seed is None:
        return HouseFound([], ["house players are not checked without the seed"])
    try:
        players = {player.name: player for player in contest.house.players(settings, config.folder, say)}
    except TournamentError as problem:
        return HouseFound([], [f"house players are not checked: {problem}"])
    problems, others = [], []
    for known in field.house:
        here = players.get(known.name)
        if here is None or here.sha256 != known.sha256:
            others.append(known.name)
        elif dict(here.facts) != known.facts:
            problems.append(Problem("ledger", f"has other facts of {known.name} than follow from it", WRITE))
    others += players.keys() - {known.name for known in field.house}
    notes = [f"not here as they played, so not checked: {', '.join(sorted(others))}"] if others else []
    if not others:
        own = {f"{name}{contest.house.suffix}" for name in players}
        for name, content in house_files(contest, settings, list(players.values())).items():
            # Those of players are known anyway.
            if name not in own and text_of(storage, f"house/{name}", MOST_OF_HOUSE) != content:
                problems.append(Problem(f"house/{name}", "is not the example that follows from the seed", WRITE))
    return HouseFound(problems, notes)
