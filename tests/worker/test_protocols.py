"""Hostile processes, invented by hypothesis: whatever they write, when and in what pieces, is an answer or a fault.

The bounds-checked build (`make debug`) runs this file, so that a wrong index ends the tests.
"""

from __future__ import annotations

import contextlib
import os
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.holdem_training.core import HoldemTraining
from engine.kernel.game_core import FAULT, LEG_IS_OVER
from engine.kernel.records import Table
from engine.processes.channels import CHANNEL_FAILED, WROTE_NO_ANSWER
from engine.processes.lanes import Lanes
from engine.processes.lines import MOST_LINE_BYTES
from tests.built_in import HOLDEM_TRAINING
from tests.oracles.deals import key_of
from tests.worker.support import A, B
from tests.worker.test_messages import ANSWER, HEADER, Event, Pipes, Stage
from tournament.store.columns import buffer_fields

FAILED = (CHANNEL_FAILED, WROTE_NO_ANSWER)
MANY = settings(max_examples=150, deadline=None, derandomize=True)
LONG = st.sampled_from([MOST_LINE_BYTES, MOST_LINE_BYTES + 1, 5000, 30_000])


def signed(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)


def write_all(stage: Stage, process: Pipes, text: bytes, cuts: list[int]) -> list[Event]:
    """Write a text in pieces, playing after each; what the caller of the lanes is told. Then the writer is gone."""
    events: list[Event] = []
    for start, end in pairwise(sorted({cut % (len(text) + 1) for cut in cuts} | {0, len(text)})):
        with contextlib.suppress(BrokenPipeError):
            os.write(process.writes, text[start:end])
        events += stage.run(0.001)
    os.close(process.writes)
    for _ in range(3):
        events += stage.run(0.001)
    process.close()
    return events


@pytest.mark.slow
@MANY
@given(
    header=st.tuples(*[st.integers(0, 40) | st.integers(0, 2**32 - 1)] * 4),
    is_right=st.tuples(*[st.booleans()] * 3),
    items=st.lists(
        st.tuples(signed(64), signed(16), st.integers(-5, 300) | signed(16), st.integers(-5, 500) | signed(32)),
        max_size=5,
    ),
    text=st.binary(max_size=900),
    cuts=st.lists(st.integers(0, 2000), max_size=4),
)
def test_a_python_host_may_write_any_message(
    header: tuple[int, int, int, int],
    is_right: tuple[bool, bool, bool],
    items: list[tuple[int, int, int, int]],
    text: bytes,
    cuts: list[int],
) -> None:
    stage = Stage()
    process = stage.process()
    numbers = [stage.lane(process, [A], slot) for slot in range(3)]
    serial, _ = process.asked()
    body = b"".join(ANSWER.pack(*item) for item in items) + text
    right = (HEADER.size + len(body), serial, len(items))
    size, serial, count = (mine if take else other for take, mine, other in zip(is_right, right, header))
    message = HEADER.pack(size, serial, count, header[3] if header[3] < 40 else len(text)) + body
    events = write_all(stage, process, message, cuts)
    told = [event[1] for event in events if event[0] not in FAILED]
    assert sorted(told) == numbers or [event[0] for event in events] in ([kind] for kind in FAILED)
    assert all(len(event[3]) <= 511 for event in events)


@pytest.mark.slow
@MANY
@given(
    start=st.sampled_from([b"", b"ACTION ", b"ACTION 5", b"ACTION [", b"\n", b"\0", b"\r\n"]),
    middle=st.one_of(st.binary(max_size=30), st.integers(-(10**25), 10**25).map(lambda n: str(n).encode())),
    blanks=st.one_of(st.just(0), LONG),
    end=st.sampled_from([b"", b"\n", b"\r\n", b"\n\n", b"\nACTION 0\n"]),
    cuts=st.lists(st.integers(0, 40_000), max_size=4),
)
def test_a_program_may_write_any_bytes(start: bytes, middle: bytes, blanks: int, end: bytes, cuts: list[int]) -> None:
    stage = Stage()
    process = stage.process(lines=True)
    stage.lane(process, [A, B])
    process.await_question()
    events = write_all(stage, process, start + b" " * blanks + middle + end, cuts)
    assert [event[0] for event in events] in ([LEG_IS_OVER], *([kind] for kind in FAILED))


WORDS = st.sampled_from(
    [
        *b"ACTION CHECK FOLD RAISE CALL RATE RATES STATE BOB 0 1 -1 100 101 1e3".split(),
        *(b"9" * 30, b"\xff", b"\0", b"\t", b"x" * 300, b""),
    ]
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    lines=st.lists(st.one_of(st.lists(WORDS, max_size=7).map(b" ".join), st.binary(max_size=40)), max_size=6),
    end=st.sampled_from([b"", b"\n", b"\r\n"]),
    cuts=st.lists(st.integers(0, 1000), max_size=4),
)
def test_holdems_dialogue_may_hear_anything(lines: list[bytes], end: bytes, cuts: list[int]) -> None:
    """A fault of the program at worst: an exception of the dialogue's own would end the run."""
    contest, interface = HOLDEM_TRAINING, HOLDEM_TRAINING.interface
    tables = Table(buffer_fields(contest.games), 4), Table(buffer_fields(contest.sessions), 4)
    core = HoldemTraining(*tables, deals_key=key_of(1), sessions=1, hands=3)
    assert interface.new_dialogue
    stage = Stage(Lanes(interface.view_size, []))
    process = stage.process(lines=True, dialogue=interface.new_dialogue(core, key_of(7)))
    stage.table.open_lane(core, None, *tables, (process.number, -1), (0, -1))
    events = write_all(stage, process, b"\n".join(lines) + end, cuts)
    assert events and {event[0] for event in events} <= {LEG_IS_OVER, FAULT, *FAILED}


def test_a_contest_that_exceeds_the_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="129 bytes"):
        Lanes(129, [])
