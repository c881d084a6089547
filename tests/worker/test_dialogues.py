"""Dialogues in lanes: lines from a program to what understands them, and back, whatever pieces they come in."""

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
from engine.processes.lines import MOST_LINE_BYTES
from engine.watching.scripted_core import ScriptedCore
from tests.worker.test_messages import Pipes


@dataclass
class Echo:
    """Answers a line of words with them; a number is the program's answer, 13 a violation, and 17 our own mistake."""

    heard: list[bytes] = field(default_factory=list)

    def asked(self) -> list[str]:
        return ["what", "number?"]

    def said(self, line: bytes) -> list[str] | int:
        self.heard.append(line)
        if line == b"13":
            raise Violation("unlucky")
        if line == b"17":
            raise KeyError("a mistake")
        if len(line) > MOST_LINE_BYTES:
            raise Violation("too long")
        return int(line) if line.isdigit() else [line.decode()]

    def ended(self) -> list[str]:
        return []


@dataclass
class Talk:
    """A lane that asks for numbers, in a dialogue, and the program's ends of its pipes."""

    questions: int = 3
    dialogue: Echo = field(default_factory=Echo)
    table: Lanes = field(default_factory=lambda: Lanes(8, []))

    def __post_init__(self) -> None:
        self.process = Pipes(self.table, lines=True, dialogue=self.dialogue)
        self.channel = self.process.number
        os.set_blocking(self.process.reads, False)
        self.core = ScriptedCore([(0, bytes(8))] * self.questions, 8)
        nothing = Table({"rows": "uint8"}, 1)
        self.lane = self.table.open_lane(self.core, None, nothing, nothing, (self.channel, -1), (0, -1))

    def say(self, text: bytes) -> list[tuple[int, int, int, str]]:
        """Write as the program and play; what the caller of the lanes is told."""
        os.write(self.process.writes, text)
        return self.table.run(0.01)

    def told(self) -> bytes:
        with contextlib.suppress(BlockingIOError):
            return os.read(self.process.reads, 1 << 20)
        return b""


@pytest.fixture
def talk() -> Iterator[Talk]:
    talk = Talk()
    yield talk
    talk.process.close()


ASKED = b"what\nnumber?\n"


def test_a_decision_may_take_many_lines(talk: Talk) -> None:
    assert talk.say(b"") == []
    assert talk.told() == ASKED
    assert talk.say(b"well\n") == []
    assert talk.told() == b"well\n"
    assert talk.say(b"let me see\n5\n") == []
    assert talk.told() == b"let me see\n" + ASKED
    assert talk.core.answers == [5]
    assert talk.table.channels.is_outstanding(talk.channel)[:2] == (True, 2)


def test_a_line_of_255_bytes_is_the_longest(talk: Talk) -> None:
    assert talk.say(b"x" * 255 + b"\n") == []
    assert talk.told() == ASKED + b"x" * 255 + b"\n"
    ((kind, _, channel, text),) = talk.say(b"y" * 256 + b"\n")
    assert (kind, channel, text) == (WROTE_NO_ANSWER, talk.channel, "too long")
    assert talk.dialogue.heard[-1] == b"y" * 256


def test_a_violation_fails_the_channel(talk: Talk) -> None:
    assert talk.say(b"5\n13\n6\n") == [(WROTE_NO_ANSWER, -1, talk.channel, "unlucky")]
    assert talk.dialogue.heard == [b"5", b"13"]
    assert talk.say(b"7\n") == []


def test_nothing_is_heard_while_a_lane_is_stopped(talk: Talk) -> None:
    assert talk.say(b"well\n") == []
    talk.table.stop(talk.lane, 0)
    assert talk.say(b"let me see\n") == []
    assert talk.dialogue.heard == [b"well"]


def test_our_own_mistakes_are_not_the_programs(talk: Talk) -> None:
    with pytest.raises(KeyError, match="a mistake"):
        talk.say(b"17\n")


def test_what_is_not_read_yet_waits_and_comes_in_order(talk: Talk) -> None:
    asked = b"a question\n" * 1000
    for count in range(1000, 11_000, 1000):  # more than a pipe holds
        assert talk.say(asked) == []
        while len(talk.dialogue.heard) < count:
            assert talk.table.run(0.01) == []
    told = b""
    while len(told) < len(ASKED + asked * 10):  # a look may come before the pipe takes more
        told += talk.told()
        assert talk.table.run(0.01) == []
    assert told == ASKED + asked * 10


@pytest.mark.slow
def test_what_is_never_read_is_too_much(talk: Talk) -> None:
    lines = (b"x" * 250 + b"\n") * 200
    events: list[tuple[int, int, int, str]] = []
    written = 0
    os.set_blocking(talk.process.writes, False)
    while not events and written < 32 << 20:
        with contextlib.suppress(BlockingIOError):
            written += os.write(talk.process.writes, lines[written % len(lines) :])  # a pipe may take a part of it
        events = talk.table.run(0.01)
    assert events == [(CHANNEL_FAILED, -1, talk.channel, "does not read what it is told")]


def test_a_closed_input_is_no_fault_while_answers_come(talk: Talk) -> None:
    os.close(talk.process.reads)
    assert talk.say(b"5\n6\n") == []
    os.write(talk.process.writes, b"7\n")
    os.close(talk.process.writes)
    assert [event[0] for event in talk.table.run(0.01)] == [LEG_IS_OVER]
    assert talk.core.answers == [5, 6, 7]
