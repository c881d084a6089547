"""A contest made of rules in Python."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Generator
from typing import Any, ClassVar

from pydantic import Field

from engine.kernel.chance import Chance
from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.rules.decisions import Asked
from engine.rules.session_core import GAME_BEGINS, GAME_ENDS, KINDS, SESSION_COLUMNS, Session, SessionCore
from engine.rules.steps import Steps
from tournament.contests.contest import Contest, Display, Estimates, NewCore, NewDrawnCore, Trials
from tournament.contests.interface import CompiledBots, Interface, Named, Question
from tournament.contests.python_contest.declaring import Decision
from tournament.contests.python_contest.sdk import write_sdk
from tournament.contests.python_contest.struct_layout import lay_out
from tournament.contests.scoring import Scored
from tournament.contests.settings import ContestSettings, Duplicate
from tournament.leg import LegPlan
from tournament.store.columns import STANDARD, Column

# The type of `play`: it yields questions, is sent answers, and returns nothing.
Play = Generator[Asked, int, None]

_MOST_DRAWN = 20_000  # characters of a drawing
_TRIAL_STREAM = 1 << 63  # above every session's number

_MEANINGS = STANDARD | {
    "x_is_first": "x comes first, as it does in every other session",
    "points_0": "seat 0's points",
    "points_1": "seat 1's points",
}


class PythonSettings(ContestSettings):
    """Keys that the table of every contest in Python has; a contest's own settings are a subclass."""

    duplicate: Duplicate = False
    seconds_per_step: float = Field(
        10.0,
        ge=0.1,
        le=3600,
        description="time that the rules may take from one question to the next; else the run ends",
    )

    def playing(self) -> dict[str, object]:
        played = super().playing()
        del played["seconds_per_step"]
        return played

    def for_workers(self) -> dict[str, object]:
        return self.playing() | {"seconds_per_step": self.seconds_per_step}


class PythonContest:
    """Rules in Python: a subclass has these names, and `play`.

    `version` is raised when the same settings no longer give the same games. `columns` are the contest's own. Where a
    game is `zero_sum`, y's points are x's, negated. `unit` says what a point is, `about` what the rules are.
    `packages`: others on whose versions its games depend. Each leg has an object of its own.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    version: ClassVar[int] = 1
    settings_type: ClassVar[type[PythonSettings]] = PythonSettings
    decisions: ClassVar[tuple[Decision, ...]]
    columns: ClassVar[tuple[Column, ...]] = ()
    zero_sum: ClassVar[bool] = True
    unit: ClassVar[str] = ""
    about: ClassVar[str] = ""
    packages: ClassVar[tuple[str, ...]] = ()

    def __init__(self, settings: Any) -> None:
        self.settings = settings

    def play(self, session: Session) -> Play:
        """Play a session: at least one game, each recorded by `session.record(points_0, points_1, column=…)`."""
        raise NotImplementedError

    def draw(self) -> str:
        """The position as it is now, for a report: a text, or an image as SVG. `play` keeps in self what this needs.

        It is called in a replay before each decision and at a session's end.
        """
        return ""


_made: dict[type[PythonContest], Contest] = {}


def contest_of(rules: type[PythonContest]) -> Contest:
    """The contest that is played by these rules, always the same one. Raises ValueError for invalid rules."""
    if rules not in _made:
        _made[rules] = _make(rules)
    return _made[rules]


def _check(rules: type[PythonContest]) -> None:
    """Raise ValueError for what would fail only in play, and in words that don't name it."""
    if rules.play is PythonContest.play:
        raise ValueError("it has no method play(self, session)")
    if isinstance(rules.decisions, Decision):
        raise ValueError(f"decisions are a tuple, as in decisions = ({rules.decisions.name.upper()},)")
    settings: object = rules.settings_type
    if not (isinstance(settings, type) and issubclass(settings, PythonSettings)):
        raise ValueError(f"settings_type is {settings!r}, which is no subclass of PythonSettings")
    taken = dict.fromkeys((*GAME_BEGINS, *GAME_ENDS), "every contest has a column of that name")
    for column in rules.columns:
        if column.type not in KINDS:
            raise ValueError(f"no column can be {column.type}; there are {', '.join(KINDS)}")
        if column.name in taken:
            raise ValueError(f"no column can be called {column.name}: {taken[column.name]}")
        taken[column.name] = "two of columns are called so"


def _make(rules: type[PythonContest]) -> Contest:
    _check(rules)
    struct = lay_out(rules.decisions)
    offsets = {member.name: member.place for member in struct.members}
    for kind, decision in enumerate(rules.decisions):
        decision.place(kind, offsets)
    title = rules.title or rules.name.replace("_", " ").capitalize()
    return Contest(
        name=rules.name,
        title=title,
        version=rules.version,
        settings=rules.settings_type,
        games=(*_standard(GAME_BEGINS), *rules.columns, *_standard(GAME_ENDS)),
        sessions=_standard(SESSION_COLUMNS),
        scored=Scored("sessions", ("points_0",) if rules.zero_sum else ("points_0", "points_1")),
        interface=Interface(
            sdk=write_sdk(rules.name, title, rules.decisions, struct),
            questions=tuple(
                Question(
                    decision.name,
                    result=("i64", "i32"),
                    default=decision.default,
                    answers="one of the legal_actions" if decision.has_legal_actions else decision.answer.limits,
                )
                for decision in rules.decisions
            ),
            compiled=CompiledBots(f"{rules.name}.h", struct_size=struct.size),
            tells=Named(tuple(tuple(decision.told) for decision in rules.decisions)),
        ),
        new_core=_new_core(rules, against_chance=False),
        trials=Trials(_new_core(rules, against_chance=True)),
        display=Display(
            rules.unit, rules.about, new_drawn_core=None if rules.draw is PythonContest.draw else _new_drawn_core(rules)
        ),
        estimates=Estimates(lambda settings: 1.0, rate=1e5),
        requires=tuple((package, _version(package)) for package in rules.packages),
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _standard(columns: dict[str, str]) -> tuple[Column, ...]:
    return tuple(Column(name, kind, _MEANINGS[name]) for name, kind in columns.items())


def _new_core(rules: type[PythonContest], *, against_chance: bool) -> NewCore:
    """Makes the contest's cores. `against_chance`: y's answers are drawn from all that are legal."""

    def new_core(
        leg: LegPlan, settings: ContestSettings, games: Table, sessions: Table, house: bytes | None = None
    ) -> GameCore:
        with _steps(settings) as steps:
            played = rules(settings)
        chance = Chance(leg.deals_key, _TRIAL_STREAM)

        def play(session: Session) -> Play:
            own = _begun(played, session)
            return answered_by_chance(own, chance, {1}) if against_chance else own

        return _session_core(played, leg, games, sessions, play, steps)

    return new_core


def _steps(settings: ContestSettings) -> Steps:
    assert isinstance(settings, PythonSettings)
    return Steps(settings.seconds_per_step)


def _session_core(
    played: PythonContest, leg: LegPlan, games: Table, sessions: Table, play: Callable[[Session], Play], steps: Steps
) -> SessionCore:
    columns = {column.name: column.type for column in played.columns}
    swapped, zero_sum = leg.seats_swapped, played.zero_sum
    return SessionCore(
        games, sessions, play, columns, **leg.for_core, steps=steps, seats_swapped=swapped, zero_sum=zero_sum
    )


def _begun(rules: PythonContest, session: Session) -> Play:
    """A session about to be played. Raises TypeError where `play` is a plain function: it asks nobody."""
    play: Play | None = rules.play(session)
    if play is None:
        raise TypeError("play yields no question; it asks a bot by: answer = yield DECISION(seat, …)")
    return play


def _new_drawn_core(rules: type[PythonContest]) -> NewDrawnCore:
    """Makes cores for a replay, which draw a session: its number in the match, and where drawings go."""

    def new_core(
        leg: LegPlan, settings: ContestSettings, games: Table, sessions: Table, number: int, drawings: list[str]
    ) -> GameCore:
        with _steps(settings) as steps:
            played = rules(settings)

        def play(session: Session) -> Play:
            return drawn(played, session, drawings) if session.number == number else _begun(played, session)

        return _session_core(played, leg, games, sessions, play, steps)

    return new_core


def drawn(rules: PythonContest, session: Session, drawings: list[str]) -> Play:
    """A session, drawn before each decision and at its end."""
    play = _begun(rules, session)
    try:
        asked = next(play)
        while True:
            drawings.append(_drawing(rules))
            answer = yield asked
            asked = play.send(answer)
    except StopIteration:
        drawings.append(_drawing(rules))


def _drawing(rules: PythonContest) -> str:
    """What a contest draws; a mistake in it is shown in its place, since no game depends on it."""
    try:
        return str(rules.draw())[:_MOST_DRAWN]
    except Exception as problem:
        return f"draw: {type(problem).__name__}: {problem}"[:1000]


def answered_by_chance(play: Play, chance: Chance, seats: set[int]) -> Play:
    """A session in which the answers of these seats are drawn from all that are legal, often the first or last."""
    try:
        asked = next(play)
        while True:
            if asked.seat in seats:
                legal = asked.legal_actions()
                drawn = chance.randrange(4)
                answer = legal[0] if drawn == 0 else legal[-1] if drawn == 1 else chance.choice(legal)
            else:
                answer = yield asked
            asked = play.send(answer)
    except StopIteration:
        return
