"""A recorded session or game, played again from its row and told step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tournament.audit.report import reading
from tournament.audit.verification import settings_of
from tournament.audit.verify_games import Players, began_again, find_players
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.entrants.build import adapted, with_lines
from tournament.entrants.folder import find_bots
from tournament.errors import InputError, RunError
from tournament.leg import Leg
from tournament.names import did_you_mean
from tournament.records.contest_of import contest_of
from tournament.runner.schedule.counting import fixtures_of
from tournament.runner.seed import seed_of
from tournament.store.field import Batch, ContestSetup, FieldEntrant
from tournament.store.leg_result import Fault, LegResult
from tournament.store.legs import Legs
from tournament.store.parts import require_written, rows_of
from tournament.store.reading import read_records
from tournament.store.storage import Storage, open_storage
from tournament.worker.observation import ObservedGame, Window, observe_leg

# The most games of a session that are shown at once.
MOST_GAMES = 1000


@dataclass(frozen=True)
class Replay:
    """Games of one session of a match, played again. `mismatch` says what is not as recorded, "" for nothing.

    `faults` are those that the records have of this session, or of the games that were asked for. `drawings`: these
    games as the contest draws them, if it does: a text or SVG before each decision, and at the end.
    """

    contest: str  #: its name
    match: int  #: number of the match
    seats: tuple[str, ...]  #: the bots by seat
    house: str  #: the house player that they met; "" for none
    session: int  #: of the match
    games: tuple[ObservedGame, ...]  #: the games, see below
    #: that the records have: `seat`, `session`, `game`, `decision`, `message`, `question_text`, `last_output`, `kind`
    faults: tuple[Fault, ...]
    mismatch: str  #: what is not as recorded; "" for nothing
    #: these games as the contest draws them, if it does: a text or SVG before each decision, and at the end
    drawings: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordedLeg:
    """A leg of the records, and all that it takes to play it again.

    Attributes:
        contest: The contest under the records' settings.
        players: The artifacts of its bots, the settings, and the schedule.
        leg: The leg as a worker plays it.
        artifacts: Artifacts to play with, the likeliest first.
        recorded: What the records have of it.
        entrants: The field's entrants as recorded.
        batch: The batch that has its games.
    """

    contest: Contest
    players: Players
    leg: Leg
    artifacts: tuple[Mapping[str, bytes], ...]
    recorded: LegResult
    entrants: tuple[FieldEntrant, ...]
    batch: Batch


def replay_games(
    location: str,
    config_of: Callable[[str], Config],
    match: int | tuple[str, ...],
    session: int,
    game: int | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Replay:
    """Play a session of a match again, or one game of it, and tell what each bot was asked and answered.

    `match` is its number or the names of its players in any order; of a table's players some are enough. `config_of`
    gives the settings of a contest. Raises InputError when there are no such records, or a bot has changed since;
    RunError when the records can't be read or this machine can't play.
    """
    with reading(location):
        storage = open_storage(location)
        known = recorded_leg(storage, config_of, match, session, say)
        contest, recorded = known.contest, known.recorded
        require_written(storage, known.batch.part("games"))
        rows: dict[int, dict[str, Any]] = {}
        for chunk in rows_of(storage, known.batch.part("games"), contest.games):
            for row in np.flatnonzero((chunk["match"] == recorded.match) & (chunk["session"] == session)):
                one = {name: values[row : row + 1].tolist()[0] for name, values in chunk.items()}
                rows[one["game"]] = one
        return _replayed(known, rows, session, game)


def recorded_leg(
    storage: Storage,
    config_of: Callable[[str], Config],
    match: int | tuple[str, ...],
    session: int,
    say: Callable[[str], None],
) -> RecordedLeg:
    """Return the leg that has a session of a match, with the bots as they played.

    Raises:
        InputError: There are no such records, or a bot has changed since and isn't kept beside them.
        RunError: The records can't be read, or they contradict each other.
    """
    records = read_records(storage)
    if (field := records.field) is None:
        raise InputError(f"{storage.location} holds no results")
    contest = contest_of(storage.location, field)
    if field.engine != contest.engine_version:
        raise InputError(
            f"these games are of version {field.engine} of {contest.name}, this is {contest.engine_version}:"
            " they can't be played again here"
        )
    config = config_of(contest.name)
    seed = seed_of(storage, config.contest.seed, field.settings.get("seed"))
    settings = settings_of(contest, field, config, seed)
    contest = contest.under(settings)
    batch, recorded = _recorded_leg(records.batches, match, session, contest.sessions_of_leg(settings))
    players = find_players(
        storage, contest, config, field, settings, say, only=(*recorded.seats, *filter(None, [recorded.house]))
    )
    if gone := sorted(players.missing & {*recorded.seats, recorded.house}):
        raise InputError(
            f"{' and '.join(gone)} {'is' if len(gone) == 1 else 'are'} neither in the entrants folder nor kept"
            " beside the records as when this was played; bring that version"
            " back, or run again to play with the one that is there"
        )
    (fixture,) = fixtures_of(
        Legs.of([recorded]), players.schedule, Legs.joined(batch.legs for batch in records.batches)
    )
    if isinstance(fixture, str):
        raise RunError(f"match {recorded.match} was recorded {fixture}; tournament verify says more")
    leg = players.schedule.leg(fixture)
    ways = [players.artifacts]
    # A bot built with lines may take a little less fuel; where that matters, it is played without them.
    if recorded.faults and (built := _with_lines(contest, config, field, leg)):
        ways.insert(0, {**players.artifacts, **built})
    return RecordedLeg(contest, players, leg, tuple(ways), recorded, tuple(field.entrants), batch)


def _replayed(known: RecordedLeg, rows: Mapping[int, Mapping[str, Any]], session: int, game: int | None) -> Replay:
    """A session of a leg, or a game of it, played by the first of its artifacts that give what was recorded."""
    contest, players, leg, recorded = known.contest, known.players, known.leg, known.recorded
    in_leg = session - leg.plan.first_session
    # Drawings are of a whole session: its games until the wanted one are observed, too, to know which are of that one.
    first, last = (0, MOST_GAMES - 1) if game is None else (0 if contest.new_drawn_core else game, game)
    window = Window(in_leg, in_leg, first, last, drawn=in_leg)

    def shown(faults: Sequence[Fault]) -> tuple[Fault, ...]:
        return tuple(fault for fault in faults if fault.session == session and game in (None, fault.game))

    faults = shown(recorded.faults)
    for artifacts in known.artifacts:
        observed = observe_leg(contest, players.settings, players.sandbox, leg, artifacts, window)
        games = tuple(
            replace(one, matches_record=one.row == rows.get(one.game))
            for one in observed.games
            if game in (None, one.game)
        )
        differing = [one.game for one in games if not one.matches_record]
        if not differing and _places(faults) == _places(shown(observed.result.faults)):
            mismatch = ""
            break
        mismatch = f"{f'game {differing[0]}' if differing else 'its faults'} came out otherwise than recorded"
        if leg.has_processes:
            clock = "a bot that is a process may look at a clock, or at what the system hands out"
            mismatch += f": {began_again(recorded) or clock}"
    before = sum(len(one.steps) for one in observed.games if game is not None and one.game < game)
    decided = sum(len(one.steps) for one in games)
    drawings = observed.drawings[before : before + decided + 1]
    if not games and not faults:
        if not rows:
            raise InputError(f"--session {session} of match {recorded.match} has no games")
        raise InputError(f"--game {game}: session {session} of match {recorded.match} has games 0 to {max(rows)}")
    return Replay(
        contest.name,
        recorded.match,
        recorded.seats,
        recorded.house,
        session,
        games,
        faults,
        mismatch,
        drawings,
    )


def _places(faults: Sequence[Fault]) -> list[tuple[int, int, str]]:
    return [(fault.seat, fault.game, fault.decision) for fault in faults]


def _recorded_leg(
    batches: Sequence[Batch], match: int | tuple[str, ...], session: int, sessions_per_leg: int
) -> tuple[Batch, LegResult]:
    """The leg that has a session, and its batch. Raises InputError."""
    last = -1
    names = {name for batch in batches for name in batch.legs.names}
    wanted = match if isinstance(match, int) else _match_of(batches, match)
    number = session // sessions_per_leg
    for batch in batches:
        for index in np.flatnonzero(batch.legs.match == wanted):
            leg = batch.legs[int(index)]
            last = max(last, leg.number)
            if leg.number == number:
                return batch, leg
    name = str(match) if isinstance(match, int) else ",".join(match)
    if last < 0:
        unknown = [one for one in match if one not in names] if isinstance(match, tuple) else []
        hint = "".join(f"; they have no {one}{did_you_mean(one, names, ',')}" for one in unknown)
        raise InputError(f"--match {name}: the records have no such match{hint or '; matches.parquet lists them'}")
    raise InputError(f"--session {session}: match {name} has sessions 0 to {(last + 1) * sessions_per_leg - 1}")


def _match_of(batches: Sequence[Batch], names: tuple[str, ...]) -> int:
    """The lowest number of a match in which all of these sit, or one sits against a house player; −1 without any."""
    found = [
        int(number)
        for batch in batches
        for number, seats, house in zip(batch.legs.match, batch.legs.seated, batch.legs.houses)
        if {*names} <= {*seats, house} and len({*names}) == len(names)
    ]
    return min(found, default=-1)


def _with_lines(contest: Contest, config: Config, field: ContestSetup, leg: Leg) -> dict[str, bytes]:
    """By their artifacts, the leg's bots in C and C++ built so that a fault has its line."""
    found = {}
    seats = {seat.name: seat for seat in leg.seats if seat.kind == "wasm"}
    interface = adapted(contest.interface, config.contest)
    is_there = config.entrants.is_dir()
    files = find_bots(config.entrants, config.house, lambda: field.entrants)[0] if is_there else []
    for submission in files:
        is_this = submission.name in seats and submission.sha256 == field.sha256[submission.name]
        if is_this and (code := with_lines(submission, interface, config.sandbox)):
            found[seats[submission.name].artifact] = code
    return found
