"""One match between two bots, or a bot and a house player: played as in a tournament, and kept only if asked."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tournament.arrays import Floats
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.errors import BadInput
from tournament.leg import PlaysAs, legs_per_replica
from tournament.runner.contest_run import run_prepared, run_replicas
from tournament.runner.preparing import Prepared, prepare_contest
from tournament.runner.watcher import Watcher
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.standings.standings import Standings
from tournament.store.legs import Fault, LegResult
from tournament.trial.mistakes import Search, search
from tournament.trial.playing import Pairing
from tournament.trial.sequential import Look, Rule, legs_in, play_until


@dataclass(frozen=True)
class MatchReport:
    """The result of a match, from the side of `bot`.

    `stderr` is of the points per session, `lead_stderr` of the bot's `lead` in them: None for too few sessions. `score`
    and `measures` are the contest's own, of play against house players. `disqualified` names the bot with a fault too
    many.
    """

    bot: str  #: the first
    opponent: str  #: the second
    sessions: int  #: played
    games: int  #: played
    points_per_session: float  #: of the first
    stderr: float | None  #: its standard error, null for too few sessions
    #: of the second: where the game is zero-sum, that of the first with the other sign
    opponents_points_per_session: float
    opponents_stderr: float | None  #: its standard error
    lead: float  #: the difference of the two, 0 where sums may differ by rounding alone
    lead_stderr: float | None  #: its standard error
    freedom: int = 0  #: degrees of freedom of these errors, by Student's t
    replicas: int = 1  #: that these errors are told from; 1: they are over the sessions of this one match
    score: float | None = None  #: what the contest makes of it, against house players
    measures: Mapping[str, float | None] = field(default_factory=dict)  #: the contest's own
    #: each with its `bot`; as of a replay `seat`, `session`, `game`, `question`, `what`, `asked`, `complaints`, `kind`
    faults: tuple[tuple[LegResult, Fault], ...] = ()
    disqualified: tuple[str, ...] = ()  #: names
    #: the last look of `--until` or `--sprt`: `verdict`, `replicas`, `said`, `done`, `reaches`
    stopped: Look | None = None


def play_match(
    contest: Contest,
    config: Config,
    bot: Path,
    opponent: Path | str,
    watcher: Watcher,
    look: Callable[[Config, MatchReport], None] = lambda config, report: None,
    rule: Rule | None = None,
) -> MatchReport:
    """Play the settings' sessions between a bot and an opponent: another bot, or the name of a house player.

    Records go to the settings' results, or, if that is "", to a folder that is removed afterwards. `look` is called
    with the settings that were played while the records are there. With a `rule` they play replica by replica until it
    stops them, by half the bot's lead in points a session. Raises BadInput for what can't be played, RunFailed
    when the run stopped short.
    """
    with scratch_folder() as folder:
        bots = folder / "bots"
        bots.mkdir()
        names = [entered(bot, bots)]
        if isinstance(opponent, Path):
            names.append(entered(opponent, bots, names[0]))
        else:
            contest = only_against(contest, [opponent])
            names.append(opponent)
        own = replace(config, entrants=bots, results=config.results or str(folder / "results"))
        with prepare_contest(contest, own, watcher, of=names[0]) as prepared:
            played = _play_until(rule, prepared, names, watcher) if rule else (run_prepared(prepared, watcher), None)
        report = replace(_report(played[0], *names), stopped=played[1])
        look(own, report)
    return report


def _play_until(
    rule: Rule, prepared: Prepared, names: Sequence[str], watcher: Watcher
) -> tuple[Standings, Look | None]:
    """The standings in the end, and the last look."""
    settings, house = prepared.config.contest, prepared.contest.house
    found: list[Standings] = []

    def play(replicas: int) -> Floats | None:
        found.append(run_replicas(prepared, replicas, watcher))
        field, legs = legs_in(prepared.location)
        if found[-1].below:
            return None
        replica = legs.number // (settings.sessions if house else legs_per_replica(field.settings))
        lead = legs.of_seat(0).points - legs.of_seat(1).points
        half = 0.5 if house or legs.x[0] == names[0] else -0.5
        return half * np.bincount(replica, lead) / np.bincount(replica, legs.sessions)

    stopped = play_until(rule, settings.replicas, settings.most_replicas, play, watcher.say)
    return found[-1], stopped


def search_match(
    contest: Contest, config: Config, bot: Path, opponent: Path | str, watcher: Watcher
) -> dict[str, Search]:
    """Mistakes of each bot in C or C++, by its file's name, in games of its own against the other. Raises BadInput."""
    settings, sandbox = config.contest, config.sandbox
    submissions = [read_submission(path) for path in (bot, opponent) if isinstance(path, Path)]
    entrants = [build_entrant(one, contest.interface, settings, sandbox) for one in submissions]
    found = {}
    for number, (submission, entrant) in enumerate(zip(submissions, entrants)):
        kind: PlaysAs = "wasm"
        if isinstance(opponent, Path):
            other = entrants[1 - number]
            assert other.artifact is not None
            against, kind = HousePlayer(other.name, other.artifact), other.plays_as
        else:
            house = only_against(contest, [opponent]).house
            assert house
            (against,) = house.players(settings, config.folder, watcher.say)
        tried = Pairing(contest, settings, sandbox, entrant, against, kind)
        if entrant.plays_as == "wasm" and (made := search(tried, submission)):
            found[submission.path.name] = made
    return found


def entered(bot: Path, folder: Path, other: str | None = None) -> str:
    """Copy a bot to a folder and return its name. Raises BadInput if it is no bot, or has the other's name."""
    if not bot.exists():
        raise BadInput(f"{bot}: there is no such file")
    name = read_submission(bot).name
    if name == other:
        raise BadInput(f"{bot}: both bots are called {name}; copy one of them under another name")
    copy_bot(bot, folder)
    return name


def copy_bot(bot: Path, folder: Path) -> None:
    """Copy a file or a program's folder into a folder."""
    copy = shutil.copytree if bot.is_dir() else shutil.copyfile
    copy(bot, folder / bot.name)


def only_against(contest: Contest, names: Sequence[str]) -> Contest:
    """The contest with some of its house players alone."""
    assert contest.house
    players = contest.house.players

    def chosen(settings: ContestSettings, folder: Path, say: Callable[[str], None]) -> Sequence[HousePlayer]:
        known = players(settings, folder, say)
        there = {player.name for player in known}
        for name in names:
            if name not in there:
                raise BadInput(
                    f"{name}: {contest.title} has no such house player; there are {', '.join(sorted(there))}"
                )
        return [player for player in known if player.name in names]

    return replace(contest, house=replace(contest.house, players=chosen))


def _report(standings: Standings, bot: str, opponent: str) -> MatchReport:
    (match,) = standings.matches
    if match.x != bot:
        match = match.from_y()
    other = match.from_y()
    own_error, others_error = match.stderr_per_session, other.stderr_per_session
    lead = match.points_per_session - other.points_per_session
    out = tuple(line.name for line in standings.entrants if line.status == "disqualified")
    return MatchReport(
        bot,
        opponent,
        match.sessions,
        match.games,
        match.points_per_session,
        own_error,
        other.points_per_session,
        others_error,
        0.0 if abs(lead) <= 2 * standings.rounding else lead,
        match.lead_stderr_per_session,
        match.freedom,
        standings.measured.replicas,
        match.score,
        match.measures,
        standings.faults,
        out,
    )
