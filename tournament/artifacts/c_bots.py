"""Compiles a C or C++ bot's source to WebAssembly, and finds its language standard and the functions that answer.

The compiler decides both. Usually the first guess is right, and one confined start is enough. Otherwise the source is
compiled once more, with a trial call of every function that could answer a question.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tournament.artifacts import compiler, libraries
from tournament.artifacts.bot import Kind, Submission
from tournament.artifacts.compiler import Unit, compile_unit, errors_of
from tournament.artifacts.compiler_command import (
    ADAPTER_FOLDER,
    BARE,
    BOT_FOLDER,
    RUNTIME_SOURCES,
    SEEN_FILES,
    STANDARDS,
    seen_by_bots,
)
from tournament.artifacts.compiler_messages import TRIAL_FILE, first_line
from tournament.artifacts.compiler_run import Allowance, CompilerRefused
from tournament.contests.interface import Interface
from tournament.leg import Unfit
from tournament.sandbox.inside.function_names import (
    MAX_NAMES,
    NotChosen,
    choose,
    choose_news,
    names_for,
)
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings

# Warnings that mean, in a trial call, that a function isn't the one that answers.
_STRICT = ("implicit-function-declaration", "incompatible-pointer-types", "int-conversion")
_CALLS_CLOCK = re.compile(rb"\b(time|clock)\s*\(")
_ASKS_FOR_GNU = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+_GNU_SOURCE\b", re.MULTILINE)
_MAX_BARE = 2  # tries, because the linker reports clashes only after all other errors
_PASTES = re.compile(rb"##|%:%:")
_IDENTIFIER = re.compile(r"[A-Za-z_][0-9A-Za-z_]*")
# Tokens that predict the optimiser's time, and those that can hide them.
_BRANCHES = re.compile(
    rb"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?|(?<![0-9])'(?:\\.|[^'\\\n])*'?|[{}]|\belse\s+if\b""", re.DOTALL
)
_MAX_BRANCHES = 1000


@dataclass(frozen=True)
class Compiled:
    """A bot's WebAssembly.

    Attributes:
        code: The WebAssembly.
        standard: Language standard by which the bot builds.
        unit: Text of the unit that was compiled: what includes the bot, and the contest's adapter after it.
    """

    code: bytes
    standard: str
    unit: str


# The name that answers each question; "" stands for the class.
_Answering = dict[str, str]


def compile_bot(
    submission: Submission, interface: Interface, sandbox: SandboxSettings, *, with_lines: bool = False
) -> Compiled:
    """Compile a bot, after the contest's adapter if there is one for its language.

    If it doesn't build with the adapter, it might be written for the contest itself, and is compiled without it.

    Args:
        submission: The bot, in C or C++.
        interface: The contest's interface.
        sandbox: How the compiler is confined.
        with_lines: Whether the code keeps the numbers of source lines.

    Raises:
        Unfit: The bot doesn't build. The reason is that of the first attempt, with the adapter if there is one.
        MachineBusyError: The compiler was ended from outside, or doesn't build a source of our own either.
        RunError: This machine can't build bots.
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
        CommandAborted: The thread must end.
    """
    refused: Unfit | None = None
    for adapters in [interface.adapters, {}] if submission.kind in interface.adapters else [{}]:
        try:
            return _compile_by_any_standard(submission, replace(interface, adapters=adapters), sandbox, with_lines)
        except Unfit as problem:
            refused = refused or problem
    assert refused
    require_compiler(submission.kind, sandbox)
    raise refused


def require_compiler(kind: Kind, sandbox: SandboxSettings) -> None:
    """Compile a source of our own as bots are compiled. If that fails, no bot is at fault.

    Args:
        kind: "c" or "cpp".
        sandbox: How the compiler is confined.

    Raises:
        MachineBusyError: The compiler doesn't work on this machine.
        InputError: This machine can't confine the compiler.
        OSError: The source can't be written.
        RunError: This machine can't run the compiler.
        CommandAborted: The thread must end.
    """
    header = "vector" if kind == "cpp" else "stdlib.h"
    with scratch_folder() as folder:
        source = folder / f"unit.{kind}"
        source.write_text(f"#include <{header}>\n")
        (folder / SEEN_FILES).write_text(seen_by_bots(folder, {source.name: source}))
        try:
            errors_of(Unit(source, STANDARDS[kind][0], folder, sandbox), expected=TRIAL_FILE)
        except (Unfit, MachineBusyError, OSError) as problem:
            why = f"the compiler does not work on this machine (out of memory or disk?): {first_line(problem)}"
            raise MachineBusyError(why) from None


def _compile_by_any_standard(
    submission: Submission, interface: Interface, sandbox: SandboxSettings, with_lines: bool
) -> Compiled:
    """Compile a bot by the first standard that accepts it.

    If none does, it is tried again BARE by the first standard, because g++ includes less and so accepts more. There,
    variables that clash with functions of the library are renamed.

    Raises:
        Unfit: The bot doesn't build, by the first standard's message. No function answers a question, or two do.
        RunError: This machine can't build bots.
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
        CommandAborted: The thread must end.
    """
    runtime = {"runtime.o": libraries.compile_once(RUNTIME_SOURCES, sandbox)}
    standards, allowance = STANDARDS[submission.kind], Allowance()
    refused: Unfit | None = None
    taken: dict[str, None] = {}
    for number, standard in enumerate((*standards, *[standards[0]] * _MAX_BARE)):
        bare = None if number < len(standards) else taken
        with scratch_folder() as folder:
            unit = _write_unit(submission, interface, standard, sandbox, folder, bare)
            try:
                code = _compile_by(
                    _Compilation(submission, interface, replace(unit, allowance=allowance)), runtime, with_lines
                )
                return Compiled(code, standard, unit.path.read_text())
            except CompilerRefused as problem:
                refused = refused or problem
                if bare is not None and taken.keys() >= set(problem.taken):
                    break
                taken |= dict.fromkeys(problem.taken)
            except Unfit as problem:
                # The compiler is out of time.
                raise refused or problem from None
            except NotChosen as problem:
                raise refused or Unfit(str(problem)) from None
    assert refused
    raise refused


def warnings_of(submission: Submission, interface: Interface, standard: str, sandbox: SandboxSettings) -> str:
    """Return the compiler's warnings, in at most twelve lines, about a bot that builds by a standard.

    Args:
        submission: The bot, in C or C++.
        interface: The contest's interface. Its adapter is compiled before the bot.
        standard: Language standard by which the bot builds.
        sandbox: How the compiler is confined.

    Returns:
        The warnings, and a line with the number of further lines, if any. "" if there are none, or if the bot doesn't
            compile by the standard with the interface's adapter.

    Raises:
        Unfit: The compiler takes too long, or exceeds another limit.
        RunError: This machine can't build bots, or is too busy (MachineBusyError).
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
        CommandAborted: The thread must end.
    """
    for bare in (None, ()):
        with contextlib.suppress(CompilerRefused), scratch_folder() as folder:
            return compiler.warnings_of(_write_unit(submission, interface, standard, sandbox, folder, bare))
    return ""


@dataclass(frozen=True)
class _Compilation:
    """One bot to compile by one standard.

    Attributes:
        submission: The bot.
        interface: The contest's interface, with the adapters to use.
        unit: The unit, whose file is rewritten for each attempt.
    """

    submission: Submission
    interface: Interface
    unit: Unit

    @property
    def class_name(self) -> str:
        """Name of the class that can be the bot, "" if the contest has none or the bot is in C."""
        return self.interface.class_name if self.submission.kind == "cpp" else ""


def _compile_by(compilation: _Compilation, runtime: Mapping[str, bytes], with_lines: bool) -> bytes:
    """Return the WebAssembly by a standard.

    Raises:
        CompilerRefused: The source doesn't compile.
        Unfit: The compiler exceeds a limit.
        NotChosen: The source compiles, but no function answers a question, or two do.
        RunError: The machine is at fault.
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
    """
    unit = compilation.unit
    include = unit.path.read_text()

    def compile_with(answering: _Answering) -> bytes:
        """Return the WebAssembly with these answering names.

        Raises:
            CompilerRefused: The source doesn't compile with them.
            Unfit: The compiler exceeds a limit.
            RunError: The machine is at fault.
            InputError: This machine can't confine the compiler.
            OSError: The disk is full.
        """
        unit.path.write_text(include + _definitions(answering, compilation) + _adapter(compilation))
        return compile_unit(unit, runtime, with_lines)

    guess = _guess(compilation)
    refused: CompilerRefused | None = None
    if guess:
        try:
            return compile_with(guess)
        except CompilerRefused as problem:
            if any(file.startswith(f"{BOT_FOLDER}/") for file, _ in problem.complaints):
                raise
            refused = problem
    try:
        answering = _choose_by_compiler(compilation, include)
    except CompilerRefused as problem:
        raise refused or problem from None  # the first message is about the source without trial calls
    if refused and answering == guess:
        raise refused
    return compile_with(answering)


def _guess(compilation: _Compilation) -> _Answering | None:
    """Return the name that answers each question, if the source's words leave no choice, otherwise None.

    The compiler still has to accept them. An exact name that compiles is the bot's. A name after the file is guessed
    only if the source can't have an exact one.
    """
    interface = compilation.interface
    identifiers = set(words_of(_text(compilation)))
    if compilation.class_name in identifiers:
        return {"": compilation.class_name}
    questions = [question.name for question in interface.required]
    if identifiers.issuperset(questions):
        # A word before a parenthesis can be a function. The compiler decides whether it fits.
        text = _text(compilation)
        news = [one.name for one in interface.optional if re.search(rf"\b{one.name}\s*\(", text)]
        return {question: question for question in [*questions, *news]}
    if interface.optional or identifiers.intersection(questions) or _PASTES.search(compilation.submission.source):
        return None
    try:
        names = {
            q: [name for name in names_for(compilation.submission.name, q, identifiers) if name in identifiers]
            for q in questions
        }
        return dict(zip(questions, choose(compilation.submission.name, names)))
    except NotChosen:
        return None


def _choose_by_compiler(compilation: _Compilation, include: str) -> _Answering:
    """Return the name that answers each question, found by trial calls of all functions that could.

    Questions that only inform are left out if no function fits them. A class that fits answers all questions.

    Raises:
        Unfit: The source doesn't compile.
        NotChosen: No function answers a question, or two do, or too many names could.
        RunError: The machine is at fault.
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
    """
    interface = compilation.interface
    identifiers = words_of(_text(compilation))
    names = {
        question.name: names_for(compilation.submission.name, question.name, identifiers)
        for question in interface.answered
    }
    if any(len(found) > MAX_NAMES for found in names.values()):
        raise NotChosen(f"has more than {MAX_NAMES} names that differ from a function's in case only")
    calls: list[tuple[str, str]] = [(question, name) for question, found in names.items() for name in found]
    class_names = [compilation.class_name] if compilation.class_name else []
    lines = ["#define TRIAL_CALLS\n", _adapter(compilation)]
    lines += [f'#pragma clang diagnostic error "-W{warning}"\n' for warning in _STRICT]
    for number, (question, name) in enumerate(calls):
        lines += [
            f'#line 1 "{TRIAL_FILE}{number}"\n',
            f"ANSWER_{question.upper()}({TRIAL_FILE}{number}, {_qualified(name, compilation)})\n",
        ]
    for name in class_names:
        lines += [f'#line 1 "{TRIAL_FILE}{len(calls)}"\n', f"static const unsigned long trial_size = sizeof({name});\n"]
    compilation.unit.path.write_text(f'{include}{"".join(lines)}#line 1 "{compilation.unit.path.name}"\n')
    wrong = errors_of(compilation.unit, expected=TRIAL_FILE)
    if class_names and f"{TRIAL_FILE}{len(calls)}" not in wrong:
        return {"": class_names[0]}
    fitting: dict[str, list[str]] = {question: [] for question in names}
    refusals: list[str] = []
    for number, (question, name) in enumerate(calls):
        problem = wrong.get(f"{TRIAL_FILE}{number}")
        if problem is None:
            fitting[question].append(name)
        elif "undeclared" not in problem and "no member named" not in problem:
            refusals.append(f"{name} doesn't fit: error: {problem}")
    required = {question.name: fitting[question.name] for question in interface.required}
    try:
        answering = dict(zip(required, choose(compilation.submission.name, required)))
    except NotChosen as problem_found:
        raise NotChosen("\n".join([str(problem_found), *refusals])) from None
    news = {question.name: fitting[question.name] for question in interface.optional}
    return answering | choose_news(compilation.submission.name, news)


def _definitions(answering: _Answering, compilation: _Compilation) -> str:
    """Return macros that give the adapter the bot's names: BOT_ and the question in capitals, or BOT_CLASS."""
    return "".join(
        f"#define BOT_{question.upper() or 'CLASS'} {_qualified(name, compilation) if question else name}\n"
        for question, name in answering.items()
    )


def _adapter(compilation: _Compilation) -> str:
    """Return the code at the end of the unit that connects the bot with the contest."""
    written = compilation.interface.adapter
    return f'#line 1 "adapter.h"\n{written}' if written else '#include "adapter.h"\n'


def _qualified(name: str, compilation: _Compilation) -> str:
    """Return a name as that of the file level. In C++ this excludes names from `using namespace std`."""
    return f"::{name}" if compilation.submission.kind == "cpp" else name


def _text(compilation: _Compilation) -> str:
    """Return the text of the adapter for the bot's language, if there is one, and of the bot after it."""
    adapter = compilation.interface.adapters.get(compilation.submission.kind)
    source = (adapter.content + b"\n" if adapter else b"") + compilation.submission.source
    return source.decode(errors="replace")


def _write_unit(
    submission: Submission,
    interface: Interface,
    standard: str,
    sandbox: SandboxSettings,
    folder: Path,
    bare: Iterable[str] | None,
) -> Unit:
    """Write a bot's source to a folder, and a unit that includes the contest's header, the adapter and then the bot.

    Args:
        standard: Language standard for the unit.
        folder: An empty folder.
        bare: Names of the source's variables that are renamed in a BARE unit; None for a normal unit.

    Raises:
        OSError: A file can't be written.
    """
    bot = folder / BOT_FOLDER / f"{submission.name}{'.c' if submission.kind == 'c' else '.cpp'}"
    bot.parent.mkdir()
    bot.write_bytes(submission.source)
    os.utime(bot, (0, 0))  # __TIMESTAMP__ reveals it
    # Without its header, time() would be assumed to return int.
    clock = "#include <time.h>\n" if _CALLS_CLOCK.search(submission.source) else ""
    unit = folder / f"unit{bot.suffix}"
    # Valid at file level only, so a truncated source fails here, not in the adapter.
    end = (
        "namespace {}"
        if submission.kind == "cpp"
        else "__attribute__((__unused__)) static void tournament_end(void) {}"
    )
    # This must be defined before the first header.
    head = "#define _GNU_SOURCE\n" if submission.kind == "c" and _ASKS_FOR_GNU.search(submission.source) else ""
    if bare is not None:
        head += BARE + "".join(f"#define {name} tournament_own_{name}\n" for name in bare)
    files = {unit.name: unit, f"{BOT_FOLDER}/{bot.name}": bot}
    before = ""
    if adapter := interface.adapters.get(submission.kind):
        path = folder / ADAPTER_FOLDER / adapter.name
        path.parent.mkdir()
        path.write_bytes(adapter.content)
        os.utime(path, (0, 0))
        # Bots can include it by its name, as they include the header of the interface that they are written for.
        files = {f"{BOT_FOLDER}/{adapter.name}": path, **files, f"{ADAPTER_FOLDER}/{adapter.name}": path}
        before = f'#include "{ADAPTER_FOLDER}/{adapter.name}"\n'
    unit.write_text(
        f'{head}#include "{interface.compiled.header}"\n{clock}{before}#include "{BOT_FOLDER}/{bot.name}"\n{end}\n'
    )
    seen = seen_by_bots(interface.folder, files)
    (folder / SEEN_FILES).write_text(seen)
    takes_long = longest_chain(submission.source) > _MAX_BRANCHES
    return Unit(unit, standard, interface.folder, sandbox, interface.compiled.hints, takes_long)


def longest_chain(source: bytes) -> int:
    """Return the maximum number of `else if` in a function or class of a source.

    Bots with more than 1,000 are compiled with less optimisation. A clock wouldn't give the same bytes everywhere.
    """
    depth = longest = length = 0
    for found in _BRANCHES.finditer(source):
        token = found[0]
        if token == b"{":
            depth += 1
        elif token == b"}":
            depth = max(0, depth - 1)
            length = length if depth else 0
        elif token.startswith(b"else"):
            length += 1
            longest = max(longest, length)
    return longest


def words_of(text: str) -> list[str]:
    """Return the possible names in a source, keywords included, each once, in order of first occurrence."""
    return list(dict.fromkeys(_IDENTIFIER.findall(text.replace("\\\r\n", "").replace("\\\n", ""))))
