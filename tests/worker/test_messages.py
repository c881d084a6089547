"""Messages between the worker and processes, which are pipes in these tests.

The bounds-checked build (`make debug`) runs this file, so that a wrong index ends the tests.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import struct
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.holdem_training.core import HoldemTraining
from engine.kernel.game_core import FAULT, LEG_IS_OVER
from engine.kernel.records import Table
from engine.processes.channels import BOT_FAULTY, CHANNEL_FAILED, WROTE_NO_ANSWER
from engine.processes.lanes import Lanes
from engine.processes.lines import MAX_ACTION_BYTES
from engine.watching.scripted_core import ScriptedCore
from tests.built_in import HOLDEM_TRAINING, VON_NEUMANN_POKER
from tests.oracles.deals import key_of
from tests.processes import wait_until
from tests.support import poker_tables
from tests.worker.support import A, B, Question, view
from tournament.store.columns import buffer_fields

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


def reply(serial: int, answers: Sequence[tuple[int, int, bytes]], printed: bytes = b"") -> bytes:
    """Return a message of (answer, status, text). Each leg has printed the text and its number, if it isn't empty."""
    prints = [printed and printed + b"%d" % number for number in range(len(answers))]
    items = b"".join(
        ANSWER.pack(answer, status, len(own), len(text)) for (answer, status, text), own in zip(answers, prints)
    )
    texts = b"".join(text + own for (_, _, text), own in zip(answers, prints))
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


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer ends a process that has no memory left"
)
def test_messages_without_memory_end_run(stage: Stage) -> None:
    process = stage.process()
    for slot in range(6000):
        stage.lane(process, slot=slot)
    reads, writes = os.pipe()
    if not (child := os.fork()):
        outcome = "no exception"
        try:
            resource.setrlimit(resource.RLIMIT_AS, (1, resource.RLIM_INFINITY))
            blocks = []
            with contextlib.suppress(MemoryError):  # Only small blocks are left then.
                while True:
                    blocks.append(bytes(1 << 16))
            stage.run()
        except MemoryError as error:
            outcome = str(error)
        finally:
            os.write(writes, outcome.encode())
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writes)
    assert os.read(reads, 500) == b"no memory is left for bots' questions and answers"
    os.close(reads)


def test_output_of_shared_leg_comes_with_its_fault(stage: Stage) -> None:
    process = stage.process()
    for slot in range(3):
        stage.lane(process, [A, A], slot)
    serial, _ = process.asked()
    printed = b"\x1e1\nforged\x1f" + b"p" * 1000
    os.write(process.writes, reply(serial, [(0, 1, b"one"), (0, 1, b""), (0, 0, b"")], printed))
    events = sorted((event[0], *event[3:]) for event in stage.table.run(0.01))
    assert [event[:2] for event in events] == [(BOT_FAULTY, ""), (BOT_FAULTY, "one")]
    assert sorted(event[2] for event in events) == [printed + b"0", printed + b"1"]


def wrong_messages(serial: int) -> dict[str, bytes]:
    good = reply(serial, [(1, 0, b""), (2, 0, b"")])

    def made(size: int, text_size: int, *prints_and_texts: tuple[int, int], more: bytes = b"") -> bytes:
        """Return a message of two answers that claim to have this many bytes of output and of text."""
        answers = b"".join(ANSWER.pack(1, 1, *sizes) for sizes in prints_and_texts)
        return HEADER.pack(size, serial, 2, text_size) + answers + more

    return {
        "garbage": b"\xff" * 64,
        "another serial": reply(serial + 1, [(1, 0, b"")] * 2),
        "too few": reply(serial, [(1, 0, b"")]),
        "too many": reply(serial, [(1, 0, b"")] * 3),
        "one byte more": good + b"x",
        "missing text": made(48, 0, (0, 5), (0, 0)),
        "text of no answer": made(53, 5, (0, 2), (0, 2), more=b"abcde"),
        "huge text": made(48, 2**32 - 1, (0, 2**31 - 1), (0, 2**31 - 1)),
        "negative output": made(53, 5, (-1, 0), (6, 0), more=b"abcde"),
        "too much output": made(48 + 3201, 3201, (3201, 0), (0, 0), more=b"p" * 3201),
        "huge size": made(2**32 - 1, 0),
        "huge count": HEADER.pack(48, serial, 2**28, 0) + bytes(32),
        "end": b"",
    }


@pytest.mark.parametrize("which", sorted(wrong_messages(1)))
def test_message_that_is_no_answer_fails_its_channel(stage: Stage, which: str) -> None:
    process, other = stage.process(), stage.process()
    for slot in range(2):
        stage.lane(process, [A], slot)
    bystander = stage.lane(other, [A])
    stage.run()
    serial, _ = process.asked()
    os.write(process.writes, wrong_messages(serial)[which])
    if which == "end":
        os.close(process.writes)
    text = "" if which == "end" else "wrote what is no answer to what it was asked"
    assert stage.run(1.0) == [(CHANNEL_FAILED, -1, process.number, text)]
    assert stage.run() == []
    other.answer(other.asked()[0], 1)
    assert [event[:2] for event in stage.run()] == [(LEG_IS_OVER, bystander)]


def test_message_larger_than_pipe_arrives(stage: Stage) -> None:
    """Thousands of lanes have questions and reasons, while another channel keeps the worker busy."""
    count = 4000
    process, busy = stage.process(), stage.process()
    for slot in range(count):
        stage.lane(process, [A], slot)
    endless = stage.lane(busy, [A] * 10**6)
    running, chatting = True, threading.Event()

    def chat() -> None:
        while running:
            busy.answer(busy.read()[0], 0)
            chatting.set()

    def answer() -> None:
        assert chatting.wait(60)
        serial, kinds = process.read()
        message = reply(serial, [(0, 1, b"r" * 400)] * len(kinds))
        while message:
            message = message[os.write(process.writes, message) :]

    threads = [threading.Thread(target=job, daemon=True) for job in (chat, answer)]
    for thread in threads:
        thread.start()
    events: list[Event] = []

    def have_all_come() -> bool:
        events.extend(stage.run(0.05))
        return len(events) >= count

    assert wait_until(have_all_come)
    running = False
    stage.run(0.05)
    stage.table.drop(endless)
    threads[1].join(60)
    assert len(events) == count and {(event[0], event[3]) for event in events} == {(BOT_FAULTY, "r" * 400)}
    os.close(busy.reads)


def test_answers_for_dropped_and_stopped_lanes_are_ignored(stage: Stage) -> None:
    process = stage.process()
    dropped, stopped, playing = (stage.lane(process, [A, A], slot) for slot in range(3))
    stage.run()
    serial, _ = process.asked()
    stage.table.drop(dropped)
    stage.table.stop(stopped, 0)
    process.answer(serial, 5, 5, 5)
    assert stage.run() == []
    assert [core.answers for core in stage.cores] == [[], [], [5]]
    stage.table.resume(stopped, 9)
    stage.run()
    serial, kinds = process.asked()
    assert len(kinds) == 1  # The stopped lane's question waits for the playing lane's answer.
    process.answer(serial, 6)
    assert [event[:2] for event in stage.run()] == [(LEG_IS_OVER, playing)]
    assert stage.cores[1].answers == [9]


def test_dropped_lane_leaves_its_number_without_its_answers(stage: Stage) -> None:
    process = stage.process()
    asked = stage.lane(process, [A, A], 0)
    stage.run()
    serial, _ = process.asked()
    unsent = stage.lane(process, [A, A], 1)
    stage.run()
    for lane in (asked, unsent):
        stage.table.drop(lane)
    assert {stage.lane(process, [A], slot) for slot in (2, 3)} == {asked, unsent}
    stage.run()
    process.answer(serial, 5)
    stage.run()
    serial, kinds = process.asked()
    assert len(kinds) == 3, "with the question that was gathered for the dropped lane"
    process.answer(serial, 7, 8, 9)
    assert sorted(event[:2] for event in stage.run()) == [(LEG_IS_OVER, 0), (LEG_IS_OVER, 1)]
    assert [core.answers for core in stage.cores[:2]] == [[], []]
    assert sorted(core.answers for core in stage.cores[2:]) == [[8], [9]]


def test_number_of_closed_channel_is_reused_after_next_run(stage: Stage) -> None:
    first = stage.process()
    lane = stage.lane(first, [A])
    stage.run()
    stage.table.stop(lane, 0)
    stage.table.channels.close(first.number)
    with pytest.raises(ValueError, match="closed already"):
        stage.table.channels.close(first.number)
    second = stage.process()
    assert second.number != first.number
    stage.run()
    third = stage.process(lines=True)
    assert third.number == first.number
    stage.table.change_channel(lane, 0, third.number)
    stage.table.resume(lane)
    # The caller has answered the first question, so the leg is over.
    assert [event[:2] for event in stage.run()] == [(LEG_IS_OVER, lane)]


def test_report_of_start_ends_it(stage: Stage) -> None:
    process = stage.process()
    first, second = stage.lane(process), stage.lane(process, slot=1)
    stage.table.start_bot(first, 0, 1)
    serial, _ = process.asked()
    state = stage.table.channels.is_outstanding
    assert state(process.number) == (True, 1, True)
    for part in (report := HEADER.pack(HEADER.size, serial, 0, 0))[:7], report[7:]:
        os.write(process.writes, part)
        stage.run()
    assert state(process.number) == (True, 1, False)
    process.answer(serial, 0, 50, 50)
    stage.table.start_bot(second, 0, 2)  # The next message has the start.
    while state(process.number)[1] == 1:
        assert stage.run() == []
    serial, kinds = process.read()
    assert -1 in kinds and state(process.number) == (True, 2, True)
    process.answer(serial, *[1] * len(kinds))
    stage.run()
    assert [core.answers for core in stage.cores] == [[50, 1]] * 2


def test_program_reads_greeting_then_decisions_as_json(stage: Stage) -> None:
    process = stage.process(lines=True, greeting=b"1000\n")
    stage.lane(process, [(0, view(0.1, -1, 100, 90)), (1, view(1 / 3, 0.5, 10, 190, 50))])
    stage.run()
    assert os.read(process.reads, 1000) == b"1000\n"
    assert stage.table.channels.is_outstanding(process.number) == (True, 1, True)
    stage.run()
    assert os.read(process.reads, 1000) == (
        b'{"decision": "a", "card": 0.100000001, "opponents_previous_card": -1, "money": 100, "opponents_money": 90}\n'
    )
    assert stage.table.channels.is_outstanding(process.number) == (True, 1, False)
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


VIOLATIONS: dict[str, tuple[bytes, str]] = {
    "two lines": (b"ACTION 0\nACTION 5\n", "answered before it was asked: ACTION 5"),
    "start of another line": (b"ACTION 0\nACT", "answered before it was asked: ACT"),
    "empty line": (b"\n", "wrote what is no ACTION: "),
    "no value": (b"ACTION \n", "wrote an ACTION that is no JSON: ACTION "),
    "another value": (b"ACTION [1, 2]\n", "wrote no whole number: ACTION [1, 2]"),
    "too long": (b"A" * (MAX_ACTION_BYTES + 1), "wrote an over-long line: " + "A" * 100),
    "unprintable": (b"\x1b[2J\xff\0\n", "wrote what is no ACTION: ?[2J??"),
    "before its question": (b"ACTION 9\n", "answered before it was asked: ACTION 9"),
}


@pytest.mark.parametrize("which", sorted(VIOLATIONS))
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


MANY = settings(max_examples=150, deadline=None, derandomize=True)
CUTS = st.lists(st.integers(0, 40_000), max_size=4)
WORDS = st.sampled_from([
    "ACTION", "BET", "action", "-1", "0", "-0", "7", "+7", "-7", "07", "1.5", "1e3", "x", "true", "null", "NaN", "[1]",
    '"text"', '{"a": 1}', "[" * 9000, "", "9" * 23, "-" + "9" * 23, "9223372036854775807", "0x10", "١", "ACTION\0", "é",
])  # fmt: skip
BLANKS = st.sampled_from([" ", "  ", "\t", " \t ", " " * 5000])


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


def meaning(line: bytes) -> int | None:
    """Return the answer in a line, by its words, or None for a fault."""
    words = [word for word in line.decode("latin-1").replace("\t", " ").replace("\r", " ").split(" ") if word]
    if len(words) == 2 and words[0] == "ACTION" and re.fullmatch("-?(0|[1-9][0-9]*)", words[1]):
        return min(max(int(words[1]), -(10**18)), 10**18)
    return None


@pytest.mark.slow
@MANY
@given(
    first=st.sampled_from(["", "ACTION", "ACTION"]),
    pieces=st.lists(st.tuples(BLANKS, WORDS), max_size=4),
    end=st.sampled_from(["", "\r", " \r", "\r\r", " "]),
    cuts=CUTS,
)
def test_line_means_what_its_words_say(first: str, pieces: list[tuple[str, str]], end: str, cuts: list[int]) -> None:
    line = (first + "".join(blank + word for blank, word in pieces) + end).encode()
    stage = Stage()
    process = stage.process(lines=True)
    stage.lane(process, [A])
    process.await_question()
    ((kind, _, _, text),) = write_all(stage, process, line + b"\n", cuts)
    expected = meaning(line)
    if expected is None:
        faults = ("wrote what is no ACTION: ", "wrote an ACTION that is no JSON: ", "wrote no whole number: ")
        assert kind == WROTE_NO_ANSWER and text.startswith(faults)
    else:
        assert kind == LEG_IS_OVER
        assert min(max(stage.cores[0].answers[0], -(10**18)), 10**18) == expected


def signed(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)


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
    cuts=CUTS,
)
def test_any_message_of_python_host_is_answer_or_fault(
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
    of_lanes = [event[1] for event in events if event[0] not in FAILED]
    assert sorted(of_lanes) == numbers or [event[0] for event in events] in ([kind] for kind in FAILED)
    assert all(len(event[3]) <= 511 for event in events)


HOLDEM_WORDS = st.sampled_from([
    *b"ACTION CHECK FOLD RAISE CALL RATE RATES STATE BOB 0 1 -1 100 101 1e3".split(),
    *(b"9" * 30, b"\xff", b"\0", b"\t", b"x" * 300, b""),
])  # fmt: skip


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    lines=st.lists(st.one_of(st.lists(HOLDEM_WORDS, max_size=7).map(b" ".join), st.binary(max_size=40)), max_size=6),
    end=st.sampled_from([b"", b"\n", b"\r\n"]),
    cuts=CUTS,
)
def test_any_line_of_holdem_program_is_answer_or_fault(lines: list[bytes], end: bytes, cuts: list[int]) -> None:
    contest, interface = HOLDEM_TRAINING, HOLDEM_TRAINING.interface
    tables = Table(buffer_fields(contest.games), 4), Table(buffer_fields(contest.sessions), 4)
    core = HoldemTraining(*tables, deals_key=key_of(1), sessions=1, hands=3)
    assert interface.new_dialogue
    stage = Stage(Lanes(interface.view_size, []))
    process = stage.process(lines=True, dialogue=interface.new_dialogue(core, key_of(7)))
    stage.table.open_lane(core, None, *tables, (process.number, -1), (0, -1))
    events = write_all(stage, process, b"\n".join(lines) + end, cuts)
    assert events and {event[0] for event in events} <= {LEG_IS_OVER, FAULT, *FAILED}


def test_view_beyond_engines_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="129 bytes"):
        Lanes(129, [])
