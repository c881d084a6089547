"""Everything that a report shows of a contest, read from its records."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from pydantic import ValidationError

from tournament.config import with_configured_titles
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.errors import InputError
from tournament.records.losses import describe_loss, worst_losses
from tournament.records.results import Results, load
from tournament.reporting.crosstable import Crosstable, make_crosstable
from tournament.reporting.game_sample import Survey, survey_games
from tournament.reporting.games import ReplayedSession
from tournament.reporting.replays import ReadConfig, best_session, replay_sessions
from tournament.reporting.trends import Courses, read_courses
from tournament.rules.drawings import failed_to_render
from tournament.standings.outlier_pairs import OutlierPair, outlier_pairs
from tournament.standings.standings import Standings
from tournament.store.legs import Legs
from tournament.store.parts import read_origin
from tournament.store.storage import open_storage

# Maximum number of matches of which all show games.
_MAX_MATCHES = 400
# Maximum number of legs in which tables for display are searched.
_MAX_LEGS = 10_000
# With more matches, games are shown of matches among this number of best bots, and of each bot's best and worst match.
_MAX_BEST = 12
# Maximum number of games that are read for the losses of one bot, which its author waits for.
_MAX_BOT_ROWS = 2_000_000
# Maximum attempts to read records while a run changes them.
_TRIES = 5


class Version(NamedTuple):
    """A bot with one content.

    Attributes:
        sha: First eight digits of the sha256 of the bot's content.
        published: Time at which it was last on a board, in UTC as text.
        score: Its score; None if it hadn't played.
        rank: Its rank; None if it had none.
        ranked: Number of ranked bots.
    """

    sha: str
    published: str
    score: float | None
    rank: int | None
    ranked: int


@dataclass(frozen=True)
class Findings:
    """Everything that a report shows.

    Attributes:
        ranking: The standings.
        entrants: Names of the entrants in the order of the survey's sums.
        crosstable: Results of all pairs.
        survey: Sums and games from the recorded games.
        replayed: Replayed sessions by match, the winner's best session first.
        courses: Points of each bot over a match.
        settings: Settings of the contest by name, without the seed.
        engine: The contest's `engine_version`.
        origins: Versions of this package that wrote the first and the last games, one or two; () if unknown.
        seed: The seed; None if it isn't shown.
        with_games: Whether games are shown.
        created: Time of the report, in UTC as text.
        stamp: Identifier of a published board; "" for another report.
        versions: Versions of each bot by name; {} unless the report is a published board.
        matches: Number of matches that have recorded legs.
    """

    ranking: Standings
    entrants: tuple[str, ...]
    crosstable: Crosstable
    survey: Survey
    replayed: Mapping[int, ReplayedSession]
    courses: Courses
    settings: Mapping[str, object]
    engine: str
    origins: tuple[str, ...]
    seed: str | None
    with_games: bool
    created: str
    stamp: str = ""
    versions: Mapping[str, Sequence[Version]] = field(default_factory=dict)
    matches: int = 0

    @property
    def render_problem(self) -> str:
        """Reason why the contest couldn't be drawn, or "" if it could."""
        pictures = (picture for session in self.replayed.values() for picture in session.pictures)
        return next(filter(failed_to_render, pictures), "")

    @cached_property
    def outlier_pairs(self) -> list[OutlierPair]:
        """Pairs whose result differs from what their results against others predict, the most significant first.

        The list is empty if some ranked bots haven't met, or bots play house players.
        """
        return outlier_pairs(self.ranking)


def find(
    location: str,
    *,
    with_games: bool = True,
    seed: str | None = None,
    read_config: ReadConfig | None = None,
    only_sums: bool = False,
    unready: Callable[[Standings], Set[str]] | None = None,
) -> tuple[Contest, Findings]:
    """Return a contest and what its records show, also during a run, which can replace parts at the same time.

    Args:
        location: Folder or URL of the records.
        with_games: Whether to show games.
        seed: The seed if it is shown; None if it isn't.
        read_config: Called with a contest's name; returns its settings. Sessions are then replayed if games are shown,
            the bots are available and the contest has no presentation. None for no replays and the contest's own
            titles.
        only_sums: Whether to omit how bots play, and the course of matches.
        unready: Called with the standings; returns the names of bots that stay below the line, because some of their
            matches are missing. None if all bots are ready.

    Raises:
        InputError: There are no records, they changed during each of five attempts, or the contest's rules aren't
            installed.
        RunError: The records are damaged or can't be read, their field lacks facts of its house players, or this
            machine can't load the rules.
        FileNotFoundError: The rules aren't installed, and a part was removed while the records were loaded.
        OSError: A folder can't be searched, or a file of the records can't be read.
    """
    for _ in range(_TRIES):
        results = load(location)
        if unready is not None:
            results = _without_ranks(results, unready(results.ranking))
        try:
            contest = contest_of(results)
            if read_config is not None:
                contest = with_configured_titles(contest, read_config)
            return contest, _findings(contest, results, with_games, seed, read_config, only_sums)
        except FileNotFoundError:
            continue
    raise InputError(f"the records in {location} change faster than they can be read; try again when the run is done")


def losses_of_bot(contest: Contest, results: Results, bot: str) -> list[str]:
    """Return at most three decisions in which a bot loses significantly, as lines of text, the largest loss first.

    If there are more than two million games, only evenly spaced row groups are read. The result is [] if there are no
    such decisions, the records have no such bot, or the contest's columns don't show decisions.

    Raises:
        FileNotFoundError: A part is missing.
        RunError: A part isn't as it was written.
        OSError: A part can't be read.
    """
    survey = survey_games(
        contest, open_storage(results.location), results.batches, [], (), max_rows=_MAX_BOT_ROWS, losing=[bot],
        sessions=int(str(results.setup.settings["sessions"])),
    )  # fmt: skip
    losses = survey.losses.list_losses(bot) if survey.losses and bot in survey.losses.bots else ()
    return list(map(describe_loss, worst_losses(losses)))


def _without_ranks(results: Results, names: Set[str]) -> Results:
    """Return results in which bots with these names are below the line, and their matches don't count."""
    why = "not all played yet"
    entrants = (
        replace(one, artifact=None, problem=why, set_aside=why) if one.name in names else one
        for one in results.setup.entrants
    )
    return replace(results, setup=replace(results.setup, entrants=tuple(entrants)))


def contest_of(results: Results) -> Contest:
    """Return the contest with the recorded settings, or with its defaults if it refuses a recorded setting.

    Raises:
        InputError: The contest's rules aren't installed, or make no decisions of these settings.
        RunError: The field lacks facts of its house players, or this machine can't load the rules.
    """
    contest = find_contest(results.setup.contest, results.setup.game).seated(results.ranking.seats)
    settings = {key: value for key, value in results.setup.settings.items() if key != "seed"}
    try:
        return contest.under(contest.settings.model_validate(settings))
    except ValidationError:
        return contest


def _findings(
    contest: Contest,
    results: Results,
    with_games: bool,
    seed: str | None,
    read_config: ReadConfig | None,
    only_sums: bool,
) -> Findings:
    """Return what the records of a contest show.

    Args:
        contest: Contest of the records.
        results: The records.
        with_games: Whether to show games.
        seed: The seed if it is shown; None if it isn't.
        read_config: Called with a contest's name; returns its settings, with which sessions are replayed. None for no
            replays.
        only_sums: Whether to omit how bots play, and the course of matches.

    Raises:
        FileNotFoundError: A part is missing or was replaced.
        InputError: The standings need rules that aren't installed.
        RunError: A part isn't as it was written, the field lacks facts of its house players, or this machine can't load
            the rules.
        OSError: A part can't be read.
    """
    storage = open_storage(results.location)
    ranking, batches = results.ranking, results.batches
    entrants = tuple(line.name for line in ranking.entrants)
    ranked = [line.name for line in ranking.ranked]
    legs = Legs.joined(batch.legs for batch in batches).in_order()
    crosstable = make_crosstable(ranking, ranking.scoring is not None and ranking.scoring.of_match)
    matches: set[int] = set()
    replayed: Mapping[int, ReplayedSession] = {}
    # Recorded games are shown only for matches of two bots.
    if with_games and not ranking.has_means:
        matches = matches_to_watch(ranking, crosstable)
    if with_games and read_config and contest.presentation is None and ranked:
        watched = _tables_best_first(ranking, legs) if ranking.has_means else _best_first(ranking, matches)
        replayed = replay_sessions(
            results.location, read_config, best_session(contest, storage, batches, ranked[0]), watched
        )
    survey = Survey()
    if not only_sums:
        sessions = int(str(results.setup.settings["sessions"]))
        survey = survey_games(
            contest, storage, batches, entrants, ranking.faults, matches=matches, sessions=sessions, losing=entrants
        )  # fmt: skip
    return Findings(
        ranking,
        entrants,
        crosstable,
        survey,
        replayed,
        read_courses(contest, storage, batches, [] if only_sums else ranked),
        {key: value for key, value in results.setup.settings.items() if key != "seed"},
        results.setup.engine,
        _origins(contest, results),
        seed,
        with_games and bool(replayed or not ranking.has_means),
        datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        matches=len(np.unique(legs.match)),
    )


def _origins(contest: Contest, results: Results) -> tuple[str, ...]:
    """Return the versions of this package that wrote the first part and the last one, without repeats and "".

    Raises:
        FileNotFoundError: A part is missing.
        RunError: A part can't be read.
    """
    storage = open_storage(results.location)
    versions = []
    for batch in [*results.batches[:1], *results.batches[-1:]]:
        versions.append(read_origin(storage, batch.part("games"), contest.games).get("tournament", "")[:200])
    return tuple(dict.fromkeys(version for version in versions if version))


def matches_to_watch(ranking: Standings, crosstable: Crosstable) -> set[int]:
    """Return the numbers of the matches of which games are shown: all of up to 400, or the most important ones.

    Important matches are those among the twelve best bots, or of these with the first twelve house players. Those in
    which any bot has its best or worst result are important, too.
    """
    if len(ranking.matches) <= _MAX_MATCHES:
        return set(ranking.matches.column("match"))
    names, opponents = crosstable.bots, crosstable.opponents
    best = names[: min(_MAX_BEST, crosstable.ranked)]
    pairs = {(one, other) for one in best for other in (best if crosstable.is_square else opponents[:_MAX_BEST])}
    played = crosstable.sessions > 0
    for missing, extreme in ((-np.inf, np.argmax), (np.inf, np.argmin)):
        columns = extreme(np.where(played, crosstable.value, missing), axis=1)
        pairs |= {(name, opponents[column]) for name, column in zip(names, columns.tolist())}
    pairs |= {(other, one) for one, other in pairs}
    numbers, *players = (ranking.matches.column(name) for name in ("match", "x", "y"))
    return {number for number, pair in zip(numbers, zip(*players)) if pair in pairs}


def _best_first(ranking: Standings, matches: set[int]) -> list[int]:
    """Return the numbers of matches, those of the best bots first: by the worse of both bots, then by the other one."""
    order = {line.name: number for number, line in enumerate(ranking.entrants)}
    ranks = {match.match: sorted(order.get(name, -1) for name in (match.x, match.y)) for match in ranking.matches}
    return sorted(matches, key=lambda match: ranks[match][::-1])


def _tables_best_first(ranking: Standings, legs: Legs) -> list[int]:
    """Return the numbers of tables of any number of bots, those of the best bots first: by the worst of each.

    Only tables with one of the first 10,000 legs are included.

    Args:
        ranking: The standings.
        legs: All legs, in order.
    """
    order = {line.name: number for number, line in enumerate(ranking.entrants)}
    first = legs.take(np.arange(min(len(legs), _MAX_LEGS)))
    tables = dict(zip(first.match.tolist(), first.seated))
    return sorted(tables, key=lambda match: sorted((order[name] for name in tables[match]), reverse=True))
