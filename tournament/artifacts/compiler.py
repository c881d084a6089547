"""Compiles a unit of C or C++ to WebAssembly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tournament.artifacts.compiler_command import (
    EXCEPTIONS,
    LINES,
    NOT_OPTIMISED,
    SEEN_SDK,
    WARNINGS,
    WITHOUT_EXCEPTIONS,
    WITHOUT_WARNINGS,
    bot_command,
    language_of,
)
from tournament.artifacts.compiler_messages import Hints, message_of, shortened
from tournament.artifacts.compiler_run import Allowance, CompilerRefused, run_compiler, words_of_compiler
from tournament.artifacts.libraries import libraries_of, library_of_exceptions, link_command
from tournament.sandbox.outside.settings import SandboxSettings


@dataclass(frozen=True)
class Unit:
    """A file to compile.

    Attributes:
        path: The file, in a folder of its own, where object files and results are written, too.
        standard: Language standard, one of STANDARDS.
        include: Folder of the contest's header.
        sandbox: How the compiler is confined.
        hints: Pairs of a part of the compiler's message and a hint that is added to it. By default there are none.
        takes_long: Whether optimising it would take the compiler too long, so that it is optimised less.
        allowance: The time that all tries share. By default the unit gets one of its own.
    """

    path: Path
    standard: str
    include: Path
    sandbox: SandboxSettings
    hints: Hints = ()
    takes_long: bool = False
    allowance: Allowance = field(default_factory=Allowance)

    @property
    def folder(self) -> Path:
        """The folder in which the compiler works."""
        return self.path.parent

    def command(self, *flags: str) -> list[str]:
        """Return the words of the command that compiles the unit to an object file, without linking.

        Args:
            flags: More words for the compiler.

        Raises:
            RunError: The compiler doesn't print its own call, or the machine is too busy.
            OSError: The disk is full.
            CommandAborted: The thread must end.
        """
        arguments = words_of_compiler(language_of(self.standard))
        command = bot_command(arguments, self.standard)
        return [*command, "-ferror-limit=0", *flags, "-c", self.path.name, "-o", str(self.object)]

    @property
    def object(self) -> Path:
        """The object file, beside the unit. It might not exist yet."""
        return self.path.with_suffix(".o")


def errors_of(unit: Unit, *, expected: str) -> dict[str, str]:
    """Return the first error in each file of a unit, by the file's name. The result is empty if it compiles.

    Args:
        unit: The unit.
        expected: Prefix of the names of files in which errors are expected.

    Raises:
        CompilerRefused: There is an error in a file whose name doesn't begin with `expected`, or one without a file.
        Unfit: The compiler exceeds a limit.
        RunError: The machine is at fault, as MachineBusyError if it ended the compiler.
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
        CommandAborted: The thread must end.
    """
    compiling = unit.command(WITHOUT_WARNINGS, f"-I{SEEN_SDK}")
    try:
        run_compiler([compiling], unit.folder, [unit.include], unit.sandbox, hints=unit.hints, allowance=unit.allowance)
    except CompilerRefused as refused:
        if not refused.complaints or any(not file.startswith(expected) for file, _ in refused.complaints):
            raise
        return dict(reversed(refused.complaints))
    return {}


def warnings_of(unit: Unit) -> str:
    """Return the compiler's warnings about a unit that it accepts, in at most twelve lines. "" means none.

    A further line has the number of those that were cut, if any.

    Raises:
        Unfit: The compiler refuses the unit (CompilerRefused), or exceeds a limit.
        RunError: The machine is at fault, as MachineBusyError if it ended the compiler.
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
        CommandAborted: The thread must end.
    """
    # Include the contest's header as a system header, which gives no warnings.
    compiling = unit.command(*WARNINGS, "-isystem", SEEN_SDK)
    message = message_of(run_compiler([compiling], unit.folder, [unit.include], unit.sandbox))
    return shortened(message, [Path(SEEN_SDK)], ()) if "warning:" in message else ""


def compile_unit(unit: Unit, runtime: Mapping[str, bytes], with_lines: bool) -> bytes:
    """Return the WebAssembly of a unit, linked with these object files by name. `prepare_libraries` must have run.

    C++ is first compiled without exceptions. If it throws or catches, it is compiled again with them.

    Args:
        unit: The unit. The object files and the result are written to its folder.
        runtime: Contents of the object files, by name, in the order of linking.
        with_lines: Whether the code keeps the numbers of source lines.

    Raises:
        CompilerRefused: The compiler refuses the unit.
        Unfit: The compiler exceeds a limit.
        RunError: The libraries are missing or damaged, or the machine is at fault.
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
        CommandAborted: The thread must end.
    """
    objects = dict(runtime)
    if language_of(unit.standard) == "c":
        return _compile_and_link(unit, [], objects, with_lines)
    try:
        return _compile_and_link(unit, WITHOUT_EXCEPTIONS, objects, with_lines)
    except CompilerRefused as refused:
        if not refused.text_has_exceptions:
            raise
    objects["libexceptions.a"] = library_of_exceptions(unit.sandbox)
    return _compile_and_link(unit, EXCEPTIONS, objects, with_lines)


def _compile_and_link(unit: Unit, flags: list[str], linked: dict[str, bytes], with_lines: bool) -> bytes:
    """Compile a unit with these flags, and link it with these object files and libraries by name.

    Args:
        unit: The unit.
        flags: More words for the compiler.
        linked: Contents of the object files and libraries, by name, in the order of linking.
        with_lines: Whether the code keeps the numbers of source lines.

    Raises:
        Unfit: The compiler refuses the unit (CompilerRefused), or exceeds a limit.
        RunError: The libraries are missing or damaged, or the machine is at fault.
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
        CommandAborted: The thread must end.
    """
    for name, content in linked.items():
        (unit.folder / name).write_bytes(content)
    objects, output = [unit.object.name, *linked], unit.folder / "output.wasm"
    language = language_of(unit.standard)
    if unit.takes_long:
        flags = [*flags, *NOT_OPTIMISED]
    # One process runs both commands, because starting a confined process takes as long as the compiler.
    commands = [
        unit.command(*flags, WITHOUT_WARNINGS, *[LINES] * with_lines, f"-I{SEEN_SDK}"),
        link_command(language, objects, output.name, with_lines),
    ]
    readable = [unit.include, libraries_of(language)]
    run_compiler(commands, unit.folder, readable, unit.sandbox, hints=unit.hints, allowance=unit.allowance)
    return output.read_bytes()
