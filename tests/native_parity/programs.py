"""Programs that are bots, each asked the same here and natively: in WebAssembly as a tournament has it, and by gcc."""

from __future__ import annotations

import os
import random
import re
import struct
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from engine.kernel.game_core import FAULT, LEG_IS_OVER
from engine.kernel.records import Table
from engine.watching.scripted_core import ScriptedCore
from tests.oracles.deals import key_of
from tournament.artifacts.bot import Entrant
from tournament.contests import BUILT_IN, find_contest
from tournament.contests.contest import Contest, CoreSetup
from tournament.contests.questions import view_values
from tournament.entrants.build import build_entrants
from tournament.leg import LegPlan, Unfit
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.worker.wasm.loading import load_bot
from tournament.worker.wasm.seating import BotLimits, Seating
from tournament.worker.wasm.stack import on_deep_stack

HERE = Path(__file__).parent
COMPILERS = {".c": "gcc", ".cpp": "g++"}
# The first of these that compiles a text is taken.
STANDARDS = {".c": ("gnu17", "gnu89"), ".cpp": ("gnu++17", "gnu++11", "gnu++98")}
# What the bots' compiler is told too, or what makes another processor count as a PC does.
FLAGS = ["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fsigned-char"]
# No program is bounded by it: limits have tests of their own.
FUEL = 1_900_000_000
Question = tuple[int, bytes]
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
        first = self.path.read_text().split("\n", 1)[0]
        found = re.fullmatch(r"(?://|/\*) (gnu[+\d]+): (.+?)(?: \*/)?", first)
        assert found, f"{self.path.name}: the first line must say the standard and what is exercised"
        return found[1], found[2]


PROGRAMS = {
    path.stem: Program(path) for contest in BUILT_IN for path in sorted((HERE / contest).glob("*")) if path.is_file()
}


def questions_of(contest: str) -> list[Question]:
    """Return a few hundred decisions of a leg with random answers, the same every time."""
    rules, chance = find_contest(contest), random.Random(1999)
    games, sessions = (Table(buffer_fields(columns), 1 << 12) for columns in (rules.games, rules.sessions))
    house = rules.house.practice(key_of(3)).content if rules.house else None
    core = rules.new_core(CoreSetup(LegPlan(0, 0, 20, key_of(1)), rules.settings(sessions=20), games, sessions, house))
    answer, questions = 0, list[Question]()
    while len(questions) < 240:
        if core.play(answer) == FAULT:  # chance drew what may not be done
            answer = core.default()
            continue
        kind, _, view = core.pending()
        questions.append((kind, view))
        answer = chance.randrange(51 if contest == "von_neumann_poker" else 3)
    return questions


def answers_here(programs: Iterable[Program], folder: Path) -> dict[str, Answers]:
    """Return each program's answers as a bot of a tournament, or its problem, by name."""
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
    """Return a bot's answers, or its problem."""
    if entrant.artifact is None:
        return f"does not build: {entrant.problem}"
    interface, memory = contest.interface, contest.settings().memory_megabytes
    core = ScriptedCore(questions, interface.view_size)
    bot = load_bot(entrant.artifact, interface, entrant.name, memory)
    seating = Seating(core, interface, [bot, None], BotLimits(FUEL, memory, fuel_to_start=FUEL))
    try:
        on_deep_stack(seating.seat, 0, 1)
        seating.join()
    except Unfit as unfit:
        return str(unfit)
    if seating.referee.play(0) != LEG_IS_OVER:
        return f"fault at question {len(core.answers)}: {seating.take_failure().what}"
    return core.answers


def answers_natively(programs: Iterable[Program], folder: Path) -> dict[str, Answers]:
    """Return each program's answers as compiled by gcc or g++, or its problem, by name."""
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
    defined = ["-DBOT_CLASS"] * bool(has_class)
    command = [COMPILERS[suffix], *FLAGS, *defined, "-iquote", str(interface.folder), str(unit)]
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
    """Return a question as the harness of a contest reads it."""
    kind, view = question
    if contest == "two_card_draw":
        values = [int(value) for value in view_values(find_contest(contest).interface, kind, view).values()]
        numbers: tuple[int, ...] = (kind, *values, *[0] * (5 - len(values)))
    elif contest == "von_neumann_poker":
        numbers = (kind, *struct.unpack("<IIiii", view)[: 5 if kind else 4])
    else:
        numbers = struct.unpack(f"<{len(view) // 4}i", view)
    return " ".join(map(str, numbers))
