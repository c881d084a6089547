"""Mistakes of C and C++ bots that go unseen in WebAssembly, and crash or differ where the bot's author compiles it.

A build of the bot with the compiler's sanitizers plays some games and answers the questions at the limits. No verdict
and no record comes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from engine.wasm.modules import read_module
from tournament.artifacts.bot import Submission
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import checked
from tournament.store.legs import Fault
from tournament.trial.playing import Pairing
from tournament.worker.observation import ObservedLeg, Step, Window
from tournament.worker.wasm.stand_ins import SURROUNDINGS

# Besides what the contest allows: room for the marks of memory and the gaps in it, and fuel for looking at them.
_MORE_MEGABYTES = 32
_TIMES_FUEL = 4
# A bot that traps is started again, so that others of its mistakes can show.
_MOST_TRAPS = 24
_GAMES, _FEW_DECISIONS = Window(0, 59, 0, 199, decisions=5_000), Window(decisions=20)
_AT_LIMITS = Window(decisions=2_000)

# As bot_checks/finding.h has it: how bad, the line or 0, what.
_TOLD = re.compile(r"([!?])(\d+):(.+)")
_PLACE = re.compile(r" \(line (\d+)\)$")
_NUMBER = re.compile(r"-?\d+")


@dataclass(frozen=True)
class Mistake:
    """What a bot did at a line of its source that C and C++ leave undefined, and when it first did.

    `line` is 0 where it isn't known. `grave`: it crashes elsewhere, or does another thing;
    otherwise it does so only with some compilers.
    """

    line: int
    what: str
    when: str
    grave: bool


@dataclass(frozen=True)
class Search:
    """A search for mistakes: what was found, in how many games and questions at the limits."""

    mistakes: tuple[Mistake, ...]
    games: int
    questions: int

    @property
    def grave(self) -> bool:
        """Whether any of them is."""
        return any(mistake.grave for mistake in self.mistakes)


def search(
    tried: Pairing, submission: Submission, at_limits: Pairing | None = None, *, slow: bool = False
) -> Search | None:
    """Search a bot for mistakes; None where it isn't C or C++, or can't be built so.

    `at_limits`: the same bot, to be asked extreme questions. Of a `slow` one only a few decisions are looked at.
    """
    artifact = checked(submission, tried.contest.interface, tried.sandbox)
    if artifact is None:
        return None
    assert tried.bot.artifact is not None
    window = _FEW_DECISIONS if slow else _GAMES
    plain, seen = tried.observe(window), _forgiving(tried).observe(window, artifact)
    found = list(_mistakes(seen, plain))
    questions = 0
    if at_limits:
        asked = _forgiving(at_limits).observe(_AT_LIMITS, artifact)
        questions = sum(step.seat == 0 for game in asked.games for step in game.steps)
        found += _mistakes(asked, at_limits.observe(_AT_LIMITS) if asked.result.faults else asked, at_limits=True)
    if not found and _differ(plain, seen) and not set(SURROUNDINGS) & set(read_module(tried.bot.artifact).imported):
        what = "plays other games when memory that it never set holds other bytes: does it read some?"
        found.append(Mistake(0, what, "", grave=True))
    return Search(_once_each(found), len(seen.games), questions)


def _forgiving(tried: Pairing) -> Pairing:
    """With what the checked build needs besides, and more faults allowed."""
    settings: ContestSettings = tried.settings.model_copy(
        update={
            "memory_megabytes": tried.settings.memory_megabytes + _MORE_MEGABYTES,
            "faults_allowed": _MOST_TRAPS,
            **{
                name: getattr(tried.settings, name) * _TIMES_FUEL
                for name in ("fuel_per_decision", "fuel_to_start", "fuel_per_leg")
            },
        }
    )
    return replace(tried, settings=settings)


def _mistakes(seen: ObservedLeg, plain: ObservedLeg, *, at_limits: bool = False) -> Iterable[Mistake]:
    """What the checked build told as it played, and its faults that the bot as it plays doesn't have."""
    known = {_sort(fault.what) for fault in plain.result.faults}
    new = {
        fault.what: fault
        for fault in seen.result.faults
        if fault.seat == 0 and fault.kind != "fuel" and _sort(fault.what) not in known
    }
    for game in seen.games:
        when = f"session {game.session}, game {game.game}"
        for step in game.steps:
            if step.seat == 0:
                yield from _of_step(step, f"asked {step.asked}" if at_limits else when, new)
    for what, fault in new.items():
        if fault.kind == "start":
            yield _at_place(what, _PLACE.sub("", what.partition(": ")[2]), "as it starts")


def _of_step(step: Step, when: str, new: Mapping[str, Fault]) -> Iterable[Mistake]:
    told = [found for line in step.printed.splitlines() if (found := _TOLD.fullmatch(line))]
    for sort, line, what in (found.groups() for found in told):
        if line == "0":
            yield replace(_at_place(step.fault or "", what, when), grave=sort == "!")
        else:
            yield Mistake(int(line), what, when, grave=sort == "!")
    if step.fault and step.fault in new and not told:
        yield _at_place(step.fault, _PLACE.sub("", step.fault), when)


def _at_place(fault: str, what: str, when: str) -> Mistake:
    """A mistake where a fault was."""
    found = _PLACE.search(fault)
    return Mistake(int(found[1]) if found else 0, what, when, grave=True)


def _sort(what: str) -> str:
    return _NUMBER.sub("", _PLACE.sub("", what))


def _differ(plain: ObservedLeg, seen: ObservedLeg) -> bool:
    """Whether games that were finished in both came out otherwise."""
    rows = {(game.session, game.game): game.row for game in plain.games if game.row}
    return any(game.row and rows.get((game.session, game.game), game.row) != game.row for game in seen.games)


def _once_each(found: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """The first mistake at each line, the graver ones first; without a line only what is at none."""
    first: dict[tuple[int, str], Mistake] = {}
    for mistake in found:
        key = (mistake.line, "" if mistake.line else mistake.what)
        if key not in first or (mistake.grave and not first[key].grave):
            first[key] = mistake
    placed = {mistake.what for mistake in first.values() if mistake.line}
    told = [mistake for mistake in first.values() if mistake.line or mistake.what not in placed]
    return tuple(sorted(told, key=lambda mistake: (not mistake.grave, not mistake.line, mistake.line)))
