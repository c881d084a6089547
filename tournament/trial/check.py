"""Trying a bot before it enters: built, started and played as in the tournament."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.wasm.surroundings import FUEL_PER_SECOND
from engine.watching.scripted_core import ScriptedCore
from tournament.artifacts.bot import Entrant, Kind
from tournament.artifacts.python_packing import legs_may_share, sources_of
from tournament.config import Contests
from tournament.containment import BotTrouble, our_error
from tournament.contests import KNOWN_RULES
from tournament.contests.contest import Contest
from tournament.contests.questions import extreme_questions
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import language_of, why_legs_apart, with_lines
from tournament.entrants.folder import read_submission
from tournament.errors import InputError, TournamentError
from tournament.keys import drawn_seed
from tournament.leg import FailureKind
from tournament.sandbox.outside import probe, running
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.legs import Fault, LegResult
from tournament.trial.mistakes import Search, search
from tournament.trial.pace import PATIENCE_SECONDS, measure_pace
from tournament.trial.playing import Meter, Pairing, Trial, build
from tournament.worker.leg import limits_of
from tournament.worker.observation import ObservedGame, ObservedLeg, Window, cut_short
from tournament.worker.processes.pool import MOST_OWN_PROCESSES

if TYPE_CHECKING:
    from tournament.runner.watcher import Watcher

# Legs that a bot which is a process plays side by side, together as long as one, and as many as have processes of their
# own in a tournament: to see that they don't know of each other, and that none fails for being in company.
_NEIGHBOURS = MOST_OWN_PROCESSES
# So that a bot that is slow at every extreme question isn't asked all of them.
_MOST_FAULTS_AT_LIMITS = 5
# The games that show a bot's habits, if it isn't slow.
_MORE_GAMES = Window(0, 19, 0, 199)
_SLOW_SECONDS = 30.0
# The most fuel of a call: an endless loop must show in seconds, whatever the contest allows.
_MOST_FUEL = FUEL_PER_SECOND // 2
_MANY_ANSWERS = 30
_MOST_GAMES = 200
_MOST_PRINTED, _LONGEST_PRINTED = 10, 200  # lines, and characters of each


@dataclass(frozen=True)
class CheckReport:
    """What a check found. Without `leg` the bot could not be built; `problem` says why.

    `failed`: of what kind the problem is. `seed` is the one that was drawn for it; None where the settings have one.
    Points are the bot's, per session, against the house bot. `repeats`: one
    seed gave the same games twice. `legs_share` a process, if a Python bot's may, else `why_apart` has its line; it
    `leaks` if it then played a leg otherwise than alone. `warnings` are a C compiler's.
    `boundary_faults` are those at extreme values.
    `opponent` names the house bot. `printed` is the last output of its first games, `habits` are remarks on
    its answers there. `slow` says why it played less; `too_slow`: a leg takes longer than it has.
    `mistakes` are those of a C or C++ bot that don't show here; it is as fit with them as without.
    """

    name: str
    kind: Kind
    size: int
    problem: str | None
    failed: FailureKind = "other"
    seed: str | None = None
    leg: LegResult | None = None
    meter: Meter | None = None
    fuel_allowed: int = 0
    points_per_session: float = 0.0
    repeats: bool = True
    legs_share: bool = False
    why_apart: str = ""
    leaks: bool = False
    confined_by: str = ""
    standard: str = ""
    warnings: str = ""
    faults: tuple[Fault, ...] = ()
    boundary_questions: int = 0
    boundary_faults: tuple[Fault, ...] = ()
    opponent: str = ""
    printed: str = ""
    habits: tuple[str, ...] = ()
    slow: str = ""
    too_slow: bool = False
    mistakes: Search | None = None

    @property
    def faults_of_leg(self) -> list[tuple[LegResult, Fault]]:
        """Its faults but those at extreme values, each with its leg."""
        return [(self.leg, fault) for fault in self.faults] if self.leg else []

    @property
    def asked_all(self) -> bool:
        """Whether it was asked all questions at the limits: none follow after some faults, or disqualification."""
        return self.boundary_questions > 0 and len(self.boundary_faults) < _MOST_FAULTS_AT_LIMITS

    @property
    def fit(self) -> bool:
        """Whether the bot can enter. One whose games can't be repeated may."""
        sound = not self.faults and not self.boundary_faults
        return self.problem is None and sound and not self.too_slow


# What scripts are told of a check, with its meaning.
CHECKED = {
    "name": "the bot's",
    "kind": "c, cpp, wasm, python or program",
    "fit": "whether it can enter",
    "problem": "why it can't be built or started; null if it can",
    "seed": "repeats the check; null if the settings have one",
    "opponent": "the house bot that it played",
    "points_per_session": "against that one",
    "repeats": "whether one seed gave the same games twice",
    "slow": "why it played less, if it did",
    "too_slow": "whether a leg takes longer than it has",
    "warnings": "a C compiler's",
    "habits": "remarks on its answers",
    "printed": "the last output of its first games",
    "faults": "`session`, `game`, `question`, `what`, `asked`, `complaints`, `kind`",
    "boundary_questions": "how many questions with extreme values were asked",
    "boundary_faults": "its faults there",
}


def check_values(report: CheckReport) -> dict[str, Any]:
    """Return a check as scripts get it."""
    values = {name: getattr(report, name) for name in CHECKED}
    for name in ("faults", "boundary_faults"):
        values[name] = [asdict(fault) for fault in values[name]]
    return values


def contest_of(path: Path, known: Contests) -> str:
    """The contest whose name is in a bot's path, the last if several are, else the only one of the settings file.

    Raises InputError when neither says it.
    """
    names = {*known.names, *KNOWN_RULES}  # also those that the settings file leaves out
    for part in reversed(path.absolute().parts):
        if part in names:
            return part
    if len(known.chosen) == 1:
        return known.chosen[0]
    choices = " or ".join(f"--contest {name}" for name in known.chosen)
    raise InputError(f"{path}: for which contest? Its path doesn't say; add {choices}")


def check_bot(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    path: Path,
    watcher: Watcher,
    doing: Callable[[str], None] = lambda text: None,
) -> CheckReport:
    """Build a bot and try it: games against a house player or bot, twice with one seed, and questions at the limits.

    The bot must not learn that it is being tried: without a seed one is drawn, and it is told of as many sessions as
    in a tournament. A call that is too long for a check, but not for the contest, is no fault: the report says that
    the bot is slow. An error of our own is the bot's problem. `doing` gets the name of each step. Raises InputError
    when there is no such file or it isn't a bot's, and when nothing here can confine it.
    """
    submission = read_submission(path)  # what can be no bot is refused before anything is announced
    try:
        return _not_waited_for(_check(contest, _impatient(settings), sandbox, path, watcher, doing), settings)
    except BotTrouble as trouble:
        if trouble.__cause__ is None or isinstance(trouble.__cause__, TournamentError):
            raise  # the machine's, perhaps
        problem = trouble.reason
    except (TournamentError, OSError, running.Ended):
        raise
    except Exception as error:
        problem = our_error(error, "can't be tried")
    return CheckReport(submission.name, submission.kind, 0, problem)


def _impatient(settings: ContestSettings) -> ContestSettings:
    """The settings with no more time for a call than a trial waits."""
    return settings.model_copy(
        update={
            "fuel_per_decision": min(settings.fuel_per_decision, _MOST_FUEL),
            "fuel_to_start": min(settings.fuel_to_start, _MOST_FUEL),
        }
    )


def _not_waited_for(report: CheckReport, settings: ContestSettings) -> CheckReport:
    """The report without faults that the contest's own limits would allow, which it says in `slow` instead."""
    limits = limits_of(settings)

    def words(what: str, allowed: int) -> str:
        return (
            f"{what} took more than {_MOST_FUEL:,} fuel ({_MOST_FUEL / FUEL_PER_SECOND:g} s), for which a check doesn't"
            f" wait: an endless loop? The contest allows {allowed:,} ({allowed / FUEL_PER_SECOND:,g} s)"
        )

    if report.kind in ("python", "program"):
        return report
    report = replace(report, fuel_allowed=limits.fuel)
    if limits.fuel_to_start > _MOST_FUEL and report.failed == "fuel":
        return replace(report, problem=None, slow=words("a start", limits.fuel_to_start))
    if limits.fuel <= _MOST_FUEL:
        return report
    late = [fault for fault in (*report.faults, *report.boundary_faults) if fault.kind == "fuel"]
    if not late:
        return report
    where = late[0].what.rpartition(" (line ")
    return replace(
        report,
        faults=tuple(fault for fault in report.faults if fault not in late),
        boundary_faults=tuple(fault for fault in report.boundary_faults if fault not in late),
        boundary_questions=max(0, report.boundary_questions - sum(fault in late for fault in report.boundary_faults)),
        slow=words(late[0].question + "".join(where[1:] if where[1] else ()), limits.fuel),
    )


def _check(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    path: Path,
    watcher: Watcher,
    doing: Callable[[str], None],
) -> CheckReport:
    seed = None if settings.seed else drawn_seed()
    settings = settings.model_copy(update={"seed": seed or settings.seed})
    doing(f"building {path.name}")
    tried = build(contest, settings, sandbox, path, watcher.say)
    entrant = tried.bot
    if entrant.artifact is None:
        return CheckReport(entrant.name, entrant.kind, 0, entrant.problem, entrant.failed)
    named = _opponent_in_words(contest, tried.opponent)
    doing(f"playing a few games against {named}")
    first_games, pace = measure_pace(tried)
    language = language_of(read_submission(path), contest.interface, sandbox)
    report = CheckReport(
        name=entrant.name,
        kind=entrant.kind,
        size=len(entrant.artifact),
        problem=None,
        seed=seed,
        confined_by=_confined_by(entrant, sandbox),
        standard=language[0],
        warnings=language[1],
        opponent=named,
    )
    faults = tuple(fault for fault in first_games.result.faults if fault.seat == 0)
    waited = any(fault.kind == "silence" for fault in faults)
    if pace.too_slow or waited or first_games.result.ended_by == 0:  # more of the same would only take long
        return replace(
            report,
            leg=first_games.result,
            faults=_explained(tried, path, faults),
            slow=pace.in_words if pace.too_slow else "",
            too_slow=pace.too_slow,
            printed=_printed(first_games),
            mistakes=None if pace.too_slow or waited else _search(tried, path, faults, doing, slow=True),
        )
    quick = pace.seconds < _SLOW_SECONDS
    first_games = tried.observe(_MORE_GAMES) if quick else first_games
    played = contest if pace.seconds < PATIENCE_SECONDS else cut_short(contest, pace.sessions, pace.games)
    shorter = replace(tried, contest=played)
    doing(f"playing against {named}")
    (first,) = shorter.play()
    report = replace(
        report,
        leg=first.result,
        meter=first.meter,
        points_per_session=first.result.sums[0].points / max(1, first.result.sessions),
        faults=_explained(tried, path, first.faults),
        slow="" if played is contest else pace.in_words,
        printed=_printed(first_games),
        habits=habits(contest, first_games),
    )
    if first.result.ended_by != 0:  # else more of the same would only take long
        report = replace(report, **_repeats(shorter, first, doing), **_at_limits(tried, doing))
    return replace(report, mistakes=_search(tried, path, first.faults, doing, slow=not quick))


def _search(
    tried: Pairing, path: Path, faults: Sequence[Fault], doing: Callable[[str], None], *, slow: bool
) -> Search | None:
    """Search for mistakes that don't show here; not of a bot that can't end a call, which would take long."""
    if any(fault.kind == "fuel" for fault in faults):
        return None
    doing("looking for mistakes")
    return search(tried, read_submission(path), None if slow else _asked_at_limits(tried), slow=slow)


def _confined_by(bot: Entrant, sandbox: SandboxSettings) -> str:
    return "" if bot.plays_as == "wasm" else probe.probe_sandbox(sandbox.mode)


def _repeats(tried: Pairing, first: Trial, doing: Callable[[str], None]) -> dict[str, Any]:
    """Whether the bot plays the same once more, and beside other legs, as it played first: fields of the report.

    Faults beside other legs count as others do.
    """
    doing("playing the same once more")
    (second,) = tried.play()
    found: dict[str, Any] = {"repeats": first.digest == second.digest}
    if tried.bot.plays_as == "wasm":
        return found
    doing("playing beside other legs")
    sessions, games = first.result.sessions, first.result.games
    games_each = games if sessions > 1 else games // _NEIGHBOURS
    short = replace(
        tried,
        contest=cut_short(tried.contest, max(1, sessions // _NEIGHBOURS), max(1, games_each)),
    )
    beside = short.play(_NEIGHBOURS)
    artifact = tried.bot.artifact
    if tried.bot.plays_as == "python" and artifact is not None:
        share, interface = legs_may_share(artifact), tried.contest.interface
        adapter, source = sources_of(artifact, tried.sandbox, interface.python.sdk)
        why = "" if share else why_legs_apart(source, interface, tried.sandbox, adapter)
        leaks = share and bool(found["repeats"]) and not _same(short, beside)
        found |= {"legs_share": share, "why_apart": why, "leaks": leaks}
    if in_company := [fault for trial in beside for fault in trial.faults]:
        found["faults"] = (*first.faults, replace(in_company[0], what=f"{in_company[0].what}, beside other legs"))
    return found


def _same(tried: Pairing, beside: Sequence[Trial]) -> bool:
    """Whether the first of some legs was played as it is alone."""
    (alone,) = tried.play()
    return alone.digest == beside[0].digest


def _at_limits(tried: Pairing, doing: Callable[[str], None]) -> dict[str, Any]:
    """The results of questions with extreme values: fields of the report."""
    doing("asking at the limits")
    (trial,) = _asked_at_limits(tried).play()
    return {"boundary_questions": trial.meter.decisions, "boundary_faults": trial.faults}


def _asked_at_limits(tried: Pairing) -> Pairing:
    """The bot, to be asked questions with extreme values."""
    contest = tried.contest
    if contest.trials.new_core_at_limits:
        asking = replace(contest, new_core=contest.trials.new_core_at_limits)
    else:
        questions = extreme_questions(contest.interface)
        asking = replace(contest, new_core=lambda *_: ScriptedCore(questions, contest.interface.view_size))
    forgiving = tried.settings.model_copy(update={"faults_allowed": _MOST_FAULTS_AT_LIMITS - 1})
    return replace(tried, contest=asking, settings=forgiving)


def habits(contest: Contest, seen: ObservedLeg) -> tuple[str, ...]:
    """Remarks on how a bot answered: a question that never came, and one that always gets the same answer."""
    remarks = []
    steps = [step for game in seen.games for step in game.steps if step.seat == 0]
    for question in contest.interface.questions:
        if question.only_tells:
            continue
        answers = [step.answered for step in steps if step.question == question.name and step.fault is None]
        if not any(step.question == question.name for step in steps):
            remarks.append(f"{question.name} was never asked")
        elif len(answers) >= _MANY_ANSWERS and len(set(answers)) == 1:
            remarks.append(f"{question.name}: always the same answer, {answers[0]} ({len(answers)} times)")
    return tuple(remarks)


def _printed(seen: ObservedLeg) -> str:
    """The last that the bot printed."""
    text = "".join(step.printed for game in seen.games for step in game.steps if step.seat == 0)
    return "\n".join(line[:_LONGEST_PRINTED] for line in text.splitlines()[-_MOST_PRINTED:])


def _explained(tried: Pairing, path: Path, faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    """The faults of a C or C++ bot, the first of each sort with its line: built and played once more."""
    if not faults or tried.bot.plays_as != "wasm":
        return faults
    artifact = with_lines(read_submission(path), tried.contest.interface, tried.sandbox)
    if artifact is None:
        return faults
    explained = []
    known: dict[tuple[str, str], str] = {}
    for fault in faults:
        sort = (fault.question, fault.what)
        if sort not in known:
            window = Window(fault.session, fault.session, fault.game, fault.game)
            again = tried.observe(window, artifact)
            words = [step.fault for game in again.games for step in game.steps if step.seat == 0 and step.fault]
            known[sort] = words[0] if words else fault.what
        explained.append(replace(fault, what=known[sort]))
    return tuple(explained)


def replay_check(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    path: Path,
    session: int,
    last_game: int | None,
    watcher: Watcher,
) -> tuple[ObservedGame, ...]:
    """Play the games of a check again and return those of one session, up to `last_game`.

    Raises InputError as `check_bot` does, without a seed, and when the check plays no such session.
    """
    if settings.seed is None:
        raise InputError(
            "--session: say also --seed, which the check has told; without one it plays other games each time"
        )
    settings = _impatient(settings)
    tried = build(contest, settings, sandbox, path, watcher.say)
    entrant = tried.bot
    if entrant.artifact is None:
        raise InputError(f"{path}: {entrant.problem}")
    last = _MOST_GAMES - 1 if last_game is None else last_game
    window = Window(session, session, max(0, last - _MOST_GAMES + 1), last)
    seen = tried.observe(window)
    if not seen.games:
        # The session in which a fault ended the leg was begun, but not finished.
        end = max(0, seen.result.sessions - 1, *(fault.session for fault in seen.result.faults))
        raise InputError(f"--session {session}: the check plays sessions 0 to {end}")
    if not any(step.fault for game in seen.games for step in game.steps):
        return seen.games
    artifact = with_lines(read_submission(path), contest.interface, sandbox)
    if artifact is None:
        return seen.games
    # Built with lines a bot may take a little less fuel. If then its games differ, its faults are shown without lines.
    again = tried.observe(window, artifact)
    return again.games if _without_reasons(again.games) == _without_reasons(seen.games) else seen.games


def _without_reasons(games: Sequence[ObservedGame]) -> list[Any]:
    """Games without the words that describe faults."""
    return [
        (game.session, game.game, game.row, [(step.seat, step.question, step.answer) for step in game.steps])
        for game in games
    ]


def _opponent_in_words(contest: Contest, opponent: HousePlayer) -> str:
    if contest.house is None:
        return "the house bot, the one that tournament new writes"
    return f"{opponent.name}, a house player"
