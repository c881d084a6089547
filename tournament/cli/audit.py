"""The commands that check records and play them again: verify, replay."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tournament.audit.replay import MAX_GAMES, replay_games
from tournament.audit.verification import verify_contest
from tournament.cli.consoles import err, out, print_text
from tournament.cli.locations import recorded
from tournament.cli.options import (
    CHOICE,
    LOCATIONS,
    PLAY,
    ConfigPath,
    Contest,
    ContestOrAll,
    Final,
    Json,
    Results,
    option,
    print_json,
)
from tournament.cli.replay_tables import print_replay
from tournament.cli.screen import Screen
from tournament.config import load_config
from tournament.errors import InputError, printable


def verify(
    contest: ContestOrAll = None,
    replay: Annotated[str, option("N|all", "legs to play again, chosen at random", PLAY)] = "0",
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """Check parts, sums and summaries of the records byte by byte, and replay legs on request.

    Exit codes: 0 all matches, 1 problems, each listed with its fix, 3 not everything could be checked.

    Raises:
        InputError: A setting or an option is wrong, there are no records or no final, or this machine can't confine a
            bot. The same is raised if rules are missing and needed.
        RunError: The records can't be read, lack facts of house players or have an unknown setting, or this machine
            can't play.
        OSError: A folder of the records can't be searched.
        typer.Exit: There are problems, or not everything could be checked.
    """
    if replay != "all" and not replay.isdecimal():
        raise InputError(f"--replay {replay}: expected a number of legs, or all")
    count = None if replay == "all" else int(replay)
    with Screen(err, "") as screen:
        verifications = [
            verify_contest(location, partial(load_config, path=config), count, screen)
            for location in recorded(contest, results, config, final=final)
        ]
    if as_json:
        print_json([dataclasses.asdict(one) for one in verifications])
    else:
        for one in verifications:
            lines = [f"{one.location}/{problem}" for problem in one.problems]
            lines += [f"{one.location}: {note}" for note in one.notes]
            for line in (*lines, f"{one}: {one.verdict}"):
                print_text(printable(line))
    codes = {one.exit_code for one in verifications}
    if code := 1 if 1 in codes else max(codes, default=0):
        raise typer.Exit(code)


def replay(
    contest: Contest,
    match: Annotated[
        str, option("N|X,Y", "the match's number, or its bots' names; of a table's some are enough", CHOICE)
    ],
    session: Annotated[int, option("S", "session of the match, from 0", CHOICE, min=0)],
    game: Annotated[int | None, option("G", "only this game of the session", CHOICE, min=0)] = None,
    entrants: Annotated[Path | None, option("DIR", "folder of bots", LOCATIONS)] = None,
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """Replay recorded games: each bot's questions, output and answers.

    Needs the records with their seed, and the bots as they played.

    Exit codes: 0 all games are as recorded, 1 a game had a different result.

    Raises:
        InputError: An option is wrong, the records have no such game, or its bots have changed. The same is raised if
            the rules have another version, or this machine can't build or confine a bot.
        RunError: The records can't be read or contradict each other, their seed is missing, or this machine can't play.
        OSError: A folder of the records can't be searched.
        typer.Exit: A game had a different result.
    """
    with Screen(err, "") as screen:
        (place,) = recorded(contest, results, config, final=final)
        get_config = partial(load_config, path=config, entrants=entrants, results=results)
        names = tuple(name.strip() for name in match.split(","))
        if not match.isdecimal() and not (len(names) > 1 and all(names)):
            raise InputError(f"--match {match}: expected the match's number, or names of its bots separated by commas")
        replayed = replay_games(
            place, get_config, int(match) if match.isdecimal() else names, session, game, screen.on_message
        )
    if as_json:
        print_json(dataclasses.asdict(replayed))
    else:
        print_replay(out, replayed)
        if game is None and len(replayed.games) == MAX_GAMES:
            out.print(f"these are the first {MAX_GAMES:,} games; --game shows one of the others")
    if replayed.mismatch:
        raise typer.Exit(1)
