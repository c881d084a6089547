"""A program that reads the lines of a recorded leg, and the comparison of its answers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tournament.artifacts.archive import recipe_of, unpack
from tournament.contests.interface import Interface
from tournament.debugging.tape import TapedDecision
from tournament.errors import InputError, truncate

# Seconds in which a program has to read all lines and end.
_SECONDS = 60


def lines_of(
    interface: Interface, decisions: Sequence[TapedDecision], texts: Sequence[str], sessions: int
) -> tuple[list[str], list[tuple[str, object]]]:
    """Return the lines that a program reads, and its recorded answers, each after its decision as text.

    The lines are those of contests whose programs are asked in JSON.
    """
    lines, answers = [str(sessions)], list[tuple[str, object]]()
    for decision, text in zip(decisions, texts):
        question = interface.questions[decision.kind]
        lines.append(json.dumps({"decision": question.python_name, **decision.values}))
        if not question.is_news:
            answers.append((text, decision.number if decision.answer is None else decision.answer))
    return lines, answers


def run_program(archive: bytes, lines: Sequence[str], folder: Path) -> tuple[list[str], str, int]:
    """Run a program on lines that are known beforehand, in an empty folder, without a sandbox.

    Returns:
        The lines that it wrote, its standard error, and its exit status, or minus a signal's number.

    Raises:
        InputError: Its build fails, it can't be started, or it doesn't end.
        Unfit: Its bot.toml is wrong.
        RunError: The archive is damaged.
        OSError: The folder can't be written, or the build's command isn't found.
    """
    recipe = recipe_of(archive)
    unpack(archive, folder)
    (folder / "lines").write_text("".join(f"{line}\n" for line in lines))
    if recipe.build and subprocess.run(recipe.build, cwd=folder).returncode:
        raise InputError(f"{' '.join(recipe.build)}: the program's build failed")
    try:
        with (folder / "lines").open() as questions:
            ended = subprocess.run(
                recipe.command, cwd=folder, stdin=questions, capture_output=True, text=True, timeout=_SECONDS
            )
    except OSError as trouble:
        raise InputError(f"{' '.join(recipe.command)}: can't be started: {trouble.strerror}") from None
    except subprocess.TimeoutExpired:
        raise InputError(
            f"{' '.join(recipe.command)}: still runs after {_SECONDS} s; does it read to the end?"
        ) from None
    return ended.stdout.splitlines(), ended.stderr, ended.returncode


def first_difference(written: Sequence[str], answers: Sequence[tuple[str, object]]) -> str:
    """Return the first answer that isn't as recorded, as text, or "" if all are.

    Args:
        written: Lines that the program wrote.
        answers: Recorded answers, each after its decision as text.
    """
    for number, (text, recorded) in enumerate(answers):
        if number >= len(written):
            return f"{text}: wrote nothing here, {recorded} in the contest"
        if _meaning(written[number]) != _meaning(recorded):
            return f"{text}: wrote {truncate(written[number], 200)!r} here, {recorded} in the contest"
    return ""


def _meaning(line: object) -> object:
    """Return the value of an answer's line, or the line itself if it has another form."""
    if isinstance(line, str) and line.startswith("ACTION "):
        try:
            return json.loads(line.removeprefix("ACTION "))
        except ValueError:
            return line
    return line


def lines_of_dialogue(lines: Sequence[tuple[bool, str]]) -> tuple[list[str], list[tuple[str, object]]]:
    """Return what `lines_of` returns, from the recorded lines of a dialogue."""
    read = [line for is_programs, line in lines if not is_programs]
    last, answers = "", list[tuple[str, object]]()
    for is_programs, line in lines:
        if is_programs:
            answers.append((f"after {last!r}", line))
        else:
            last = line
    return read, answers
