"""One contest from settings to standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tournament.artifacts.bot import Entrant
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.errors import join_names
from tournament.keys import master_key
from tournament.records.history import store_history
from tournament.runner.archives import archive_other_records
from tournament.runner.compaction import drop_unscheduled_legs
from tournament.runner.listener import ProgressListener
from tournament.runner.live_standings import LiveStandings
from tournament.runner.plan import artifacts_by_sha256, make_schedule, round_to_play, set_aside_in, until_from_settings
from tournament.runner.prepare import Prepared, os_errors_as_run_errors, prepare_contest
from tournament.runner.resume import make_field, store_removed_standings, withdraw, write_house_files
from tournament.runner.round_play import RoundPlay, Run
from tournament.runner.schedule.recorded import extend_with_played_replicas
from tournament.runner.seed import store_seed
from tournament.runner.self_play import prepare_self_play
from tournament.runner.stray_files import require_no_strays
from tournament.standings.standings import Standings
from tournament.store import kept_bots
from tournament.store.field import MAX_FAILED, FailedLeg
from tournament.store.storage import Storage, open_storage
from tournament.store.writer import open_for_writing, require_held


def run_contest(contest: Contest, config: Config, listener: ProgressListener) -> Standings:
    """Check a contest, play what is still to play, and return the standings.

    Committed games are kept, also after KeyboardInterrupt.

    Args:
        contest: Contest to play.
        config: Settings of the folder.
        listener: Receives messages and progress.

    Raises:
        InputError: A setting, a bot or a house player is wrong, too few bots can play, or a limit of schedules is
            exceeded. The same is raised if Ray can't be reached, or this machine can't build or confine bots.
        RunError: The records can't be read or written, another process writes to them, or their seed is missing. It is
            also raised if a machine fails, or if too few bots are left.
        ValueError: Legs of a rewritten batch couldn't be read again.
    """
    with prepare_contest(contest, config, listener) as prepared:
        return run_prepared(prepared, listener)


def run_replicas(prepared: Prepared, replicas: int, listener: ProgressListener) -> Standings:
    """Play up to this many replicas of all matches, and return the standings. The settings' own number is ignored.

    Args:
        prepared: The contest.
        replicas: Number of replicas of each match after the run, at least 1.
        listener: Receives messages and progress.

    Raises:
        InputError: A limit of schedules is exceeded, Ray can't be reached, or a machine can't confine or build a bot.
        RunError: The records can't be read or written, another process writes to them, a machine fails, or too few bots
            are left.
        ValueError: Legs of a rewritten batch couldn't be read again.
    """
    config = prepared.config
    settings = config.contest.model_copy(update={"replicas": replicas, "until_settled": None})
    return run_prepared(replace(prepared, config=replace(config, contest=settings)), listener)


def run_prepared(prepared: Prepared, listener: ProgressListener) -> Standings:
    """Play the missing games, self-play included, and return the standings. A late bot plays as soon as it is built.

    Committed games are kept, also after KeyboardInterrupt. Self-play isn't in the standings. It is omitted if only one
    entrant's matches are played.

    Args:
        prepared: The contest.
        listener: Receives messages and progress.

    Raises:
        InputError: A limit of schedules is exceeded, Ray can't be reached, or a machine can't confine or build a bot.
        RunError: The records can't be read or written, another process writes to them, a machine fails, or too few bots
            are left.
        ValueError: Legs of a rewritten batch couldn't be read again.
    """
    while prepared.late:
        listener.on_message(f"Playing without {join_names(prepared.late)}, still being built")
        _, prepared = _play_until_none_fails(prepared, listener)
        prepared = prepared.with_more_bots(listener)
    standings, prepared = _play_until_none_fails(prepared, listener)
    if prepared.config.contest.self_play and prepared.of is None:
        listener.on_message("Self-play: every bot against a copy of itself")
        _play_until_none_fails(prepare_self_play(prepared, listener), listener)
    return standings


def _play_until_none_fails(prepared: Prepared, listener: ProgressListener) -> tuple[Standings, Prepared]:
    """Play with the bots that are built. If some are set aside, play again without them.

    Returns:
        The standings, and the contest without the bots that were set aside.

    Raises:
        InputError: A limit of schedules is exceeded, Ray can't be reached, or a machine can't confine a bot.
        RunError: The records can't be read or written, another process writes to them, a machine fails, or too few bots
            are left.
        ValueError: Legs of a rewritten batch couldn't be read again.
    """
    while True:
        played = _play_built_bots(prepared, listener)
        if not played.set_aside:
            assert played.standings
            return played.standings, prepared
        prepared = replace(prepared.without(played.set_aside), failed=played.failed)


def _play_built_bots(prepared: Prepared, listener: ProgressListener) -> RoundState:
    """Play rounds with the bots that are built, until the last one or until bots are set aside.

    Records that don't fit are archived first. The standings are stored in history/ if anything changed, unless bots are
    set aside.

    Raises:
        InputError: A limit of schedules is exceeded, Ray can't be reached, or a machine can't confine a bot.
        RunError: The records can't be read or written, a stray file is among them, another process writes to them, or a
            machine fails.
        ValueError: Legs of a rewritten batch couldn't be read again.
    """
    config, entrants, house = prepared.config, prepared.entrants, prepared.house
    contest = prepared.contest
    location, seed = prepared.location, config.contest.seed
    assert seed is not None
    with os_errors_as_run_errors(location):
        settings = prepared.settings
        archive_other_records(
            contest, location, settings, prepared.names, house, listener.on_message, drawn=prepared.drawn
        )
        writer = open_for_writing(open_storage(location))
        try:
            for name in store_seed(writer.storage, seed):
                listener.on_message(f"{name} was damaged or missing: it is back from its copy")
            require_no_strays(writer)
            withdraw(writer, dict(writer.lost), listener.on_message)
            field = make_field(
                contest, settings, entrants, house, writer.field, until_from_settings(config.contest), config.authors
            )
            playing = sum(entrant.artifact is not None for entrant in field.entrants)
            contest = contest.seated(contest.seats_of(config.contest.playing()) or playing)
            schedule_with = partial(
                make_schedule,
                contest,
                config.contest.playing(),
                master_key(seed),
                field,
                only_entrant=prepared.of,
                paired=prepared.paired,
                against_copies=prepared.against_copies,
            )
            write_house_files(contest, config.contest, writer, house)
            artifacts = artifacts_by_sha256(entrants, house)
            _store_bots(writer.storage, entrants, listener)
            run_args = (contest, config, writer, field, schedule_with, artifacts, listener, prepared.executors)
            run = Run(*run_args, prepared.last)
            state, changes = RoundState(failed=prepared.failed), writer.changes
            while not (state.done or state.set_aside):
                state = play_round(run, state)
            if writer.changes > changes and state.standings and not state.set_aside:
                require_held(writer.storage)
                store_history(writer.storage, state.standings)
                # Former versions have no games any more.
                kept_bots.drop_bots(writer.storage, but={*field.artifacts.values()})
            return state
        except FileNotFoundError:
            require_held(writer.storage)  # a new writer has removed what this one was writing
            raise
        finally:
            writer.close()


def _store_bots(storage: Storage, entrants: Sequence[Entrant], listener: ProgressListener) -> None:
    """Store the bots beside the records, and report those for which there is no space.

    Raises:
        OSError: A bot can't be written.
        RunError: The folder of artifacts can't be read, or the object store's request fails.
    """
    artifacts = {one.artifact_sha256: one.artifact for one in entrants if one.artifact and one.artifact_sha256}
    if unstored := set(kept_bots.store_bots(storage, artifacts)):
        names = join_names(sorted(one.name for one in entrants if one.artifact_sha256 in unstored))
        listener.on_message(
            f"Not kept beside the records, which have room for {kept_bots.MAX_BYTES >> 20} MiB of bots: {names};"
            " to replay a game, put that version back among the entrants"
        )


@dataclass(frozen=True)
class RoundState:
    """The standings after a round.

    Attributes:
        standings: The standings; None before the first round.
        done: Whether no round follows.
        set_aside: Reasons by the names of bots without which everything is to be played again. Empty if there are none.
        failed: Legs in which the rules failed in this run. It can have more than the `MAX_FAILED` that the field keeps.
    """

    standings: Standings | None = None
    done: bool = False
    set_aside: Mapping[str, str] = field(default_factory=dict)
    failed: tuple[FailedLeg, ...] = ()


def play_round(run: Run, before: RoundState) -> RoundState:
    """Play what is left of the next round, and rank.

    Args:
        run: Data of the run.
        before: State after the previous round.

    Returns:
        The state after this round. If a bot was disqualified, it isn't done, because other legs might now count.

    Raises:
        InputError: A limit of schedules is exceeded, Ray can't be reached, or no machine can play. The same is raised
            if too few files can be open, or the rules of the records aren't available.
        RunError: The records can't be read or written, a machine can't play, workers were lost, or another process has
            become the writer.
        OSError: The records can't be read or written.
        ValueError: Legs of a rewritten batch couldn't be read again.
    """
    contest, config, writer, on_message = run.contest, run.config, run.writer, run.listener.on_message
    standing = writer.batches()
    this = round_to_play(contest, config.contest, run.field, run.schedule_with, standing)
    if this.verdicts:
        on_message(this.said)
    schedule = extend_with_played_replicas(run.schedule_with, this.replicas, standing)
    store_removed_standings(writer, run.field)
    reconciliation = drop_unscheduled_legs(contest, writer, schedule, on_message)
    reconciliation.exclude(set_aside_in(run.field), {leg.match for leg in before.failed})
    field = replace(run.field, failed_legs=before.failed[:MAX_FAILED])
    is_edit = writer.field is not None and field != writer.field
    if field != writer.field:
        writer.set_field(field)
    live = LiveStandings(contest, writer)
    if not len(reconciliation.missing):
        live.update_now()
        if before.standings is None and not reconciliation.has_excluded:
            on_message("Every match of these entrants is in the records; nothing to play")
        return RoundState(live.ranking, this.done or reconciliation.has_excluded, failed=before.failed)
    play = RoundPlay(run, schedule, reconciliation, live, is_edit=is_edit)
    try:
        play.play()
        if play.failed:
            failed = (*before.failed, *play.failed)[:MAX_FAILED]
            writer.set_field(replace(run.field, failed_legs=failed))
        writer.require_all_parts()
    finally:
        live.update_now()
    is_finished = this.done and not play.disqualified
    return RoundState(live.ranking, is_finished, play.set_aside, (*before.failed, *play.failed))
