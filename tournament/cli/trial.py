"""The commands that try a bot: check, match."""

from __future__ import annotations

import dataclasses
import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.artifacts.compiler_run import allow_less
from tournament.cli.check_tables import check_table, match_table, mistakes_in_words
from tournament.cli.consoles import err, out
from tournament.cli.options import (
    CHOICE,
    EXITS,
    PLACES,
    PLAY,
    ConfigPath,
    Contest,
    Json,
    MostReplicas,
    Sprt,
    Until,
    command_line,
    flag,
    option,
    print_json,
)
from tournament.cli.replay_tables import print_game
from tournament.cli.screen import Screen
from tournament.config import Config, Contests, load_config, load_contests
from tournament.contests import KNOWN_RULES
from tournament.entrants.folder import check_among_others
from tournament.errors import BadInput
from tournament.keys import drawn_seed
from tournament.starter.folder import find_bot
from tournament.store.legs import by_sort
from tournament.store.storage import inside
from tournament.trial.check import check_bot, contest_of, replay_check

if TYPE_CHECKING:
    from tournament.audit.replay import Replay
    from tournament.store.ledger import FieldEntrant
    from tournament.trial.match import MatchReport


def match(
    contest: Contest,
    bot: Annotated[
        str | None, typer.Argument(metavar="BOT", help="a file or folder, or the name of an entrant or shipped bot")
    ] = None,
    opponent: Annotated[
        str | None, typer.Argument(metavar="OPPONENT", help="the same; or a house player, if the contest has them")
    ] = None,
    sessions: Annotated[int | None, option("N", "sessions of the match", PLAY)] = None,
    until: Until = None,
    sprt: Sprt = None,
    most_replicas: MostReplicas = None,
    seed: Annotated[
        str | None, option("SEED", "number or text that chooses the deals; default a drawn one, told", PLAY)
    ] = None,
    session: Annotated[int | None, option("S", "show this session, step by step", CHOICE, min=0)] = None,
    game: Annotated[int | None, option("G", "only this game of that session", CHOICE, min=0)] = None,
    results: Annotated[
        str | None, option("DIR|URL", "keep the records there; default nowhere", PLACES, "--results")
    ] = None,
    mistakes: Annotated[
        bool, flag("--mistakes", "also look for what would crash or differ elsewhere in C and C++ bots", CHOICE)
    ] = False,
    losses: Annotated[
        bool, flag("--losses", "also where BOT loses: as which seat, in which games, and how both play", CHOICE)
    ] = False,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """Nothing is kept unless --results says where. Where tournament.toml has one contest, CONTEST may be left out. With
    --until it exits with 0 where BOT is surely better, with 3 where that is open, and with 4 where it is surely worse.
    With --sprt it exits with 0 for HIGH, 4 for LOW, each wrong once in twenty. With 1 where a bot is disqualified. The
    difference is half BOT's lead.
    """
    # What runs and replays contests, which check doesn't need.
    from tournament.audit.replay import replay_games
    from tournament.cli.loss_tables import print_losses
    from tournament.records.results import load
    from tournament.reporting.losses import Losses, losses_to
    from tournament.trial.match import play_match, search_match
    from tournament.trial.sequential import rule_of

    rule = rule_of(until, sprt)
    _check_game(session, game)
    contest, bot, opponent = _whose_match(load_contests(config), contest, bot, opponent)
    given = {"sessions": sessions, "most_replicas": most_replicas, "seed": seed or drawn_seed()}
    settings = load_config(contest, config, executor="local", results=results, **given)
    if results is None:
        settings = dataclasses.replace(settings, results="")
    shown: list[Replay] = []
    lost: list[Losses] = []

    def look(own: Config, report: MatchReport) -> None:
        if losses:
            contest_played = own.played.under(own.contest)
            lost.append(
                losses_to(contest_played, load(inside(own.results, own.played.name)), report.bot, report.opponent)
            )
        if session is not None:
            place, pair = inside(own.results, own.played.name), (report.bot, report.opponent)
            shown.append(replay_games(place, lambda _: own, pair, session, game))

    against = _opponent(opponent, settings)
    with Screen(err, settings.played.title) as screen:
        report = play_match(settings.played, settings, find_bot(bot, settings), against, screen, look, rule)
        found = search_match(settings.played, settings, find_bot(bot, settings), against, screen) if mistakes else {}
    code = EXITS[report.stopped.verdict] if report.stopped else 1 if rule else 0
    if as_json:
        values = dataclasses.asdict(report) | {"seed": settings.contest.seed}
        values["faults"] = [{"bot": leg.name_at(one.seat), **dataclasses.asdict(one)} for leg, one in report.faults]
        values["mistakes"] = {name: [dataclasses.asdict(one) for one in made.mistakes] for name, made in found.items()}
        values["losses"] = dataclasses.asdict(lost[0]) if lost else None
        print_json(values | {"replay": dataclasses.asdict(shown[0]) if shown else None})
        raise typer.Exit(code)
    table = match_table(report, settings.played, seed or settings.contest.seed or "")
    for name, made in found.items():
        table.add_row("elsewhere", mistakes_in_words(made, name))
    out.print(table)
    words = ["match", contest, bot, *([opponent] if opponent else [])]
    words += ["--sprt", *(f"{size:g}" for size in sprt)] if sprt else []
    repeated: dict[str, object] = {"sessions": sessions, "until": until, "most-replicas": most_replicas}
    repeated |= {"seed": settings.contest.seed, "config": config}
    for one_lost in lost:
        print_losses(out, one_lost, lambda at, number: command_line(*words, **repeated, session=at, game=number))
    for (_, one), *_ in by_sort(report.faults):
        out.print(f"see it: {command_line(*words, **repeated, session=one.session, game=one.game)}", soft_wrap=True)
    for replay in shown:
        for one_game in replay.games:
            print_game(out, one_game)
    if not shown and not report.faults:
        out.print(f"its games: {command_line(*words, **repeated, session=0)}", soft_wrap=True)
    raise typer.Exit(code)


def _whose_match(known: Contests, contest: str, bot: str | None, opponent: str | None) -> tuple[str, str, str | None]:
    """Contest, bot and opponent, as given; or the file's only contest, where a bot comes first. Raises BadInput."""
    is_bot = contest not in known.names and contest not in known.broken and contest not in KNOWN_RULES
    if is_bot and opponent is None and len(known.chosen) == 1:
        return known.chosen[0], contest, bot
    known.find(contest)
    if bot is None:
        raise BadInput("say also the BOT: a file, or the name of an entrant or shipped bot")
    return contest, bot, opponent


def _recorded(loaded: Config) -> Sequence[FieldEntrant]:
    from tournament.runner.preparing import recorded_entrants

    return recorded_entrants(loaded.played, loaded)


def _check_game(session: int | None, game: int | None) -> None:
    if game is not None and session is None:
        raise BadInput("--game: say also of which --session")


def _opponent(name: str | None, settings: Config) -> Path | str:
    """The bot to play against; where the contest has house players, the name of one, by default the first."""
    house = settings.played.house
    if house is None:
        if name is None:
            raise BadInput("say also the OPPONENT: a file, or the name of an entrant or shipped bot")
        return find_bot(name, settings)
    return name or house.players(settings.contest, settings.folder, lambda text: None)[0].name


def check(
    bot: Annotated[Path, typer.Argument(metavar="BOT", help="the bot's file, or a program's folder")],
    contest: Annotated[
        str | None, option("CONTEST", "default the one in the bot's path, or the only one in tournament.toml", PLAY)
    ] = None,
    session: Annotated[int | None, option("S", "only play again and show this session of the check", CHOICE)] = None,
    game: Annotated[int | None, option("G", "of that session, up to this game", CHOICE)] = None,
    seed: Annotated[str | None, option("SEED", "repeat the check of this seed", PLAY)] = None,
    as_submitted: Annotated[
        bool, flag("--as-submitted", "with 20 s and 1 GB for the compiler, as an open contest checks", PLAY)
    ] = False,
    config: ConfigPath = None,
) -> None:
    """Exits with 0 when it can, with 1 when it can't."""
    _check_game(session, game)
    if as_submitted:
        allow_less()
    known = load_contests(config)
    if not os.path.lexists(bot):
        there = sorted(Path("entrants").glob(f"*/{glob.escape(bot.name)}*"))
        hint = f"; did you mean {there[0]}?" if there else ": say the path of the bot's file, or of its folder"
        raise BadInput(f"{bot}: there is no such file{hint}")
    loaded = load_config(contest or contest_of(bot, known), config, seed=seed)
    chosen = loaded.played
    check_among_others(bot, loaded.entrants, lambda: _recorded(loaded))
    with Screen(err, chosen.title) as screen:
        if session is not None:
            games = replay_check(chosen, loaded.contest, loaded.sandbox, bot, session, game, screen)
        else:
            report = check_bot(chosen, loaded.contest, loaded.sandbox, bot, screen, screen.doing)
    if session is not None:
        for one in games:
            print_game(out, one)
        return
    out.print(check_table(report))
    given = {"contest": contest, "config": config, "seed": seed or report.seed}
    for (_, fault), *_ in by_sort(
        report.faults_of_leg
    ):  # outside the table, which would break a line meant for copying
        again = command_line("check", str(bot), **given, session=fault.session, game=fault.game)
        out.print(f"again: {again}", soft_wrap=True)
    if not report.fit:
        raise typer.Exit(1)
