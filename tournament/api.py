"""The tournament from Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tournament.config import ExecutorName, load_config
from tournament.errors import BadInput
from tournament.keys import drawn_seed
from tournament.records.results import Results, load
from tournament.runner.contest_run import run_prepared
from tournament.runner.preparing import prepare_contest
from tournament.runner.watcher import NobodyWatching, Watcher
from tournament.starter.folder import find_bot
from tournament.store.storage import inside

if TYPE_CHECKING:  # what plays needs none of these
    from tournament.audit import verification
    from tournament.audit.replay import Replay
    from tournament.audit.report import Verification
    from tournament.trial.gauntlet import GauntletReport


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
    address: str | None = None,
    archive: bool = False,
    watcher: Watcher | None = None,
) -> Results:
    """Play a contest and return its results, as the command `tournament run` does.

    Options that aren't given come from tournament.toml. Only with `archive` may other settings than those played put
    records of a million games or more aside. Raises tournament.errors.BadInput for what the user can mend, and
    RunFailed when the run stopped short.
    """
    given = {"entrants": entrants, "results": results, "sessions": sessions, "seed": seed}
    chosen = load_config(contest, config, **given, workers=workers, executor=executor, address=address)
    watcher = watcher or NobodyWatching()
    with prepare_contest(chosen.played, chosen, watcher) as prepared:
        if not archive and (unlike := prepared.unlike()) and unlike.is_long_play:
            raise BadInput(f"{unlike}; give archive=True to let them")
        run_prepared(prepared, watcher)
    return load(inside(chosen.results, contest))


def gauntlet(
    contest: str,
    bot: str | os.PathLike[str],
    *,
    against: Sequence[str] = (),
    instead_of: str | os.PathLike[str] | None = None,
    config: str | os.PathLike[str] | None = None,
    entrants: str | os.PathLike[str] | None = None,
    sessions: int | None = None,
    replicas: int | None = None,
    until: float | None = None,
    sprt: tuple[float, float] | None = None,
    most_replicas: int | None = None,
    seed: int | str | None = None,
    workers: int | None = None,
    watcher: Watcher | None = None,
) -> GauntletReport:
    """Play a bot against all entrants, or those of some names, as `tournament gauntlet` does; nothing is kept.

    Bots are files or names. With `instead_of`, a former version, it plays the same deals, and the report says which is
    the better one. With a chance `until` it plays until that is so sure, with two differences `sprt`, in points a
    session, until a test tells which it is; else all replicas. `frame()` has a row for each opponent. Raises
    tournament.errors.BadInput for what the user can mend, and RunFailed when play stopped short.
    """
    from tournament.trial.gauntlet import play_gauntlet
    from tournament.trial.sequential import rule_of

    given = {"entrants": entrants, "sessions": sessions, "replicas": replicas, "most_replicas": most_replicas}
    seed = drawn_seed() if seed is None else seed
    chosen = load_config(contest, config, **given, seed=seed, workers=workers, executor="local")
    former = find_bot(os.fspath(instead_of), chosen) if instead_of is not None else None
    opponents = list(against) if chosen.played.house else [find_bot(one, chosen) for one in against]
    watcher = watcher or NobodyWatching()
    path, rule = find_bot(os.fspath(bot), chosen), rule_of(until, sprt)
    return play_gauntlet(chosen.played, chosen, path, opponents, former, watcher, rule)


def verify(
    contest: str = "von_neumann_poker",
    *,
    replay: int | Literal["all"] = 0,
    config: str | os.PathLike[str] | None = None,
    entrants: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    watcher: verification.Watcher | None = None,
) -> Verification:
    """Check all records of a contest, and play `replay` of its legs again, or "all", as `tournament verify` does.

    The result's `problems` say what is wrong. Raises tournament.errors.BadInput
    when there are no records, and RunFailed when the ledger can't be read.
    """
    from tournament.audit.verification import verify_contest

    config_of = partial(load_config, path=config, entrants=entrants, results=results)
    location = inside(config_of(contest).results, contest)
    return verify_contest(location, config_of, None if replay == "all" else replay, watcher or NobodyWatching())


def report(
    contest: str = "von_neumann_poker",
    output: str | os.PathLike[str] = "report.html",
    *,
    config: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    with_games: bool = True,
    show_seed: bool = False,
    bot: str | None = None,
    against: str | None = None,
) -> Path:
    """Write a contest's report, one page of HTML, and return its path, as `tournament report` does.

    With a `bot` it is the page for its author; it tells where the bot loses, `against` whom, by default the one it does
    worst against. Raises tournament.errors.BadInput when there are no records, or another
    file is in the way, and RunFailed when records are damaged.
    """
    from tournament.reporting.writing import make_page, write_report  # needs templates, and playing doesn't

    chosen = load_config(contest, config, results=results)
    config_of = partial(load_config, path=config, results=results)
    place = inside(chosen.results, contest)
    text, _ = make_page(
        place, with_games=with_games, show_seed=show_seed, config_of=config_of, bot=bot, against=against
    )
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

    `match` is its number or the names of its bots. Raises tournament.errors.BadInput when the records have no such game
    or its bots have changed since, RunFailed when this machine can't play it.
    """
    from tournament.audit.replay import replay_games

    config_of = partial(load_config, path=config, entrants=entrants, results=results)
    return replay_games(inside(config_of(contest).results, contest), config_of, match, session, game)
