"""Replays of a recorded session or game, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tournament.audit.report import reading
from tournament.audit.verification import merge_settings
from tournament.audit.verify_games import Players, explain_restart, find_players
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.entrants.build import adapted, build_with_line_numbers
from tournament.entrants.folder import find_bots
from tournament.errors import InputError, RunError
from tournament.leg import Leg
from tournament.names import did_you_mean
from tournament.records.contest_of import contest_of
from tournament.runner.schedule.counting import find_fixtures
from tournament.runner.seed import resolve_seed
from tournament.store.field import Batch, ContestSetup, FieldEntrant
from tournament.store.leg_result import Fault, LegResult
from tournament.store.legs import Legs
from tournament.store.parts import read_rows, require_written
from tournament.store.reading import read_records
from tournament.store.storage import Storage, open_storage
from tournament.worker.observation import ObservedGame, Window, observe_leg

# Maximum number of games of a session that are shown together.
MAX_GAMES = 1000


@dataclass(frozen=True)
class Replay:
    """Games of one session of a match, replayed, in order. There can be none if faults are recorded."""

    contest: str  #: name of the contest
    match: int  #: number of the match
    seats: tuple[str, ...]  #: names of the bots by seat
    house: str  #: name of the house player; "" if there is none
    session: int  #: session of the match, from 0
    games: tuple[ObservedGame, ...]  #: the games, see below
    #: recorded faults: `seat`, `session`, `game`, `decision`, `message`, `question_text`, `last_output`, `kind`
    faults: tuple[Fault, ...]
    mismatch: str  #: description of a difference from the records; "" if there is none
    #: drawings of these games, if the contest has any: a text or SVG before each decision, and at the end
    drawings: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordedLeg:
    """A leg of the records, and everything that is needed to replay it.

    Attributes:
        contest: The contest under the records' settings.
        players: The artifacts of its bots, the settings, and the schedule.
        leg: The leg as a worker plays it.
        artifacts: Alternative sets of artifacts to play with, by sha256, the likeliest first. There are one or two.
        recorded: The leg's recorded result.
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
    get_config: Callable[[str], Config],
    match: int | tuple[str, ...],
    session: int,
    game: int | None = None,
    on_message: Callable[[str], None] = lambda text: None,
) -> Replay:
    """Replay a session of a match, or one game of it, and return each bot's questions and answers.

    Args:
        location: Folder or URL of the records.
        get_config: Called with the name of a contest; returns its settings.
        match: Number of the match, or names of its players in any order. Some of a table's players are enough. Of
            several matches with them it is the one with the lowest number.
        session: Session of the match, from 0.
        game: Game of the session, from 0; None for the first 1,000.
        on_message: Called with messages. By default they are ignored.

    Raises:
        InputError: There are no such records, settings or games, the games have another version of the contest, or the
            location is an invalid URL. The same is raised if a bot is no longer available as it played, or this machine
            can't build or confine a bot.
        RunError: The records can't be read or contradict each other, their seed is missing, or this machine can't play.
    """
    with reading(location):
        storage = open_storage(location)
        leg_record = recorded_leg(storage, get_config, match, session, on_message)
        contest, recorded = leg_record.contest, leg_record.recorded
        require_written(storage, leg_record.batch.part("games"))
        rows: dict[int, dict[str, Any]] = {}
        for chunk in read_rows(storage, leg_record.batch.part("games"), contest.games):
            for row in np.flatnonzero((chunk["match"] == recorded.match) & (chunk["session"] == session)):
                by_column = {name: values[row : row + 1].tolist()[0] for name, values in chunk.items()}
                rows[by_column["game"]] = by_column
        return _replayed(leg_record, rows, session, game)


def recorded_leg(
    storage: Storage,
    get_config: Callable[[str], Config],
    match: int | tuple[str, ...],
    session: int,
    on_message: Callable[[str], None],
) -> RecordedLeg:
    """Return the leg that has a session of a match, with the bots as they played.

    Args:
        storage: Storage of the records.
        get_config: Called with the name of a contest; returns its settings.
        match: Number of the match, or names of its players in any order. Of several matches with them it is the one
            with the lowest number.
        session: Session of the match, from 0.
        on_message: Called with messages.

    Raises:
        InputError: There are no such records, settings or session, or the games have another version of the contest.
            The same is raised if a bot is no longer available as it played, or this machine can't build or confine one.
        RunError: The records can't be read or contradict each other, their seed is missing, or this machine fails.
        OSError: A file can't be read.
    """
    records = read_records(storage)
    if (field := records.field) is None:
        raise InputError(f"{storage.location} has no results")
    contest = contest_of(storage.location, field)
    if field.engine != contest.engine_version:
        raise InputError(
            f"these games have version {field.engine} of {contest.name}, and this is {contest.engine_version};"
            " they can't be replayed here"
        )
    config = get_config(contest.name)
    seed = resolve_seed(storage, config.contest.seed, field.settings.get("seed"))
    settings = merge_settings(contest, field, config, seed)
    contest = contest.under(settings)
    batch, recorded = _recorded_leg(records.batches, match, session, contest.sessions_per_leg(settings))
    players = find_players(
        storage, contest, config, field, settings, on_message, only=(*recorded.seats, *filter(None, [recorded.house]))
    )
    if missing := sorted(players.missing & {*recorded.seats, recorded.house}):
        raise InputError(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} neither in the entrants folder nor"
            " stored with the records as played; restore that version, or run again to play the current one"
        )
    (fixture,) = find_fixtures(
        Legs.from_results([recorded]), players.schedule, Legs.joined(batch.legs for batch in records.batches)
    )
    if isinstance(fixture, str):
        raise RunError(f"match {recorded.match} was recorded {fixture}; tournament verify shows more")
    leg = players.schedule.leg(fixture)
    variants = [players.artifacts]
    # A bot built with line numbers can use slightly less fuel. If that matters, the build without them is played.
    if recorded.faults and (built := _build_with_lines(contest, config, field, leg)):
        variants.insert(0, {**players.artifacts, **built})
    return RecordedLeg(contest, players, leg, tuple(variants), recorded, tuple(field.entrants), batch)


def _replayed(leg_record: RecordedLeg, rows: Mapping[int, Mapping[str, Any]], session: int, game: int | None) -> Replay:
    """Return a session of a leg, or a game of it, played by the first artifacts that reproduce the records.

    If none does, the last ones are used, and `mismatch` describes the difference. A session or game with recorded
    faults can have no games.

    Args:
        leg_record: The leg.
        rows: Recorded rows of the session's games, by the number of the game.
        session: Session of the match, from 0.
        game: Game of the session, from 0; None for the first 1,000.

    Raises:
        InputError: There is no such session or game, or this machine can't confine a bot.
        RunError: This machine can't run a bot.
    """
    contest, players, leg, recorded = leg_record.contest, leg_record.players, leg_record.leg, leg_record.recorded
    in_leg = session - leg.plan.first_session
    # Drawings belong to a whole session, so its games up to the requested one are observed, too.
    first, last = (0, MAX_GAMES - 1) if game is None else (0 if contest.new_drawn_core else game, game)
    window = Window(in_leg, in_leg, first, last, drawn=in_leg)

    def in_session(faults: Sequence[Fault]) -> tuple[Fault, ...]:
        """Return the faults of the requested games."""
        return tuple(fault for fault in faults if fault.session == session and game in (None, fault.game))

    faults = in_session(recorded.faults)
    for artifacts in leg_record.artifacts:
        observed = observe_leg(contest, players.settings, players.sandbox, leg, artifacts, window)
        games = tuple(
            replace(one, matches_record=one.row == rows.get(one.game))
            for one in observed.games
            if game in (None, one.game)
        )
        differing = [one.game for one in games if not one.matches_record]
        if not differing and _fault_positions(faults) == _fault_positions(in_session(observed.result.faults)):
            mismatch = ""
            break
        mismatch = f"{f'game {differing[0]}' if differing else 'its faults'} came out differently from the records"
        if leg.has_processes:
            clock = "a bot's process might read a clock or other state of the system"
            mismatch += f": {explain_restart(recorded) or clock}"
    before = sum(len(one.steps) for one in observed.games if game is not None and one.game < game)
    decided = sum(len(one.steps) for one in games)
    drawings = observed.drawings[before : before + decided + 1]
    if not games and not faults:
        if not rows:
            raise InputError(f"--session {session} of match {recorded.match} has no games")
        raise InputError(f"--game {game}: session {session} of match {recorded.match} has games 0 to {max(rows)}")
    return Replay(
        contest.name, recorded.match, recorded.seats, recorded.house, session, games, faults, mismatch, drawings
    )


def _fault_positions(faults: Sequence[Fault]) -> list[tuple[int, int, str]]:
    """Return the seat, game and name of the decision of each fault, in order."""
    return [(fault.seat, fault.game, fault.decision) for fault in faults]


def _recorded_leg(
    batches: Sequence[Batch], match: int | tuple[str, ...], session: int, sessions_per_leg: int
) -> tuple[Batch, LegResult]:
    """Return the batch with the leg that has a session, and the leg's result.

    Raises:
        InputError: There is no such match, or it has no such session. The message names unknown players.
    """
    last = -1
    names = {name for batch in batches for name in batch.legs.names}
    match_number = match if isinstance(match, int) else _find_match(batches, match)
    number = session // sessions_per_leg
    for batch in batches:
        for index in np.flatnonzero(batch.legs.match == match_number):
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


def _find_match(batches: Sequence[Batch], names: tuple[str, ...]) -> int:
    """Return the lowest number of a match with all of these players, or −1 if there is none or a name is repeated."""
    matches = [
        int(number)
        for batch in batches
        for number, seats, house in zip(batch.legs.match, batch.legs.seated, batch.legs.houses)
        if {*names} <= {*seats, house} and len({*names}) == len(names)
    ]
    return min(matches, default=-1)


def _build_with_lines(contest: Contest, config: Config, field: ContestSetup, leg: Leg) -> dict[str, bytes]:
    """Return the leg's C and C++ bots built with line numbers, by the sha256 of the artifacts that play.

    Bots of other languages, that have changed, or that don't compile with line numbers are omitted. The result is empty
    without an entrants folder.

    Raises:
        InputError: A folder of bots is missing, a bot of the house or a file of the settings can't be read, or this
            machine can't confine a build.
        RunError: This machine fails, for example because the disk is full.
    """
    builds = {}
    seats = {seat.name: seat for seat in leg.seats if seat.kind == "wasm"}
    interface = adapted(contest.interface, config.contest)
    has_entrants = config.entrants.is_dir()
    files = find_bots(config.entrants, config.house, lambda: field.entrants)[0] if has_entrants else []
    for submission in files:
        is_this = submission.name in seats and submission.sha256 == field.sha256[submission.name]
        if is_this and (code := build_with_line_numbers(submission, interface, config.sandbox)):
            builds[seats[submission.name].artifact] = code
    return builds
