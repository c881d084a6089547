"""The commands to start with: new, init."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tournament.cli.consoles import out, print_text
from tournament.cli.options import LOCATIONS, PLAY, ConfigPath, Contest, flag, option
from tournament.config import FILE_NAME, load_config
from tournament.entrants.new import write_new_bot
from tournament.errors import InputError
from tournament.names import did_you_mean
from tournament.sandbox.outside import tier
from tournament.starter.folder import write_contest_folder
from tournament.starter.own_rules import SHAPES, write_rules_folder


def new(
    contest: Contest,
    name: Annotated[str, typer.Argument(metavar="NAME", help="the bot's name, which is its file's or its folder's")],
    language: Annotated[
        str | None,
        option(
            "LANG",
            "c, cpp, python, program-python, program-go, program-java, program-javascript or program-rust, if the"
            " contest has it; default its first",
            PLAY,
        ),
    ] = None,
    entrants: Annotated[Path | None, option("DIR", "folder of bots to put it into", LOCATIONS)] = None,
    config: ConfigPath = None,
) -> None:
    """Write a commented bot to start from, into the entrants folder.

    Raises:
        InputError: A setting, an option or the bot's name is wrong, the contest doesn't have the language, the bot
            exists, or it can't be written.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    if entrants is config is None and Path.cwd().parts[-2:] == ("entrants", contest) and not Path(FILE_NAME).exists():
        entrants, above = Path(), Path("..", "..", FILE_NAME)  # the folder of the contest's bots
        config = above if above.exists() else None
    loaded = load_config(contest, config, entrants=entrants)
    path = write_new_bot(loaded.played, loaded.entrants, name, language)
    shortest = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    out.print(f"{shortest} is there; try it with: tournament check {shortest}", soft_wrap=True)


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="folder to write into; default the current one")
    ] = Path(),
    contest: Annotated[list[str] | None, option("CONTEST", "contest; can be repeated; default all", PLAY)] = None,
    rules: Annotated[
        str | None, option("NAME", "write your own rules, NAME.py, and a bot in each language", PLAY)
    ] = None,
    shape: Annotated[str, option("SHAPE", f"with --rules: how bots are asked: {', '.join(SHAPES)}", PLAY)] = "turns",
    no_bots: Annotated[bool, flag("--no-bots", "omit the shipped bots", PLAY)] = False,
) -> None:
    """Write a folder to start a contest in: a commented tournament.toml, and the shipped bots to play against.

    Existing files are never overwritten.

    Raises:
        InputError: An option is wrong, a name is taken, or the folder can't be written.
        RunError: The shipped files are missing, or the cache can't be used.
        OSError: A file of rules of one's own can't be written.
    """
    if rules is not None:
        if contest or no_bots:
            raise InputError("--rules: can't be combined with --contest or --no-bots")
        written = write_rules_folder(folder, rules, shape)
        print_text(f"{folder} has {', '.join(str(path) for path in written)}")
        step = "" if folder == Path() else f"cd {shlex.quote(str(folder))} && "
        out.print(f"check them with: {step}tournament check {rules}.py; then: tournament run", soft_wrap=True)
        return
    from tournament.contests import CONTESTS  # loads all contests

    with_bots = {name: known.named(name) for known in CONTESTS for name in known.presets}
    contests = {known.name: known for known in CONTESTS} | with_bots
    names = dict.fromkeys(contest or with_bots)
    for name in names.keys() - contests.keys():
        raise InputError(
            f"no contest is called {name}; expected one of: {', '.join(contests)}{did_you_mean(name, contests)}"
        )
    selected = [contests[name] for name in names]
    try:
        tier.version_here()
    except InputError as problem:  # said first: without it only your own bots can play here
        print_text(f"tournament: {problem}")
    written = write_contest_folder(folder, selected, with_bots=not no_bots)
    print_text(f"{folder} has {', '.join(str(path) for path in written)}")
    step = "" if folder == Path() else f"cd {shlex.quote(str(folder))} && "
    command = f"new {selected[0].name} my_bot" if no_bots else f"run {selected[0].name}"
    out.print(f"{'start' if no_bots else 'play it'} with: {step}tournament {command}", soft_wrap=True)
