"""Tables of an open contest at which no two bots of one author sit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import tournament
from tournament.config import load_config
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


def test_bots_of_author_share_no_table_and_records_verify(tmp_path: Path) -> None:
    (tmp_path / "entrants" / "highest").mkdir(parents=True)
    (tmp_path / "highest.py").write_text(RULES)
    settings = tmp_path / "tournament.toml"
    settings.write_text('[highest]\nrules = "highest.py"\nsessions = 2\ntable_mates = "other_authors"\ntables = 4\n')
    for number, name in enumerate(AUTHORS):
        (tmp_path / "entrants" / "highest" / f"{name}.py").write_text(f"def say(view): return {number}\n")
    config = replace(load_config("highest", settings, executor="local", workers=1), authors=AUTHORS)
    with prepare_contest(config.played, config, NullListener()) as prepared:
        run_prepared(prepared, NullListener())
    tables = [{*names} for _, names in load(f"{config.results}/highest").matches.groupby("match").bot]
    # Each bot is the host of four tables. There are six, and a draw may miss some.
    assert len(tables) >= 4 and all(len({AUTHORS[name] for name in table}) == 3 for table in tables)
    found = tournament.verify("highest", replay="all", config=tmp_path / "tournament.toml")
    assert not found.problems and found.replayed == len(tables)
