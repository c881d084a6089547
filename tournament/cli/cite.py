"""The command `tournament cite`."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Annotated

from tournament.cli.consoles import out
from tournament.cli.locations import load_records
from tournament.cli.options import CHOICE, OUTPUT, ConfigPath, ContestOrOnly, Final, Json, Results, flag, print_json
from tournament.config import load_config, with_configured_titles
from tournament.errors import InputError
from tournament.records import citation
from tournament.records.contest_of import contest_of


def cite(
    contest: ContestOrOnly = None,
    bibtex: Annotated[bool, flag("--bibtex", "an entry of BibTeX", OUTPUT)] = False,
    show_seed: Annotated[
        bool, flag("--show-seed", "include the seed, from which all cards follow; only after the last run", CHOICE)
    ] = False,
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """Print a citation of a run: versions, settings, digests of bots and results.

    Equal games have the same digest of the results everywhere.

    Raises:
        InputError: Options exclude each other, a setting is wrong, or there are no records or those of several
            contests. Or their rules are missing and needed, or the requested seed isn't beside them.
        RunError: The records can't be read, or this machine can't load their rules.
        FileNotFoundError: A file was removed while the records were read.
    """
    if bibtex and as_json:
        raise InputError("--bibtex, --json: choose one of the two")
    loaded = load_records(contest, results, config, final=final)
    played = with_configured_titles(contest_of(loaded.location, loaded.setup), partial(load_config, path=config))
    cited = citation.cite(loaded, played, show_seed=show_seed)
    if as_json:
        print_json(dataclasses.asdict(cited))
    else:
        out.print(cited.bibtex() if bibtex else str(cited), soft_wrap=True, markup=False, highlight=False)
