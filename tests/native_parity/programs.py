"""Programs that are bots, each asked the same here and natively: in WebAssembly as a tournament has it, and by gcc."""

from __future__ import annotations

import os
import random
import re
import struct
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from engine.kernel.game_core import LEG_IS_OVER
from engine.watching.scripted_core import ScriptedCore
from tournament.artifacts.bot import Entrant
from tournament.contests import BUILT_IN, find_contest
from tournament.contests.contest import Contest
from tournament.entrants.build import build_entrants
from tournament.leg import Unfit
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.wasm.loading import load_bot
from tournament.worker.wasm.seating import Limits, Seating

HERE = Path(__file__).parent
COMPILERS = {".c": "gcc", ".cpp": "g++"}
# The first of these that compiles a text is taken.
STANDARDS = {".c": ("gnu17", "gnu89"), ".cpp": ("gnu++17", "gnu++11", "gnu++98")}
# What the bots' compiler is told too, or what makes another processor count as a PC does.
FLAGS = ["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fsigned-char"]
# No program is bounded by it: limits have tests of their own.
FUEL = 1_900_000_000
Question = tuple[int, tuple[int, ...], bytes]
Answers = list[int] | str


@dataclass(frozen=True)
class Program:
    """A bot's file. Its first line says the standard that it is written for, and what it exercises."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def contest(self) -> Contest:
        return find_contest(self.path.parent.name)

    @property
    def head(self) -> tuple[str, str]:
        """Standard and purpose."""
        first = self.path.read_text().split("\n", 1)[0]
        found = re.fullmatch(r"(?://|/\*) (gnu[+\d]+): (.+?)(?: \*/)?", first)
        assert found, f"{self.path.name}: the first line must say the standard and what is exercised"
        return found[1], found[2]


PROGRAMS = {
    path.stem: Program(path) for contest in BUILT_IN for path in sorted((HERE / contest).glob("*")) if path.is_file()
}


def questions_of(contest: str) -> list[Question]:
    """A few hundred decisions as the contest's games have them, the same every time."""
    chance = random.Random(1999)
    return list(_QUESTIONS[contest](chance))


def _poker(chance: random.Random) -> Iterator[Question]:
    for number in range(240):
        card, previous = (chance.randrange(1 << 24) / (1 << 24) for _ in range(2))
        money = chance.randrange(10, 191)
        view = struct.pack("<ffqq", card, previous if chance.random() < 0.7 else -1.0, money, 200 - money)
        yield (1, (chance.randint(1, 50),), view) if number % 3 == 2 else (0, (), view)


def _draw(chance: random.Random) -> Iterator[Question]:
    def hand() -> tuple[int, int]:
        low, high = sorted(chance.randrange(5) for _ in range(2))
        return low, high

    yield 0, (2, 5), b""
    winnings = 0
    for _ in range(60):
        held = hand()
        yield 1, (*held, winnings), b""
        bets = 0
        while bets < 3 and chance.random() < 0.5:
            bets += 1
            yield 2, (*held, bets), b""
        winnings += chance.randint(-9, 9)
        if chance.random() < 0.3:
            continue
        yield 3, (*held, bets), b""
        held = hand()
        drew = chance.randrange(3)
        for later in range(chance.randint(1, 3)):
            yield 4, (*held, bets, later, drew), b""
        if chance.random() < 0.6:
            yield 5, (*held, *hand()), b""


def _holdem(chance: random.Random) -> Iterator[Question]:
    for _ in range(40):
        deck = chance.sample(range(52), 9)
        stack = 100
        for round_, shown in enumerate((0, 3, 4, 5), 1):
            seen = [*deck[:2], None, None, *deck[4 : 4 + shown], *[None] * (5 - shown)]
            cards = [number for card in seen for number in ((-1, -1) if card is None else (card // 13, card % 13 + 1))]
            yield 0, (), struct.pack("<22i", *cards, round_, stack, stack, 10 + 2 * (100 - stack))
            stack -= chance.randint(0, stack // 2)


def _matrix(chance: random.Random) -> Iterator[Question]:
    before = (-1, -1)
    for turn in range(200):
        yield 0, (), struct.pack("<6i", turn, 200, 3, 0, *before)
        before = chance.randrange(3), chance.choice((0, 1, 1, 2))


_QUESTIONS = {"von_neumann_poker": _poker, "two_card_draw": _draw, "holdem_training": _holdem, "matrix_game": _matrix}


def answers_here(programs: Iterable[Program], folder: Path) -> dict[str, Answers]:
    """What each answers as a bot of a tournament, or why it can't, by name."""
    by_contest: dict[str, list[Program]] = {}
    for program in programs:
        by_contest.setdefault(program.contest.name, []).append(program)
    found: dict[str, Answers] = {}
    for name, own in by_contest.items():
        place = folder / name
        place.mkdir()
        for program in own:
            (place / program.path.name).write_bytes(program.path.read_bytes())
        contest = find_contest(name)
        entrants = build_entrants(contest, contest.settings(), SandboxSettings(), place, lambda _text: None)
        questions = questions_of(name)
        found |= {entrant.name: asked(contest, entrant, questions) for entrant in entrants}
    return found


def asked(contest: Contest, entrant: Entrant, questions: list[Question]) -> Answers:
    """A bot's answers to questions that no game asks, or why there are none."""
    if entrant.artifact is None:
        return f"does not build: {entrant.problem}"
    interface, memory = contest.interface, contest.settings().memory_megabytes
    core = ScriptedCore(questions, interface.view_size)
    bot = load_bot(entrant.artifact, interface, entrant.name, memory)
    seating = Seating(core, interface, [bot, None], Limits(FUEL, memory, fuel_to_start=FUEL))
    try:
        seating.seat(0, 1)
        seating.join()
    except Unfit as unfit:
        return str(unfit)
    if seating.referee.play(0) != LEG_IS_OVER:
        return f"fault at question {len(core.answers)}: {seating.take_failure().what}"
    return core.answers


def answers_natively(programs: Iterable[Program], folder: Path) -> dict[str, Answers]:
    """What each answers compiled by gcc or g++, or why it can't, by name."""
    programs = list(programs)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip([p.name for p in programs], pool.map(lambda p: _asked_natively(p, folder), programs)))


def _asked_natively(program: Program, folder: Path) -> Answers:
    interface, suffix = program.contest.interface, program.path.suffix
    unit, binary = folder / f"{program.name}_unit{suffix}", folder / program.name
    included = [interface.compiled.header, str(program.path), str(HERE / "harness" / f"{program.contest.name}.h")]
    unit.write_text("".join(f'#include "{name}"\n' for name in included))
    has_class = interface.class_name and re.search(
        rf"\b(?:class|struct) {interface.class_name}\b", program.path.read_text()
    )
    command = [
        COMPILERS[suffix],
        *FLAGS,
        *["-DBOT_CLASS"] * bool(has_class),
        "-iquote",
        str(interface.folder),
        str(unit),
    ]
    message = ""
    for standard in STANDARDS[suffix]:
        words = [*command, f"-std={standard}", "-o", str(binary), "-lm", "-pthread"]
        compiled = subprocess.run(words, capture_output=True, text=True)
        if compiled.returncode == 0:
            break
        message = message or compiled.stderr
    else:
        return f"does not build: {message}"
    asked, said = folder / f"{program.name}.questions", folder / f"{program.name}.answers"
    asked.write_text("".join(f"{_line(program.contest.name, q)}\n" for q in questions_of(program.contest.name)))
    environment = os.environ | {"TZ": "UTC", "LC_ALL": "C"}
    ended = subprocess.run([str(binary), str(asked), str(said)], env=environment, capture_output=True, timeout=120)
    if ended.returncode:
        return f"ended with status {ended.returncode}"
    return [int(word) for word in said.read_text().split()]


def _line(contest: str, question: Question) -> str:
    """A question as the harness of a contest reads it."""
    kind, arguments, view = question
    if contest == "two_card_draw":
        numbers: tuple[int, ...] = (kind, *arguments, *[0] * (5 - len(arguments)))
    elif contest == "von_neumann_poker":
        numbers = (kind, *struct.unpack("<IIqq", view), *arguments)
    else:
        numbers = struct.unpack(f"<{len(view) // 4}i", view)
    return " ".join(map(str, numbers))
