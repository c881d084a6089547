"""The audit finds planted faults, each by its finding, and none in sound rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import run_cli
from tests.contest_runs import REPOSITORY
from tournament import conformance
from tournament.config import load_config
from tournament.contests.rules_loader import load_rules
from tournament.errors import InputError
from tournament.rehearsal.auditing import audit
from tournament.rehearsal.finding import Finding

RULES = """\
import itertools
import time
from tournament.rules import Column, Decision, Illegal, Int, List, News, Rules

BID = Decision("bid", "Bid", observation={"prize": Int(1, 9), "turn": Int(0, 99)}, answer=Int(0, 9), illegal="loses")
SOLD = News("sold", "Who won", observation={"best": Int(0, 9)})
COUNT = itertools.count()
KEPT = []


class Sale(Rules):
    name = "sale"
    seats = SEATS
    decisions = (BID, SOLD)
    columns = (Column("prize", "uint8", "the prize"),)
    played = 0

    def play(self, session):
        n = session.seats
        prize = session.rng.randint(1, 9)
        BEFORE
        bids = yield [BID(seat, prize=prize, turn=0) for seat in range(n)]
        bids = [-1 if isinstance(bids[seat], Illegal) else bids[seat] for seat in range(n)]
        best = session.rng.choice([seat for seat in range(n) if bids[seat] == max(bids)])
        AFTER
        yield [SOLD(seat, best=max(max(bids), 0)) for seat in range(n)]
        points = [-prize / (n - 1)] * n
        points[best] = float(prize)
        POINTS
        session.record(points, prize=prize)
"""
# Seats, the place and source of each fault, and the finding that tells it.
FAULTS = {
    "a favoured bot": ("2", "POINTS", "at = session.number % 2; points[at] += 6; points[1 - at] -= 6", "positions"),
    "who a bot is decides": ("2", "POINTS", "points = [-1.0, -1.0]; points[session.number % 2] = 1", "twins"),
    "a counter of the module": ("2", "POINTS", "prize = 1 + next(COUNT) % 9; points = [prize, -prize]", "independence"),
    "points that don't add up": ("4", "POINTS", "points[best] = round(prize * 1.001, 4)", "fuzz"),
    "a rare answer fails": ("2", "AFTER", "assert bids != [9, 9] or prize != 4", "fuzz"),
    "an answer out of an observation": ("2", "BEFORE", "prize += 1", "fuzz"),
    "a game that never ends": (
        "2", "AFTER", "\n        while max(bids) == 9: yield BID(0, prize=prize, turn=1)", "fuzz",
    ),
    "a loop without a question": ("2", "AFTER", "\n        while bids == [9, 9]: pass", "fuzz"),
    "memory that grows": ("2", "BEFORE", "KEPT.extend([one] for one in range(50))", "memory"),
    "a slow step": (
        "2",
        "AFTER",
        "\n        end = time.process_time() + 1.3 * (not KEPT)\n        KEPT.append(1)"
        "\n        while time.process_time() < end: pass",
        "slow step",
    ),
}  # fmt: skip
MORE = {key: {"rules_seconds_per_step": 0.5} for key in ("a loop without a question", "a game that never ends")} | {
    "a slow step": {"rules_seconds_per_step": 600.0}
}


def rules_with(folder: Path, seats: str = "2", **planted: str) -> Path:
    source = RULES.replace("SEATS", seats)
    for place in ("BEFORE", "AFTER", "POINTS"):
        source = source.replace(place, planted.get(place, "pass"))
    (folder / "sale.py").write_text(source)
    return folder / "sale.py"


def audited(folder: Path, seats: str = "2", settings: dict[str, float] | None = None, **planted: str) -> list[Finding]:
    contest = load_rules(rules_with(folder, seats, **planted).name, folder)
    chosen = contest.settings().model_copy(update=settings or {})
    return audit(contest, chosen, 0, lambda _: None, fewest=120)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.replace(" ", "_"))
def test_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
    seats, place, source, finding = FAULTS[fault]
    found = audited(tmp_path, seats, MORE.get(fault), **{place: source})
    assert finding in {one.name for one in found if one.is_fault}, found


@pytest.mark.parametrize("seats", ["2", "4", '"all"'])
def test_sound_rules_have_no_fault(seats: str, tmp_path: Path) -> None:
    found = audited(tmp_path, seats)
    assert not [one for one in found if one.is_fault]
    assert {"fuzz", "independence", "twins", "luck and length", "cost"} <= {one.name for one in found}
    assert not [one for one in found if one.name == "positions"]


def test_favoured_position_has_worth_and_is_no_fault(tmp_path: Path) -> None:
    found = audited(tmp_path, "4", POINTS="points[2] += 12; points = [one - 3 for one in points]")
    assert not [one for one in found if one.is_fault]
    told = [one.text for one in found if one.name == "positions"]
    assert len(told) == 3 and all("position 2 earns +" in text and "multiple of 4 sessions" in text for text in told)


def test_growing_points_of_leg_are_reported_as_drift(tmp_path: Path) -> None:
    found = audited(tmp_path, POINTS="points = [one * (1 + session.number) for one in points]")
    assert not [one for one in found if one.is_fault]
    assert ["change by +" in one.text for one in found if one.name == "drift"] == [True]


def test_command_shows_findings_after_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "CHECKS", conformance.CHECKS[:1])
    monkeypatch.setattr(conformance, "position_values", lambda suite: [])
    options = ("--audit", "--minutes", "0.01", "--seed", "7")
    shown = run_cli("check", str(rules_with(tmp_path)), *options, columns=200)
    assert shown.code == 0 and "fit to be played" in shown.out
    assert "documented" in shown.out and "Raises:" not in shown.out
    assert "tournaments of equal bots at 2 seats tell them apart; 5% may" in shown.out
    assert "the slowest step took" in shown.out and "before bid at position" in shown.out
    rules_with(tmp_path, POINTS="points = [float('nan'), 0.0]")
    (tmp_path / "tournament.toml").write_text('[sale]\nrules = "sale.py"\n')
    shown = run_cli("check", "sale", *options, "--config", str(tmp_path / "tournament.toml"))
    assert shown.code == 1 and "not fit to be played" in shown.out and "documented" not in shown.out
    assert run_cli("check", __file__, "--audit").code == 2


def test_contest_with_core_is_audited_without_foresight() -> None:
    config = load_config("prisoners_dilemma", REPOSITORY / "tournament.toml")
    found = audit(config.played, config.contest, 0, lambda _: None)
    assert not [one for one in found if one.is_fault]
    assert {one.name for one in found} == {"fuzz", "independence", "twins", "luck and length", "cost"}


def test_audit_of_house_contest_is_refused() -> None:
    config = load_config("two_card_draw", REPOSITORY / "tournament.toml")
    with pytest.raises(InputError, match="bots of Two-card draw play house players, not each other"):
        audit(config.played, config.contest, 0, lambda _: None)
