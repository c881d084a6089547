"""Tries a bot before it enters: it is built, started and played as in the tournament."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.wasm.surroundings import FUEL_PER_SECOND
from engine.watching.scripted_core import ScriptedCore
from tournament.artifacts.bot import Kind, Submission
from tournament.artifacts.python_artifact import legs_may_share, sources_of
from tournament.config import Contests
from tournament.containment import BotTrouble, our_error
from tournament.contests import SHIPPED_RULES
from tournament.contests.contest import Contest
from tournament.contests.questions import extreme_questions
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import BankedSettings, ContestSettings
from tournament.entrants.build import build_with_line_numbers, find_isolation_reason, find_standard
from tournament.entrants.folder import read_submission
from tournament.errors import InputError, TournamentError, pluralize, truncate
from tournament.keys import drawn_seed
from tournament.leg import TIME_KINDS, TOO_SLOW, FailureKind
from tournament.sandbox.outside import probe
from tournament.sandbox.outside.ending import CommandAborted
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.leg_result import Fault, LegResult
from tournament.trial.trial_legs import SESSIONS, Meter, Pairing, Trial, build
from tournament.worker.leg import limits_of
from tournament.worker.observation import ObservedGame, Window, cut_short

if TYPE_CHECKING:
    from tournament.runner.listener import ProgressListener

# Faults that end the extreme questions, in case a bot is slow at each of them.
_MAX_FAULTS_AT_LIMITS = 5
# Games in which a bot's habits are observed: of a fast bot, and of a slow one.
_MORE_GAMES, _FEW_DECISIONS = Window(0, 19, 0, 199), Window(decisions=20)
# Seconds after which a leg is the last one, factor from one leg to the next, and games of the first leg.
_SECONDS, _LONGER, _FIRST_GAMES = 4.0, 8, 20
# A leg that takes this multiple of its limit is too slow on any machine.
_TOO_SLOW_FACTOR = 3.0
# Limit of a decision or start, so that an endless loop is found soon, whatever the contest allows.
_DECISION_SECONDS = 1.0
# Games of a quick trial, and the processor time for all of them.
_QUICK_GAMES, _QUICK_SECONDS = 3, 1.5
_MANY_ANSWERS = 30
_MAX_PRINTED, _LONGEST_PRINTED = 10, 200  # lines, and characters of each


@dataclass(frozen=True)
class CheckReport:
    """The result of a check. CHECKED has the meanings of the other fields.

    Attributes:
        size: Bytes of its artifact, 0 if it couldn't be built, or the check didn't wait for its start.
        leg: The leg that it played, the longest one; None without one, as with a size of 0.
        meter: The cost of its decisions in the leg; None without a leg.
        fuel_allowed: Units of fuel that the check allows for a decision; 0 without a leg.
        points_per_session: Points of the bot in the leg, per session; 0 without a leg.
        repeats: Whether one seed gave the same games twice. True if the leg wasn't played twice.
        shares_process: Whether legs of a Python bot share a process.
        isolation_violation: Why legs of a Python bot don't share a process, with the line; "" if they do, and for
            other bots.
        confined_by: The layers that confine it, "" for WebAssembly and in a quick check.
        standard: Language standard by which a C or C++ bot builds, "" for other bots and in a quick check.
        printed: At most the last ten lines of its output in the observed games, "" for none and in a quick check.
        habits: Remarks on its answers, empty in a quick check, and if it was disqualified.
        at_fault: The game of its first fault, empty if it has none, and in a quick check.
    """

    name: str
    kind: Kind
    size: int
    problem: str | None
    seed: str | None = None
    leg: LegResult | None = None
    meter: Meter | None = None
    fuel_allowed: int = 0
    points_per_session: float = 0.0
    repeats: bool = True
    shares_process: bool = False
    isolation_violation: str = ""
    confined_by: str = ""
    standard: str = ""
    warnings: str = ""
    faults: tuple[Fault, ...] = ()
    boundary_questions: int = 0
    boundary_faults: tuple[Fault, ...] = ()
    opponent: str = ""
    printed: str = ""
    habits: tuple[str, ...] = ()
    at_fault: tuple[ObservedGame, ...] = ()
    slow: str = ""
    too_slow: bool = False

    @property
    def leg_faults(self) -> list[tuple[LegResult, Fault]]:
        """Faults of the bot in the leg, each after the leg's result. The list is empty if it played no leg."""
        return [(self.leg, fault) for fault in self.faults] if self.leg else []

    @property
    def answered_all(self) -> bool:
        """True if it was asked all extreme questions, with less than five faults. False if it wasn't asked at all."""
        return self.boundary_questions > 0 and len(self.boundary_faults) < _MAX_FAULTS_AT_LIMITS

    @property
    def fit(self) -> bool:
        """True if the bot can enter: it could be built, had no fault and isn't too slow.

        A bot whose games don't repeat can enter. So can one whose start the check didn't wait for, although the contest
        allows it: `slow` then says so.
        """
        is_faultless = not self.faults and not self.boundary_faults
        return self.problem is None and is_faultless and not self.too_slow


# Fields of `check --json` with their meanings.
CHECKED = {
    "name": "name of the bot",
    "kind": "c, cpp, wasm, python or program",
    "fit": "whether the bot can enter",
    "problem": "why the bot can't be built or started; null if it can",
    "seed": "seed that repeats the check; null if the settings have one",
    "opponent": "the house player or bot that it played",
    "points_per_session": "points of the bot against that one",
    "repeats": "whether one seed gave the same games twice",
    "slow": "why the bot played less; empty if it didn't",
    "too_slow": "whether a leg takes longer than the contest allows",
    "warnings": "warnings of the C or C++ compiler",
    "habits": "remarks on the bot's answers",
    "printed": "last output of the bot's first games",
    "faults": "faults of the bot: `session`, `game`, `decision`, `message`, `question_text`, `last_output`, `kind`",
    "boundary_questions": "number of questions with extreme values that were asked",
    "boundary_faults": "faults of the bot at these questions",
}


def check_values(report: CheckReport) -> dict[str, Any]:
    """Return a check as values for JSON, by the names and in the order of CHECKED. Faults are dictionaries."""
    values = {name: getattr(report, name) for name in CHECKED}
    for name in ("faults", "boundary_faults"):
        values[name] = [asdict(fault) for fault in values[name]]
    return values


def find_contest_name(path: Path, contests: Contests) -> str:
    """Return the name of the contest in a bot's path, the last one if there are several, or the only chosen one.

    Shipped contests that the settings omit count in a path, too.

    Raises:
        InputError: No part of the path is a contest's name, and there isn't exactly one chosen contest.
    """
    names = {*contests.names, *SHIPPED_RULES}  # contests that the settings file omits count, too
    for part in reversed(path.absolute().parts):
        if part in names:
            return part
    if len(contests.chosen) == 1:
        return contests.chosen[0]
    choices = " or ".join(f"--contest {name}" for name in contests.chosen)
    raise InputError(f"{path}: its path names no contest; add {choices}")


def check_bot(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    path: Path,
    listener: ProgressListener,
    doing: Callable[[str], None] = lambda text: None,
    *,
    quick: bool = False,
) -> CheckReport:
    """Build a bot and try it: a leg against a house player or bot, twice with one seed, and extreme questions.

    The bot can't know that it is being tried: without a seed one is drawn, and it receives the tournament's number of
    sessions. A slow bot plays less. An error of our own counts as the bot's problem.

    Args:
        path: The bot's file or folder.
        listener: Receives messages of long steps.
        doing: Called with the name of each step. By default nothing is.
        quick: Whether to play three games only, in at most 1.5 seconds of the bot's time, up to its first fault. Then
            nothing is played twice or observed.

    Returns:
        The report. A bot that can't be built or tried has a problem in it, and no leg. One whose start takes longer
        than the check waits has no leg, either. It has no problem, if the contest allows that time.

    Raises:
        InputError: The file is missing, it isn't a bot's, or this machine can't confine bots. A file of the settings
            can't be read.
        RunError: This machine can't build the opponent or use its cache, or stopped the trial. The rules failed.
        BotTrouble: The bot or its opponent failed, perhaps because of the machine. It is a RunError.
        OSError: A file can't be read or written.
        CommandAborted: The thread must end.
    """
    submission = read_submission(path)  # raises before the first message
    try:
        return _check(contest, settings, sandbox, submission, listener, doing, quick=quick)
    except BotTrouble as trouble:
        if trouble.__cause__ is None or isinstance(trouble.__cause__, TournamentError):
            raise  # the machine may be the cause
        problem = trouble.reason
    except (TournamentError, OSError, CommandAborted):
        raise
    except Exception as error:
        problem = our_error(error, "can't be tried")
    return CheckReport(submission.name, submission.kind, 0, problem)


def _check(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    submission: Submission,
    listener: ProgressListener,
    doing: Callable[[str], None],
    *,
    quick: bool,
) -> CheckReport:
    """Build a bot and try it, as `check_bot` describes.

    Args:
        submission: The bot.

    Raises:
        InputError: The file is missing, or this machine can't confine bots. A file of the settings can't be read.
        RunError: This machine can't build the opponent or use its cache, or stopped the trial. The rules failed.
        BotTrouble: The bot or its opponent failed outside of the game, also by an error of our own. It is a RunError.
        OSError: A file can't be read or written.
        CommandAborted: The thread must end.
    """
    path, kind = submission.path, submission.kind
    seed = None if settings.seed else drawn_seed()
    settings = settings.model_copy(update={"seed": seed or settings.seed})
    allowed = settings.process_time(kind).bank
    most = _QUICK_SECONDS if quick else _DECISION_SECONDS if isinstance(settings, BankedSettings) else inf
    waits = f"took more than {most:g} s: {TOO_SLOW} to be tried; the contest allows {allowed:g} s a leg"

    def is_undecided(kind_of_failure: FailureKind, taken: float) -> bool:
        """Return whether the contest allows a bot that took this many seconds, but the trial didn't wait for it."""
        return kind_of_failure in ("fuel", "time") and allowed > most and taken < allowed

    if quick:
        names = ("seconds", "program_seconds", "idle_seconds")
        limits = {name: min(most, getattr(settings, name) or inf) for name in names}
        settings = settings.model_copy(update={**limits, "max_faults": 0})
    elif isinstance(settings, BankedSettings):
        settings = settings.with_decisions_within(most)
    doing(f"building {path.name}")
    tried = build(contest, settings, sandbox, path, listener.on_message)
    entrant = tried.bot
    if entrant.artifact is None:
        problem, slow = (None, f"a start {waits}") if is_undecided(entrant.failed, 0.0) else (entrant.problem, "")
        return CheckReport(entrant.name, kind, 0, problem, slow=slow)
    named = describe_opponent(contest, tried.opponent)
    doing(f"playing against {named}")
    played = _play_shortly(tried) if quick else _play_on(tried)
    first, shorter, is_fast = played.trial, played.pairing, played.seconds < _SECONDS
    slow, faults = played.slow, first.faults
    late = next((fault for fault in faults if fault.kind in TIME_KINDS), None)
    if late and is_undecided(late.kind, _taken(first)):
        slow = f"session {late.session}, game {late.game}, {late.decision}: it {waits}"
        faults = tuple(fault for fault in faults if fault is not late)
    report = CheckReport(
        name=entrant.name,
        kind=kind,
        size=len(entrant.artifact),
        problem=None,
        seed=seed,
        leg=first.result,
        meter=first.meter,
        fuel_allowed=limits_of(settings).fuel,
        points_per_session=first.result.sums[0].points / max(1, first.result.sessions),
        faults=faults,
        opponent=named,
        slow=slow,
        too_slow=played.too_slow,
    )
    if quick:
        return report
    faults, at_fault = _explained(shorter, submission, faults)
    goes_on = 0 not in first.result.disqualified_seats
    seen = at_fault if late else shorter.observe(_MORE_GAMES if is_fast else _FEW_DECISIONS).games
    repeats, asked, asked_faults = True, 0, tuple[Fault, ...]()
    if goes_on and not played.too_slow:
        doing("playing the same again")
        repeats = shorter.play()[0].digest == first.digest
        doing("asking at the limits")
        (at_limits,) = _with_extreme_questions(tried).play()
        asked, asked_faults = at_limits.meter.decisions, at_limits.faults
    share, isolation_violation = _sharing(tried)
    language = find_standard(submission, tried.contest.interface, sandbox)
    return replace(
        report,
        repeats=repeats,
        shares_process=share,
        isolation_violation=isolation_violation,
        confined_by="" if entrant.plays_as == "wasm" else probe.probe_sandbox(sandbox.mode),
        standard=language[0],
        warnings=language[1],
        faults=faults,
        boundary_questions=asked,
        boundary_faults=asked_faults,
        printed=_last_output(seen),
        habits=habits(contest, seen) if goes_on else (),
        at_fault=at_fault,
    )


@dataclass(frozen=True)
class _LongestLeg:
    """The longest leg that was played.

    Attributes:
        trial: The leg.
        pairing: The pairing that played it.
        seconds: Wall-clock seconds that it took; 0 in a quick trial.
        slow: Why no longer leg was played, "" if it was complete, ended by a fault, or was a quick trial.
        too_slow: Whether a complete leg would take longer than its limit.
    """

    trial: Trial
    pairing: Pairing
    seconds: float
    slow: str
    too_slow: bool


def _play_on(tried: Pairing) -> _LongestLeg:
    """Play longer and longer legs, until one is complete, takes long or ends by a fault, and return the last one.

    The first leg has about twenty games. A complete one has at most SESSIONS sessions.

    Raises:
        InputError: This machine can't confine bots.
        RunError: This machine can't play, or the rules failed.
        BotTrouble: A bot failed for a reason outside of the game. It is a RunError.
        OSError: Rows can't be stored, or too many files are open.
    """
    contest, settings = tried.contest, tried.settings
    games_per_session = max(1.0, contest.estimates.games(settings))
    total_games = games_per_session * min(SESSIONS, contest.sessions_per_leg(settings))
    games, before = float(_FIRST_GAMES), (0.0, 0)
    while True:
        is_complete = games >= total_games
        sessions, each = max(1, int(games / games_per_session)), max(1, int(min(games, 1000 * games_per_session)))
        shorter = tried if is_complete else replace(tried, contest=cut_short(contest, sessions, each))
        began = time.monotonic()
        (trial,) = shorter.play()
        seconds = time.monotonic() - began
        taken, decisions = _taken(trial), trial.meter.decisions
        # The difference excludes the time of the start, which the previous leg had, too.
        each_takes = max(0.0, taken - before[0]) / max(1, decisions - before[1])
        ended = trial.result.ended_by is not None or 0 in trial.result.disqualified_seats
        if is_complete or ended or (seconds > _SECONDS and decisions > before[1] > 0):
            break
        before = taken, decisions
        games *= _LONGER if seconds < _SECONDS else 2
    if is_complete or ended:
        return _LongestLeg(trial, shorter, seconds, "", too_slow=False)
    decisions_per_leg = decisions / max(1, trial.result.games) * games_per_session * contest.sessions_per_leg(settings)
    allowed = settings.fuel_per_leg / FUEL_PER_SECOND
    if trial.meter.use:
        process_time = settings.process_time(tried.bot.plays_as)
        allowed = process_time.bank + decisions_per_leg * process_time.increment
    leg_takes = each_takes * decisions_per_leg
    too_slow = leg_takes > _TOO_SLOW_FACTOR * allowed
    rest = ": less is played here, to come to an end"
    if leg_takes > allowed:
        rest = f"; it has {allowed:,.0f} s" + ("" if too_slow else ", so it may be disqualified")
    about = f"about {each_takes * 1000:,.1f} ms a decision, {leg_takes:,.0f} s a leg"
    return _LongestLeg(trial, shorter, seconds, f"{about}{rest}", too_slow)


def _play_shortly(tried: Pairing) -> _LongestLeg:
    """Play the three games of a quick trial, and return them as the longest leg.

    Raises:
        InputError: This machine can't confine bots.
        RunError: This machine can't play, or the rules failed.
        BotTrouble: A bot failed for a reason outside of the game. It is a RunError.
        OSError: Rows can't be stored, or too many files are open.
    """
    shorter = replace(tried, contest=cut_short(tried.contest, 1, _QUICK_GAMES))
    return _LongestLeg(shorter.play()[0], shorter, 0.0, "", too_slow=False)


def _taken(trial: Trial) -> float:
    """Return the bot's own time in a leg, in seconds: processor time, or the equivalent of its fuel."""
    return trial.meter.use.cpu_seconds if trial.meter.use else trial.meter.fuel / FUEL_PER_SECOND


def _sharing(tried: Pairing) -> tuple[bool, str]:
    """Return whether legs of a Python bot share a process, and the reason if they don't.

    For other bots, and one that couldn't be built, it is False with the reason "".

    Raises:
        InputError: The source can't be confined while it is read, or a package of the settings isn't installed.
        RunError: The machine prevents reading it, or its interpreter or packages changed since the build.
        OSError: The contest's module for bots can't be read.
    """
    artifact = tried.bot.artifact
    if tried.bot.plays_as != "python" or artifact is None:
        return False, ""
    if legs_may_share(artifact):
        return True, ""
    adapter, source, library = sources_of(artifact, tried.sandbox, tried.contest.interface.python.sdk)
    return False, find_isolation_reason(source, tried.contest.interface, tried.sandbox, adapter, library)


def _with_extreme_questions(tried: Pairing) -> Pairing:
    """Return the pairing with a core that asks the bot extreme questions. Its fifth fault disqualifies the bot."""
    contest = tried.contest
    if contest.new_core_at_limits:
        asking = replace(contest, new_core=contest.new_core_at_limits)
    else:
        questions = extreme_questions(contest.interface)
        asking = replace(contest, new_core=lambda _: ScriptedCore(questions, contest.interface.view_size))
    forgiving = tried.settings.model_copy(update={"max_faults": _MAX_FAULTS_AT_LIMITS - 1})
    return replace(tried, contest=asking, settings=forgiving)


def habits(contest: Contest, seen: Sequence[ObservedGame]) -> tuple[str, ...]:
    """Return remarks on a bot's answers: questions that never came or always got one answer, and illegal answers.

    They are in the order of the contest's questions. Questions that only inform are left out. "Always" needs at least
    30 answers.

    Args:
        seen: Observed games, in which the bot has seat 0.
    """
    remarks = []
    steps = [step for game in seen for step in game.steps if step.seat == 0]
    for question in contest.interface.questions:
        if question.is_news:
            continue
        answered = [step for step in steps if step.decision == question.name and step.fault is None]
        answers = [step.answer_text for step in answered]
        if illegal := [step for step in answered if step.illegal]:
            first = f"the first: {truncate(illegal[0].question_text, 200)}: {illegal[0].answer_text}"
            remarks.append(f"{question.name}: {len(illegal)} of {pluralize(len(answers), 'answer')} illegal; {first}")
        if not any(step.decision == question.name for step in steps):
            remarks.append(f"{question.name} was never asked")
        elif len(answers) >= _MANY_ANSWERS and len(set(answers)) == 1:
            remarks.append(f"{question.name}: always the same answer, {answers[0]} ({len(answers)} times)")
    return tuple(remarks)


def _last_output(seen: Sequence[ObservedGame]) -> str:
    """Return the last ten lines of output of the bot in seat 0, each cut to 200 characters, "" for none."""
    text = "".join(step.printed for game in seen for step in game.steps if step.seat == 0)
    return "\n".join(line[:_LONGEST_PRINTED] for line in text.splitlines()[-_MAX_PRINTED:])


def _explained(
    tried: Pairing, submission: Submission, faults: tuple[Fault, ...]
) -> tuple[tuple[Fault, ...], tuple[ObservedGame, ...]]:
    """Return the faults with better messages, in their order, and the game of the first one.

    Without faults both are empty. The game is played again. A C or C++ bot is built again for this, so that the first
    fault of each kind has its line.

    Args:
        tried: The pairing that played the leg.
        submission: The bot.
        faults: Faults of the bot in the leg.

    Raises:
        InputError: This machine can't confine bots.
        RunError: This machine can't build or play, or the rules failed.
        BotTrouble: A bot failed for a reason outside of the game. It is a RunError.
        OSError: Rows can't be stored, or too many files are open.
    """
    artifact = (
        build_with_line_numbers(submission, tried.contest.interface, tried.sandbox)
        if tried.bot.plays_as == "wasm"
        else None
    )
    explained: list[Fault] = []
    games: tuple[ObservedGame, ...] = ()
    messages: dict[tuple[str, str], str] = {}
    for fault in faults:
        sort = (fault.decision, fault.message)
        if sort not in messages and (artifact or not messages):
            observed = tried.observe(Window(fault.session, fault.session, fault.game, fault.game), artifact)
            step_faults = [
                step.fault for game in observed.games for step in game.steps if step.seat == 0 and step.fault
            ]
            messages[sort] = step_faults[0] if artifact and step_faults else fault.message
            games = games or observed.games
        explained.append(replace(fault, message=messages.get(sort, fault.message)))
    return tuple(explained), games


def describe_opponent(contest: Contest, opponent: HousePlayer) -> str:
    """Return the opponent's description for messages: the house bot, or the name of a house player."""
    if contest.house is None:
        return "the house bot, the one that tournament new writes"
    return f"{opponent.name}, a house player"
