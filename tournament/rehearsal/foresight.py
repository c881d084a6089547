"""Values that reveal draws to bots: before a question shows the draw, in other legs, or through the seed itself.

A session is played again with the same answers and one changed draw. Every difference then depends on that draw. So no
statistics are needed to find a value that shows part of a draw before a later question shows all of it.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engine.kernel.chance import Rng
from engine.rules.decisions import LEGAL_ACTIONS, Question
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.keys import master_key
from tournament.leg import LegPlan
from tournament.rehearsal.chance import Change, Draw, WatchedSession
from tournament.rehearsal.finding import Finding
from tournament.rehearsal.plays import answers_rng, leg_key, play_leg
from tournament.rules.sessions import drawn_answer

# Maximum number of draws that are changed.
_MAX_DRAWS = 400
# Maximum questions of a session that are compared.
_MAX_QUESTIONS = 400
# Minimum number of draws that a value must reveal. A value might seem to reveal a random order by chance, so it must
# also reveal a minimum share of the changed orders.
_CONFIRMED, _SHARE = 2, 0.02
# Maximum outcomes of a draw that are compared.
_OUTCOMES = 6
# Elements of a random order that are swapped with each other, out of a number of neighbours at one of its ends.
_PLACES, _NEIGHBOURS = 6, 12
# Legs that are compared with each other, and sessions of each.
_LEGS, _SESSIONS = 3, 8
# Smaller numbers occur by chance.
_MIN_TRACE = 1 << 24


@dataclass(frozen=True, eq=False)
class Observation:
    """A question as a bot sees it.

    Attributes:
        decision: Name of the decision.
        position: Position of the bot, from 0.
        session: Number of the session, from 0.
        game: Number of games that the session has finished.
        drawn: Number of draws that the session has made before the question.
        is_news: Whether the question needs no answer.
        legal: Description of the legal answers to this question, which equals another one if the answers do.
        values: Values that the question shows, by name.
        answer: The bot's answer. None before it is known.
    """

    decision: str
    position: int
    session: int
    game: int
    drawn: int
    is_news: bool
    legal: str
    values: Mapping[str, Any]
    answer: Any = None

    @cached_property
    def text(self) -> str:
        """All values that the question shows, as text."""
        return repr(self.values)

    def accepts_answer_to(self, other: Observation) -> bool:
        """Return whether an answer to another question is legal as an answer to this one.

        It is if decision, position, game and legal answers are the same.
        """
        mine, theirs = ((one.decision, one.position, one.game, one.legal) for one in (self, other))
        return mine == theirs


class _EndError(Exception):
    """Raised by the answering function to end a leg, and caught by `play_leg`. It is no failure of the rules."""


Run = Sequence[Observation]


def foresight(
    contest: Contest, settings: ContestSettings, seats: int, seconds: float, fewest: int
) -> Iterator[Finding]:
    """Yield findings about values that reveal draws to bots, or one finding that there are none.

    Draws that show early come first, then values that are the same in all legs, then seeds. Values in the contest's
    hints are omitted, except seeds. A value must reveal two draws to count, and 2% of the changed random orders. Within
    each of these groups findings are sorted by name. If the rules fail in a leg, what bots saw before it counts.

    Args:
        contest: Contest with rules in Python, under this number of seats.
        settings: Settings of the contest, with the seed of the audit.
        seats: Number of seats.
        seconds: Seconds for changing draws.
        fewest: Minimum number of legs in which a draw is changed, no matter how long that takes. The maximum is 400.
    """
    told, tried = Counter[tuple[bool, str, str]](), Counter[bool]()
    end, legs = time.monotonic() + seconds, []
    once, several = (settings.model_copy(update={"sessions": sessions}) for sessions in (1, _SESSIONS))
    for number in range(_MAX_DRAWS):
        if number >= fewest and time.monotonic() > end:
            break
        plan = LegPlan(0, 0, 1, leg_key(settings, "draws", seats, number), seats)
        run, draws = _played(contest, once, plan, max_questions=_MAX_QUESTIONS)
        legs.append((plan.deals_key, run))
        rng = Rng(plan.deals_key, 1)
        if changeable := [draw_number for draw_number, draw in enumerate(draws) if draw.is_known]:
            draw_number = rng.choice(changeable)
            is_order = draws[draw_number].is_order
            tried[is_order] += 1
            told.update((is_order, *names) for names in _ahead(contest, once, plan, run, draws, draw_number, rng))
    played = []
    for number in range(_LEGS):
        plan = LegPlan(0, 0, _SESSIONS, leg_key(settings, "sessions", seats, number), seats)
        played.append(_played(contest, several, plan)[0])
        legs.append((plan.deals_key, played[-1]))
    faults = [
        (early, f"tells bots of a draw that {late} shows only later: hide it")
        for (is_order, early, late), count in sorted(told.items())
        if count >= max(_CONFIRMED, _SHARE * tried[is_order] * is_order)
    ]
    faults += [
        (name, "changes from session to session but has the same values in legs of other deals: draw by session.rng")
        for name in _same_in_all(played)
    ]
    faults = [(name, f"{text}, or list it in the rules' hints if bots are meant to know") for name, text in faults]
    faults = [(name, text) for name, text in faults if name not in contest.hints]
    faults += [(name, "shows the seed or a key, from which bots compute all draws") for name in _seeds(settings, legs)]
    for name, text in faults:
        yield Finding("foresight", f"at {seats} seats {name} {text}", is_fault=True)
    if not faults:
        yield Finding("foresight", f"at {seats} seats {tried.total():,} changed draws: no value tells of one too early")


def _played(
    contest: Contest,
    settings: ContestSettings,
    plan: LegPlan,
    change: Change | None = None,
    before: Run = (),
    max_questions: int | None = None,
) -> tuple[list[Observation], list[Draw]]:
    """Play a leg, and return what bots see, in order, and the draws of its last session.

    Failures of the rules end the leg, and aren't raised. Without a session there are no draws.

    Args:
        contest: The contest.
        settings: Settings of the contest.
        plan: Plan of the leg.
        change: Draw to change in each session; None for none. The leg then ends at the first question that an answer of
            `before` doesn't fit.
        before: Observations of the leg without the change, whose answers are given again. Unused without a change.
        max_questions: Number of questions after which the leg ends; None for no limit.
    """
    observations: list[Observation] = []
    watched: list[WatchedSession] = []
    rng = answers_rng(plan)

    def watch(session: Any) -> WatchedSession:
        """Return a replacement for a session, which records and changes draws."""
        watched.append(WatchedSession(session, change))
        return watched[-1]

    def answer(question: Question) -> Any:
        """Record a question, and return the answer to it.

        Raises:
            _EndError: The maximum number of questions is reached. Or, with a change, no answer of the leg without the
                change is left, or its next one isn't legal here.
        """
        if len(observations) == max_questions:
            raise _EndError
        session, decision, values = watched[-1], question.decision, question.plain()
        observation = Observation(
            decision.name,
            question.position,
            session.number,
            session.games,
            len(session.rng.draws),
            decision.is_news,
            repr((question.answer, values.get(LEGAL_ACTIONS))),
            values,
        )
        if change is None:
            observation = replace(observation, answer=drawn_answer(question, rng))
        elif len(observations) < len(before) and observation.accepts_answer_to(before[len(observations)]):
            observation = replace(observation, answer=before[len(observations)].answer)
        else:
            raise _EndError
        observations.append(observation)
        return observation.answer

    play_leg(contest, settings, plan, answer, watch)
    return observations, watched[-1].rng.draws if watched else []


def _ahead(
    contest: Contest, settings: ContestSettings, plan: LegPlan, run: Run, draws: Sequence[Draw], number: int, rng: Rng
) -> set[tuple[str, str]]:
    """Return the values that show part of a draw too early, each with the value that shows all of it later.

    Both are named like "decision.value". There are none if no question follows the draw. A value counts only if its bot
    still has an answer to give in the same game.

    Args:
        contest: The contest.
        settings: Settings of the contest, with one session.
        plan: Plan of the leg.
        run: Observations of the leg without a change.
        draws: Draws of its session.
        number: Index of the draw to change.
        rng: Generator of the changes.
    """
    first = next((one for one in run if one.drawn > number), None)
    if first is None:
        return set()

    def replay(draw: int, other: int = 0) -> Run:
        """Return what bots see if the draw moves by a number of options, or two elements of its order are swapped."""
        return _played(contest, settings, plan, Change(number, draw, other), run)[0]

    values = set()
    compare = _compare_orders if draws[number].is_order else _compare_values
    for place, early, late in compare(run, draws[number], replay, rng):
        # A result shows draws, but it comes after all answers of a game.
        if run[place].game == first.game and any(
            one.game == first.game and one.position == run[place].position and not one.is_news for one in run[place:]
        ):
            values.add((early, late))
    return values


def _compare_values(run: Run, draw: Draw, again: Callable[[int], Run], rng: Rng) -> Iterator[tuple[int, str, str]]:
    """Yield values that show part of a draw before another one shows all of it: at most one for each position.

    Args:
        run: Observations without a change.
        draw: The draw.
        again: Called with a number of options by which the draw moves on; returns the observations.
        rng: Generator of the moves.

    Yields:
        Index of the early question, name of its value, and name of the later value.
    """
    count = min(draw.options or _OUTCOMES, _OUTCOMES) - 1
    moves = rng.sample(range(1, draw.options), count) if draw.options else range(1, count + 1)
    runs = [run, *[again(move) for move in moves]]
    for mine in _by_position(runs):
        kinds = {place: len({one[place].text for one in runs}) for place in mine}
        late = next((place for place in mine if kinds[place] == len(runs)), -1)
        early = next((place for place in mine if kinds[place] > 1), late)
        if early < late:
            yield early, _name(early, runs), _name(late, runs)


def _compare_orders(run: Run, draw: Draw, again: Callable[[int, int], Run], rng: Rng) -> Iterator[tuple[int, str, str]]:
    """Yield values that show part of a random order before another one shows all of it.

    A question shows an element early if it differs when the element is swapped with others. It must not differ when
    these others are swapped with each other, because they might be a bot's own cards. At most one value is yielded for
    each position.

    Args:
        run: Observations without a change.
        draw: The draw.
        again: Called with the indices of two elements to swap; returns the observations.
        rng: Generator of the elements.

    Yields:
        Index of the early question, name of its value, and name of the later value.
    """
    near = min(draw.options, max(draw.taken, _PLACES) if draw.taken else _NEIGHBOURS)
    first = 0 if draw.taken else rng.choice([0, draw.options - near])
    positions = rng.sample(range(first, first + near), min(near, _PLACES))
    swapped = {}
    for one, other in itertools.combinations(positions, 2):
        swapped[one, other] = swapped[other, one] = again(one, other)
    for mine in _by_position([run, *swapped.values()]):
        late: dict[int, int] = {}
        for one in positions:
            runs = [run, *[swapped[one, other] for other in positions if other != one]]
            late[one] = next((at for at in mine if len({each[at].text for each in runs}) == len(runs)), len(run))

        def differs(position: int, other: int, at: int) -> bool:
            """Return whether a question differs when an element is swapped with another one."""
            return swapped[position, other][at].text != run[at].text

        for one, at in itertools.product(positions, mine):
            if not at < late[one] < len(run):
                continue
            hidden = [other for other in positions if other != one and at < late[other]]
            unexplained = [
                other
                for other in hidden
                if differs(one, other, at) and not any(differs(other, third, at) for third in hidden if third != other)
            ]
            if len(unexplained) > 1:
                late_runs = [run, *[swapped[one, other] for other in positions if other != one]]
                yield at, _name(at, [run, *[swapped[one, other] for other in unexplained]]), _name(late[one], late_runs)
                break


def _by_position(runs: Sequence[Run]) -> Iterator[list[int]]:
    """Yield the indices of the questions to each position, ascending, up to the length of the shortest run.

    Positions are ascending, too, and those of the first run.
    """
    length = min(map(len, runs))
    for position in sorted({one.position for one in runs[0]}):
        yield [place for place in range(length) if runs[0][place].position == position]


def _name(index: int, runs: Sequence[Run]) -> str:
    """Return the name of the value at a question that differs most between runs, like "decision.value".

    Of equal ones it is the first.
    """
    observations = [run[index] for run in runs]
    kinds = {name: len({repr(one.values[name]) for one in observations}) for name in observations[0].values}
    return f"{observations[0].decision}.{max(kinds, key=lambda name: kinds[name])}"


def _same_in_all(runs: Sequence[Run]) -> list[str]:
    """Return the names of values at the start of sessions that are the same in all legs and follow no plain pattern.

    They are sorted, and like "decision.value".

    Args:
        runs: Observations of each leg.
    """
    tables = []
    for run in runs:
        first: dict[tuple[int, int], Observation] = {}
        for one in run:
            first.setdefault((one.session, one.position), one)
        table: dict[tuple[str, int], list[Any]] = {}
        for one in first.values():
            for name, value in one.values.items():
                table.setdefault((f"{one.decision}.{name}", one.position), []).append(value)
        tables.append(table)
    return sorted(
        {
            name
            for (name, position), values in tables[0].items()
            if all(table.get((name, position)) == values for table in tables) and not _is_plain(values)
        }
    )


def _is_plain(values: Sequence[Any]) -> bool:
    """Return whether values are few, form an arithmetic sequence, or repeat periodically.

    They are few if there are fewer than `_SESSIONS`, or fewer than three different ones.
    """
    if len(values) < _SESSIONS or len(set(map(repr, values))) < 3:
        return True
    if all(isinstance(value, int | float) for value in values):
        steps = [later - before for before, later in itertools.pairwise(values)]
        if max(steps) - min(steps) < 1e-9:
            return True
    return any(values[period:] == values[:-period] for period in range(1, len(values) // 2 + 1))


def _seeds(settings: ContestSettings, legs: Sequence[tuple[bytes, Run]]) -> list[str]:
    """Return the names of values that show the seed, the master key or a leg's key, in at least two legs, sorted.

    Args:
        settings: Settings with the seed.
        legs: Key of each leg's deals, and what bots saw.
    """
    assert settings.seed is not None
    shared = _Traces.of(bytes.fromhex(settings.seed), settings.seed.encode(), master_key(settings.seed))
    legs_by_value = Counter[str]()
    for key, run in legs:
        traces = (shared, _Traces.of(key))
        values = {(f"{one.decision}.{name}", repr(value)): value for one in run for name, value in one.values.items()}
        legs_by_value.update({name for (name, _), value in values.items() if any(one.are_in(value) for one in traces)})
    return sorted(name for name, count in legs_by_value.items() if count > 1)


@dataclass(frozen=True)
class _Traces:
    """Numbers, texts and bytes that show secrets, as a whole or in words of 4 and 8 bytes.

    Attributes:
        numbers: Integers that the bytes of a secret or word represent, in both byte orders. They are unsigned, signed,
            without the highest bit, and without the lowest one. Those below 2²⁴ are left out.
        texts: These numbers in decimal, and the secrets and words in hexadecimal, in lower case.
        pieces: The secrets, and their words of 8 bytes.
    """

    numbers: frozenset[int]
    texts: frozenset[str]
    pieces: frozenset[bytes]

    @classmethod
    def of(cls, *secrets: bytes) -> _Traces:
        """Return the traces of secrets, all together."""
        pieces = {
            secret[at : at + size]
            for secret in secrets
            for size in (len(secret), 8, 4)
            for at in range(0, len(secret), size)
        }
        numbers = set()
        for piece in pieces:
            for whole in (int.from_bytes(piece, "little"), int.from_bytes(piece, "big")):
                bits = 8 * len(piece)
                numbers |= {whole, whole - (1 << bits), whole & ((1 << (bits - 1)) - 1), whole >> 1}
        numbers = {number for number in numbers if abs(number) >= _MIN_TRACE}
        texts = {str(number) for number in numbers} | {piece.hex() for piece in pieces}
        return cls(frozenset(numbers), frozenset(texts), frozenset(piece for piece in pieces if len(piece) > 4))

    def are_in(self, value: Any) -> bool:
        """Return whether a value, or anything inside it, shows one of these traces. Case doesn't matter in texts.

        Integers from 0 to 255 inside a value also count as the bytes of one sequence, in their order.
        """
        parts = list(_parts(value))
        if not self.numbers.isdisjoint(part for part in parts if isinstance(part, int)):
            return True
        if any(text in part.lower() for part in parts if isinstance(part, str) for text in self.texts):
            return True
        small = bytes(part for part in parts if isinstance(part, int) and 0 <= part < 256)
        return any(piece in small for piece in self.pieces)


def _parts(value: Any) -> Iterator[Any]:
    """Yield the numbers and texts inside a value, in order. Bytes are numbers, and keys of mappings are omitted."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Iterable) and not isinstance(value, str):
        for one in value:
            yield from _parts(one)
    else:
        yield value
