"""From submissions to entrants: compile or pack, cache by content, check that each bot fits and starts."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from contextlib import contextmanager
from functools import cache, cached_property
from math import inf
from pathlib import Path

import engine.wasm
from tournament.artifacts import c_bots, compiler_command, libraries, module_trial, program_build, python_packing
from tournament.artifacts.archive import recipe_of
from tournament.artifacts.bot import Entrant, Submission
from tournament.artifacts.c_bots import Compiled, compile_bot
from tournament.artifacts.commands import CommandMissing
from tournament.artifacts.compiler_command import EXCEPTIONS_SOURCE, LANGUAGES, Build
from tournament.artifacts.compiler_run import CompilerRefused, NotCompiled, TookTooMuch, may_take_all
from tournament.artifacts.recipe import BadRecipe
from tournament.cache import cache_folder, keep, recall, remembered, trouble_in_words
from tournament.contests.contest import Contest
from tournament.contests.interface import Interface
from tournament.contests.settings import ContestSettings
from tournament.entrants.folder import KINDS, Recorded, find_submissions
from tournament.errors import BadInput, RunFailed, TooFewBots, listed, printable, telling_line
from tournament.leg import FailureKind
from tournament.sandbox.inside import bot_functions, function_names, leg_isolation
from tournament.sandbox.outside import endings, probe, running
from tournament.sandbox.outside.own_time import Disturbed
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.faults import BotUnfit
from tournament.worker.leg import limits_of
from tournament.worker.processes import programs, python_bots
from tournament.worker.wasm import seating
from tournament.worker.wasm.calls import library_path
from tournament.worker.wasm.engine import Engine, engine_settings, version
from tournament.worker.wasm.loading import ModuleUnfit, load_bot
from tournament.worker.wasm.seating import Limits, StartFailed, try_start

_LONGEST_LINE = 400  # of a reason, which may quote a stranger's text
_SAY_SECONDS = 10.0  # between two words on who is still being built
_LOOK_SECONDS = 1.0  # between two looks whether somebody can play meanwhile


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"


class Building:
    """The bots of a folder while they are built side by side: those that are ready may play meanwhile."""

    def __init__(
        self, under_way: Mapping[Future[Entrant], Submission], refused: Sequence[Entrant], recorded: Recorded
    ) -> None:
        self._under_way, self._refused, self._recorded = under_way, refused, recorded
        self._ready = 0

    def entrants(self, say: Callable[[str], None], patience: float = inf, least: int = 0) -> list[Entrant]:
        """All bots, sorted by name, once they are built; those that can't play carry their problem.

        After `patience` seconds some may be late, if more are ready than the last time and `least` of these can play.
        Whoever has games in the records is waited for. Raises as `build_entrant` does.
        """
        began = said = time.monotonic()
        left: Collection[Future[Entrant]] = self._under_way.keys()
        while True:
            done, left = wait(left, _LOOK_SECONDS, FIRST_EXCEPTION)
            for one in done:
                one.result()
            now = time.monotonic()
            if not left or (now - began >= patience and self._may_go_on(left, least)):
                break
            if now - said >= _SAY_SECONDS:
                say(f"Still building {listed(sorted(self._under_way[one].name for one in left))}…")
                said = now
        built = [one.result() for one in self._under_way if one not in left]
        self._ready = len(built)
        late = [self._under_way[one] for one in left]
        waiting = [Entrant(one.name, one.kind, one.sha256, None, "still being built", is_late=True) for one in late]
        return sorted([*built, *waiting, *self._refused], key=lambda entrant: entrant.name)

    def _may_go_on(self, left: Collection[Future[Entrant]], least: int) -> bool:
        """Whether those that are ready may play without those that are left."""
        ready = [one.result() for one in self._under_way if one not in left]
        if len(ready) <= self._ready or sum(entrant.artifact is not None for entrant in ready) < least:
            return False
        return not any((self._under_way[one].name, self._under_way[one].sha256) in self._in_records for one in left)

    @cached_property
    def _in_records(self) -> set[tuple[str, str]]:
        """Who has games in the records, by name and content."""
        return {(known.name, known.sha256) for known in self._recorded() if known.artifact}


@contextmanager
def building(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    folder: Path,
    say: Callable[[str], None],
    only: Collection[str] | None = None,
    recorded: Recorded = lambda: (),
) -> Iterator[Building]:
    """Build every bot of a folder, or those of some names `only`. What isn't built when an error leaves the block is
    given up.

    Of several with one name the `recorded` one plays. Raises BadInput when there is no such folder, or when this
    machine can't confine a bot that needs it, and as `recorded` does.
    """
    submissions, refused = find_submissions(folder, recorded)
    if only is not None:
        submissions = [submission for submission in submissions if submission.name in only]
    in_c = [submission for submission in submissions if submission.kind in LANGUAGES]
    to_compile = [s for s in in_c if not any(map(recall, _compiled_at(s, contest.interface)))]
    if to_compile or any(s.kind in ("python", "program") for s in submissions):
        probe.probe_sandbox(sandbox.mode)
    if to_compile:
        libraries.prepare_libraries({s.kind for s in to_compile}, sandbox, say)
        say(f"Compiling {len(to_compile)} bot{'s' if len(to_compile) > 1 else ''}…")
    with running.threads_that_end(os.cpu_count() or 1) as pool:
        under_way = {pool.submit(build_entrant, s, contest.interface, settings, sandbox): s for s in submissions}
        yield Building(under_way, refused, recorded)


def build_entrants(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    folder: Path,
    say: Callable[[str], None],
    only: Collection[str] | None = None,
    recorded: Recorded = lambda: (),
) -> list[Entrant]:
    """The bots of a folder, all built. Raises as `building` and `build_entrant` do."""
    with building(contest, settings, sandbox, folder, say, only, recorded) as bots:
        return bots.entrants(say)


def build_entrant(
    submission: Submission,
    interface: Interface,
    settings: ContestSettings,
    sandbox: SandboxSettings,
) -> Entrant:
    """Build one bot and start it once; a failure becomes the entrant's problem.

    Raises RunFailed when the machine fails: no bot is blamed for a full disk."""
    artifact: bytes | None = None
    problem: str | None = None
    failed: FailureKind = "other"
    try:
        artifact = _artifact(submission, interface, sandbox)
        _try(artifact, submission, interface, settings, sandbox)
    except (
        NotCompiled,
        BotUnfit,
        module_trial.TooHard,
        program_build.BuildFailed,
        CommandMissing,
        BadRecipe,
    ) as error:
        artifact, failed = None, _kind_of(error)
        problem = "\n".join(_cut(line) for line in printable(str(error)).splitlines())
    except Disturbed as error:
        raise RunFailed(f"{submission.name} can't be tried: {error}") from None
    except OSError as error:
        raise RunFailed(f"{submission.name} can't be built: {trouble_in_words(error, 'this machine')}") from None
    except MemoryError:
        raise RunFailed(f"{submission.name} can't be built: this machine has too little memory") from None
    return Entrant(submission.name, submission.kind, submission.sha256, artifact, problem, failed)


def _artifact(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> bytes:
    """The artifact, from the cache or made."""
    if submission.kind == "wasm":
        return submission.source
    if submission.kind == "python":
        share = not why_legs_apart(submission.source, interface, sandbox)
        return python_packing.pack(submission.source, sandbox, interface.python.sdk, legs_may_share=share)
    if submission.kind == "program":
        if missing := [path for path in sandbox.readable if not os.path.exists(path)]:
            raise BadInput(f"[sandbox] readable: there is no {missing[0]}")
        if not recipe_of(submission.source).build:
            return submission.source
        return remembered(_place("program", submission.source), lambda: program_build.build(submission.source, sandbox))
    return _compiled(submission, interface, sandbox).code


def _try(
    artifact: bytes, submission: Submission, interface: Interface, settings: ContestSettings, sandbox: SandboxSettings
) -> None:
    """Start a bot on trial, unless it is known how that ends."""
    if submission.kind not in ("python", "program"):
        _try_module(artifact, submission, interface, limits_of(settings), sandbox)
        return
    memory = settings.memory_megabytes

    def start() -> None:
        if submission.kind == "python":
            python_bots.try_start(artifact, submission.name, interface, sandbox, memory_megabytes=memory)
        else:
            programs.try_start(artifact, sandbox, cache_folder(), memory_megabytes=memory)

    names = [question.name for question in interface.answered]
    rules = Path(bot_functions.__file__).read_bytes() + Path(function_names.__file__).read_bytes()
    noted = _place("starts", artifact, submission.name, names, memory, rules)
    _once(noted, lambda: endings.again_alone(start))


def language_of(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> tuple[str, str]:
    """The standard by which a C or C++ bot builds, and the compiler's warnings; "" for others."""
    if submission.kind not in LANGUAGES:
        return "", ""
    try:
        standard = _compiled(submission, interface, sandbox).standard
        kept = _place("warnings", *_made_from(submission, interface))
        warnings = remembered(kept, lambda: c_bots.warnings_of(submission, interface, standard, sandbox).encode())
    except NotCompiled:
        return "", ""
    return standard, "\n".join(_cut(line) for line in printable(warnings.decode()).splitlines())


def why_legs_apart(source: bytes, interface: Interface, sandbox: SandboxSettings) -> str:
    """Why a Python bot's legs must not share a process, "" when they may; from the cache or found out."""

    def why_apart() -> bytes:
        return endings.again_alone(lambda: python_bots.why_apart(source, interface, sandbox)).encode()

    packed = python_packing.pack(source, sandbox, interface.python.sdk)
    return remembered(_place("legs", packed, Path(leg_isolation.__file__).read_bytes()), why_apart).decode()


def _try_module(
    code: bytes, submission: Submission, interface: Interface, limits: Limits, sandbox: SandboxSettings
) -> None:
    """Compile a bot's WebAssembly within limits, and start it. Raises BotUnfit and TooHard. A module that is known to
    start isn't read: with many entrants that would take most of a run's start."""

    def compile_confined() -> None:
        probe.probe_sandbox(sandbox.mode)
        module_trial.try_compile(code, library_path(), engines, sandbox)

    engines = [engine_settings(kind) for kind in (Engine.PLAIN, limits.engine)]
    how = (engines, version(), code)

    def start() -> None:
        _once(_place("compiled", *how), compile_confined)
        try_start(load_bot(code, interface, submission.name, limits.memory_megabytes, limits.engine), limits)

    asked = (interface.questions, interface.compiled.imports, interface.compiled.struct_size)
    _once(_place("starts", *how, _digest_of_rules(), submission.name, *asked, limits), start)


@cache
def _digest_of_rules() -> str:
    """Of the code that checks and starts a module: when it changes, modules are tried again."""
    compiled = sorted(Path(engine.wasm.__file__).parent.glob("*.so"))
    sources = sorted(Path(seating.__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in [*compiled, *sources])).hexdigest()


def _once(noted: Path, attempt: Callable[[], None]) -> None:
    """Make an attempt, or raise or return as it is noted to have ended before on this machine."""
    known = recall(noted)
    if known is not None:
        if known:
            raise BotUnfit(**json.loads(known))
        return
    try:
        attempt()
    except (StartFailed, ModuleUnfit, module_trial.TooSlow) as error:
        keep(noted, json.dumps({"why": str(error), "kind": _kind_of(error)}).encode())
        raise
    keep(noted, b"")


def _kind_of(error: Exception) -> FailureKind:
    return error.kind if isinstance(error, BotUnfit) else "other"


def _place(what: str, *how: object) -> Path:
    """Where the cache has what follows from all of this, bytes and whatever has a text of its own."""
    digest = hashlib.sha256()
    for part in how:
        content = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return cache_folder() / "bots" / f"{digest.hexdigest()}.{what}.sealed"


def require_playable(entrants: Sequence[Entrant], least: int, folder: Path, of: str | None = None) -> None:
    """Raise TooFewBots if fewer than `least` can play, saying why each of the others can't; where `of` names one whose
    matches alone are wanted, BadInput for it or for its opponents."""
    broken = {one.name: one.problem or "" for one in entrants if one.artifact is None}
    fit = len(entrants) - len(broken)
    if of is not None and (of in broken or fit < least):
        raise BadInput("\n".join(f"{name} can't play: {broken[name]}" for name in ([of] if of in broken else broken)))
    if fit < least:
        needed = "two bots" if least == 2 else "a bot"
        there = f"there {'is' if fit == 1 else 'are'} {fit} in {folder}"
        hint = "" if entrants else f": a bot is a file ending in {', '.join(KINDS)}, or a folder with a bot.toml"
        why = [f"{name}: {telling_line(problem)}" for name, problem in broken.items()]
        raise TooFewBots("\n".join([f"a tournament needs {needed} that can play; {there}{hint}", *why]))


def _made_from(submission: Submission, interface: Interface) -> list[object]:
    """All that a C or C++ bot's WebAssembly follows from."""
    sdk = sorted(interface.sdk.rglob("*.h"))
    how = [Path(c_bots.__file__), Path(function_names.__file__), *c_bots.RUNTIME_SOURCES, EXCEPTIONS_SOURCE]
    files = [path.read_bytes() for path in (*sdk, *how)]
    return [compiler_command.version(), submission.name, submission.kind, submission.source, *files]


def _compiled_at(submission: Submission, interface: Interface) -> tuple[Path, Path]:
    """Where the cache has a bot's WebAssembly, and where it has why there is none."""
    made_from = _made_from(submission, interface)
    return _place("wasm", *made_from), _place("refused", *made_from)


def _compiled(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> Compiled:
    """The bot's WebAssembly, or why there is none, from the cache or the compiler. Raises NotCompiled."""
    entry, refused = _compiled_at(submission, interface)
    kept = recall(entry)
    if kept is not None:
        standard, _, code = kept.partition(b"\n")
        return Compiled(code, standard.decode())
    if problem := recall(refused):
        raise CompilerRefused(problem.decode(errors="replace"))
    try:
        compiled = compile_bot(submission, interface, sandbox)
    except (CompilerRefused, TookTooMuch) as problem_found:
        if isinstance(problem_found, CompilerRefused) or may_take_all():  # else it may build where it may take more
            keep(refused, str(problem_found).encode(errors="replace"))
        raise
    keep(entry, compiled.standard.encode() + b"\n" + compiled.code)
    return compiled


def with_lines(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> bytes | None:
    """A C or C++ bot's WebAssembly with the source's lines, to say where it failed: it plays as its artifact does. None
    for others."""
    return _built_otherwise(submission, interface, sandbox, Build.WITH_LINES)


def checked(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> bytes | None:
    """A C or C++ bot's WebAssembly that tells of its mistakes (`trial.mistakes`); None for others."""
    return _built_otherwise(submission, interface, sandbox, Build.CHECKED)


def _built_otherwise(
    submission: Submission, interface: Interface, sandbox: SandboxSettings, build: Build
) -> bytes | None:
    """A C or C++ bot's WebAssembly for another use than play, from the cache or the compiler; None for others."""
    if submission.kind not in LANGUAGES:
        return None
    how = [*_made_from(submission, interface), *build.flags, *build.link_flags]
    if build is Build.CHECKED:
        how += [source.read_bytes() for source in c_bots.CHECK_SOURCES]
    try:
        return remembered(_place("lines", *how), lambda: compile_bot(submission, interface, sandbox, build).code)
    except NotCompiled:
        return None
