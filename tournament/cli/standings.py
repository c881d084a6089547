"""The commands that show what is in the records: leaderboard, crosstable, faults."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.text import Text

from tournament.cli.consoles import err, out
from tournament.cli.locations import load_records
from tournament.cli.options import (
    CHOICE,
    LOCATIONS,
    ConfigPath,
    ContestOrOnly,
    Csv,
    Final,
    Json,
    Results,
    flag,
    option,
    print_json,
)
from tournament.cli.replay_tables import commands_to_see, describe_faults, replay_command
from tournament.cli.tables import (
    MAX_COLUMNS,
    authors_table,
    crosstable_tables,
    history_table,
    leaderboard_table,
    matches_table,
    rating_table,
    reasons,
)
from tournament.config import load_config, with_configured_titles
from tournament.errors import InputError, pluralize, printable
from tournament.names import did_you_mean
from tournament.records.contest_of import contest_of
from tournament.records.results import Results as Loaded
from tournament.records.results import below_final
from tournament.records.values import (
    crosstable_values,
    fault_values,
    leaderboard_values,
    rated_values,
    rows_csv,
    standing_values,
    standings_csv,
)
from tournament.standings.authors import author_totals, authors_by_bot
from tournament.standings.history import find_line, find_matches

if TYPE_CHECKING:
    from tournament.contests.contest import Contest


def leaderboard(
    contest: ContestOrOnly = None,
    rating: Annotated[str | None, option("elo", "Elo points by won sessions, instead of the score", CHOICE)] = None,
    by: Annotated[
        str | None,
        option("author", "totals of authors over their bots, by the key `authors` or as an open contest knows", CHOICE),
    ] = None,
    history: Annotated[str | None, option("BOT", "this bot's versions with their ranks", CHOICE)] = None,
    as_csv: Csv = False,
    wide: Annotated[bool, flag("--wide", "all columns, for terminals of more than 80 characters", CHOICE)] = False,
    authors: Annotated[
        Path | None, option("FILE", "authors' file, to show the bots' authors; default authors.toml", LOCATIONS)
    ] = None,
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """Show the leaderboard of the recorded games, also during a run.

    Ranks follow the score, and --rating elo is another view.

    Raises:
        InputError: An option is wrong, there are no such records or bots, or records of several contests. Or their
            rules are missing and needed, the authors' file is invalid, or a bot has two authors.
        RunError: The records or the submissions can't be read, or this machine can't load the rules.
        FileNotFoundError: A file was removed while the records were read.
    """
    if (rating is not None) + (history is not None) + (as_csv or by is not None) > 1 or (as_csv and as_json):
        raise InputError(
            "--rating, --history and --csv exclude each other, --by goes only with --csv, and --json not with --csv"
        )
    if by not in (None, "author"):
        raise InputError(f"--by {by}: expected author")
    if history is not None:
        _print_history(history, load_records(contest, results, config, final=final), as_json)
        return
    if rating is not None:
        _print_rating(rating, load_records(contest, results, config, final=final), config, as_json)
        return
    loaded = load_records(contest, results, config, final=final)
    if by is not None:
        _print_authors(loaded, _authors(loaded, authors, config), config, as_csv=as_csv, as_json=as_json)
        return
    below = below_final(loaded.location, loaded.ranking)
    excluded = below.entrants if below else ()
    if as_csv:
        more, lines = [], [*loaded.ranking.entrants, *excluded]
        if final:
            from tournament.open_contest.overview import lines_never_ranked

            ranked = [line.name for line in lines]
            more = lines_never_ranked(_authors_file(authors, config), loaded.setup.contest, ranked)
        print(standings_csv(lines, _authors(loaded, authors, config), more), end="")
        return
    if as_json:
        print_json(leaderboard_values(loaded.ranking, _authors(loaded, authors, config), excluded))
        return
    played = _played_contest(loaded, config)
    out.print(leaderboard_table(loaded.ranking, played.title, unit=played.points_unit, wide=wide))
    if below and excluded:
        out.print(leaderboard_table(below, f"{played.title}: preliminary, the others", wide=wide))
    options = {"results": results, "final": final, "config": config}
    if faulty := reasons(loaded.ranking, commands_to_see(loaded.setup.contest, loaded.ranking, options)):
        out.print(faulty, soft_wrap=True)


def _authors(loaded: Loaded, authors: Path | None, config: Path | None) -> Mapping[str, str]:
    """Return the author of each bot by name, from the settings file, or otherwise from the submissions.

    Bots without an author are omitted. Submitted bots are included even if the records don't have them. Without valid
    settings only the submissions count.

    Args:
        loaded: The records.
        authors: Path of the authors' file, beside which the submissions are. None for the one beside the settings.
        config: Path of the settings file. None for that of the current folder.

    Raises:
        RunError: The submissions can't be read, or the machine is at fault, such as a cache that can't be used.
        InputError: By the settings a bot has two authors.
    """
    from tournament.open_contest.jobs import database_beside, find_authors

    configured: Mapping[str, Sequence[str]] = {}
    with contextlib.suppress(InputError):  # There might be no settings file beside the records.
        configured = load_config(loaded.setup.contest, config).contest.authors or {}
    submitted = find_authors(database_beside(_authors_file(authors, config)), loaded.setup.contest)
    return submitted | authors_by_bot(configured, [line.name for line in loaded.ranking.entrants])


def _authors_file(authors: Path | None, config: Path | None) -> Path:
    """Return the path of the authors' file: the option, or authors.toml beside the settings, which might not exist."""
    return authors or (config.parent if config else Path()) / "authors.toml"


def _played_contest(loaded: Loaded, config: Path | None) -> Contest:
    """Return the contest of these records, with the title from the settings file.

    Raises:
        InputError: The records' rules aren't installed and are needed, because bots play house players or the contest
            has its own.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    return with_configured_titles(contest_of(loaded.location, loaded.setup), partial(load_config, path=config))


def _print_authors(
    loaded: Loaded, author_of: Mapping[str, str], config: Path | None, *, as_csv: bool, as_json: bool
) -> None:
    """Print the totals of authors, the best first. The table's caption counts ranked bots without an author.

    Args:
        loaded: The records.
        author_of: Author of each bot by name.
        config: Path of the settings file, None for that of the current folder.
        as_csv: Whether to print CSV.
        as_json: Whether to print JSON instead.

    Raises:
        InputError: No bot has an author, or the records' rules aren't installed and are needed.
        RunError: This machine can't load the rules.
    """
    if not author_of:
        raise InputError('--by author: no bot has an author; set authors = {ann = ["ann_*"]} in the contest\'s table')
    lines = author_totals(loaded.ranking, author_of)
    rows = [dataclasses.asdict(line) for line in lines]
    if as_json:
        print_json(rows)
    elif as_csv:
        print(rows_csv([row | {"bots": " ".join(row["bots"])} for row in rows]), end="")
    else:
        unassigned = [line.name for line in loaded.ranking.ranked if line.name not in author_of]
        caption = f"{pluralize(len(unassigned), 'bot')} without an author left out" if unassigned else ""
        out.print(authors_table(lines, loaded.ranking, f"{_played_contest(loaded, config).title}: authors", caption))


def _print_history(bot: str, loaded: Loaded, as_json: bool) -> None:
    """Print a bot's versions, the oldest first. Archives that can't be read are omitted.

    Raises:
        InputError: The records have no such bot, or standings need rules that aren't installed.
        RunError: The history is damaged or can't be read, or this machine can't load the rules.
    """
    versions = loaded.versions(bot)
    if as_json:
        print_json(
            [
                {"sha256": one.line.sha256, "field_size": one.field_size, "archive": one.archive}
                | standing_values(one.line)
                for one in versions
            ]
        )
        return
    out.print(history_table(versions, f"{bot}, the newest last"))


def _print_rating(kind: str, loaded: Loaded, config: Path | None, as_json: bool) -> None:
    """Print a rating of this kind, the best bot first.

    Raises:
        InputError: There is no such kind, it has no meaning in this contest, or the records have changed. Or rules that
            are needed aren't installed or have another version.
        RunError: The records are damaged, or this machine can't load the rules.
        FileNotFoundError: The rules aren't installed, and the records have changed.
    """
    from tournament.standings.ratings import rating_kind

    rating = rating_kind(kind)
    lines = loaded.rating(kind)
    if as_json:
        print_json([rated_values(line) for line in lines])
        return
    out.print(rating_table(lines, rating, _played_contest(loaded, config).title))


def crosstable(
    contest: ContestOrOnly = None,
    bot: Annotated[
        str | None,
        option("NAME", "this bot's results only, the best first, and the opponent closest to being beaten", CHOICE),
    ] = None,
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
    as_csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Show every pairing: points per session of row against column.

    Raises:
        InputError: An option is wrong, there are no such records or bots, or records of several contests. Or their
            rules are missing and needed.
        RunError: The records can't be read, or this machine can't load the rules.
        FileNotFoundError: A file was removed while the records were read.
    """
    if as_csv and as_json:
        raise InputError("--csv, --json: choose one of the two")
    loaded = load_records(contest, results, config, final=final)
    if bot is not None:
        find_line(loaded.ranking, bot)
    if bot is not None and not (as_csv or as_json):
        out.print(matches_table(find_matches(loaded.ranking, bot), bot))
        return
    if as_csv or as_json:
        rows = [row for row in crosstable_values(loaded.ranking) if bot in (None, row["bot"])]
        print(rows_csv(rows), end="") if as_csv else print_json(rows)
        return
    tables = crosstable_tables(
        loaded.ranking, _played_contest(loaded, config).title, out.width if out.is_terminal else None
    )
    for table in tables:
        out.print(table)
    if len(tables) > 1 or len(loaded.ranking.ranked) > MAX_COLUMNS:
        err.print("--bot NAME shows one bot's matches, the best first", soft_wrap=True)


def faults(
    contest: ContestOrOnly = None,
    bot: Annotated[str | None, option("NAME", "this bot's faults only", CHOICE)] = None,
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """List broken bots and each kind of fault, with the command that replays it.

    Raises:
        InputError: There are no such records or bots, or records of several contests. Or their rules are missing and
            needed.
        RunError: The records can't be read, or this machine can't load the rules.
        FileNotFoundError: A file was removed while the records were read.
    """
    loaded = load_records(contest, results, config, final=final)
    names = {line.name for line in loaded.ranking.entrants}
    if bot is not None and bot not in names:
        raise InputError(f"--bot {bot}: the records have no such bot{did_you_mean(bot, names, ',')}")
    selected = [(leg, one) for leg, one in loaded.ranking.faults if bot in (None, leg.seats[one.seat])]
    failed = tuple(leg for leg in loaded.ranking.failed_legs if bot is None or bot in leg.bots)
    options = {"results": results, "final": final, "config": config}
    if as_json:
        table = fault_values(dataclasses.replace(loaded.ranking, faults=tuple(selected), failed_legs=failed))
        rows = [dict(zip(table, row)) for row in zip(*table.values())]
        commands = [replay_command(loaded.setup.contest, leg, one, options) for leg, one in selected]
        commands += [""] * (len(rows) - len(commands))  # Legs in which the rules failed aren't recorded.
        print_json([row | {"replay": words} for row, words in zip(rows, commands)])
        return
    broken = [line for line in loaded.ranking.below if line.status == "broken" and bot in (None, line.name)]
    for line in broken:
        out.print(Text.assemble((line.name, "bold"), f" can't play: {printable(line.reason or '')}"), soft_wrap=True)
    for leg in failed:
        out.print(
            f"match {leg.match} ({leg.title}), session {leg.session}, game {leg.game}: the rules failed:"
            f" {printable(leg.reason)}",
            soft_wrap=True,
            markup=False,
        )
    if not (selected or broken or failed):
        out.print("no faults")
    for words in describe_faults(loaded.setup.contest, selected, options):
        out.print(words, soft_wrap=True)
