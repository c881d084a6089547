"""Tables of an open contest at which no two bots of one author sit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tournament
from tournament.config import Config, load_config
from tournament.errors import InputError
from tournament.records.results import load
from tournament.runner.contest_run import run_prepared
from tournament.runner.listener import NullListener
from tournament.runner.prepare import prepare_contest

RULES = """
from tournament.rules import Decision, Int, Rules

class Highest(Rules):
    name = "highest"
    seats = 3
    zero_sum = False
    decisions = (Decision("say", "Say a number", observation={"n": Int(0, 9, "n")}, answer=Int(0, 9, "a number")),)

    def play(self, session):
        (say,) = self.decisions
        said = yield [say(seat, n=0) for seat in range(3)]
        session.record({seat: float(one) for seat, one in said.items()})
"""
AUTHORS = {"a1": "ann", "a2": "ann", "a3": "ann", "b1": "bob", "b2": "bob", "c1": "cat"}


def config_of(folder: Path, mates: str = "other_authors", tables: str = "tables = 4") -> Config:
    (folder / "entrants" / "highest").mkdir(parents=True, exist_ok=True)
    (folder / "highest.py").write_text(RULES)
    settings = folder / "tournament.toml"
    settings.write_text(f'[highest]\nrules = "highest.py"\nsessions = 2\ntable_mates = "{mates}"\n{tables}\n')
    for number, name in enumerate(AUTHORS):
        (folder / "entrants" / "highest" / f"{name}.py").write_text(f"def say(view): return {number}\n")
    return load_config("highest", settings, executor="local", workers=1)


def play(config: Config) -> list[set[str]]:
    """Return the bots of each table."""
    with prepare_contest(config.played, config, NullListener()) as prepared:
        run_prepared(prepared, NullListener())
    matches = load(f"{config.results}/highest").matches
    return [{*names} for _, names in matches.groupby("match").bot]


def test_bots_of_an_author_share_no_table_and_records_verify(tmp_path: Path) -> None:
    config = replace(config_of(tmp_path), authors=AUTHORS)
    tables = play(config)
    # Each bot is the host of four tables. There are six, and a draw may miss some.
    assert len(tables) >= 4 and all(len({AUTHORS[name] for name in table}) == 3 for table in tables)
    found = tournament.verify("highest", replay="all", config=tmp_path / "tournament.toml")
    assert not found.problems and found.replayed == len(tables)


def test_without_authors_all_bots_meet(tmp_path: Path) -> None:
    tables = play(config_of(tmp_path))
    assert any(len({AUTHORS[name] for name in table}) < 3 for table in tables)


def test_too_few_authors_are_refused_with_numbers(tmp_path: Path) -> None:
    config = replace(config_of(tmp_path), authors=dict.fromkeys(AUTHORS, "ann") | {"c1": "cat"})
    with pytest.raises(InputError, match="a table of 3 needs bots of 3 authors, and these 6 bots are of 2"):
        play(config)
