"""The consequences of a bot's fault, for all kinds of bots.

Each fault is recorded. A new bot, with fresh memory and other randomness, takes the seat, and the contest's default
answer replaces the missing one. A bot with more faults than the settings allow is disqualified, and so is one that
can't be replaced. With one or two entrants, the leg is then over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.kernel.game_core import GameCore
from tournament.contests.contest import Contest
from tournament.contests.questions import describe_pending
from tournament.contests.settings import ContestSettings
from tournament.errors import one_line
from tournament.keys import seed_after_faults
from tournament.leg import TIME_KINDS, Failure, Leg, Seat
from tournament.store.leg_result import SEATS_THAT_END_A_LEG, Fault

# Kept of what a bot printed before a fault.
_MAX_LINES, _MAX_LINE = 5, 200


class Stopped(Exception):
    """Raised when the run must stop before its work is done."""


class DisqualificationTracker:
    """Tracks which bots were disqualified during a task. They play no leg that is later in schedule order.

    A skipped leg stays skipped in this task. If it turns out to count, the driver sends it out again.

    Args:
        legs: All legs of the task, in schedule order.
    """

    def __init__(self, legs: Sequence[Leg]) -> None:
        self._place = {leg.digest: place for place, leg in enumerate(legs)}
        self._last: dict[str, int] = {}

    def note(self, leg: Leg, seats: Iterable[int]) -> None:
        """Record the seats that were disqualified in a finished leg.

        Args:
            leg: A leg of the task.
            seats: Numbers of entrants in the leg.
        """
        for seat in seats:
            name, index = leg.entrants[seat], self._place[leg.digest]
            self._last[name] = min(self._last.get(name, index), index)

    def plays(self, leg: Leg) -> bool:
        """Return whether none of a leg's bots was disqualified in a leg before it. Seats that are out don't count."""
        if not self._last:
            return True
        index = self._place[leg.digest]
        return all(index <= self._last.get(seat.name, index) for seat in leg.seats if seat.kind != "out")


class LegFaults:
    """The faults of one leg, by entrant.

    With more than two entrants a disqualification ends no leg: the default answers count for those that are out.

    Args:
        contest: The contest.
        settings: The contest's settings, which have the number of allowed faults.
        leg: The leg, with a seat for each bot of a team.

    Attributes:
        all: The faults, in the order in which they were found. Their texts are cut.
        out: The seats of the entrants that are disqualified, in the order in which they were. An entrant can be in it
            more than once.
    """

    def __init__(self, contest: Contest, settings: ContestSettings, leg: Leg) -> None:
        self._questions = contest.interface.questions
        self._interface = contest.interface
        self._allowed = settings.max_faults
        self._leg = leg
        self.all: list[Fault] = []
        self.out: list[int] = []

    def add(self, core: GameCore, failure: Failure, printed: bytes = b"", *, replaceable: bool = True) -> Seat | None:
        """Record a fault at the pending decision, and the last lines that the bot printed.

        Args:
            core: The core, in which the bot's question is pending.
            failure: The failure.
            printed: The bot's output, b"" if there is none. Its last five lines are stored.
            replaceable: Whether a new bot can take the seat. Otherwise the fault disqualifies.

        Returns:
            The seat for a new bot, with another rand(), because the same might fail again. None if the bot is
            disqualified: it can't be replaced, has too many faults, or took too long in a trial.
        """
        kind, number, *_ = core.pending()
        session, game = core.position()
        first = self._leg.plan.first_session
        fault = Fault(
            seat=self._entrant(number),
            session=first + session,
            game=game,
            decision=self._questions[kind].name,
            message=one_line(failure.what),
            question_text=describe_pending(self._interface, core, compiled=self._leg.seats[number].kind == "wasm"),
            last_output=last_lines(printed),
            kind=failure.kind,
        )
        self.all.append(fault.bounded())
        if not replaceable or self._are_too_many(number) or (self._leg.is_trial and failure.kind in TIME_KINDS):
            self._disqualify(number)
            return None
        seat = self._leg.seats[number]
        return seat._replace(random_seed=seed_after_faults(seat.random_seed, self._count(number)))

    @property
    def ended_by(self) -> int | None:
        """The disqualified entrant's seat that ended the leg, or None if none did.

        With more than two entrants it is always None.
        """
        return self.out[-1] if self.out and len(self._leg.entrants) <= SEATS_THAT_END_A_LEG else None

    def add_at_start(self, number: int, failure: Failure) -> None:
        """Record that a seat's bot can't begin the leg, in its first session, and disqualify its entrant.

        Args:
            number: Number of the seat.
            failure: The failure.
        """
        self._add_outside(number, 0, failure)
        self._disqualify(number)

    def add_at_end(self, number: int, core: GameCore, failure: Failure) -> None:
        """Record a fault that was noticed after the last game, in the last session.

        Even then, one too many disqualifies the entrant.

        Args:
            number: Number of the seat.
            core: The core, which has ended.
            failure: The failure.
        """
        self._add_outside(number, max(0, core.sessions_played - 1), failure)
        if self._are_too_many(number):
            self._disqualify(number)

    def _disqualify(self, number: int) -> None:
        """Record that the entrant of a seat's bot is disqualified."""
        self.out.append(self._entrant(number))

    def _entrant(self, number: int) -> int:
        """Return the seat of the entrant whose bot has this seat number."""
        return number // self._leg.members

    def _add_outside(self, number: int, session: int, failure: Failure) -> None:
        """Record a fault that belongs to no decision, in a session counted from the leg's first.

        It gets the game 0 and the name of the first decision.
        """
        first = self._leg.plan.first_session
        self.all.append(
            Fault(
                self._entrant(number),
                first + session,
                0,
                self._questions[0].name,
                one_line(failure.what),
                kind=failure.kind,
            )
        )

    def _are_too_many(self, number: int) -> bool:
        """Return whether the entrant of a seat's bot has more faults than the settings allow."""
        return self._count(number) > self._allowed

    def _count(self, number: int) -> int:
        """Return the number of faults of all bots of the entrant of a seat's bot."""
        return sum(fault.seat == self._entrant(number) for fault in self.all)


def last_lines(printed: bytes) -> str:
    """Return the last five lines of a bot's output, each cut to 200 characters, with "?" for unprintable ones.

    They are joined by line feeds. Without output the result is "".
    """
    lines = (line.decode("utf-8", "replace") for line in printed.splitlines()[-_MAX_LINES:])
    return "\n".join("".join(c if c.isprintable() else "?" for c in line)[:_MAX_LINE] for line in lines)
