"""The way from submissions to entrants: compiling or packing, caching by content, and starting on trial.

Modules that make and try bots are imported when they are needed, because most runs find all bots in the cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import inf
from pathlib import Path

import engine.wasm
from tournament.artifacts import compiler_command
from tournament.artifacts.archive import recipe_of
from tournament.artifacts.bot import Entrant, Submission
from tournament.artifacts.compiler_command import LANGUAGES, WRITTEN_FROM
from tournament.cache import cache_folder, explain_failed_write, read_cached, write_cached
from tournament.containment import our_error
from tournament.contests.bots import ADAPTED, Adapter
from tournament.contests.contest import Contest
from tournament.contests.interface import Interface
from tournament.contests.settings import ContestSettings
from tournament.cores import cores
from tournament.entrants.folder import KINDS, Recorded, find_bots, other_files
from tournament.entrants.single_file import hint_for
from tournament.errors import InputError, TooFewBotsError, TournamentError, join_names, main_error_line, printable
from tournament.leg import FailureKind, Unfit
from tournament.library import read_library
from tournament.sandbox import inside
from tournament.sandbox.outside.ending import CommandAborted, threads_that_end
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.small_files import read_small_file
from tournament.worker.leg import limits_of
from tournament.worker.wasm import seating
from tournament.worker.wasm.calls import library_path
from tournament.worker.wasm.engine import Engine, engine_settings, version
from tournament.worker.wasm.loading import load_bot
from tournament.worker.wasm.seating import BotLimits, try_start

_MAX_ADAPTER_BYTES = 1 << 20
# Maximum characters of a line of a reason, which can quote a bot's own text.
_LONGEST_LINE = 400
# Seconds between messages about bots that are still being built.
_MESSAGE_SECONDS = 10.0
# Seconds between checks whether enough bots are ready to play.
_POLL_SECONDS = 1.0


@dataclass(frozen=True)
class PostponedBuild:
    """A bot that couldn't be built or tried, perhaps because of the machine.

    Attributes:
        submission: The bot.
        trouble: The exception, a TournamentError, OSError or MemoryError.
    """

    submission: Submission
    trouble: Exception


class Building:
    """The bots of a folder while they are built in parallel. Those that are ready can play.

    Postponed bots are tried a second time, one at a time, when no other build is running.
    """

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        build: Callable[[Submission], Entrant | PostponedBuild],
        build_postponed: Callable[[PostponedBuild], Entrant],
        submissions: Sequence[Submission],
        refused: Sequence[Entrant],
        recorded: Recorded,
        house: frozenset[str] = frozenset(),
    ) -> None:
        """Start the builds.

        Args:
            pool: Threads that build bots.
            build: Called with a bot; builds it.
            build_postponed: Called with a postponed bot; builds it while no other build is running.
            submissions: Bots to build.
            refused: Bots that can't be read, each with its problem.
            recorded: Returns the entrants of the last run. It is called only if bots aren't ready in time.
            house: Names of the host's own bots.
        """
        self._pool, self._build_postponed, self._recorded, self._house = pool, build_postponed, recorded, house
        self._under_way: dict[Future[Entrant | PostponedBuild], Submission] = {
            pool.submit(build, s): s for s in submissions
        }
        self._postponed: list[PostponedBuild] = []
        self._ready = [*refused]
        self._shown = len(self._ready)

    def entrants(
        self, on_message: Callable[[str], None], patience: float = inf, min_playable: int = 0
    ) -> list[Entrant]:
        """Return all bots, sorted by name, once they are built. Bots that can't play have a problem.

        Args:
            on_message: Called with messages.
            patience: Seconds after which bots that aren't ready can be late, by default never. Bots with recorded
                games are always awaited. A later call returns only once more bots are ready.
            min_playable: Minimum number of playable bots for not waiting longer.

        Raises:
            InputError: This machine can't build or confine a bot.
            RunError: This machine fails, or the records can't be read.
            CommandAborted: The builds are cancelled.
        """
        start = last_message = time.monotonic()
        while self._under_way or self._postponed:
            if not self._under_way:
                postponed = self._postponed.pop(0)
                self._under_way[self._pool.submit(self._build_postponed, postponed)] = postponed.submission
            self._collect(wait(self._under_way, _POLL_SECONDS, FIRST_EXCEPTION)[0])
            now = time.monotonic()
            if now - start >= patience and self._may_go_on(min_playable):
                break
            if self._under_way and now - last_message >= _MESSAGE_SECONDS:
                on_message(f"Still building {join_names(sorted(one.name for one in self._unfinished))}…")
                last_message = now
        self._shown = len(self._ready)
        waiting = [
            Entrant(one.name, one.kind, one.sha256, None, "still being built", is_late=True) for one in self._unfinished
        ]
        marked = [replace(one, is_house=True) if one.name in self._house else one for one in (*self._ready, *waiting)]
        return sorted(marked, key=lambda entrant: entrant.name)

    @property
    def _unfinished(self) -> list[Submission]:
        """The bots that are still being built, then those that are postponed."""
        return [*self._under_way.values(), *(one.submission for one in self._postponed)]

    def _collect(self, finished: Iterable[Future[Entrant | PostponedBuild]]) -> None:
        """Add finished builds to the ready or the postponed bots.

        Raises:
            InputError: This machine can't build or confine a bot.
            RunError: This machine fails.
            CommandAborted: The builds are cancelled.
        """
        for one in finished:
            built = one.result()
            del self._under_way[one]
            (self._postponed if isinstance(built, PostponedBuild) else self._ready).append(built)  # type: ignore[arg-type]

    def _may_go_on(self, min_playable: int) -> bool:
        """Return whether the bots that are ready can play without the others.

        They can't if none became ready since the start or since `entrants` last returned, or too few of them can play.
        They can't, too, if an unfinished bot has recorded games.

        Args:
            min_playable: Minimum number of playable bots.

        Raises:
            RunError: The records can't be read.
        """
        if len(self._ready) <= self._shown or sum(one.artifact is not None for one in self._ready) < min_playable:
            return False
        return not any((one.name, one.sha256) in self._in_records for one in self._unfinished)

    @cached_property
    def _in_records(self) -> set[tuple[str, str]]:
        """Name and sha256 of each bot that could play in the last run."""
        return {(entrant.name, entrant.sha256) for entrant in self._recorded() if entrant.artifact}


@contextlib.contextmanager
def building(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    folder: Path,
    on_message: Callable[[str], None],
    is_selected: Callable[[Submission], bool] | None = None,
    recorded: Recorded = lambda: (),
    house: Path | None = None,
) -> Iterator[Building]:
    """Build every bot of a folder and of the host, or selected ones, while the block runs.

    An error in the block cancels open builds.

    Args:
        contest: Contest of the bots.
        settings: Settings of the contest.
        sandbox: Settings of the sandbox.
        folder: Folder of the bots.
        on_message: Called with messages.
        is_selected: Called with a bot; returns whether to build it. None for all.
        recorded: Returns the entrants of the last run. If bots share a name, the recorded one plays.
        house: Folder of the host's own bots; None if there is none.

    Yields:
        The builds.

    Raises:
        InputError: A folder, a bot of the house or a file of the settings can't be read, or this machine can't confine
            a bot.
        RunError: The compiler's libraries can't be built, the sandbox's probe can't be started or was killed, or the
            records can't be read.
        OSError: The files of the sandbox's probe can't be written.
    """
    submissions, refused, of_house = find_bots(folder, house, recorded)
    builds = Builds.for_contest(contest.interface, settings, sandbox)
    if is_selected is not None:
        submissions = [submission for submission in submissions if is_selected(submission)]
    in_c = [submission for submission in submissions if submission.kind in LANGUAGES]
    to_compile = [s for s in in_c if not _is_compiled(s, builds.interface)]
    if to_compile or any(s.kind in ("python", "program") for s in submissions):
        from tournament.sandbox.outside import probe

        probe.probe_sandbox(sandbox.mode)
    if to_compile:
        from tournament.artifacts import libraries

        libraries.prepare_libraries({s.kind for s in to_compile}, sandbox, on_message)
        on_message(f"Compiling {len(to_compile)} bot{'s' if len(to_compile) > 1 else ''}…")
    # With one core, too, two threads are needed, so that a slow build doesn't block the others.
    with threads_that_end(max(2, cores())) as pool:
        yield Building(pool, builds.build, builds.build_postponed, submissions, refused, recorded, of_house)


def build_entrants(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    folder: Path,
    on_message: Callable[[str], None],
    is_selected: Callable[[Submission], bool] | None = None,
    recorded: Recorded = lambda: (),
    house: Path | None = None,
) -> list[Entrant]:
    """Return the bots of a folder and of the host, or selected ones, sorted by name, once all are built.

    Bots that can't be read or played are included, each with its problem.

    Args:
        contest: Contest of the bots.
        settings: Settings of the contest.
        sandbox: Settings of the sandbox.
        folder: Folder of the bots.
        on_message: Called with messages.
        is_selected: Called with a bot; returns whether to build it. None for all.
        recorded: Returns the entrants of the last run. If bots share a name, the recorded one plays.
        house: Folder of the host's own bots; None if there is none.

    Raises:
        InputError: There is no such folder, a bot of the house or a file of the settings can't be read, or this machine
            can't build or confine a bot.
        RunError: This machine fails, or the records can't be read.
    """
    with building(contest, settings, sandbox, folder, on_message, is_selected, recorded, house) as bots:
        return bots.entrants(on_message)


def build_entrant(
    submission: Submission, interface: Interface, settings: ContestSettings, sandbox: SandboxSettings
) -> Entrant:
    """Build a bot and start it once. A failure of the bot becomes the entrant's problem.

    Raises:
        InputError: A file of the settings can't be read, or this machine can't build or confine bots.
        RunError: This machine fails, for example because the disk is full.
        CommandAborted: The thread must end.
    """
    builds = Builds.for_contest(interface, settings, sandbox)
    built = builds.build(submission)
    return builds.build_postponed(built) if isinstance(built, PostponedBuild) else built


@dataclass(frozen=True)
class Builds:
    """Builds of a contest's bots.

    Attributes:
        interface: Interface of the contest, with the adapters and the library of the settings.
        settings: Settings of the contest.
        sandbox: Settings of the sandbox.
    """

    interface: Interface
    settings: ContestSettings
    sandbox: SandboxSettings

    @staticmethod
    def for_contest(interface: Interface, settings: ContestSettings, sandbox: SandboxSettings) -> Builds:
        """Return the builds of a contest.

        Raises:
            InputError: An adapter can't be read, or the library can't be read or used.
        """
        return Builds(adapted(interface, settings), settings, sandbox)

    def build(self, submission: Submission) -> Entrant | PostponedBuild:
        """Build a bot and start it once.

        Returns:
            The entrant, whose problem is any failure of the bot; or a postponed bot, if the machine might be at fault.

        Raises:
            CommandAborted: The builds are cancelled.
        """
        try:
            artifact = _artifact(submission, self.interface, self.sandbox)
            _try(artifact, submission, self.interface, self.settings, self.sandbox)
        except CommandAborted:
            raise
        except Exception as error:
            if isinstance(error, (TournamentError, OSError, MemoryError)):
                return PostponedBuild(submission, error)
            problem, failed = _describe_problem(submission, error)
            return Entrant(submission.name, submission.kind, submission.sha256, None, problem, failed)
        return Entrant(submission.name, submission.kind, submission.sha256, artifact)

    def build_postponed(self, postponed: PostponedBuild) -> Entrant:
        """Build a postponed bot while no other build is running.

        If it fails again, although the machine can build the project's own bot, the bot is set aside. Its problem then
        has the reason, with lines cut at 400 characters.

        Raises:
            InputError: This machine can't build or confine the project's own bot.
            RunError: This machine fails.
            CommandAborted: The builds are cancelled.
        """
        built = self.build(postponed.submission)
        if isinstance(built, Entrant):
            return built
        from tournament.entrants import own_trial

        own_trial.require_machine(built.submission.kind, self.interface, self.sandbox)
        submission, why = built.submission, _cut_lines(_describe_trouble(built.trouble))
        problem = f"{why}\nIt is set aside in this run, because it failed twice, the second time without other builds."
        return Entrant(submission.name, submission.kind, submission.sha256, None, problem, set_aside=problem)


def adapted(interface: Interface, settings: ContestSettings) -> Interface:
    """Return the interface with the adapters and the library of the settings, or itself if they have none.

    Raises:
        InputError: One of their files can't be read or has more than 1 MiB, the library has more, or it hides a module
            of Python's own.
    """
    adapters: dict[str, Adapter] = {}
    for path in map(Path, settings.adapter_files):
        adapter = Adapter(path.name, read_small_file(path, _MAX_ADAPTER_BYTES))
        adapters |= dict.fromkeys(ADAPTED[path.suffix], adapter)
    library = read_library([Path(path) for path in settings.library_files])
    return replace(interface, adapters=adapters, library=library) if adapters or library else interface


def _describe_problem(submission: Submission, error: Exception) -> tuple[str, FailureKind]:
    """Return why a bot can't play, as text for its author, and the kind of the failure."""
    if not isinstance(error, Unfit):
        return our_error(error, "can't be built"), "other"
    hint = hint_for(submission) if "lacks the function" in str(error) else ""
    return _cut_lines(f"{error}{hint}"), error.kind


def _describe_trouble(trouble: Exception) -> str:
    """Return the reason for a failure of the machine as text."""
    if isinstance(trouble, TournamentError):
        return str(trouble)
    if isinstance(trouble, OSError):
        return explain_failed_write(trouble, "this machine")
    return "this machine has too little memory for it"


def _cut_lines(text: str) -> str:
    """Return an untrusted text with escapes for unprintable characters and its lines cut at 400 characters."""
    return "\n".join(
        line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in printable(text).splitlines()
    )


def _artifact(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> bytes:
    """Return the artifact of a bot, from the cache or newly made.

    Raises:
        Unfit: The bot can't be built.
        InputError: A path that programs are allowed to read is missing, or this machine can't confine builds.
        RunError: This machine fails.
        CommandAborted: The builds are cancelled.
    """
    if submission.kind == "wasm":
        return submission.source
    if submission.kind == "python":
        from tournament.artifacts import python_artifact

        adapter = interface.adapters["python"].content if "python" in interface.adapters else b""
        library = python_artifact.library_for(submission.source, adapter, interface.library)
        share = not find_isolation_reason(submission.source, interface, sandbox, adapter, library)
        return python_artifact.pack(
            submission.source, sandbox, interface.python.sdk, legs_may_share=share, adapter=adapter, library=library
        )
    if submission.kind == "program":
        from tournament.artifacts import program_build
        from tournament.entrants import own_trial

        own_trial.require_readable(sandbox)
        if not recipe_of(submission.source).build:
            return submission.source
        return _get_or_make(["program", submission.source], lambda: program_build.build(submission.source, sandbox))
    return _compiled(submission, interface, sandbox)[1]


def _try(
    artifact: bytes, submission: Submission, interface: Interface, settings: ContestSettings, sandbox: SandboxSettings
) -> None:
    """Start a bot on trial, unless the result is cached.

    Raises:
        Unfit: The bot doesn't start.
        RunError: This machine fails.
        InputError: This machine can't confine a bot.
        CommandAborted: The builds are cancelled.
    """
    if submission.kind not in ("python", "program"):
        _try_module(artifact, submission, interface, limits_of(settings), sandbox)
        return
    memory = settings.memory_megabytes

    def start() -> bytes:
        """Start the bot in a process, and return what is cached if it starts."""
        from tournament.worker.processes import programs, python_bots

        if submission.kind == "python":
            python_bots.try_start(artifact, submission.name, interface, sandbox, memory_megabytes=memory)
        else:
            programs.try_start(artifact, sandbox, cache_folder(), memory_megabytes=memory)
        return b""

    names = [question.name for question in interface.required]
    rules = _source_inside("bot_functions") + _source_inside("function_names")
    _get_or_make(["starts", artifact, submission.name, names, memory, rules], start)


def find_standard(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> tuple[str, str]:
    """Return the standard by which a C or C++ bot builds, and the compiler's warnings, or "" for other bots.

    A bot that doesn't build has "", too. Lines of warnings are cut at 400 characters.

    Raises:
        RunError: This machine fails.
        InputError: This machine can't confine a build.
    """
    if submission.kind not in LANGUAGES:
        return "", ""
    try:
        from tournament.artifacts import c_bots

        standard, _ = _compiled(submission, interface, sandbox)
        sources = ["warnings", *_sources(submission, interface)]
        warnings = _get_or_make(sources, lambda: c_bots.warnings_of(submission, interface, standard, sandbox).encode())
    except Unfit:
        return "", ""
    return standard, _cut_lines(warnings.decode())


def find_isolation_reason(
    source: bytes, interface: Interface, sandbox: SandboxSettings, adapter: bytes = b"", library: bytes = b""
) -> str:
    """Return why a Python bot's legs must not share a process, from the cache or newly determined, or "" if they can.

    Args:
        source: Source of the bot.
        interface: Interface of the contest.
        sandbox: Settings of the sandbox.
        adapter: Source of the adapter, which precedes the bot's.
        library: Packed library of the contest.

    Raises:
        RunError: This machine fails.
        InputError: This machine can't confine a bot.
    """
    from tournament.artifacts import python_artifact

    def isolation_violation() -> bytes:
        """Return the reason, in UTF-8."""
        from tournament.worker.processes import python_bots

        return python_bots.isolation_violation(source, interface, sandbox, adapter, library).encode()

    packed = python_artifact.pack(source, sandbox, interface.python.sdk, adapter=adapter, library=library)
    return _get_or_make(["legs", packed, _source_inside("leg_isolation")], isolation_violation).decode()


def _try_module(
    code: bytes, submission: Submission, interface: Interface, limits: BotLimits, sandbox: SandboxSettings
) -> None:
    """Compile a bot's WebAssembly within limits, and start it.

    A module with a cached result isn't parsed. With many entrants that would take most of a run's start-up time.

    Raises:
        Unfit: The module doesn't compile or start.
        RunError: This machine fails.
        InputError: This machine can't confine a bot.
        CommandAborted: The builds are cancelled.
    """

    def compile_confined() -> bytes:
        """Compile the module in the sandbox, and return what is cached if that succeeds."""
        from tournament.artifacts import module_trial
        from tournament.sandbox.outside import probe

        probe.probe_sandbox(sandbox.mode)
        module_trial.try_compile(code, library_path(), engines, sandbox)
        return b""

    engines = [engine_settings(kind) for kind in sorted({Engine.PLAIN, limits.engine})]
    how = (engines, version(), code)

    def start() -> bytes:
        """Start the bot, compiled before if needed, and return what is cached if it starts."""
        _get_or_make(["compiled", *how], compile_confined)
        try_start(load_bot(code, interface, submission.name, limits.memory_megabytes, limits.engine), limits)
        return b""

    called = ([question.name for question in interface.questions], interface.compiled.imports, interface.struct_size)
    _get_or_make(["starts", *how, _rules_digest(), submission.name, *called, limits], start)


@cache
def _source_inside(name: str) -> bytes:
    """Return the source of a module that runs in the sandbox."""
    return Path(str(inside.__file__)).with_name(f"{name}.py").read_bytes()


@cache
def _rules_digest() -> str:
    """Return the hash of the code that checks and starts modules. If it changes, modules are tried again."""
    compiled = sorted(Path(engine.wasm.__file__).parent.glob("*.so"))
    sources = sorted(Path(seating.__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in [*compiled, *sources])).hexdigest()


def _get_or_make(sources: Iterable[object], make: Callable[[], bytes]) -> bytes:
    """Return the result of a function from the cache, or call it and cache the result.

    A lasting verdict of Unfit is cached, too, and raised again. Other exceptions of the function pass through.

    Args:
        sources: Everything that the result depends on, as bytes or objects with a text.
        make: Makes the result.

    Raises:
        Unfit: The bot can't play.
        RunError: The cache can't be read or written.
    """
    result, verdict = _cache_paths(sources)
    if (content := read_cached(result)) is not None:
        return content
    if reason := read_cached(verdict):
        raise Unfit(**json.loads(reason))
    try:
        content = make()
    except Unfit as unfit:
        if unfit.is_permanent:
            write_cached(verdict, json.dumps({"why": str(unfit), "kind": unfit.kind}).encode(errors="replace"))
        raise
    write_cached(result, content)
    return content


def _cache_paths(sources: Iterable[object]) -> tuple[Path, Path]:
    """Return the paths in the cache for a result, and for the reason why there is none.

    Raises:
        RunError: No home is known for the cache, or others can write to it.
    """
    digest = hashlib.sha256()
    for part in sources:
        content = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    path = cache_folder() / "bots" / digest.hexdigest()
    return path.with_suffix(".made.sealed"), path.with_suffix(".verdict.sealed")


def require_playable(entrants: Sequence[Entrant], min_playable: int, folder: Path, bot: str | None = None) -> None:
    """Check that enough bots can play. The exception has a line for each of the others with its problem.

    Args:
        entrants: The bots.
        min_playable: Minimum number of bots.
        folder: Folder of the bots.
        bot: Name of the only bot whose matches are played; None for all bots.

    Raises:
        TooFewBotsError: Too few bots can play.
        InputError: The only bot can't play, or too few can because of broken opponents. A folder can't be listed.
    """
    broken = {one.name: one.problem or "" for one in entrants if one.artifact is None}
    playable = len(entrants) - len(broken)
    if bot is not None and broken and (bot in broken or playable < min_playable):
        raise InputError(
            "\n".join(f"{name} can't play: {broken[name]}" for name in ([bot] if bot in broken else broken))
        )
    if playable < min_playable:
        needed = (
            "a bot"
            if min_playable == 1
            else "two bots"
            if min_playable == 2
            else f"{min_playable} bots, one for each seat,"
        )
        event, where = ("a tournament", f" in {folder}") if bot is None else ("a match", "")
        count = f"there {'is' if playable == 1 else 'are'} {playable}{where}"
        hint = "" if entrants else f": a bot is a file ending in {', '.join(KINDS)}, or a folder with a bot.toml"
        why = [f"{name}: {main_error_line(problem)}" for name, problem in broken.items()]
        if others := other_files(folder):
            why.append(f"not recognised as bots: {join_names(others)}")
        raise TooFewBotsError("\n".join([f"{event} needs {needed} that can play; {count}{hint}", *why]))


def _sources(submission: Submission, interface: Interface) -> list[object]:
    """Return everything that a C or C++ bot's WebAssembly depends on, in a fixed order that the cache relies on.

    Raises:
        OSError: A file of the SDK can't be read.
    """
    sdk = sorted(interface.folder.rglob("*.h"))
    files: list[object] = [path.read_bytes() for path in (*sdk, *WRITTEN_FROM)]
    files += [_source_inside("function_names"), interface.adapter]
    if adapter := interface.adapters.get(submission.kind):
        files += ["an adapter", adapter.name, adapter.content]
    return [compiler_command.version(), submission.name, submission.kind, submission.source, *files]


def _is_compiled(submission: Submission, interface: Interface) -> bool:
    """Return whether a bot's WebAssembly or verdict is cached. True, too, if that is unknown: its build shows why."""
    with contextlib.suppress(Exception):
        return any(map(read_cached, _cache_paths(["wasm", *_sources(submission, interface)])))
    return True


def _compiled(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> tuple[str, bytes]:
    """Return the language standard by which a bot builds, and its WebAssembly, from the cache or the compiler.

    Raises:
        Unfit: The bot doesn't compile.
        RunError: This machine fails.
        InputError: This machine can't confine a build.
        CommandAborted: The build is cancelled.
    """

    def make() -> bytes:
        """Return the standard's line, followed by the WebAssembly."""
        from tournament.artifacts.c_bots import compile_bot

        compiled = compile_bot(submission, interface, sandbox)
        return compiled.standard.encode() + b"\n" + compiled.code

    standard, _, code = _get_or_make(["wasm", *_sources(submission, interface)], make).partition(b"\n")
    return standard.decode(), code


def build_with_line_numbers(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> bytes | None:
    """Return a C or C++ bot's WebAssembly with line numbers, or None for other bots and those that don't compile.

    It plays as the bot's artifact does, and its faults have the line.

    Raises:
        RunError: This machine fails.
        InputError: This machine can't confine a build.
    """
    if submission.kind not in LANGUAGES:
        return None
    from tournament.artifacts.c_bots import compile_bot

    try:
        return _get_or_make(
            ["lines", *_sources(submission, interface)],
            lambda: compile_bot(submission, interface, sandbox, with_lines=True).code,
        )
    except Unfit:
        return None
