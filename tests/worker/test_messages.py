"""Messages between the worker and processes, which are pipes in these tests.

The bounds-checked build (`make debug`) runs this file, so that a wrong index ends the tests.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.game_core import LEG_IS_OVER
from engine.processes.channels import CHANNEL_FAILED, WROTE_NO_ANSWER
from engine.processes.lanes import Lanes, Violation
from engine.processes.lines import MAX_ACTION_BYTES
from engine.watching.scripted_core import ScriptedCore
from tests.built_in import VON_NEUMANN_POKER
from tests.support import poker_tables
from tests.worker.support import A, B, Question, view

INTERFACE = VON_NEUMANN_POKER.interface
STRIDE = 16 + -(-INTERFACE.view_size // 8) * 8
HEADER = struct.Struct("<IIII")
ANSWER = struct.Struct("<qhhi")
FAILED = (CHANNEL_FAILED, WROTE_NO_ANSWER)
Event = tuple[int, int, int, str]


class Pipes:
    """The ends of a channel's pipes that a process would have."""

    def __init__(self, table: Lanes, **how: Any) -> None:
        self.table = table
        self.reads, self.to_bot = os.pipe()
        self.from_bot, self.writes = os.pipe()
        self.errors, self.complains = os.pipe()
        self.number = table.channels.open(self.to_bot, self.from_bot, self.errors, **{"lines": False, **how})

    def await_question(self) -> None:
        while not self.table.channels.is_outstanding(self.number)[0]:
            assert self.table.run(0.01) == []

    def asked(self) -> tuple[int, list[int]]:
        """Run until there is a message, and return its serial and the kinds of its questions."""
        self.await_question()
        return self.read()

    def read(self) -> tuple[int, list[int]]:
        size, serial, count, text_size = HEADER.unpack(os.read(self.reads, HEADER.size))
        assert (size, text_size) == (HEADER.size + count * STRIDE, 0)
        content = b""
        while len(content) < count * STRIDE:
            content += os.read(self.reads, count * STRIDE - len(content))
        return serial, [struct.unpack_from("<i", content, n * STRIDE + 4)[0] for n in range(count)]

    def answer(self, serial: int, *answers: int) -> None:
        os.write(self.writes, reply(serial, [(answer, 0, b"") for answer in answers]))

    def close(self) -> None:
        for descriptor in (self.reads, self.writes, self.complains, self.to_bot, self.from_bot, self.errors):
            with contextlib.suppress(OSError):  # some tests close one
                os.close(descriptor)


def reply(serial: int, answers: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Return a message of (answer, status, text)."""
    items = b"".join(ANSWER.pack(answer, status, 0, len(text)) for answer, status, text in answers)
    texts = b"".join(text for *_, text in answers)
    return HEADER.pack(HEADER.size + len(items) + len(texts), serial, len(answers), len(texts)) + items + texts


@dataclass
class Stage:
    """Lanes of ScriptedCores, and their pipes."""

    table: Lanes = field(default_factory=lambda: Lanes(INTERFACE.view_size, INTERFACE.shapes))
    opened: list[Pipes] = field(default_factory=list)
    cores: list[ScriptedCore] = field(default_factory=list)

    def process(self, **how: Any) -> Pipes:
        self.opened.append(Pipes(self.table, **how))
        return self.opened[-1]

    def lane(self, process: Pipes, questions: Sequence[Question] = (A, B), slot: int = 0) -> int:
        core = ScriptedCore(questions, INTERFACE.view_size)
        self.cores.append(core)
        return self.table.open_lane(core, None, *poker_tables(1, 1), (process.number, -1), (slot, -1))

    def run(self, seconds: float = 0.01) -> list[Event]:
        return [event[:4] for event in self.table.run(seconds)]


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    for process in stage.opened:
        process.close()


def test_message_carries_questions_of_many_lanes(stage: Stage) -> None:
    process = stage.process()
    numbers = [stage.lane(process, slot=slot) for slot in range(5)]
    for number in numbers:
        stage.table.start_bot(number, 0, 2**64 - 1)
    serial, kinds = process.asked()
    assert sorted(kinds) == [-1] * 5 + [0] * 5
    process.answer(serial, *[7] * 10)
    assert stage.run() == []
    serial, kinds = process.asked()
    assert kinds == [1] * 5
    process.answer(serial, *range(5))
    assert sorted(event[:2] for event in stage.run()) == [(LEG_IS_OVER, number) for number in numbers]
    assert sorted(core.answers for core in stage.cores) == [[7, n] for n in range(5)]


def test_message_in_used_memory_has_none_of_its_content(stage: Stage) -> None:
    """Bots can read their process's memory, so another leg's cards and seeds must not be in a message."""
    secret = b"\xab" * 4000
    former = stage.process(greeting=secret)
    stage.table.channels.close(former.number)
    stage.run(0.0)
    process = stage.process()  # takes over the memory
    number = stage.lane(process, [(0, bytes(INTERFACE.view_size))])
    stage.table.start_bot(number, 0, 5)
    stage.run()
    process.await_question()
    assert secret[:4] not in os.read(process.reads, 1 << 16)


def test_answers_for_dropped_and_stopped_lanes_are_ignored(stage: Stage) -> None:
    """New lanes take the numbers of dropped ones, but none of their answers."""
    process = stage.process()
    dropped, stopped, playing = (stage.lane(process, [A, A], slot) for slot in range(3))
    serial, _ = process.asked()
    unsent = stage.lane(process, [A, A], 3)
    stage.run()
    stage.table.stop(stopped, 0)
    for lane in (dropped, unsent):
        stage.table.drop(lane)
    assert {stage.lane(process, [A], slot) for slot in (4, 5)} == {dropped, unsent}
    stage.run()
    process.answer(serial, 5, 5, 5)
    assert stage.run() == []
    assert [core.answers for core in stage.cores] == [[], [], [5], [], [], []]
    serial, kinds = process.asked()
    assert len(kinds) == 4, "with the question that was gathered for the dropped lane"
    process.answer(serial, 6, 6, 6, 6)
    assert sorted(event[1] for event in stage.run()) == sorted((dropped, unsent, playing))
    assert [core.answers for core in stage.cores] == [[], [], [5, 6], [], [6], [6]]
    stage.table.resume(stopped, 9)
    stage.run()
    assert stage.cores[1].answers == [9]


def test_program_reads_greeting_then_decisions_as_json(stage: Stage) -> None:
    process = stage.process(lines=True, greeting=b"1000\n")
    stage.lane(process, [(0, view(0.1, -1, 100, 90)), (1, view(1 / 3, 0.5, 10, 190, 50))])
    stage.run()
    assert os.read(process.reads, 1000) == b"1000\n"
    stage.run()
    assert os.read(process.reads, 1000) == (
        b'{"decision": "a", "card": 0.100000001, "opponents_previous_card": -1, "money": 100, "opponents_money": 90}\n'
    )
    os.write(process.writes, b"ACTION 20\n")
    stage.run()
    values = {"card": 0.333333343, "opponents_previous_card": 0.5, "money": 10, "opponents_money": 190, "bet": 50}
    assert json.loads(os.read(process.reads, 1000)) == {"decision": "b", **values}
    os.write(process.writes, b"ACTION 1\n")
    assert [event[0] for event in stage.run()] == [LEG_IS_OVER]
    assert stage.cores[0].answers == [20, 1]


def test_news_is_sent_with_next_question(stage: Stage) -> None:
    """News that no question follows stays unsent, before the process's last words."""
    stage.table = Lanes(8, [(True, "news", [("number", "i", 0), ("more", "i", 4)]), (False, "what", [])])
    process = stage.process(lines=True, greeting=b"1\n")
    core = ScriptedCore([(0, struct.pack("<ii", 0, 5)), (1, bytes(8)), (0, struct.pack("<ii", 0, 6))], 8)
    lane = stage.table.open_lane(core, None, *poker_tables(1, 1), (process.number, -1), (0, -1))
    process.await_question()
    assert os.read(process.reads, 1000) == b"1\n"
    stage.run()
    assert os.read(process.reads, 1000) == b'{"decision": "news", "number": 0, "more": 5}\n{"decision": "what"}\n'
    os.write(process.writes, b"ACTION 7\n")
    assert [event[0] for event in stage.run()] == [LEG_IS_OVER]
    assert core.answers == [0, 7, 0] and stage.table.decisions(lane) == (1, 0)
    assert stage.table.channels.unsent(process.number) == b'{"decision": "news", "number": 0, "more": 6}\n'


def wrong_messages(serial: int) -> dict[str, bytes]:
    good = reply(serial, [(1, 0, b""), (2, 0, b"")])

    def made(size: int, text_size: int, *prints_and_texts: tuple[int, int], more: bytes = b"") -> bytes:
        """Return a message of two answers that claim to have this many bytes of output and of text."""
        answers = b"".join(ANSWER.pack(1, 1, *sizes) for sizes in prints_and_texts)
        return HEADER.pack(size, serial, 2, text_size) + answers + more

    return {
        "another serial": reply(serial + 1, [(1, 0, b"")] * 2),
        "one byte more": good + b"x",
        "missing text": made(48, 0, (0, 5), (0, 0)),
        "huge text": made(48, 2**32 - 1, (0, 2**31 - 1), (0, 2**31 - 1)),
        "negative output": made(53, 5, (-1, 0), (6, 0), more=b"abcde"),
        "too much output": made(48 + 3201, 3201, (3201, 0), (0, 0), more=b"p" * 3201),
        "huge size": made(2**32 - 1, 0),
        "huge count": HEADER.pack(48, serial, 2**28, 0) + bytes(32),
        "end": b"",
    }


@pytest.mark.parametrize("which", wrong_messages(1))
def test_message_that_is_no_answer_fails_its_channel(stage: Stage, which: str) -> None:
    process, other = stage.process(), stage.process()
    for slot in range(2):
        stage.lane(process, [A], slot)
    bystander = stage.lane(other, [A])
    serial, _ = process.asked()
    os.write(process.writes, wrong_messages(serial)[which])
    if which == "end":
        os.close(process.writes)
    text = "" if which == "end" else "wrote what is no answer to what it was asked"
    assert stage.run(1.0) == [(CHANNEL_FAILED, -1, process.number, text)]
    assert stage.run() == []
    other.answer(other.asked()[0], 1)
    assert [event[:2] for event in stage.run()] == [(LEG_IS_OVER, bystander)]


VIOLATIONS: dict[str, tuple[bytes, str]] = {
    "two lines": (b"ACTION 0\nACTION 5\n", "answered before it was asked: ACTION 5"),
    "start of another line": (b"ACTION 0\nACT", "answered before it was asked: ACT"),
    "no value": (b"ACTION \n", "wrote an ACTION that is no JSON: ACTION "),
    "another value": (b"ACTION [1, 2]\n", "wrote no whole number: ACTION [1, 2]"),
    "too long": (b"A" * (MAX_ACTION_BYTES + 1), "wrote an over-long line: " + "A" * 100),
    "unprintable": (b"\x1b[2J\xff\0\n", "wrote what is no ACTION: ?[2J??"),
    "before its question": (b"ACTION 9\n", "answered before it was asked: ACTION 9"),
}


@pytest.mark.parametrize("which", VIOLATIONS)
def test_wrong_line_is_quoted_in_fault(stage: Stage, which: str) -> None:
    process = stage.process(lines=True)
    stage.lane(process, [A, A])
    if which != "before its question":
        process.await_question()
    line, text = VIOLATIONS[which]
    events: list[Event] = []
    for start in range(0, len(line), 1 << 12):
        os.write(process.writes, line[start : start + (1 << 12)])
        events += stage.run(0.01)
    assert (events or stage.run(1.0)) == [(WROTE_NO_ANSWER, -1, process.number, text)]
    assert which != "before its question" or stage.cores[0].answers == []


FUZZED = settings(max_examples=60, deadline=None, derandomize=True)
CUTS = st.lists(st.integers(0, 40_000), max_size=4)
WORDS = st.sampled_from([
    "ACTION", "BET", "-1", "0", "-0", "7", "+7", "07", "1.5", "1e3", "x", "true", "null", "NaN", "[1]", '"text"',
    "[" * 9000, "", "9" * 23, "-" + "9" * 23, "9223372036854775807", "0x10", "ACTION\0", "é",
])  # fmt: skip
LINES = st.tuples(
    st.sampled_from(["", "ACTION", "ACTION"]),
    st.lists(st.tuples(st.sampled_from([" ", "  ", "\t", " " * 5000]), WORDS).map("".join), max_size=4).map("".join),
    st.sampled_from(["", "\r", " \r", " "]),
).map("".join)


def write_all(stage: Stage, process: Pipes, text: bytes, cuts: list[int]) -> list[Event]:
    """Write a text in pieces, run after each piece, close the pipe, and return the events."""
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


@FUZZED
@given(LINES, CUTS)
def test_line_means_what_its_words_say(line: str, cuts: list[int]) -> None:
    stage = Stage()
    process = stage.process(lines=True)
    stage.lane(process, [A])
    process.await_question()
    ((kind, _, _, text),) = write_all(stage, process, f"{line}\n".encode(), cuts)
    words = [word for word in line.replace("\t", " ").replace("\r", " ").split(" ") if word]
    if len(words) == 2 and words[0] == "ACTION" and re.fullmatch("-?(0|[1-9][0-9]*)", words[1]):
        assert kind == LEG_IS_OVER
        found, expected = (min(max(number, -(10**18)), 10**18) for number in (stage.cores[0].answers[0], int(words[1])))
        assert found == expected
    else:
        faults = ("wrote what is no ACTION: ", "wrote an ACTION that is no JSON: ", "wrote no whole number: ")
        assert kind == WROTE_NO_ANSWER and text.startswith(faults)


def signed(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)


ITEMS = st.tuples(signed(64), signed(16), st.integers(-5, 300) | signed(16), st.integers(-5, 500) | signed(32))
HEADERS = st.tuples(*[st.none() | st.integers(0, 40) | st.integers(0, 2**32 - 1)] * 4)


@FUZZED
@given(HEADERS, st.lists(ITEMS, max_size=5), st.binary(max_size=900), CUTS)
def test_any_message_of_python_host_is_answer_or_fault(
    header: tuple[int | None, ...], items: list[tuple[int, int, int, int]], text: bytes, cuts: list[int]
) -> None:
    """Numbers of the header are right where none is given."""
    stage = Stage()
    process = stage.process()
    numbers = [stage.lane(process, [A], slot) for slot in range(3)]
    serial, _ = process.asked()
    body = b"".join(ANSWER.pack(*item) for item in items) + text
    right = (HEADER.size + len(body), serial, len(items), len(text))
    message = HEADER.pack(*[mine if other is None else other for mine, other in zip(right, header)]) + body
    events = write_all(stage, process, message, cuts)
    of_lanes = [event[1] for event in events if event[0] not in FAILED]
    assert sorted(of_lanes) == numbers or [event[0] for event in events] in ([kind] for kind in FAILED)
    assert all(len(event[3]) <= 511 for event in events)


@dataclass
class Echo:
    """A dialogue that repeats words. A number is the program's answer, 13 a violation."""

    lines: list[bytes] = field(default_factory=list)

    def question_lines(self) -> list[str]:
        return ["what", "number?"]

    def read_line(self, line: bytes) -> list[str] | int:
        self.lines.append(line)
        if line == b"13":
            raise Violation("unlucky")
        return int(line) if line.isdigit() else [line.decode()]

    def closing_lines(self) -> list[str]:
        return []


class Talk(Stage):
    """A lane that asks for three numbers in a dialogue."""

    def __init__(self) -> None:
        super().__init__(Lanes(8, []))
        self.dialogue = Echo()
        self.bot = self.process(lines=True, dialogue=self.dialogue)
        for descriptor in (self.bot.reads, self.bot.writes):
            os.set_blocking(descriptor, False)
        self.core = ScriptedCore([(0, bytes(8))] * 3, 8)
        self.only = self.table.open_lane(self.core, None, *poker_tables(1, 1), (self.bot.number, -1), (0, -1))

    def write(self, text: bytes) -> list[Event]:
        """Write as the program, run, and return the events."""
        os.write(self.bot.writes, text)
        return self.run()

    def read(self) -> bytes:
        with contextlib.suppress(BlockingIOError):
            return os.read(self.bot.reads, 1 << 20)
        return b""


@pytest.fixture
def talk(stage: Stage) -> Talk:
    talk = Talk()
    stage.opened += talk.opened
    return talk


ASKED = b"what\nnumber?\n"


def test_unread_lines_arrive_in_order_up_to_a_limit(talk: Talk) -> None:
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
    lines, events, written = (b"x" * 250 + b"\n") * 200, list[Event](), 0
    while not events and written < 32 << 20:
        with contextlib.suppress(BlockingIOError):
            written += os.write(talk.bot.writes, lines[written % len(lines) :])  # a pipe may take a part of it
        events = talk.run(0.001)
    assert events == [(CHANNEL_FAILED, -1, talk.bot.number, "does not read what it is told")]
