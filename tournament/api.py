"""The tournament from Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tournament.config import Config, ExecutorName, load_config, load_contests
from tournament.contests import BUILT_IN
from tournament.errors import InputError
from tournament.keys import drawn_seed
from tournament.records.results import Results, load
from tournament.runner.contest_run import run_prepared
from tournament.runner.listener import NullListener, ProgressListener
from tournament.runner.prepare import prepare_contest
from tournament.starter.folder import find_bot
from tournament.store.storage import join_location

if TYPE_CHECKING:  # what plays needs none of these
    from tournament.audit import verification
    from tournament.audit.replay import Replay
    from tournament.audit.report import Verification
    from tournament.records.citation import Citation
    from tournament.records.comparison import Comparison
    from tournament.training.environment import Environment
    from tournament.training.table import Policy
    from tournament.trial.match import MatchReport


def run(
    contest: str | None = None,
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
    """Play a contest and return its results, as `tournament run` does.

    Arguments that are None come from tournament.toml. Games that the records already have aren't played again.

    Args:
        contest: Name of the contest's table; default the settings file's only one, or von_neumann_poker.
        config: Path of tournament.toml; default that of the current folder, otherwise that of a folder above the
            records.
        entrants: Folder of bots.
        results: Folder or URL for the records, in which each contest has a folder.
        sessions: Sessions of a leg.
        seed: Integer or text that chooses the deals.
        workers: How many workers play; 0 is one per core.
        executor: `auto`, `local` or `ray`.
        ray_address: Address of the Ray cluster to join.
        archive: Whether to archive a million or more games of other settings, or any of another game.
        listener: Object that is called with messages and progress; None for none.
        **settings: Further keys of the contest's table, such as `replicas`.

    Returns:
        The results, as `load` returns them.

    Raises:
        InputError: A setting, file or argument is wrong, or there are too few bots. Or there are records that only
            `archive` lets it archive.
        RunError: The run ended early; committed games are kept. Or records can't be read or written, their seed is
            missing, or this machine can't play.
        ValueError: Legs of a rewritten batch couldn't be read again.
        OSError: The new results can't be read.
    """
    contest = _contest_name(contest, config, results)
    options = {"entrants": entrants, "results": results, "sessions": sessions, "seed": seed}
    loaded = load_config(
        contest, config, **options, **settings, workers=workers, executor=executor, ray_address=ray_address
    )
    listener = listener or NullListener()
    with prepare_contest(loaded.played, loaded, listener) as prepared:
        if not archive and (unlike := prepared.incompatible_records()) and unlike.needs_confirmation:
            raise InputError(f"{unlike}; give archive=True to let them")
        run_prepared(prepared, listener)
    return load(join_location(loaded.results, contest))


def _contest_name(contest: str | None, config: str | os.PathLike[str] | None, results: object) -> str:
    """Return the named contest, or the settings file's only one, or the first built-in one if the file has none.

    Raises:
        InputError: None is named and the file has several, or the file is wrong.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    if contest is not None:
        return contest
    names = load_contests(None if config is None else Path(config), results).chosen
    if len(names) == 1 or names == BUILT_IN:
        return names[0]
    raise InputError(f"contest: the settings file has several; expected one of: {', '.join(names)}")


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
    """Play a bot against some or all others and return a report, as `tournament match` does.

    Args:
        contest: Name of the contest's table.
        bot: Path or name of a bot.
        *others: Paths or names of opponents, or names of house players; without any, all of them.
        baseline: Another version of the bot, which plays the same deals. At tables of three and more it has the same
            positions and the same companions, who are drawn from the field. None: there is no comparison.
        config: Path of tournament.toml; default that of the current folder.
        entrants: Folder of bots.
        sessions: Sessions of a leg.
        replicas: Matches with each opponent.
        until_settled: Probability; play replicas until a test with it decides whether the bot is better than its
            baseline, or than its only opponent. None: play `replicas`.
        max_replicas: Maximum replicas with `until_settled`.
        seed: Integer or text that chooses the deals; by default a new one.
        workers: How many workers play.
        results: Folder that keeps the records; by default they are deleted.
        listener: Object that is called with messages and progress; None for none.
        look: Function that is called with the settings and the report while the records exist; None for none.

    Returns:
        The report; its `to_frame()` has a row per opponent.

    Raises:
        InputError: A setting, file or argument is wrong, or a bot is unknown or can't play.
        RunError: Play ended early, the rules failed, the records can't be read, or this machine can't play.
        OSError: A bot can't be copied, or the scratch folder can't be made.
    """
    from tournament.trial.match import play_match

    options = {"entrants": entrants, "sessions": sessions, "replicas": replicas, "max_replicas": max_replicas}
    seed = drawn_seed() if seed is None else seed
    loaded = load_config(contest, config, **options, seed=seed, workers=workers, executor="local")
    names = [os.fspath(one) for one in others]
    return play_match(
        loaded.played,
        loaded,
        find_bot(os.fspath(bot), loaded),
        names if loaded.played.house else [find_bot(one, loaded) for one in names],
        listener or NullListener(),
        baseline=None if baseline is None else find_bot(os.fspath(baseline), loaded),
        until_settled=until_settled,
        location=results,
        on_report=look or (lambda config, report: None),
    )


def environment(
    contest: str | None = None,
    opponents: Sequence[str | os.PathLike[str] | Policy] = (),
    *,
    seat: int | Sequence[int] = 0,
    seed: int | str | None = None,
    config: str | os.PathLike[str] | None = None,
    entrants: str | os.PathLike[str] | None = None,
    sessions: int | None = None,
    listener: ProgressListener | None = None,
) -> Environment:
    """Return an environment in which the caller plays a contest against its bots, to train a bot or to try ideas.

    Games are never those of the contest's records or of a match, because all that is random has separate keys.

    Args:
        contest: Name of the contest's table; default the settings file's only one, or von_neumann_poker.
        opponents: Paths or names of bots, which are confined as in a run, or functions that answer a turn; they take
            the other seats in order. Seats that are left over are the caller's, too.
        seat: The caller's seat, from 0, or several.
        seed: Integer or text that chooses the games; by default a new one.
        config: Path of tournament.toml; default that of the current folder.
        entrants: Folder of bots.
        sessions: Sessions until opponents begin afresh; default the contest's.
        listener: Object that is called with messages while bots are built; None for none.

    Raises:
        InputError: A setting, file or argument is wrong, or a bot can't play.
        RunError: This machine can't play the bots.
    """
    from tournament.training.environment import Environment
    from tournament.training.table import new_table

    seed = drawn_seed() if seed is None else seed
    loaded = load_config(_contest_name(contest, config, None), config, entrants=entrants, sessions=sessions, seed=seed)
    on_message = (listener or NullListener()).on_message
    seats = [seat] if isinstance(seat, int) else list(seat)
    return Environment(new_table(loaded, opponents, lambda name: find_bot(name, loaded), on_message, seats, seed))


def compare(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> Comparison:
    """Compare two runs of one contest, as `tournament compare` does.

    A difference of points has the error of two runs with deals of their own.

    Args:
        first: Folder or URL of a run's records, as `load` takes it.
        second: Folder or URL of the other run's records.

    Raises:
        InputError: There are no records, or they are of different contests. Or a URL is invalid or needs an account, or
            the standings need rules that aren't installed.
        RunError: Records can't be read or are of an earlier version, a field lacks facts of its house players, or this
            machine can't load the rules.
        FileNotFoundError: The rules aren't installed, and a part was removed while records were read.
        OSError: A folder can't be searched, or a file can't be read.
    """
    from tournament.records.comparison import compare_results

    return compare_results(load(first), load(second))


def cite(results: str | os.PathLike[str], *, final: bool = False, show_seed: bool = False) -> Citation:
    """Return what identifies a run in a paper, as `tournament cite` does.

    Its `str()` is a paragraph, and `bibtex()` an entry of BibTeX.

    Args:
        results: Folder or URL of the contest's records, as `load` takes it.
        final: Whether to cite the last final of an open contest instead of its open records.
        show_seed: Whether to include the seed, from which all cards follow.

    Raises:
        InputError: There are no records or no such final, or `show_seed` is set and their seed isn't beside them. Or a
            URL is invalid or needs an account, or the rules are missing and needed.
        RunError: The records or the seed's folder can't be read, or this machine can't load the rules.
        FileNotFoundError: A file of the seed was removed while it was read. Or the rules aren't installed, and a part
            was removed.
        OSError: A folder can't be searched, or a file can't be read.
    """
    from tournament.records import citation
    from tournament.records.contest_of import contest_of

    loaded = load(results, final=final)
    return citation.cite(loaded, contest_of(loaded.location, loaded.setup), show_seed=show_seed)


def verify(
    contest: str | None = None,
    *,
    replay: int | Literal["all"] = 0,
    config: str | os.PathLike[str] | None = None,
    entrants: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    listener: verification.VerificationListener | None = None,
) -> Verification:
    """Check all records of a contest, as `tournament verify` does.

    Args:
        contest: Name of the contest's table; default the settings file's only one, or von_neumann_poker.
        replay: How many random legs to play again, or "all".
        config: Path of tournament.toml; default that of the current folder, otherwise that of a folder above the
            records.
        entrants: Folder of bots.
        results: Folder or URL of the records, above the contest's own.
        listener: Object that is called with messages and progress; None for none.

    Returns:
        The findings; `problems` says what is wrong, and is empty if nothing is.

    Raises:
        InputError: A setting or argument is wrong, or there are no records.
        RunError: The records can't be read, or this machine can't play.
    """
    from tournament.audit.verification import verify_contest

    contest = _contest_name(contest, config, results)
    get_config = partial(load_config, path=config, entrants=entrants, results=results)
    location = join_location(get_config(contest).results, contest)
    return verify_contest(location, get_config, None if replay == "all" else replay, listener or NullListener())


def report(
    contest: str | None = None,
    output: str | os.PathLike[str] = "report.html",
    *,
    config: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    public: bool = False,
) -> Path:
    """Write a contest's report, one page of HTML, and return its path, as `tournament report` does.

    Args:
        contest: Name of the contest's table; default the settings file's only one, or von_neumann_poker.
        output: Path of the page.
        config: Path of tournament.toml; default that of the current folder, otherwise that of a folder above the
            records.
        results: Folder or URL of the records, above the contest's own.
        public: Whether to omit the seed, games, questions of faults and bots' output.

    Raises:
        InputError: A setting or argument is wrong, there are no records, they change too fast, the rules aren't
            installed, or another file is in the way.
        RunError: Records are damaged or can't be read, this machine can't load the rules, or the page can't be written.
        FileNotFoundError: A file of the seed was removed while it was read. Or the rules aren't installed, and a part
            was removed.
        OSError: A folder can't be searched, or a file of the records can't be read.
        ValueError: A recorded number that the page shows is infinite or NaN.
    """
    from tournament.reporting.writing import make_page, write_report  # needs templates, and playing doesn't

    contest = _contest_name(contest, config, results)
    loaded = load_config(contest, config, results=results)
    get_config = partial(load_config, path=config, results=results)
    text, _ = make_page(join_location(loaded.results, contest), public=public, read_config=get_config)
    write_report(Path(output), text)
    return Path(output)


def replay(
    contest: str | None = None,
    *,
    match: int | tuple[str, ...],
    session: int,
    game: int | None = None,
    config: str | os.PathLike[str] | None = None,
    entrants: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
) -> Replay:
    """Play a recorded session again, or one game of it, and return each step, as `tournament replay` does.

    Args:
        contest: Name of the contest's table; default the settings file's only one, or von_neumann_poker.
        match: Number of the match, or the names of its bots.
        session: Session of the match, from 0.
        game: Game of the session, from 0; None for all.
        config: Path of tournament.toml; default that of the current folder, otherwise that of a folder above the
            records.
        entrants: Folder of bots.
        results: Folder or URL of the records, above the contest's own.

    Raises:
        InputError: A setting or argument is wrong, the records have no such game, or its bots have changed.
        RunError: The records can't be read, or this machine can't play it.
    """
    from tournament.audit.replay import replay_games

    contest = _contest_name(contest, config, results)
    get_config = partial(load_config, path=config, entrants=entrants, results=results)
    return replay_games(join_location(get_config(contest).results, contest), get_config, match, session, game)
