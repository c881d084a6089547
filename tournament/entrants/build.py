"""From submissions to entrants: compile or pack, cache by content, check that each bot fits and starts."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.canonical_nans import Unreadable, with_canonical_nans
from tournament.cache import cache_folder, is_noted, keep, note, recall, trouble_in_words
from tournament.contests.contest import Contest, ContestSettings, Interface
from tournament.entrants import c_functions, compiler, module_trial, program_build
from tournament.entrants.bot import Entrant, Submission
from tournament.entrants.c_functions import choose_functions, defined_functions, defines_class
from tournament.entrants.folder import KINDS, Recorded, find_submissions
from tournament.errors import BadInput, RunFailed, printable
from tournament.sandbox import bot_functions, confinement, leg_isolation
from tournament.sandbox.own_time import Disturbed
from tournament.sandbox.scratch import scratch_folder
from tournament.sandbox.settings import SandboxSettings
from tournament.worker.leg import limits_of
from tournament.worker.processes import programs, python_bots
from tournament.worker.processes.archive import recipe_of
from tournament.worker.processes.commands import CommandMissing
from tournament.worker.processes.recipe import BadRecipe
from tournament.worker.wasm import seating
from tournament.worker.wasm.engine import Metering, engine_settings, version
from tournament.worker.wasm.loading import BotUnfit, load_bot, read_bot
from tournament.worker.wasm.seating import Limits, StartFailed, try_start

_CALLS_CLOCK = re.compile(rb"\b(time|clock)\s*\(")
_RUNTIME_SOURCE = Path(__file__).with_name("bot_runtime.c")
_LONGEST_LINE = 400  # of a reason, which may quote what a stranger wrote


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"


def build_entrants(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    folder: Path,
    say: Callable[[str], None],
    only: Collection[str] | None = None,
    recorded: Recorded = lambda: (),
) -> list[Entrant]:
    """Every bot of a folder, or those of some names `only`, sorted by name; those that can't play carry their problem.

    Of several with one name the one plays that is `recorded`. Raises BadInput when there is no such folder, or no
    way here to confine what needs it, and as `recorded` does.
    """
    submissions, refused = find_submissions(folder, recorded)
    if only is not None:
        submissions = [submission for submission in submissions if submission.name in only]
    workers = os.cpu_count() or 1
    to_compile = [
        s
        for s in submissions
        if s.kind in compiler.LANGUAGES
        and not any(is_noted(_entry(_source_digest(s, contest.interface), what)) for what in ("wasm", "refused"))
    ]
    if to_compile or any(s.kind in ("python", "program") for s in submissions):
        confinement.probe_sandbox(sandbox.mode)
    if to_compile:
        compiler.prepare_libraries({s.kind for s in to_compile}, sandbox, say)
        say(f"Compiling {len(to_compile)} bot{'s' if len(to_compile) > 1 else ''}…")
    with ThreadPoolExecutor(workers) as pool:
        built = list(pool.map(lambda s: build_entrant(s, contest.interface, settings, sandbox), submissions))
    return sorted([*built, *refused], key=lambda e: e.name)


def build_entrant(
    submission: Submission, interface: Interface, settings: ContestSettings, sandbox: SandboxSettings
) -> Entrant:
    """Build one bot and start it once; what fails becomes the entrant's problem.

    Raises RunFailed when it is the machine's: no bot is blamed for a full disk.
    """
    artifact: bytes | None = None
    problem: str | None = None
    try:
        artifact = _artifact(submission, interface, sandbox)
        _try(artifact, submission, interface, settings, sandbox)
    except (
        compiler.CompilerRefused,
        BotUnfit,
        module_trial.TooHard,
        python_bots.CantStart,
        program_build.BuildFailed,
        programs.CantStart,
        CommandMissing,
        BadRecipe,
    ) as error:
        artifact = None
        problem = "\n".join(_cut(line) for line in printable(str(error)).splitlines())
    except Disturbed as error:
        raise RunFailed(f"{submission.name} can't be tried: {error}") from None
    except OSError as error:
        raise RunFailed(f"{submission.name} can't be built: {trouble_in_words(error, 'this machine')}") from None
    except MemoryError:
        raise RunFailed(f"{submission.name} can't be built: this machine has too little memory") from None
    return Entrant(submission.name, submission.kind, submission.sha256, artifact, problem)


def _artifact(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> bytes:
    """What plays, from the cache or made."""
    if submission.kind == "wasm":
        return _canonical(submission.source)
    if submission.kind == "python":
        may_share = _legs_may_share(submission.source, interface, sandbox)
        return python_bots.pack(submission.source, sandbox, interface.python_sdk, legs_may_share=may_share)
    if submission.kind == "program":
        return _built(submission, sandbox)
    return _canonical(_compiled(submission, interface, sandbox))


def _canonical(code: bytes) -> bytes:
    """What plays of a module: see `engine.canonical_nans`. Its fuel is counted, so it is the artifact.

    What can't be read stays as it is, to be refused with the reason where it is loaded.
    """
    try:
        return with_canonical_nans(code)
    except Unreadable:
        return code


def _try(
    artifact: bytes, submission: Submission, interface: Interface, settings: ContestSettings, sandbox: SandboxSettings
) -> None:
    """Start a bot for nobody, unless it is known that it starts."""
    if submission.kind not in ("python", "program"):
        _try_module(artifact, submission, interface, limits_of(settings), sandbox)
        return
    memory = settings.memory_megabytes
    if is_noted(tried := _tried(artifact, submission, interface, memory)):
        return

    def start() -> None:
        if submission.kind == "python":
            python_bots.try_start(artifact, submission.name, interface, sandbox, memory_megabytes=memory)
        else:
            programs.try_start(artifact, sandbox, cache_folder(), memory_megabytes=memory)

    confinement.again_if_killed(start)
    note(tried)


def warnings_of(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> str:
    """What the compiler warns of in a C or C++ bot that builds, in a few lines; "" for others."""
    if submission.kind not in compiler.LANGUAGES:
        return ""
    with scratch_folder() as folder:
        unit = _write_unit(submission, interface, folder)
        try:
            warnings = compiler.warnings_of(unit, submission.kind, interface.sdk, sandbox)
        except compiler.CompilerRefused:
            return ""
    return "\n".join(_cut(line) for line in printable(warnings).splitlines())


def _tried(artifact: bytes, submission: Submission, interface: Interface, memory_megabytes: int) -> Path:
    """Where it is noted that a bot starts: that need not be tried at each run."""
    questions = [question.name for question in interface.answered]
    chooses = hashlib.sha256(Path(bot_functions.__file__).read_bytes()).hexdigest()
    parts = [hashlib.sha256(artifact).hexdigest(), submission.name, str(questions), str(memory_megabytes), chooses]
    return _entry(hashlib.sha256(" ".join(parts).encode()).hexdigest(), "starts")


def _legs_may_share(source: bytes, interface: Interface, sandbox: SandboxSettings) -> bool:
    """Whether a Python bot's legs may share a process, from the cache or found out."""
    how = python_bots.pack(source, sandbox, interface.python_sdk) + Path(leg_isolation.__file__).read_bytes()
    noted = _entry(hashlib.sha256(how).hexdigest(), "legs")
    why_apart = recall(noted)
    if why_apart is None:
        found = confinement.again_if_killed(lambda: python_bots.why_apart(source, interface, sandbox))
        why_apart = found.encode()
        keep(noted, why_apart)
    return not why_apart


def _try_module(
    code: bytes, submission: Submission, interface: Interface, limits: Limits, sandbox: SandboxSettings
) -> None:
    """Compile a bot's WebAssembly within limits, and start it. Raises BotUnfit and TooHard.

    What is known to start isn't even read: in a large field that took most of a start.
    """

    def compile_confined() -> None:
        confinement.probe_sandbox(sandbox.mode)
        module_trial.try_compile(code, engines, sandbox)

    kinds = {Metering.NOTHING: None, Metering.FUEL: None, limits.metering: None}
    engines = [engine_settings(metering) for metering in kinds]
    how = [json.dumps(engines), version(), hashlib.sha256(code).hexdigest()]

    def start() -> None:
        read_bot(code, limits.memory_megabytes)
        _once(how, "compiles", compile_confined)
        try_start(load_bot(code, interface, submission.name, limits.memory_megabytes), limits)

    asked = [repr(interface.questions), repr(interface.imports), str(interface.bot_size)]
    _once([*how, _digest_of_rules(), submission.name, *asked, str(limits)], "starts", start)


@cache
def _digest_of_rules() -> str:
    """Of the code that says what a module must be like, and starts it: by other rules it is tried again."""
    sources = sorted(Path(seating.__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def _once(key: list[str], what: str, attempt: Callable[[], None]) -> None:
    """Make an attempt unless it is noted how it ended on this machine, where it would end so again."""
    noted = _entry(hashlib.sha256(json.dumps(key).encode()).hexdigest(), what)
    problem = recall(noted)
    if problem is not None:
        if problem:
            raise BotUnfit(problem.decode(errors="replace"))
        return
    try:
        attempt()
    except (StartFailed, module_trial.TooSlow) as error:
        keep(noted, str(error).encode())
        raise
    note(noted)


def _entry(digest: str, what: str) -> Path:
    return cache_folder() / "bots" / f"{digest}.{what}.sealed"


def _built(submission: Submission, sandbox: SandboxSettings) -> bytes:
    """A program's archive after its build, from the cache or made. Raises BuildFailed and BadRecipe."""
    if not recipe_of(submission.source).build:
        return submission.source
    cached = _entry(submission.sha256, "program")
    archive = recall(cached)
    if archive is None:
        archive = program_build.build(submission.source, sandbox)
        keep(cached, archive)
    return archive


def playable(entrants: Iterable[Entrant], least: int, folder: Path) -> list[Entrant]:
    """Those that can play. Raises BadInput when there are fewer than `least`, and says why each of the others can't."""
    entrants = list(entrants)
    fit = [entrant for entrant in entrants if entrant.artifact is not None]
    if len(fit) < least:
        needed = "two bots" if least == 2 else "a bot"
        there = f"there {'is' if len(fit) == 1 else 'are'} {len(fit)} in {folder}"
        hint = "" if entrants else f": a bot is a file ending in {', '.join(KINDS)}, or a folder with a bot.toml"
        broken = [f"{one.name}: {_first_line(one.problem or '')}" for one in entrants if one.artifact is None]
        raise BadInput("\n".join([f"a tournament needs {needed} that can play; {there}{hint}", *broken]))
    return fit


def _first_line(problem: str) -> str:
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0] if lines else "")


def _source_digest(submission: Submission, interface: Interface) -> str:
    """Of all that a C or C++ bot's WebAssembly follows from."""
    digest = hashlib.sha256()
    sdk = sorted(interface.sdk.rglob("*.h"))
    how = [Path(__file__), Path(c_functions.__file__)]
    for part in (
        compiler.version().encode(),
        submission.name.encode(),
        submission.kind.encode(),
        submission.source,
        *[path.read_bytes() for path in [*sdk, *how, _RUNTIME_SOURCE]],
    ):
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def _compiled(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> bytes:
    """The bot's WebAssembly, or why there is none, from the cache or the compiler. Raises CompilerRefused."""
    digest = _source_digest(submission, interface)
    compiled, refused = _entry(digest, "wasm"), _entry(digest, "refused")
    artifact = recall(compiled)
    if artifact is None:
        if problem := recall(refused):
            raise compiler.CompilerRefused(problem.decode(errors="replace"))
        try:
            artifact = _compile(submission, interface, sandbox)
        except compiler.StillAtIt:
            raise
        except compiler.CompilerRefused as problem_found:
            keep(refused, str(problem_found).encode(errors="replace"))
            raise
        keep(compiled, artifact)
    return artifact


def with_lines(submission: Submission, interface: Interface, sandbox: SandboxSettings) -> bytes | None:
    """A C or C++ bot's WebAssembly with what tells the source's lines: for saying where it failed. None for others."""
    if submission.kind not in compiler.LANGUAGES:
        return None
    kept = _entry(_source_digest(submission, interface), "lines")
    artifact = recall(kept)
    if artifact is None:
        try:
            artifact = _compile(submission, interface, sandbox, with_lines=True)
        except compiler.CompilerRefused:
            return None
        keep(kept, artifact)
    return artifact


def _compile(
    submission: Submission, interface: Interface, sandbox: SandboxSettings, *, with_lines: bool = False
) -> bytes:
    """The bot's WebAssembly. Raises CompilerRefused.

    The adapter must be told which of the bot's functions answer what, and only the preprocessor knows what functions
    there are. Mostly the source as it is tells, too: then all is done in one start of the compiler.
    """
    runtime = compiler.compile_once(_RUNTIME_SOURCE, sandbox)
    with scratch_folder() as folder:
        unit = _write_unit(submission, interface, folder)
        include = unit.read_text()

        def compile_with(definitions: str) -> tuple[bytes, bytes]:
            unit.write_text(include + definitions + '#include "adapter.h"\n')
            kind, sdk, hints = submission.kind, interface.sdk, interface.hints
            return compiler.compile_unit(unit, kind, sdk, runtime, sandbox, hints, with_lines=with_lines)

        artifact = preprocessed = b""
        refused: compiler.CompilerRefused | None = None
        guessed = _guessed_definitions(submission, interface)
        if not isinstance(guessed, _Missing):
            try:
                artifact, preprocessed = compile_with(guessed)
            except compiler.StillAtIt:
                raise
            except compiler.CompilerRefused as problem:
                refused, preprocessed = problem, problem.output
            text = preprocessed.decode(errors="replace")
            if not compiler.is_cut(preprocessed) and _definitions(text, submission, interface) == guessed:
                if refused:
                    raise refused
                return artifact
            unit.write_text(include)
        text = compiler.preprocess(unit, submission.kind, interface.sdk, sandbox)
        definitions = _definitions(text, submission, interface)
        if isinstance(definitions, _Missing):
            compiler.check_syntax(unit, submission.kind, interface.sdk, sandbox, interface.hints)
            raise compiler.CompilerRefused(definitions.what)
        return compile_with(definitions)[0]


@dataclass(frozen=True)
class _Missing:
    """`what` a bot lacks, in words."""

    what: str


def _definitions(preprocessed: str, submission: Submission, interface: Interface) -> str | _Missing:
    """What tells the adapter the bot's names. Raises CompilerRefused for a text that is too long."""
    name = _file_name(submission)
    try:
        if interface.bot_class and defines_class(preprocessed, name, interface.bot_class):
            return f"#define BOT_CLASS {interface.bot_class}\n"
        defined = defined_functions(preprocessed, name)
    except c_functions.TooLong as problem:
        raise compiler.CompilerRefused(str(problem)) from None
    chosen = choose_functions(defined, submission.name, [q.name for q in interface.answered])
    if isinstance(chosen, str):
        return _Missing(chosen)
    return "".join(f"#define BOT_{q.name.upper()} {name}\n" for q, name in zip(interface.answered, chosen))


# Roughly: what it mistakes is found by comparison with what the preprocessor leaves.
_COMMENT = re.compile(r"//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?")


def _guessed_definitions(submission: Submission, interface: Interface) -> str | _Missing:
    """What tells the adapter the bot's names, by the source as it is but for comments."""
    source = _COMMENT.sub(" ", submission.source.decode(errors="replace"))
    try:
        return _definitions(f'# 1 "{_file_name(submission)}"\n{source}', submission, interface)
    except compiler.CompilerRefused as problem:
        return _Missing(str(problem))


def _write_unit(submission: Submission, interface: Interface, folder: Path) -> Path:
    """Write a bot's source, and a unit that includes the contest's header and then the bot; the unit's path."""
    bot = folder / compiler.BOT_FOLDER / _file_name(submission)
    bot.parent.mkdir()
    bot.write_bytes(submission.source)
    os.utime(bot, (0, 0))  # which __TIMESTAMP__ tells
    # A call of time() without its header would be taken for one that returns int.
    clock = "#include <time.h>\n" if _CALLS_CLOCK.search(submission.source) else ""
    unit = folder / f"unit{bot.suffix}"
    unit.write_text(f'#include "{interface.header}"\n{clock}#include "{bot.parent.name}/{bot.name}"\n')
    return unit


def _file_name(submission: Submission) -> str:
    return f"{submission.name}{'.c' if submission.kind == 'c' else '.cpp'}"
