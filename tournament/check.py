"""Trying a bot before it enters: built, started and played as in the tournament."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from engine.records import Table
from tournament.contests import CONTESTS
from tournament.contests.contest import Contest, ContestSettings, HousePlayer, buffer_fields
from tournament.entrants import compiler
from tournament.entrants.bot import Entrant, Submission
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.play import play_leg
from tournament.problems import BadInput
from tournament.reconcile import content_sha256
from tournament.running import Watcher
from tournament.schedule import AgainstHouse, Competitor, RoundRobin
from tournament.store.ledger import LegResult
from tournament.store.parts import ROWS_PER_GROUP

SESSIONS = 500
HOUSE_NAME = "house"


@dataclass(frozen=True)
class Meter:
    """What decisions took, in WebAssembly instructions."""

    decisions: int
    fuel: int
    most: int


@dataclass(frozen=True)
class CheckReport:
    """What a check found. Without `leg` the bot could not be built; `problem` says why.

    Points are the bot's, per session, against the house bot.
    """

    name: str
    kind: str
    size: int
    problem: str | None
    leg: LegResult | None = None
    meter: Meter | None = None
    fuel_allowed: int = 0
    points_per_session: float = 0.0
    repeats: bool = True
    faults: tuple[str, ...] = field(default=())

    @property
    def fit(self) -> bool:
        """Whether the bot can enter."""
        return self.problem is None and not self.faults and self.repeats


@dataclass
class _Scrap:
    """A desk that throws rows away, and keeps a digest of them."""

    games: Table
    sessions: Table

    def __post_init__(self) -> None:
        self.digest = sha256()

    def clear(self) -> None:
        for table in (self.games, self.sessions):
            for values in table.arrays.values():
                self.digest.update(values[: table.rows].tobytes())
            table.rows = 0


def contest_of(path: Path) -> Contest:
    """The contest whose entrants folder a bot lies in, else the first one."""
    for contest in CONTESTS:
        if contest.name in path.absolute().parts:
            return contest
    return CONTESTS[0]


def check_bot(contest: Contest, settings: ContestSettings, path: Path, watcher: Watcher) -> CheckReport:
    """Build a bot and play it against a house player or the house bot, twice with one seed.

    Raises BadInput when there is no such file or it isn't a bot's.
    """
    if not path.is_file():
        raise BadInput(f"{path}: {'this is a folder' if path.is_dir() else 'there is no such file'}")
    submission = read_submission(path)
    kinds = {submission.kind} if contest.house else {"c", submission.kind}
    for kind in sorted(kinds - {"wasm"}):
        compiler.prepare_libraries(kind, watcher.say)
    entrant = build_entrant(submission, contest.interface, settings)
    if entrant.artifact is None:
        return CheckReport(entrant.name, entrant.kind, 0, entrant.problem)
    opponent = contest.house.practice(settings) if contest.house else _house_bot(contest, settings, path)
    first = _play(contest, settings, entrant, opponent)
    second = _play(contest, settings, entrant, opponent)
    leg, meter, digest, seat = first
    mine = [fault for fault in leg.faults if fault.seat == seat]
    return CheckReport(
        name=entrant.name,
        kind=entrant.kind,
        size=len(entrant.artifact),
        problem=None,
        leg=leg,
        meter=meter,
        fuel_allowed=settings.fuel_per_decision,
        points_per_session=(leg.points if seat == 0 else -leg.points) / max(1, leg.sessions),
        repeats=digest == second[2],
        faults=tuple(f"session {f.session}, game {f.game}, {f.question}: {f.what}" for f in mine),
    )


def _house_bot(contest: Contest, settings: ContestSettings, path: Path) -> HousePlayer:
    """The contest's bot to start from, built, as an opponent where entrants play each other."""
    source = (contest.interface.kit / "new_bot.c").read_bytes()
    submission = Submission(HOUSE_NAME, "c", path.with_name(f"{HOUSE_NAME}.c"), source, sha256(source).hexdigest())
    built = build_entrant(submission, contest.interface, settings)
    assert built.artifact is not None, built.problem
    # A name that no file can have keeps a bot called "house" apart from the house bot.
    return HousePlayer(f"({HOUSE_NAME})", built.artifact)


def _play(
    contest: Contest, settings: ContestSettings, bot: Entrant, opponent: HousePlayer
) -> tuple[LegResult, Meter, str, int]:
    assert bot.artifact is not None and bot.artifact_sha256 is not None
    artifacts = {bot.artifact_sha256: bot.artifact, content_sha256(opponent): opponent.content}
    mine = Competitor(0, bot.name, bot.artifact_sha256)
    other = Competitor(1, opponent.name, content_sha256(opponent))
    playing = settings.playing() | {"sessions": min(SESSIONS, settings.sessions)}
    if contest.house:
        leg = next(AgainstHouse(contest.name, playing, [mine], [other]).legs())
    else:
        leg = next(RoundRobin(contest.name, playing | {"duplicate": False}, [mine, other]).legs())
    seat = 0 if leg.x.name == bot.name else 1
    desk = _Scrap(
        Table(buffer_fields(contest.games), ROWS_PER_GROUP), Table(buffer_fields(contest.sessions), ROWS_PER_GROUP)
    )
    meters: list[tuple[int, int, int]] = []
    result = play_leg(contest, settings, leg, artifacts, desk, meters=meters)
    desk.clear()
    return result, Meter(*meters[seat]), desk.digest.hexdigest(), seat
