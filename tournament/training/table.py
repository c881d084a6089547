"""The table of a training environment: its contest, its players, and the legs that it plays."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tournament.artifacts import compiler_command, libraries
from tournament.artifacts.bot import Submission
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.entrants.build import adapted, build_entrant
from tournament.entrants.folder import read_submission
from tournament.errors import InputError
from tournament.keys import master_key, sub_key, to_number
from tournament.leg import Leg, LegPlan, Seat
from tournament.sandbox.outside.settings import SandboxSettings

if TYPE_CHECKING:
    from tournament.training.environment import Turn

# A function that answers for a seat, as a bot would.
Policy = Callable[["Turn"], object]

# Label of the keys of environments, which no contest and no trial uses.
_LABEL = "environment"


@dataclass(frozen=True)
class Table:
    """The players of an environment's seats.

    Attributes:
        contest: The contest under this number of seats.
        settings: Settings of the contest.
        sandbox: Settings of the bots' sandbox.
        names: Names by seat. A seat of the caller or of a function is named by its number, like "seat 0".
        bots: Kind and artifact of the bots, by seat. Seats of the caller and of functions are missing.
        policies: Functions that answer, by seat. Each is called with a turn, and returns the answer. Seats of bots and
            of the caller are missing.
        open_seats: Seats whose questions the caller answers, ascending.
        key: Key of all randomness, 32 bytes.
    """

    contest: Contest
    settings: Any
    sandbox: SandboxSettings
    names: tuple[str, ...]
    bots: Mapping[int, tuple[Any, bytes]]
    policies: Mapping[int, Policy]
    open_seats: tuple[int, ...]
    key: bytes

    @cached_property
    def _house(self) -> HousePlayer | None:
        """The house player, or None if bots play each other. It is made once, because it can take longer than a leg."""
        return self.contest.house.practice(self.key) if self.contest.house else None

    @cached_property
    def _seats(self) -> tuple[tuple[Any, str], ...]:
        """Kind and artifact's sha256 of the player of each seat, in order. Without a bot the kind is "caller"."""
        seated = [self.bots.get(seat, ("caller", b"")) for seat in range(len(self.names))]
        return tuple((kind, sha256(content).hexdigest()) for kind, content in seated)

    @property
    def artifacts(self) -> dict[str, bytes]:
        """Artifacts of the bots and the content of the house player, if there is one, by sha256, as a new dict."""
        contents = [content for _, content in self.bots.values()]
        contents += [self._house.content] if self._house else []
        return {sha256(content).hexdigest(): content for content in contents}

    def with_seed(self, seed: int | str) -> Table:
        """Return the same table with the games of a seed. An integer and its decimal text are the same seed."""
        return replace(self, key=sub_key(master_key(str(seed)), _LABEL))

    def leg(self, row: int, number: int) -> Leg:
        """Return a leg of a row. Each leg has its own deals, and the bots move by one position from leg to leg.

        Args:
            row: Number of the row, from 0.
            number: Number of the leg in its row, from 0.
        """
        key, seats, house = sub_key(self.key, row, number), [], None
        for seat, (name, (kind, artifact)) in enumerate(zip(self.names, self._seats)):
            seats.append(Seat(name, kind, artifact, to_number(sub_key(key, "bot", seat))))
        if player := self._house:
            house = Seat(player.name, "house", player.sha256, to_number(sub_key(key, "house")))
        plan = LegPlan(
            match=row,
            number=number,
            sessions=self.contest.sessions_per_leg(self.settings),
            deals_key=sub_key(key, "deals"),
            seats=len(seats),
            rotation=number % len(seats),
        )
        return Leg(f"{row} {number}", plan, tuple(seats), house)


def new_table(
    config: Config,
    opponents: Sequence[str | os.PathLike[str] | Policy],
    find: Callable[[str], Path],
    on_message: Callable[[str], None],
    open_seats: Sequence[int],
    seed: int | str,
) -> Table:
    """Return a table at which opponents sit, in order, at the seats that aren't open. Bots are built.

    In a contest in which all bots share a table, it has a seat for each opponent and each open seat.

    Args:
        config: Settings of the contest.
        opponents: Bots by path or name, and functions. Seats without an opponent are open, too.
        find: Called with the path or name of a bot; returns its path, or raises InputError.
        on_message: Called with a message before the compiler's libraries are built.
        open_seats: The seats of the caller, from 0, in any order.
        seed: Integer or text that determines the games.

    Raises:
        InputError: There are too many opponents, a seat doesn't exist or is given twice, an opponent isn't a bot that
            can play, the contest is played by teams, or this machine can't build or confine bots. Or a file of the
            settings can't be read.
        RunError: This machine fails, for example because the disk is full, or can't use its cache.
        CommandAborted: The thread must end.
    """
    contest, settings = config.played, config.contest
    if contest.members > 1:
        raise InputError(f"{contest.title} is played by teams, which can't be trained yet")
    count = contest.seats_of(settings.playing()) or len(opponents) + len(open_seats)
    if not contest.house and count < 2 and contest.seats == "all":
        raise InputError(f"seat: {contest.title} has a seat for every bot; name all of yours, as in seat=(0, 1, 2)")
    if len(set(open_seats)) < len(open_seats) or not all(0 <= seat < count for seat in open_seats):
        raise InputError(f"seat: {', '.join(map(str, open_seats))}; expected different numbers from 0 to {count - 1}")
    free = [seat for seat in range(count) if seat not in open_seats]
    if len(opponents) > len(free):
        raise InputError(
            f"opponents: {len(opponents)} for {len(free)} seats; {contest.title} has {count}, of which"
            f" {len(open_seats)} are yours"
        )
    contest = contest.seated(count)
    contest = replace(contest, interface=adapted(contest.interface, settings))
    names = [f"seat {seat}" for seat in range(count)]
    bots: dict[int, tuple[Any, bytes]] = {}
    policies: dict[int, Policy] = {}
    submissions: dict[int, Submission] = {}
    for seat, opponent in zip(free, opponents):
        if callable(opponent):
            policies[seat] = opponent
        else:
            submissions[seat] = read_submission(find(os.fspath(opponent)))
            names[seat] = submissions[seat].name
    kinds = {submission.kind for submission in submissions.values()}
    libraries.prepare_libraries(kinds & set(compiler_command.LANGUAGES), config.sandbox, on_message)
    for seat, submission in submissions.items():
        entrant = build_entrant(submission, contest.interface, settings, config.sandbox)
        if entrant.artifact is None:
            raise InputError(f"{submission.path}: it can't play: {entrant.problem}")
        bots[seat] = entrant.plays_as, entrant.artifact
    still_open = (*open_seats, *free[len(opponents) :])
    key = sub_key(master_key(str(seed)), _LABEL)
    return Table(contest, settings, config.sandbox, tuple(names), bots, policies, tuple(sorted(still_open)), key)
