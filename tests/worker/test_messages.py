"""The worker's side of the messages, with processes that are pipes here: whatever comes back, nothing breaks."""

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
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.game_core import LEG_IS_OVER
from engine.processes.channels import BOT_FAULTY, CHANNEL_FAILED, WROTE_NO_ANSWER
from engine.processes.lanes import Lanes
from engine.processes.lines import MOST_ACTION_BYTES
from engine.watching.scripted_core import ScriptedCore
from tests.built_in import VON_NEUMANN_POKER
from tests.processes import wait_until
from tests.support import poker_tables
from tests.worker.support import A, B, Question, view

INTERFACE = VON_NEUMANN_POKER.interface
STRIDE = 16 + -(-INTERFACE.view_size // 8) * 8
HEADER = struct.Struct("<IIII")
ANSWER = struct.Struct("<qhhi")
Event = tuple[int, int, int, str]


class Pipes:
    """A process that is none: our ends of its pipes, and its ends of ours."""

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
        """Run until there is a message, and read it: its serial, and the kinds of its questions."""
        self.await_question()
        return self.read()

    def read(self) -> tuple[int, list[int]]:
        size, serial, count, text_size = HEADER.unpack(os.read(self.reads, HEADER.size))
        assert (size, text_size) == (HEADER.size + count * STRIDE, 0)
        content = b""
        while len(content) < count * STRIDE:
            content += os.read(self.reads, count * STRIDE - len(content))
        return serial, [struct.unpack_from("<i", content, n * STRIDE + 4)[0] for n in range(count)]

    def close(self) -> None:
        for descriptor in (self.reads, self.writes, self.complains, self.to_bot, self.from_bot, self.errors):
            with contextlib.suppress(OSError):  # some tests close one
                os.close(descriptor)


def reply(serial: int, answers: Sequence[tuple[int, int, bytes]], printed: bytes = b"") -> bytes:
    """A message of (answer, status, text); if one leg has printed, all have, each ending with its number."""
    prints = [printed and printed + b"%d" % number for number in range(len(answers))]
    items = b"".join(
        ANSWER.pack(answer, status, len(own), len(text)) for (answer, status, text), own in zip(answers, prints)
    )
    texts = b"".join(text + own for (_, _, text), own in zip(answers, prints))
    return HEADER.pack(HEADER.size + len(items) + len(texts), serial, len(answers), len(texts)) + items + texts


@dataclass
class Stage:
    """Lanes with their pipes, each lane asking a ScriptedCore's questions."""

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
        return self.table.run(seconds)


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    for process in stage.opened:
        process.close()


def test_one_message_carries_the_questions_of_many_lanes(stage: Stage) -> None:
    process = stage.process()
    numbers = [stage.lane(process, slot=slot) for slot in range(5)]
    for number in numbers:
        stage.table.start_bot(number, 0, 2**64 - 1)
    serial, kinds = process.asked()
    assert sorted(kinds) == [-1] * 5 + [0] * 5
    os.write(process.writes, reply(serial, [(7, 0, b"")] * 10))
    assert stage.run() == []
    serial, kinds = process.asked()
    assert kinds == [1] * 5
    os.write(process.writes, reply(serial, [(n, 0, b"") for n in range(5)]))
    assert sorted(event[:2] for event in stage.run()) == [(LEG_IS_OVER, number) for number in numbers]
    assert sorted(core.answers for core in stage.cores) == [[7, n] for n in range(5)]


def test_a_message_has_nothing_of_what_lay_in_its_memory_before(stage: Stage) -> None:
    """A bot can read its process's memory: another leg's cards, or a seed, must not be in what it is sent."""
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
def test_messages_without_memory_for_them_end_the_run_and_are_no_bots_fault(stage: Stage) -> None:
    for _ in range(2):
        stage.run(0.0)  # the first run makes room for the events of the second
        process = stage.process()
        for slot in range(3000):
            stage.lane(process, slot=slot)
    reads, writes = os.pipe()
    if not (child := os.fork()):
        said = "no exception"
        try:
            resource.setrlimit(resource.RLIMIT_AS, (1, resource.RLIM_INFINITY))
            kept = []
            with contextlib.suppress(MemoryError):  # until only little things can be had
                while True:
                    kept.append(bytes(1 << 16))
            stage.run()
        except MemoryError as error:
            said = str(error)
        finally:
            os.write(writes, said.encode())
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writes)
    assert os.read(reads, 500) == b"no memory is left for bots' questions and answers"
    os.close(reads)


def test_what_a_leg_printed_comes_with_its_fault_and_is_told_once(stage: Stage) -> None:
    process = stage.process()
    numbers = [stage.lane(process, [A, A], slot) for slot in range(3)]
    stage.run()
    serial, _ = process.asked()
    printed = b"\x1e1\nforged\x1f" + b"p" * 1000
    os.write(process.writes, reply(serial, [(0, 1, b"one"), (0, 1, b""), (0, 0, b"")], printed))
    assert sorted((event[0], event[3]) for event in stage.run()) == [(BOT_FAULTY, ""), (BOT_FAULTY, "one")]
    told = {number: text for number in numbers if (text := stage.table.take_printed(number, process.number))}
    assert sorted(told.values()) == [printed + b"0", printed + b"1"]
    faulty = min(told)
    stage.table.resume(faulty)
    stage.run()
    while stage.table.channels.is_outstanding(process.number)[0]:
        serial, kinds = process.read()
        os.write(process.writes, reply(serial, [(0, 1, b"silent")] * len(kinds)))
        stage.run()
    assert stage.table.take_printed(faulty, process.number) == b""


def wrong_messages(serial: int) -> dict[str, bytes]:
    good = reply(serial, [(1, 0, b""), (2, 0, b"")])

    def made(size: int, text_size: int, *prints_and_texts: tuple[int, int], more: bytes = b"") -> bytes:
        """Of two answers that claim to have this many bytes printed, and of text."""
        answers = b"".join(ANSWER.pack(1, 1, *sizes) for sizes in prints_and_texts)
        return HEADER.pack(size, serial, 2, text_size) + answers + more

    return {
        "garbage": b"\xff" * 64,
        "another serial": reply(serial + 1, [(1, 0, b"")] * 2),
        "too few": reply(serial, [(1, 0, b"")]),
        "too many": reply(serial, [(1, 0, b"")] * 3),
        "one byte more": good + b"x",
        "twice": good + good,
        "text that is not there": made(48, 0, (0, 5), (0, 0)),
        "text of no one": made(53, 5, (0, 2), (0, 2), more=b"abcde"),
        "huge text": made(48, 2**32 - 1, (0, 2**31 - 1), (0, 2**31 - 1)),
        "prints of less than nothing": made(53, 5, (-1, 0), (6, 0), more=b"abcde"),
        "too many prints": made(48 + 3201, 3201, (3201, 0), (0, 0), more=b"p" * 3201),
        "a huge size": made(2**32 - 1, 0),
        "a huge count": HEADER.pack(48, serial, 2**28, 0) + bytes(32),
        "the end": b"",
    }


@pytest.mark.parametrize("which", sorted(wrong_messages(1)))
def test_a_message_that_is_no_answer_fails_its_channel(stage: Stage, which: str) -> None:
    process, other = stage.process(), stage.process()
    for slot in range(2):
        stage.lane(process, [A], slot)
    bystander = stage.lane(other, [A])
    stage.run()
    serial, _ = process.asked()
    os.write(process.writes, wrong_messages(serial)[which])
    if which == "the end":
        os.close(process.writes)
    text = "" if which == "the end" else "wrote what is no answer to what it was asked"
    assert stage.run(1.0) == [(CHANNEL_FAILED, -1, process.number, text)]
    assert stage.run() == []
    os.write(other.writes, reply(other.asked()[0], [(1, 0, b"")]))
    assert [event[:2] for event in stage.run()] == [(LEG_IS_OVER, bystander)]


def test_a_message_larger_than_a_pipe_gets_through(stage: Stage) -> None:
    """Questions and reasons for thousands of lanes, while another channel keeps the worker busy."""
    count = 4000
    process, busy = stage.process(), stage.process()
    for slot in range(count):
        stage.lane(process, [A], slot)
    endless = stage.lane(busy, [A] * 10**6)
    running, chatting = True, threading.Event()

    def chat() -> None:
        while running:
            os.write(busy.writes, reply(busy.read()[0], [(0, 0, b"")]))
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


def test_answers_for_lanes_that_are_gone_or_stopped_go_nowhere(stage: Stage) -> None:
    process = stage.process()
    gone, stopped, playing = (stage.lane(process, [A, A], slot) for slot in range(3))
    stage.run()
    serial, _ = process.asked()
    stage.table.drop(gone)
    stage.table.stop(stopped, 0)
    os.write(process.writes, reply(serial, [(5, 0, b"")] * 3))
    assert stage.run() == []
    assert [core.answers for core in stage.cores] == [[], [], [5]]
    stage.table.resume(stopped, 9)
    stage.run()
    serial, kinds = process.asked()
    assert len(kinds) == 1  # the playing lane's second; the stopped one's waits until this is answered
    os.write(process.writes, reply(serial, [(6, 0, b"")]))
    assert [event[:2] for event in stage.run()] == [(LEG_IS_OVER, playing)]
    assert stage.cores[1].answers == [9]


def test_a_dropped_lane_leaves_its_number_but_no_answer_to_the_next(stage: Stage) -> None:
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
    os.write(process.writes, reply(serial, [(5, 0, b"")]))
    stage.run()
    serial, kinds = process.asked()
    assert len(kinds) == 3, "with the question that was gathered for the dropped lane"
    os.write(process.writes, reply(serial, [(7, 0, b""), (8, 0, b""), (9, 0, b"")]))
    assert sorted(event[:2] for event in stage.run()) == [(LEG_IS_OVER, 0), (LEG_IS_OVER, 1)]
    assert [core.answers for core in stage.cores[:2]] == [[], []]
    assert sorted(core.answers for core in stage.cores[2:]) == [[8], [9]]


def test_numbers_of_closed_channels_serve_again_after_the_next_run(stage: Stage) -> None:
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
    # The answer to the first question was given by the caller: the leg is over.
    assert [event[:2] for event in stage.run()] == [(LEG_IS_OVER, lane)]
    for _ in range(500):
        again = Pipes(stage.table)
        stage.lane(again)
        stage.run(0)
        stage.table.channels.close(again.number)
        again.close()
    assert again.number < 6


WORDS = st.sampled_from([
    "ACTION", "BET", "action", "-1", "0", "-0", "7", "+7", "-7", "07", "1.5", "1e3", "x", "true", "null", "NaN", "[1]",
    '"text"', '{"a": 1}', "[" * 9000, "", "9" * 23, "-" + "9" * 23, "9223372036854775807", "0x10", "١", "ACTION\0", "é",
])  # fmt: skip
BLANKS = st.sampled_from([" ", "  ", "\t", " \t "])


def meaning(line: bytes) -> int | None:
    """What a line answers, by its words; None when it is a fault."""
    words = [word for word in line.decode("latin-1").replace("\t", " ").replace("\r", " ").split(" ") if word]
    if len(words) == 2 and words[0] == "ACTION" and re.fullmatch("-?(0|[1-9][0-9]*)", words[1]):
        return min(max(int(words[1]), -(10**18)), 10**18)
    return None


@pytest.mark.slow
@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    first=st.sampled_from(["", "ACTION", "ACTION"]),
    pieces=st.lists(st.tuples(BLANKS, WORDS), max_size=4),
    end=st.sampled_from(["", "\r", " \r", "\r\r", " "]),
)
def test_lines_mean_what_their_words_say(first: str, pieces: list[tuple[str, str]], end: str) -> None:
    line = (first + "".join(blank + word for blank, word in pieces) + end).encode()
    stage = Stage()
    process = stage.process(lines=True)
    stage.lane(process, [A])
    process.await_question()
    os.write(process.writes, line + b"\n")
    ((kind, _, _, text),) = stage.run(1.0)
    expected = meaning(line)
    if expected is None:
        faults = ("wrote what is no ACTION: ", "wrote an ACTION that is no JSON: ", "wrote no whole number: ")
        assert kind == WROTE_NO_ANSWER and text.startswith(faults)
    else:
        assert kind == LEG_IS_OVER
        assert min(max(stage.cores[0].answers[0], -(10**18)), 10**18) == expected
    for opened in stage.opened:
        opened.close()


def test_word_that_bots_have_started_ends_their_start(stage: Stage) -> None:
    process = stage.process()
    first, second = stage.lane(process), stage.lane(process, slot=1)
    stage.table.start_bot(first, 0, 1)
    serial, _ = process.asked()
    state = stage.table.channels.is_outstanding
    assert state(process.number) == (True, 1, True)
    for part in (word := HEADER.pack(HEADER.size, serial, 0, 0))[:7], word[7:]:
        os.write(process.writes, part)
        stage.run()
    assert state(process.number) == (True, 1, False)
    os.write(process.writes, reply(serial, [(0, 0, b""), (50, 0, b""), (50, 0, b"")]))
    stage.table.start_bot(second, 0, 2)  # with the next message
    while state(process.number)[1] == 1:
        assert stage.run() == []
    serial, kinds = process.read()
    assert -1 in kinds and state(process.number) == (True, 2, True)
    os.write(process.writes, reply(serial, [(1, 0, b"")] * len(kinds)))
    stage.run()
    assert [core.answers for core in stage.cores] == [[50, 1]] * 2


def test_what_a_program_reads(stage: Stage) -> None:
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
    told = {"card": 0.333333343, "opponents_previous_card": 0.5, "money": 10, "opponents_money": 190, "bet": 50}
    assert json.loads(os.read(process.reads, 1000)) == {"decision": "b", **told}
    os.write(process.writes, b"ACTION 1\n")
    assert [event[0] for event in stage.run()] == [LEG_IS_OVER]
    assert stage.cores[0].answers == [20, 1]


VIOLATIONS: dict[str, tuple[bytes, str]] = {
    "two lines": (b"ACTION 0\nACTION 5\n", "answered before it was asked: ACTION 5"),
    "the beginning of another": (b"ACTION 0\nACT", "answered before it was asked: ACT"),
    "an empty line": (b"\n", "wrote what is no ACTION: "),
    "no value": (b"ACTION \n", "wrote an ACTION that is no JSON: ACTION "),
    "another value": (b"ACTION [1, 2]\n", "wrote no whole number: ACTION [1, 2]"),
    "too long": (b"A" * (MOST_ACTION_BYTES + 1), "wrote an over-long line: " + "A" * 100),
    "unprintable": (b"\x1b[2J\xff\0\n", "wrote what is no ACTION: ?[2J??"),
    "before its question": (b"ACTION 9\n", "answered before it was asked: ACTION 9"),
}


@pytest.mark.parametrize("which", sorted(VIOLATIONS))
def test_a_violation_is_quoted(stage: Stage, which: str) -> None:
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


def test_question_that_only_tells_is_not_answered(stage: Stage) -> None:
    """The next one comes with it, and what nothing follows is left for the process's last words."""
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
