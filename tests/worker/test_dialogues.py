"""Dialogues in lanes: the lines of a program, and the lines that answer them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from engine.kernel.game_core import LEG_IS_OVER
from engine.kernel.records import Table
from engine.processes.channels import CHANNEL_FAILED, WROTE_NO_ANSWER
from engine.processes.lanes import Lanes, Violation
from engine.watching.scripted_core import ScriptedCore
from tests.worker.test_messages import Event, Pipes


@dataclass
class Echo:
    """A dialogue that repeats words. A number is the program's answer, 13 a violation, and 17 an error of ours."""

    lines: list[bytes] = field(default_factory=list)

    def asked(self) -> list[str]:
        return ["what", "number?"]

    def said(self, line: bytes) -> list[str] | int:
        self.lines.append(line)
        if line == b"13":
            raise Violation("unlucky")
        if line == b"17":
            raise KeyError("a mistake")
        return int(line) if line.isdigit() else [line.decode()]

    def ended(self) -> list[str]:
        return []


@dataclass
class Talk:
    """A lane that asks for numbers in a dialogue, and the program's ends of its pipes."""

    dialogue: Echo = field(default_factory=Echo)
    table: Lanes = field(default_factory=lambda: Lanes(8, []))

    def __post_init__(self) -> None:
        self.process = Pipes(self.table, lines=True, dialogue=self.dialogue)
        self.channel = self.process.number
        os.set_blocking(self.process.reads, False)
        self.core = ScriptedCore([(0, bytes(8))] * 3, 8)
        nothing = Table({"rows": "uint8"}, 1)
        self.lane = self.table.open_lane(self.core, None, nothing, nothing, (self.channel, -1), (0, -1))

    def write(self, text: bytes) -> list[Event]:
        """Write as the program, run, and return the events."""
        os.write(self.process.writes, text)
        return self.run()

    def run(self) -> list[Event]:
        return [event[:4] for event in self.table.run(0.01)]

    def read(self) -> bytes:
        with contextlib.suppress(BlockingIOError):
            return os.read(self.process.reads, 1 << 20)
        return b""


@pytest.fixture
def talk() -> Iterator[Talk]:
    talk = Talk()
    yield talk
    talk.process.close()


ASKED = b"what\nnumber?\n"


def test_decision_takes_many_lines(talk: Talk) -> None:
    assert talk.write(b"") == [] and talk.read() == ASKED
    assert talk.write(b"well\n") == [] and talk.read() == b"well\n"
    assert talk.write(b"let me see\n5\n") == [] and talk.read() == b"let me see\n" + ASKED
    assert talk.core.answers == [5]
    assert talk.table.channels.is_outstanding(talk.channel)[:2] == (True, 2)
    talk.table.stop(talk.lane, 0)
    assert talk.write(b"later\n") == []
    assert talk.dialogue.lines == [b"well", b"let me see", b"5"], "a stopped lane takes no lines"


@pytest.mark.parametrize(("last", "why"), [(b"13\n6\n", "unlucky"), (b"y" * 256 + b"\n", "wrote an over-long line")])
def test_violation_fails_the_channel(last: bytes, why: str, talk: Talk) -> None:
    assert talk.write(b"x" * 255 + b"\n") == []
    assert talk.read() == ASKED + b"x" * 255 + b"\n"
    assert talk.write(b"5\n" + last) == [(WROTE_NO_ANSWER, -1, talk.channel, why)]
    assert talk.dialogue.lines[1:] == [b"5", last.split(b"\n")[0]]
    assert talk.write(b"7\n") == []


def test_error_of_dialogue_is_raised(talk: Talk) -> None:
    with pytest.raises(KeyError, match="a mistake"):
        talk.write(b"17\n")


def test_unread_lines_arrive_in_order(talk: Talk) -> None:
    asked = b"a question\n" * 1000
    for count in range(1000, 11_000, 1000):  # more than a pipe holds
        assert talk.write(asked) == []
        while len(talk.dialogue.lines) < count:
            assert talk.run() == []
    text = b""
    while len(text) < len(ASKED + asked * 10):  # a run may come before the pipe takes more
        text += talk.read()
        assert talk.run() == []
    assert text == ASKED + asked * 10


@pytest.mark.slow
def test_lines_never_read_are_a_fault(talk: Talk) -> None:
    lines = (b"x" * 250 + b"\n") * 200
    events: list[Event] = []
    written = 0
    os.set_blocking(talk.process.writes, False)
    while not events and written < 32 << 20:
        with contextlib.suppress(BlockingIOError):
            written += os.write(talk.process.writes, lines[written % len(lines) :])  # a pipe may take a part of it
        events = talk.run()
    assert events == [(CHANNEL_FAILED, -1, talk.channel, "does not read what it is told")]


def test_closed_input_is_no_fault_while_answers_come(talk: Talk) -> None:
    os.close(talk.process.reads)
    assert talk.write(b"5\n6\n") == []
    os.write(talk.process.writes, b"7\n")
    os.close(talk.process.writes)
    assert [event[0] for event in talk.run()] == [LEG_IS_OVER]
    assert talk.core.answers == [5, 6, 7]
