"""The quick trial of a submitted bot: it is built, started, and plays three games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.entrants.folder import read_submission
from tournament.keys import drawn_seed
from tournament.runner.listener import ProgressListener
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.trial.check import CheckReport, opponent_in_words
from tournament.trial.trial_legs import build
from tournament.worker.leg import limits_of
from tournament.worker.observation import cut_short

GAMES = 3
SECONDS = 1.5  # processor time for the games, so that a loop is found soon, even on a busy machine


def check_quickly(
    contest: Contest, settings: ContestSettings, sandbox: SandboxSettings, path: Path, listener: ProgressListener
) -> CheckReport:
    """Build a bot and play three games against a house player or bot.

    If the contest allows more time than this trial, a slow bot isn't rejected here. `slow` then names the reason.

    Raises:
        InputError: The file is missing, it isn't a bot's, or this machine can't confine bots.
        RunError: This machine can't build the opponent.
    """
    submission = read_submission(path)
    allowed = settings.of_process("program").bank if submission.kind == "program" else settings.seconds
    is_cut = allowed > SECONDS
    limits = {"seed": settings.seed or drawn_seed(), "seconds": min(SECONDS, settings.seconds)}
    limits |= {"program_seconds": SECONDS} if is_cut and submission.kind == "program" else {}
    limits |= {"idle_seconds": min(SECONDS, settings.idle_seconds), "max_faults": 0}
    tried = build(contest, settings.model_copy(update=limits), sandbox, path, listener.on_message)
    bot, slow = tried.bot, f"took more than {SECONDS:g} s: an endless loop? The contest allows {allowed:g} s"
    if bot.artifact is None:
        is_late = is_cut and bot.failed == "fuel"
        return CheckReport(bot.name, submission.kind, 0, None if is_late else bot.problem, slow=slow * is_late)
    (trial,) = replace(tried, contest=cut_short(tried.contest, 1, GAMES)).play()
    is_late = is_cut and any(fault.kind in ("fuel", "time") for fault in trial.faults)
    return CheckReport(
        name=bot.name,
        kind=submission.kind,
        size=len(bot.artifact),
        problem=None,
        leg=trial.result,
        meter=trial.meter,
        fuel_allowed=limits_of(tried.settings).fuel,
        faults=() if is_late else trial.faults,
        opponent=opponent_in_words(contest, tried.opponent),
        slow=f"it {slow}" if is_late else "",
    )
