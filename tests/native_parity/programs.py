"""Programs that are bots, each asked the same here and natively: in WebAssembly as a tournament has it, and by gcc."""

from __future__ import annotations

import os
import random
import re
import shutil
import struct
import subprocess
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


# Those that answer differently, or don't build; the page of differences has the reasons.
DIFFERENT = (
    *("longs", "long_doubles", "huge_fractions", "ties", "unstable_order", "hash_order", "drawn_numbers"),
    *("nested_functions", "long_jumps", "threads", "locks"),
)
PROGRAMS = {path.stem: path for contest in BUILT_IN for path in sorted((HERE / contest).glob("*")) if path.is_file()}


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


def answers_here(program: Path, folder: Path) -> Answers:
    """Return a program's answers as a bot of a tournament, or its problem."""
    contest = find_contest(program.parent.name)
    shutil.copy(program, folder)
    (entrant,) = build_entrants(contest, contest.settings(), SandboxSettings(), folder, lambda _text: None)
    return asked(contest, entrant, questions_of(contest.name))


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


def answers_natively(program: Path, folder: Path) -> Answers:
    """Return a program's answers as compiled by gcc or g++, or its problem."""
    contest, suffix = program.parent.name, program.suffix
    interface = find_contest(contest).interface
    unit, binary, questions, answers = (folder / name for name in (f"unit{suffix}", "binary", "questions", "answers"))
    included = [interface.compiled.header, str(program), str(HERE / "harness" / f"{contest}.h")]
    unit.write_text("".join(f'#include "{name}"\n' for name in included))
    name = interface.class_name
    has_class = name and re.search(rf"\b(?:class|struct) {name}\b", program.read_text())
    command = [COMPILERS[suffix], *FLAGS, *["-DBOT_CLASS"] * bool(has_class), "-iquote", str(interface.folder)]
    message = ""
    for standard in STANDARDS[suffix]:
        words = [*command, str(unit), f"-std={standard}", "-o", str(binary), "-lm", "-pthread"]
        compiled = subprocess.run(words, capture_output=True, text=True)
        if compiled.returncode == 0:
            break
        message = message or compiled.stderr
    else:
        return f"does not build: {message}"
    questions.write_text("".join(f"{_line(contest, question)}\n" for question in questions_of(contest)))
    environment = os.environ | {"TZ": "UTC", "LC_ALL": "C"}
    words = [str(binary), str(questions), str(answers)]
    ended = subprocess.run(words, env=environment, capture_output=True, timeout=120)
    if ended.returncode:
        return f"ended with status {ended.returncode}"
    return [int(word) for word in answers.read_text().split()]


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
