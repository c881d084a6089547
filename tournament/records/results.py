"""Results of a contest: standings, and tables as data frames."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from tournament.arrays import Cells
from tournament.contests.contest import Contest
from tournament.errors import InputError, RunError, and_more
from tournament.leg import legs_per_replica
from tournament.names import valid_contest_name
from tournament.records.contest_of import contest_of
from tournament.records.finals import finals_beside, find_preliminary, last_final
from tournament.records.rows import EVERYTHING, Selection, loaded_before, open_dataset, read_frame, select
from tournament.records.self_play import against_themselves, recorded_self_play
from tournament.records.summaries import ENTRANTS, MATCHES, entrant_values, match_values
from tournament.records.values import STANDING, crosstable_values, fault_values, standing_values
from tournament.standings.authors import AuthorTotal, author_totals, authors_by_bot
from tournament.standings.matches import Match
from tournament.standings.standings import Standings, compute_standings
from tournament.store.columns import Column
from tournament.store.field import Batch, ContestSetup, TableName
from tournament.store.reading import read_records
from tournament.store.storage import Storage, has_records, join_location, open_storage

if TYPE_CHECKING:
    import pandas as pd

    from tournament.records.frames import RecordFrame
    from tournament.records.history import Version
    from tournament.standings.ratings import Rated
    from tournament.store.arrow_files import Dataset


NO_RESULTS = "has no results yet; play with `tournament run`"


@dataclass(frozen=True)
class Results:
    """Results of one contest at the time of loading. Tables are read when they are first used.

    Each table is made once, and later uses return the same object. So copy a data frame before you change it.

    Attributes:
        location: Folder or URL of the records.
        setup: The contest as it was played, with settings, entrants and house players.
        batches: Batches that count, sorted by name. Damaged ones, and those that wait for a run, are omitted.
        selection: Rows and columns of `games` and `sessions`. Its matches also limit `losses`, and nothing else.
    """

    location: str
    setup: ContestSetup
    batches: tuple[Batch, ...]
    selection: Selection = EVERYTHING

    def __repr__(self) -> str:
        lines = [f"{self.setup.contest}: {self.ranking.games:,} games in {self.location}"]
        for line in self.ranking.entrants[:10]:
            rank = f"{line.rank:>3}." if line.rank is not None else "    "
            lines.append(f"{rank} {line.name}: {f'{line.score:+,.1f}' if line.rank is not None else line.status}")
        if len(self.ranking.entrants) > 10:
            lines.append(f"    {and_more(len(self.ranking.entrants) - 10)}")
        if finals_beside(self.location):
            lines.append("these are results from while the contest was open; load(..., final=True) returns its final")
        return "\n".join(lines)

    @cached_property
    def ranking(self) -> Standings:
        """Standings as objects, the best bot first.

        Raises:
            InputError: The contest's rules aren't installed, and standings need them.
            RunError: The field lacks facts of its house players, or this machine can't load the rules.
        """
        return rank_records(open_storage(self.location), self.setup, self.batches)

    @cached_property
    def games(self) -> RecordFrame:
        """Games, one per row, with the bots' names. `by_bot()` returns a row per bot and game.

        Only the selected matches and columns are read. Rows are in the order of batches, in each by match, session and
        game.

        Raises:
            InputError: The records have changed or are damaged, have another version of the rules, or have none of the
                selected columns. Or the rules are missing and needed.
            FileNotFoundError: The rules aren't installed, and the records have changed.
            RunError: This machine can't load the rules, or they aren't installed and the records are damaged.
            OSError: The rules aren't installed, and a part can't be read.
        """
        return self._records("games")

    @cached_property
    def sessions(self) -> RecordFrame:
        """Sessions, one per row, with the bots' names. `by_bot()` returns a row per bot and session.

        Only the selected matches and columns are read. Rows are in the order of batches, in each by match and session.

        Raises:
            InputError: The records have changed or are damaged, have another version of the rules, or have none of the
                selected columns. Or the rules are missing and needed.
            FileNotFoundError: The rules aren't installed, and the records have changed.
            RunError: This machine can't load the rules, or they aren't installed and the records are damaged.
            OSError: The rules aren't installed, and a part can't be read.
        """
        return self._records("sessions")

    def by_author(self, authors: Mapping[str, Sequence[str]]) -> pd.DataFrame:
        """Return the totals of authors over their bots' scores, the best first, with errors and bounds of ranks.

        Args:
            authors: Names of bots, or patterns of names such as `ann_*`, by author. Unknown names are ignored.

        Returns:
            A row for each author with a ranked bot that has played, with the fields of AuthorTotal. Unknown errors and
            ranks are missing. Bots without an author aren't counted.

        Raises:
            InputError: A bot belongs to two authors, or the standings need rules that aren't installed.
            RunError: The field lacks facts of its house players, or this machine can't load the rules.
        """
        import pandas as pd

        author_by_bot = authors_by_bot(authors, [line.name for line in self.ranking.entrants])
        frame = pd.DataFrame(
            [dataclasses.asdict(line) for line in author_totals(self.ranking, author_by_bot)],
            columns=[field.name for field in dataclasses.fields(AuthorTotal)],
        )
        return frame.astype({"rank_low": "Int64", "rank_high": "Int64"})

    @cached_property
    def matches(self) -> pd.DataFrame:
        """Matches by number, with a row per seat, as in matches.parquet. Unknown errors are NaN.

        Raises:
            InputError: The contest's rules aren't installed, and standings need them.
            RunError: The field lacks facts of its house players, or this machine can't load the rules.
        """
        return _frame(MATCHES, match_values(self.ranking))

    @cached_property
    def crosstable(self) -> pd.DataFrame:
        """Points per session of every bot against every other, with standard errors.

        Each pair has two adjacent rows, in the order of match numbers. Against house players it has only the bot's row.
        Rows of self-play are last. Unknown errors are missing. Disqualified bots have rows, too.

        Raises:
            InputError: The contest's rules aren't installed, and standings need them.
            RunError: The field lacks facts of its house players, this machine can't load the rules, or the records of
                self-play can't be read.
            OSError: A folder of self-play can't be searched, or its field can't be read.
        """
        import pandas as pd

        return pd.DataFrame(crosstable_values(self.ranking))

    @cached_property
    def entrants(self) -> pd.DataFrame:
        """Entrants by name, one per row, as in entrants.parquet.

        Raises:
            InputError: The contest's rules aren't installed, and standings need them.
            RunError: The field lacks facts of its house players, or this machine can't load the rules.
        """
        return _frame(ENTRANTS, entrant_values(self.ranking))

    @cached_property
    def legs(self) -> pd.DataFrame:
        """Legs, with a row per seat, as in legs/: results, and what each bot used.

        Rows are in the order of batches, in each by match, number of the leg and seat.

        Raises:
            InputError: The contest's rules aren't installed, and standings need them.
            RunError: The field lacks facts of its house players, or this machine can't load the rules.
        """
        from tournament.store.summary_parts import legs_frame

        per_replica = 1 if self.setup.house_numbers else legs_per_replica(self.setup.settings, self.ranking.seats)
        return legs_frame([batch.legs for batch in self.batches], per_replica)

    def losses(self, bot: str, *, by_opponent: bool = False) -> pd.DataFrame:
        """Return what a bot loses by each of its answers, compared with other bots, with the columns of `LOSSES`.

        Only games of the selected matches count.

        Args:
            bot: Name of the bot.
            by_opponent: Whether each opponent has its own rows.

        Returns:
            A row for each kind of decision, hand and answer, and opponent if asked for, the largest loss first. If the
            bot wins more than others, `lost` is negative. Rows with fewer than ten games of the bot or of others are
            omitted.

        Raises:
            InputError: The records have no such bot, this contest's columns don't show decisions, or the standings need
                rules that aren't installed.
            FileNotFoundError: The records have changed.
            RunError: The records are damaged, the field lacks facts of its house players, or this machine can't load
                the rules.
            OSError: The rules aren't installed, and a part can't be read.
        """
        import pandas as pd

        from tournament.records.losses import LOSSES, loss_rows

        return pd.DataFrame(loss_rows(self, bot, by_opponent=by_opponent), columns=list(LOSSES))

    @cached_property
    def faults(self) -> pd.DataFrame:
        """Recorded faults by match and leg, one per row, with some of the columns of faults/.

        A leg keeps its first 20 faults, and the last one of each disqualified bot. The last rows are legs in which the
        rules failed, without a bot's name.

        Raises:
            InputError: The contest's rules aren't installed, and standings need them.
            RunError: The field lacks facts of its house players, or this machine can't load the rules.
        """
        import pandas as pd

        return pd.DataFrame(fault_values(self.ranking)).astype({"match": "int64", "session": "int32", "game": "int32"})

    def rating(self, kind: str) -> list[Rated]:
        """Return another rating of the bots, such as `elo`, the best bot first.

        Args:
            kind: Kind of the rating: `elo`.

        Raises:
            InputError: The kind is unknown or has no meaning in this contest, or the records have changed or are
                damaged. Or the records have another version of the rules, or need rules that aren't installed.
            FileNotFoundError: The rules aren't installed, and the records have changed.
            RunError: This machine can't load the rules, or they aren't installed and the records are damaged.
            OSError: The rules aren't installed, and a part can't be read.
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
        contest = _require_contest(self.location, self.setup, self.batches)
        with loaded_before(self.location):
            wins = read_wins(contest, open_storage(self.location), self.batches, legs_per_replica(self.setup.settings))
        return elo(self.ranking, wins)

    def versions(self, name: str) -> list[Version]:
        """Return a bot's versions with their standings, the oldest first, including those in archives.

        A version is the bot with one content. Archives that are damaged or of an earlier version are omitted.

        Raises:
            InputError: The records have no such bot, or standings need rules that aren't installed.
            RunError: The history is damaged or can't be opened, the field lacks facts of its house players, or this
                machine can't load the rules.
            OSError: A file of the history, or of an archive, can't be read.
        """
        from tournament.records.history import read_history

        return read_history(open_storage(self.location), self.ranking, name, rank_records)

    @cached_property
    def standings(self) -> pd.DataFrame:
        """Leaderboard with the columns of `STANDING` and the contest's measures, the best bot first.

        The rank of bots below the line is missing.

        Raises:
            InputError: The contest's rules aren't installed, and standings need them.
            RunError: The field lacks facts of its house players, or this machine can't load the rules.
        """
        import pandas as pd

        rows = [standing_values(line) for line in self.ranking.entrants]
        # An empty field has the columns, too.
        frame = pd.DataFrame(rows, columns=None if rows else list(STANDING))
        return frame.astype({"rank": "Int64", "rank_low": "Int64", "rank_high": "Int64"})

    def _records(self, table: TableName) -> RecordFrame:
        """Return the selected rows and columns of a table, in the order of batches and of play.

        Raises:
            InputError: The records have changed or are damaged, have another version of the rules, or have none of the
                selected columns. Or the rules are missing and needed.
            FileNotFoundError: The rules aren't installed, and the records have changed.
            RunError: This machine can't load the rules, or they aren't installed and the records are damaged.
            OSError: The rules aren't installed, and a part can't be read.
        """
        contest = _require_contest(self.location, self.setup, self.batches)
        return read_frame(self.location, contest, self.batches, table, self.selection)


def _require_contest(location: str, field: ContestSetup, batches: Sequence[Batch]) -> Contest:
    """Return the contest of records.

    Raises:
        InputError: The records have another version of the contest, whose columns can differ, or its rules are missing
            and needed.
        FileNotFoundError: The rules aren't installed, and a part is missing.
        RunError: The rules aren't installed, and a part is damaged. Or this machine can't load the rules.
        OSError: The rules aren't installed, and a part can't be read.
    """
    contest = contest_of(location, field, batches)
    if field.engine != contest.engine_version:
        raise InputError(
            f"the records in {location} have version {field.engine} of {contest.rules}, and this is"
            f" {contest.engine_version}; run again to get records of this version"
        )
    return contest


def _players(batches: Sequence[Batch]) -> dict[int, set[str]]:
    """Return the names of all bots and house players of each match, by its number in ascending order."""
    players: dict[int, set[str]] = {}
    for batch in batches:
        for match, names, house in zip(batch.legs.match.tolist(), batch.legs.seated, batch.legs.houses):
            players.setdefault(match, set()).update(names, [house] if house else ())
    return dict(sorted(players.items()))


def load(
    results: str | os.PathLike[str],
    *,
    columns: Iterable[str] | None = None,
    matches: Iterable[int] | None = None,
    bots: Iterable[str] | None = None,
    final: bool = False,
) -> Results:
    """Return the recorded results of one contest. Verify records that come from other people first.

    Batches that are damaged, or wait for a run to accept them, are omitted without a message.

    Args:
        results: Folder or URL of the contest's records, or the one above if it has a single contest.
        columns: Columns of `games` and `sessions` to read; by default all.
        matches: Numbers of the matches to read; by default all.
        bots: Names of bots or house players; only matches with one of them are read. By default all are. If both are
            given, matches must be among `matches`, too.
        final: Whether to return the last final of an open contest.

    Raises:
        InputError: There are no results, those of several contests, no final, or no such column, match or bot. Or a
            list is a single name or number, the URL is invalid or needs an account, or the rules are missing and
            needed.
        RunError: The records can't be read, are of an earlier version, or have parts of several tournaments. Or this
            machine can't load the rules.
        ValueError: A match isn't a number.
        FileNotFoundError: The rules aren't installed, and a part was removed while the records were read.
        OSError: A folder can't be searched, or a file can't be read.
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
    """Return the games or the sessions of one contest as a dataset of arrow, for DuckDB, polars and other libraries.

    The dataset has the rows that count now, in the order of batches. It reads them when they are used, and checks page
    checksums. If records were changed or damaged, a scan fails with OSError. Batches that `load` omits are omitted.

    Args:
        results: Folder or URL of the contest's records, or the one above if it has a single contest.
        table: `games` or `sessions`.
        matches: Numbers of the matches to read; by default all.
        bots: Names of bots or house players; only matches with one of them are read. By default all are. If both are
            given, matches must be among `matches`, too.

    Raises:
        InputError: There are no results, those of several contests, or no such table, match or bot. Or a list is a
            single name or number, or the URL is invalid or needs an account. Or the records have another version of
            the rules, or the rules are missing and needed.
        RunError: The records can't be read, are of an earlier version, or have parts of several tournaments. Or this
            machine can't load the rules.
        ValueError: A match isn't a number.
        FileNotFoundError: The rules aren't installed, and a part was removed while the records were read.
        OSError: A folder can't be searched, or a file can't be read.
    """
    if table not in ("games", "sessions"):
        raise InputError(f"unknown table {str(table)[:200]!r}; expected one of: games, sessions")
    location, field, batches = _opened(os.fspath(results))
    contest = _require_contest(location, field, batches)
    players = _players(batches) if (matches, bots) != (None, None) else {}
    return open_dataset(location, contest, batches, table, select(contest, players, None, matches, bots))


def _opened(results: str) -> tuple[str, ContestSetup, tuple[Batch, ...]]:
    """Return the location of a contest's results, its field, and the batches that count, sorted by name.

    Raises:
        InputError: There are no results, or those of several contests. Or the URL is invalid or needs an account.
        RunError: The records can't be read, are of an earlier version, or have parts of several tournaments.
        OSError: A folder can't be searched, or the file of the field can't be read.
    """
    location = locate(results)
    storage = open_storage(location)
    records = read_records(storage)
    if records.field is None:
        raise InputError(f"{location} {NO_RESULTS}")
    return storage.location, records.field, records.batches


def locate(results: str) -> str:
    """Return the location of one contest's records: this one, or one directly below it if it has a single contest.

    Raises:
        InputError: There are no records, or those of several contests. Or the URL is invalid or needs an account.
        RunError: The folder or URL, or the folder that contains it, can't be read.
        OSError: A folder can't be searched for another reason than permissions.
    """
    storage = open_storage(results)
    if has_records(storage):
        return storage.location
    contests = contests_held(storage.location)
    if len(contests) != 1:
        nearby = [] if contests or "://" in storage.location else contests_held(str(Path(storage.location).parent))
        problem = f"has several contests, {', '.join(contests)}; name one" if contests else NO_RESULTS
        raise InputError(f"{results} {problem}" + (f"; next to it is {', '.join(nearby)}" if nearby else ""))
    return open_storage(join_location(storage.location, contests[0])).location


def contests_held(results: str) -> list[str]:
    """Return the names of contests that have records in a folder, or below a URL, sorted and without archives.

    Records that this user isn't allowed to read are omitted. The result is [] if there is no such folder.

    Raises:
        RunError: The folder or URL can't be read.
        InputError: The URL is invalid or needs an account.
        OSError: A folder can't be searched for another reason than permissions.
    """

    def holds_records(name: str) -> bool:
        """Return whether a folder there has records. It is False if this process isn't allowed to read them.

        Raises:
            InputError: The URL needs an account.
            OSError: The folder can't be searched for another reason than permissions.
        """
        # This process might not be allowed to read a folder, such as that of a seed.
        with contextlib.suppress(RunError):
            return has_records(open_storage(join_location(results, name)))
        return False

    return [name for name in open_storage(results).folders() if valid_contest_name(name) and holds_records(name)]


def rank_records(storage: Storage, field: ContestSetup, batches: Sequence[Batch]) -> Standings:
    """Return the standings of a recorded field.

    Their `self_play` reads the records of self-play when it is first used, and then raises that function's exceptions.

    Raises:
        RunError: The field lacks facts of its house players, or this machine can't load the rules.
        InputError: The contest's rules aren't installed, and standings need them.
    """
    contest = contest_of(storage.location, field)
    house = contest.house
    if house and any(set(house.facts) - player.facts.keys() for player in field.house):
        raise RunError(f"the field of {storage.location} lacks facts of house players; run again to restore them")
    return replace(rank_contest(contest, field, batches), find_self_play=partial(_self_play, storage.location, field))


def _self_play(location: str, field: ContestSetup) -> Mapping[str, Match]:
    """Return the matches of bots against copies of themselves, by name.

    A bot is omitted if it has changed since, or if it or its copy has no rank there. The result is {} without records.

    Raises:
        RunError: The records can't be read, or this machine can't load the rules.
        InputError: The contest's rules aren't installed, and standings need them. Or the URL needs an account.
        OSError: A folder can't be searched, or the file of the field can't be read.
    """
    storage = recorded_self_play(location)
    if storage is None or (records := read_records(storage)).field is None:
        return {}
    current = {one.name: one.sha256 for one in field.entrants}
    ranking = rank_records(storage, records.field, records.batches)
    unchanged = {line.name for line in ranking.ranked if current.get(line.name) == line.sha256}
    matches = against_themselves(ranking.matches, {line.name for line in ranking.ranked})
    return {name: match for name, match in matches.items() if name in unchanged}


def rank_contest(contest: Contest, field: ContestSetup, batches: Sequence[Batch]) -> Standings:
    """Return the standings of a contest's field.

    Args:
        contest: The contest.
        field: Field of the records.
        batches: Batches that count.
    """
    return compute_standings(field, batches, contest.house.scoring if contest.house else None)


def below_final(location: str, final: Standings) -> Standings | None:
    """Return the standings of the bots that played only in the preliminary of a final, or None if there was none.

    Their ranks follow those of the final, in the preliminary's order. Everything else, such as the score, is that of
    the preliminary.

    Raises:
        InputError: The preliminary has no results, or the standings need rules that aren't installed.
        RunError: The preliminary's records can't be read, its field lacks facts of its house players, or this machine
            can't load the rules.
        FileNotFoundError: The rules aren't installed, and a part was removed while the records were read.
        OSError: A folder can't be searched, or a file can't be read.
    """
    preliminary, among = find_preliminary(location), {line.name for line in final.entrants}
    if preliminary is None:
        return None
    ranking, ranks = load(preliminary).ranking, itertools.count(len(final.ranked) + 1)
    standings = (
        line if line.rank is None else replace(line, rank=next(ranks), status="preliminary", order_status=None)
        for line in ranking.entrants
        if line.name not in among
    )
    return replace(ranking, entrants=tuple(standings))


def _frame(columns: tuple[Column, ...], values: Cells) -> pd.DataFrame:
    import pandas as pd

    types = {column.name: column.dtype for column in columns if column.dtype != "str"}
    return pd.DataFrame(values).astype(types)
