"""Consequences of a fault: a record, and a new bot or the end of the leg."""

from __future__ import annotations

from engine.watching.scripted_core import ScriptedCore
from tests.built_in import VON_NEUMANN_POKER
from tests.worker.support import A, B
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.keys import KEY_BYTES, seed_after_faults
from tournament.leg import Failure, Leg, LegPlan, Seat, cant_start
from tournament.worker.faults import LegFaults, last_lines

SEATS = (Seat("one", "wasm", "x", 7), Seat("two", "python", "y", 8))
LEG = Leg("digest", LegPlan(0, 1, 10, bytes(KEY_BYTES)), SEATS)


def faults_of(allowed: int) -> LegFaults:
    return LegFaults(VON_NEUMANN_POKER, Settings(max_faults=allowed), LEG)


def asking() -> ScriptedCore:
    """Return a core that asks seat x its second question."""
    core = ScriptedCore([A, B], VON_NEUMANN_POKER.interface.view_size)
    core.play()
    core.play(0)
    return core


def test_bot_restarts_with_new_seed_until_disqualified() -> None:
    core, faults = asking(), faults_of(2)
    for number in (1, 2):
        again = faults.add(core, Failure(f"went wrong {number}"), b"\n".join(b"%d" % n for n in range(9)))
        assert again == Seat("one", "wasm", "x", seed_after_faults(7, number))
        assert faults.ended_by is None
    assert faults.add(core, Failure("went wrong 3", "fuel")) is None
    assert faults.ended_by == 0
    first, _, last = faults.all
    assert (first.seat, first.session, first.game, first.decision) == (0, 10, 1, "b")
    assert (first.message, first.last_output, last.last_output) == ("went wrong 1", "4\n5\n6\n7\n8", "")
    assert (first.kind, last.kind) == ("other", "fuel")
    assert first.question_text.startswith("b: card 0.5, ")


def test_irreplaceable_bot_ends_leg_with_first_fault() -> None:
    faults = faults_of(9)
    assert faults.add(asking(), Failure("said nothing"), replaceable=False) is None
    assert (faults.ended_by, len(faults.all)) == (0, 1)


def test_bot_that_cannot_start_ends_leg() -> None:
    faults = faults_of(9)
    faults.add_at_start(1, cant_start("too large").failure)
    (fault,) = faults.all
    assert (fault.seat, fault.session, fault.game, fault.decision, fault.question_text) == (1, 10, 0, "a", "")
    assert (fault.message, fault.kind) == ("can't start: too large", "start")
    assert faults.ended_by == 1


def test_last_lines_of_output_are_printable() -> None:
    assert last_lines(b"a\x1eb\x1f\xff\r\n" + "ü\u2028".encode() + b"x" * 300) == "a?b?�\nü?" + "x" * 198
