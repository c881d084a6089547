"""Reading what was played: standings from the ledger, tables as DataFrames."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tournament.arrays import Cells
from tournament.contests.contest import Contest
from tournament.errors import InputError, RunError, and_more
from tournament.leg import legs_per_replica
from tournament.names import valid_contest_name
from tournament.records.contest_of import contest_of
from tournament.records.finals import finals_beside, last_final, preliminary_of
from tournament.records.rows import EVERYTHING, Selection, dataset_of, loaded_before, read_frame, select
from tournament.records.self_play import against_themselves, recorded_self_play
from tournament.standings.matches import Match
from tournament.standings.outlier_pairs import outlier_pairs
from tournament.standings.standings import Standing, Standings, compute_standings
from tournament.store.columns import Column
from tournament.store.field import Batch, ContestSetup, TableName
from tournament.store.legs import Used
from tournament.store.reading import read_records
from tournament.store.storage import Storage, has_records, join_location, open_storage

if TYPE_CHECKING:
    import pandas as pd

    from tournament.records.frames import RecordFrame
    from tournament.records.history import Version
    from tournament.standings.ratings import Rated
    from tournament.store.arrow_files import Dataset

MATCHES = (
    Column("match", "int64", "match number, as in games and sessions"),
    Column("replica", "int32", "replica of a match whose bots are drawn; −1 for one that is summed over its replicas"),
    Column("seat", "uint8", "seat of the bot, by names from 0; in von Neumann poker seat 0 plays A in the first game"),
    Column("bot", "str", "who sits there"),
    Column("house", "str", "the house player that it meets; empty without"),
    Column("legs", "int32", "legs played: one of each replica, in a duplicate match one for each seat"),
    Column("sessions", "int64", "sessions played"),
    Column("games", "int64", "games played"),
    Column("points", "float64", "points of the bot over the match"),
    Column("stderr", "float64", "standard error of points: over replicas; of one, over 32 blocks of its sessions"),
)
ENTRANTS = (
    Column("name", "str", "the bot's name: its file's, without the ending, or its folder's"),
    Column("kind", "str", "c, cpp, wasm, python or program"),
    Column("sha256", "str", "of the bot's file, or of its folder packed"),
    Column(
        "status",
        "str",
        "ok, disqualified (too many faults), broken (can't be built or started) or incomplete (set aside in the last"
        " run, through no fault of its own, before all its matches were played)",
    ),
    Column("faults", "int32", "faults over all its legs, each one counted"),
    Column("reason", "str", "why it is not ok"),
    Column("fuel", "int64", "fuel that it used over all its legs; 0 of a process"),
    Column("cpu_seconds", "float64", "processor time that its processes used over all its legs; 0 of WebAssembly"),
    Column("memory_bytes", "int64", "most memory that it had at once in any of its legs"),
)

# What scripts are told of a fault, by columns of the parts in faults/.
FAULT_COLUMNS = ("match", "session", "game", "bot", "decision", "message", "question_text", "last_output")

# What scripts are told of a bot in the standings, by name, with its meaning.
STANDING = {
    "rank": "place, from 1; null below the line",
    "rank_low": (
        "best rank that may be its true one; the bounds of all bots hold at once with 95%, or with the "
        "chance given to `--until-settled`"
    ),
    "rank_high": "worst rank that may be",
    "name": "the bot's",
    "score": (
        "sum of points over its matches; with more than two seats, or drawn tables, mean of points per session; "
        "against house players what the contest makes of them (W, or the mean over servers)"
    ),
    "points_per_session": "of its score; 0 against house players, where the score is no sum",
    "stderr": "standard error of the score: over replicas; of one, over the sessions of its matches alone",
    "ci_low": "lower end of its 95% interval",
    "ci_high": "upper end",
    "matches": "opponents met; with more than two seats, or drawn tables, matches played",
    "sessions": "sessions played",
    "games": "games played",
    "faults": "over all its legs",
    "status": "ok, broken, disqualified, incomplete, or preliminary: in the preliminary alone, not in the final",
    "reason": "why it is not ok",
    "adjusted_score": "score less what luck was worth; the score where a contest has no such correction",
    "adjusted_stderr": "its standard error",
    "adjusted_ci_low": "lower end of its 95% interval",
    "adjusted_ci_high": "upper end",
    "order_status": (
        "of it and the next one: settled where `rank_high` is below the next one's `rank_low`, else open;"
        " after `--until-settled` also tied or too_close; null for the last one"
    ),
    "significantly_ahead_of": (
        "the nearest bots that are significantly behind it; bots behind these are behind it,"
        " too, and no others are significantly"
    ),
    "points_per_game": "the same for a game: in a matrix game points a turn",
}
AUTHOR = "who submitted it, where an open contest took it; null for other bots"
OUTLIER_RESULTS = (
    "its results that are far from what those against all others predict: `opponent`, "
    "`points_per_session`, `predicted`, and the `prediction_sd` of results about it. Empty in nineteen of twenty fields"
    " without agreements"
)

NO_RESULTS = "holds no results yet: `tournament run` makes them"


@dataclass(frozen=True)
class Results:
    """Results of one contest, as of loading. Tables are read when first used.

    Attributes:
        location: Folder or URL of the records.
        setup: What was played: the contest, its settings, entrants and house players.
        batches: Parts of the records that count.
        selection: Rows and columns of `games` and `sessions`.
    """

    location: str
    setup: ContestSetup
    batches: tuple[Batch, ...]
    selection: Selection = EVERYTHING

    def __repr__(self) -> str:
        lines = [f"{self.setup.contest}: {self.ranking.games:,} games in {self.location}"]
        for line in self.ranking.entrants[:10]:
            place = f"{line.rank:>3}." if line.rank is not None else "    "
            lines.append(f"{place} {line.name}: {f'{line.score:+,.1f}' if line.rank is not None else line.status}")
        if len(self.ranking.entrants) > 10:
            lines.append(f"    {and_more(len(self.ranking.entrants) - 10)}")
        if finals_beside(self.location):
            lines.append("this is of while the contest was open; load(..., final=True) has its final")
        return "\n".join(lines)

    @cached_property
    def ranking(self) -> Standings:
        """Standings as objects."""
        return ranking_of(open_storage(self.location), self.setup, self.batches)

    @cached_property
    def games(self) -> RecordFrame:
        """Games, one per row, with the bots' names; `by_bot()` has a row per bot and game."""
        return self._records("games")

    @cached_property
    def sessions(self) -> RecordFrame:
        """Sessions, one per row, with the bots' names; `by_bot()` has a row per bot and session."""
        return self._records("sessions")

    @cached_property
    def matches(self) -> pd.DataFrame:
        """Matches, with a row per seat, as in matches.parquet."""
        return _frame(MATCHES, match_values(self.ranking))

    @cached_property
    def crosstable(self) -> pd.DataFrame:
        """Points per session of every bot against every other, with standard errors; each pair from either side."""
        import pandas as pd

        return pd.DataFrame(crosstable_values(self.ranking))

    @cached_property
    def entrants(self) -> pd.DataFrame:
        """Entrants, one per row, as in entrants.parquet."""
        return _frame(ENTRANTS, entrant_values(self.ranking))

    @cached_property
    def legs(self) -> pd.DataFrame:
        """Legs, with a row per seat, as in legs/: results, and what each bot used."""
        from tournament.store.summary_parts import legs_frame

        per_replica = 1 if self.setup.house_numbers else legs_per_replica(self.setup.settings, self.ranking.seats)
        return legs_frame([batch.legs for batch in self.batches], per_replica)

    @cached_property
    def faults(self) -> pd.DataFrame:
        """Recorded faults, one per row, as in faults/."""
        import pandas as pd

        return pd.DataFrame(fault_values(self.ranking)).astype({"match": "int64", "session": "int32", "game": "int32"})

    def rating(self, kind: str) -> list[Rated]:
        """Return another rating of the crosstable, best first; `kind` is `elo`.

        Raises:
            InputError: The kind is unknown, or has no meaning in this contest.
        """
        from tournament.standings.bradley_terry import read_wins
        from tournament.standings.ratings import elo, rating_kind

        rating_kind(kind)
        if self.ranking.scoring is not None:
            raise InputError(
                f"{self.setup.contest}: its bots play house players, not each other; --rating has no meaning"
            )
        if self.ranking.has_means:
            tables = "drawn matches" if self.ranking.drawn else f"matches of {self.ranking.seats} bots"
            raise InputError(
                f"{self.setup.contest}: it has {tables}; --rating is for two bots that all play each other"
            )
        contest = _contest_of_records(self.location, self.setup, self.batches)
        with loaded_before(self.location):
            wins = read_wins(contest, open_storage(self.location), self.batches, legs_per_replica(self.setup.settings))
        return elo(self.ranking, wins)

    def versions(self, name: str) -> list[Version]:
        """Return a bot's versions with their standings, the oldest first, also from archives.

        Raises:
            InputError: The records have no such bot.
        """
        from tournament.records.history import history_of

        return history_of(open_storage(self.location), self.ranking, name, ranking_of)

    @cached_property
    def standings(self) -> pd.DataFrame:
        """Leaderboard, best first; rank is missing below the line."""
        import pandas as pd

        lines = [standing_values(line) for line in self.ranking.entrants]
        frame = pd.DataFrame(lines, columns=None if lines else list(STANDING))  # an empty field has the columns, too
        return frame.astype({"rank": "Int64", "rank_low": "Int64", "rank_high": "Int64"})

    def _records(self, table: TableName) -> RecordFrame:
        contest = _contest_of_records(self.location, self.setup, self.batches)
        return read_frame(self.location, contest, self.batches, table, self.selection)


def _contest_of_records(location: str, field: ContestSetup, batches: Sequence[Batch]) -> Contest:
    """The contest that the records are of. Raises InputError for another version of it: columns may differ."""
    contest = contest_of(location, field, batches)
    if field.engine != contest.engine_version:
        raise InputError(
            f"the records in {location} are of version {field.engine} of {contest.rules}, this is"
            f" {contest.engine_version}; run again to have records of it"
        )
    return contest


def _players(batches: Sequence[Batch]) -> dict[int, set[str]]:
    """The names of all that have played a match, by its number."""
    found: dict[int, set[str]] = {}
    for batch in batches:
        for match, names, house in zip(batch.legs.match.tolist(), batch.legs.seated, batch.legs.houses):
            found.setdefault(match, set()).update(names, [house] if house else ())
    return dict(sorted(found.items()))


def load(
    results: str | os.PathLike[str],
    *,
    columns: Iterable[str] | None = None,
    matches: Iterable[int] | None = None,
    bots: Iterable[str] | None = None,
    final: bool = False,
) -> Results:
    """Return the recorded results of one contest. Verify somebody else's records first.

    Args:
        results: Folder or URL of the contest's records, or the one above if it has a single contest.
        columns: Columns of `games` and `sessions` to read; by default all.
        matches: Numbers of the matches to read.
        bots: Names of the bots whose matches to read.
        final: Whether to return the last final of an open contest.

    Raises:
        InputError: There are no results, or no such column, match or bot.
    """
    results = os.fspath(results)
    location, field, batches = _opened(last_final(locate(results)) if final else results)
    players = _players(batches) if (matches, bots) != (None, None) else {}
    selection = select(contest_of(location, field, batches), players, columns, matches, bots)
    return Results(location, field, batches, selection)


def scan(
    results: str | os.PathLike[str],
    table: TableName = "games",
    *,
    matches: Iterable[int] | None = None,
    bots: Iterable[str] | None = None,
) -> Dataset:
    """Return the games or the sessions of one contest as an arrow dataset, for DuckDB, polars and others.

    The dataset has the rows that count now, reads them when needed, and checks page checksums.

    Args:
        results: Folder or URL of the contest's records, or the one above if it has a single contest.
        table: `games` or `sessions`.
        matches: Numbers of the matches to read.
        bots: Names of the bots whose matches to read.

    Raises:
        InputError: There are no results, or no such table, match or bot.
    """
    if table not in ("games", "sessions"):
        raise InputError(f"unknown table {str(table)[:200]!r}; expected one of: games, sessions")
    location, field, batches = _opened(os.fspath(results))
    contest = _contest_of_records(location, field, batches)
    players = _players(batches) if (matches, bots) != (None, None) else {}
    return dataset_of(location, contest, batches, table, select(contest, players, None, matches, bots))


def _opened(results: str) -> tuple[str, ContestSetup, tuple[Batch, ...]]:
    """Where the results of a contest lie, its field and what counts. Raises InputError when there are none."""
    location = locate(results)
    storage = open_storage(location)
    records = read_records(storage)
    if records.field is None:
        raise InputError(f"{location} {NO_RESULTS}")
    return storage.location, records.field, records.batches


def locate(results: str) -> str:
    """Where one contest's records are: there, or right below when that holds a single contest. Raises InputError
    else."""
    storage = open_storage(results)
    if has_records(storage):
        return storage.location
    held = contests_held(storage.location)
    if len(held) != 1:
        beside = [] if held or "://" in storage.location else contests_held(str(Path(storage.location).parent))
        what = f"holds the contests {', '.join(held)}: name one" if held else NO_RESULTS
        raise InputError(f"{results} {what}" + (f"; beside it there is {', '.join(beside)}" if beside else ""))
    return open_storage(join_location(storage.location, held[0])).location


def contests_held(results: str) -> list[str]:
    """The contests that have records in a folder, or below a URL, without archives."""

    def holds_records(name: str) -> bool:
        with contextlib.suppress(RunError):  # a folder that we may not read, such as that of a seed
            return has_records(open_storage(join_location(results, name)))
        return False

    return [name for name in open_storage(results).folders() if valid_contest_name(name) and holds_records(name)]


def ranking_of(storage: Storage, field: ContestSetup, batches: Sequence[Batch]) -> Standings:
    """The standings of a recorded field. Raises RunError when the ledger lacks what they need."""
    contest = contest_of(storage.location, field)
    house = contest.house
    if house and any(set(house.facts) - player.facts.keys() for player in field.house):
        raise RunError(f"the field of {storage.location} lacks facts of house players; run again to write it again")
    return replace(standings_of(contest, field, batches), find_self_play=partial(_self_play, storage.location, field))


def _self_play(location: str, field: ContestSetup) -> Mapping[str, Match]:
    """Return what the recorded versions of a field's bots won against copies of themselves, by name.

    Raises:
        RunError: The records can't be read.
    """
    storage = recorded_self_play(location)
    if storage is None or (records := read_records(storage)).field is None:
        return {}
    current = {one.name: one.sha256 for one in field.entrants}
    ranking = ranking_of(storage, records.field, records.batches)
    unchanged = {line.name for line in ranking.ranked if current.get(line.name) == line.sha256}
    found = against_themselves(ranking.matches, {line.name for line in ranking.ranked})
    return {name: match for name, match in found.items() if name in unchanged}


def standings_of(contest: Contest, field: ContestSetup, batches: Sequence[Batch]) -> Standings:
    """The standings of a contest."""
    return compute_standings(field, batches, contest.house.scoring if contest.house else None)


def write_summaries(storage: Storage, ranking: Standings) -> None:
    """Write matches.parquet and entrants.parquet. Raises OSError."""
    from tournament.store.parts import write_summary  # pyarrow, which reading standings doesn't need

    for name, (columns, values) in summaries(ranking).items():
        write_summary(storage, name, columns, values)


def summaries(ranking: Standings) -> dict[str, tuple[tuple[Column, ...], Cells]]:
    """The files that sum up the records, each with its columns and their values."""
    return {
        "matches.parquet": (MATCHES, match_values(ranking)),
        "entrants.parquet": (ENTRANTS, entrant_values(ranking)),
    }


def match_values(ranking: Standings) -> Cells:
    return ranking.rows_of_matches().columns()


def entrant_values(ranking: Standings) -> dict[str, list[Any]]:
    lines = sorted(ranking.entrants, key=lambda line: line.name)
    used, nothing = ranking.find_used(), Used()
    rows = [{**vars(line), **used.get(line.name, nothing)._asdict()} for line in lines]
    return {column.name: [row[column.name] for row in rows] for column in ENTRANTS}


def fault_values(ranking: Standings) -> dict[str, list[Any]]:
    """Return the faults by column, and after them, without a bot, each leg in which the rules failed."""
    rows = [
        {name: getattr(fault, name, None) for name in FAULT_COLUMNS}
        | {"match": leg.match, "bot": leg.seats[fault.seat]}
        for leg, fault in ranking.faults
    ]
    rows += [
        {"match": leg.match, "session": leg.session, "game": leg.game, "bot": "", "decision": ""}
        | {"message": f"the rules failed: {leg.reason}", "question_text": "", "last_output": ""}
        for leg in ranking.failed_legs
    ]
    return {name: [row[name] for row in rows] for name in FAULT_COLUMNS}


def standing_values(line: Any) -> dict[str, Any]:
    """A leaderboard line as scripts get it."""
    return {key: getattr(line, key) for key in STANDING} | dict(line.measures)


def standings_csv(lines: Sequence[Standing], authors: Mapping[str, str], more: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return a leaderboard as a table for spreadsheets: a line for each bot, and `more` lines below these."""
    rows = [
        # Who has no match has no score: a 0 would be better than the last one's, in a gradebook too.
        _with_author(line, authors) | ({} if line.matches else {"score": None, "points_per_session": None})
        for line in lines
    ]
    return rows_csv([*rows, *more] if rows else [dict.fromkeys(STANDING), *more])


def _with_author(line: Any, authors: Mapping[str, str]) -> dict[str, Any]:
    values = standing_values(line)
    after = [*values].index("name") + 1
    items = [*values.items()]
    return dict([*items[:after], ("author", authors.get(line.name)), *items[after:]])


def rows_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as a table for spreadsheets, below a line of their names."""
    text = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    """A value in a spreadsheet. A stranger's text, such as a reason, must not begin a formula there."""
    if isinstance(value, tuple):
        value = " ".join(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def below_final(location: str, final: Standings) -> Standings | None:
    """Return the standings of bots that played in the preliminary of a final alone; None if there was none.

    Their ranks follow those of the final. Everything else, such as the score, is the preliminary's.
    """
    preliminary, among = preliminary_of(location), {line.name for line in final.entrants}
    if preliminary is None:
        return None
    ranking, ranks = load(preliminary).ranking, itertools.count(len(final.ranked) + 1)
    lines = (
        line if line.rank is None else replace(line, rank=next(ranks), status="preliminary", order_status=None)
        for line in ranking.entrants
        if line.name not in among
    )
    return replace(ranking, entrants=tuple(lines))


def leaderboard_values(
    ranking: Standings, authors: Mapping[str, str] | None = None, below: Sequence[Standing] = ()
) -> list[dict[str, Any]]:
    """Return the leaderboard's lines as scripts get them: with the pairs of each bot that nothing predicts, and its
    author. The lines `below` a final follow."""
    pairs = [one for pair in outlier_pairs(ranking) for one in (pair, pair.from_y())]
    values = {
        line.name: [
            {
                "opponent": pair.y,
                **{key: getattr(pair, key) for key in ("points_per_session", "predicted", "prediction_sd")},
            }
            for pair in pairs
            if pair.x == line.name
        ]
        for line in ranking.entrants
    }
    lines = [*ranking.entrants, *below]
    return [_with_author(line, authors or {}) | {"outlier_results": values.get(line.name, [])} for line in lines]


def rated_values(line: Rated) -> dict[str, Any]:
    """A line of another rating as scripts get it."""
    return {
        "rank": line.rank,
        "name": line.name,
        "rating": line.rating,
        "stderr": line.stderr,
        "ci_half_width": line.ci_half_width,
        **line.more,
    }


def crosstable_values(ranking: Standings) -> list[dict[str, Any]]:
    """Return every pair from both sides, or from the entrant's against a house player; then self-play."""
    rows = []
    for side in (*ranking.sides, *ranking.self_play.values()):
        row = {
            "bot": side.x,
            "opponent": side.y,
            "sessions": side.sessions,
            "games": side.games,
            "points_per_session": side.points_per_session,
            "stderr": side.stderr_per_session,
            "ci_half_width": side.ci_half_width_per_session,
        }
        rows.append(row | {"score": side.score} | dict(side.measures) if ranking.scoring else row)
    return rows


def _frame(columns: tuple[Column, ...], values: Cells) -> pd.DataFrame:
    import pandas as pd

    types = {column.name: column.dtype for column in columns if column.dtype != "str"}
    return pd.DataFrame(values).astype(types)
