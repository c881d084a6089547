"""The tournament from Python."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tournament.config import Config, ExecutorName, load_config
from tournament.errors import InputError
from tournament.keys import drawn_seed
from tournament.records.results import Results, load
from tournament.runner.contest_run import run_prepared
from tournament.runner.listener import NullListener, ProgressListener
from tournament.runner.preparing import prepare_contest
from tournament.starter.folder import find_bot
from tournament.store.storage import inside

if TYPE_CHECKING:  # what plays needs none of these
    from tournament.audit import verification
    from tournament.audit.replay import Replay
    from tournament.audit.report import Verification
    from tournament.trial.match import MatchReport


def run(
    contest: str = "von_neumann_poker",
    *,
    config: str | os.PathLike[str] | None = None,
    entrants: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    sessions: int | None = None,
    seed: int | str | None = None,
    workers: int | None = None,
    executor: ExecutorName | None = None,
    ray_address: str | None = None,
    archive: bool = False,
    listener: ProgressListener | None = None,
    **settings: Any,
) -> Results:
    """Play a contest and return its results, as the command `tournament run` does.

    `settings` are further keys of the contest's table, such as `replicas` or `until_settled`. What isn't given comes
    from tournament.toml. Only with `archive` may other settings than those played put
    records of a million games or more aside. Raises tournament.errors.InputError for what the user can mend, and
    RunError when the run stopped short.
    """
    given = {"entrants": entrants, "results": results, "sessions": sessions, "seed": seed}
    chosen = load_config(
        contest, config, **given, **settings, workers=workers, executor=executor, ray_address=ray_address
    )
    listener = listener or NullListener()
    with prepare_contest(chosen.played, chosen, listener) as prepared:
        if not archive and (unlike := prepared.unlike()) and unlike.is_long_play:
            raise InputError(f"{unlike}; give archive=True to let them")
        run_prepared(prepared, listener)
    return load(inside(chosen.results, contest))


def match(
    contest: str,
    bot: str | os.PathLike[str],
    *others: str | os.PathLike[str],
    baseline: str | os.PathLike[str] | None = None,
    config: str | os.PathLike[str] | None = None,
    entrants: str | os.PathLike[str] | None = None,
    sessions: int | None = None,
    replicas: int | None = None,
    until_settled: float | None = None,
    max_replicas: int | None = None,
    seed: int | str | None = None,
    workers: int | None = None,
    results: str | None = None,
    listener: ProgressListener | None = None,
    look: Callable[[Config, MatchReport], None] | None = None,
) -> MatchReport:
    """Play a bot against `others`, or all entrants, as `tournament match` does; nothing is kept without `results`.

    Bots are files or names. A `baseline`, another version, plays the same deals, and the report says which is better.
    With a probability `until_settled` replicas are played until it is so sure which is better; the one other, without
    a baseline. `look` is called while the records are there. `to_frame()` of the report has a row for each opponent.
    Raises tournament.errors.InputError for what the user can mend, and RunError when play stopped short.
    """
    from tournament.trial.match import play_match

    given = {"entrants": entrants, "sessions": sessions, "replicas": replicas, "max_replicas": max_replicas}
    seed = drawn_seed() if seed is None else seed
    chosen = load_config(contest, config, **given, seed=seed, workers=workers, executor="local")
    names = [os.fspath(one) for one in others]
    return play_match(
        chosen.played,
        chosen,
        find_bot(os.fspath(bot), chosen),
        names if chosen.played.house else [find_bot(one, chosen) for one in names],
        listener or NullListener(),
        baseline=None if baseline is None else find_bot(os.fspath(baseline), chosen),
        until_settled=until_settled,
        keep=results,
        look=look or (lambda config, report: None),
    )


def verify(
    contest: str = "von_neumann_poker",
    *,
    replay: int | Literal["all"] = 0,
    config: str | os.PathLike[str] | None = None,
    entrants: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    listener: verification.VerificationListener | None = None,
) -> Verification:
    """Check all records of a contest, and play `replay` of its legs again, or "all", as `tournament verify` does.

    The result's `problems` say what is wrong. Raises tournament.errors.InputError
    when there are no records, and RunError when the ledger can't be read.
    """
    from tournament.audit.verification import verify_contest

    config_of = partial(load_config, path=config, entrants=entrants, results=results)
    location = inside(config_of(contest).results, contest)
    return verify_contest(location, config_of, None if replay == "all" else replay, listener or NullListener())


def report(
    contest: str = "von_neumann_poker",
    output: str | os.PathLike[str] = "report.html",
    *,
    config: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    public: bool = False,
) -> Path:
    """Write a contest's report, one page of HTML, and return its path, as `tournament report` does.

    A `public` one shows no card and no seed. Raises tournament.errors.InputError when there are no records, or another
    file is in the way, and RunError when records are damaged.
    """
    from tournament.reporting.writing import make_page, write_report  # needs templates, and playing doesn't

    chosen = load_config(contest, config, results=results)
    config_of = partial(load_config, path=config, results=results)
    text, _ = make_page(inside(chosen.results, contest), public=public, config_of=config_of)
    write_report(Path(output), text)
    return Path(output)


def replay(
    contest: str = "von_neumann_poker",
    *,
    match: int | tuple[str, str],
    session: int,
    game: int | None = None,
    config: str | os.PathLike[str] | None = None,
    entrants: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
) -> Replay:
    """Play a recorded session again, or one game of it, and tell each step, as `tournament replay` does.

    `match` is its number or the names of its bots. Raises tournament.errors.InputError when the records have no such
    game or its bots have changed since, RunError when this machine can't play it.
    """
    from tournament.audit.replay import replay_games

    config_of = partial(load_config, path=config, entrants=entrants, results=results)
    return replay_games(inside(config_of(contest).results, contest), config_of, match, session, game)
