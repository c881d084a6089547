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
    """Return the lines that a program reads in a contest that asks in JSON, and its recorded answers.

    Args:
        interface: The contest's interface.
        decisions: The decisions since the program's start, in order.
        texts: The decisions as text, in the same order.
        sessions: Number of sessions of the leg, which is the first line.

    Returns:
        The lines without their ends, and the answers in order, each after its decision as text. News has a line, but no
        answer. If the rules read no answer, it is the number that the program returned, or None.
    """
    lines, answers = [str(sessions)], list[tuple[str, object]]()
    for decision, text in zip(decisions, texts):
        question = interface.questions[decision.kind]
        lines.append(json.dumps({"decision": question.python_name, **decision.values}))
        if not question.is_news:
            answers.append((text, decision.number if decision.answer is None else decision.answer))
    return lines, answers


def run_program(archive: bytes, lines: Sequence[str], folder: Path) -> tuple[list[str], str, int]:
    """Build a program in a folder, and run it there on lines that are known beforehand, without a sandbox.

    The build writes to this process's terminal.

    Args:
        archive: The program's archive.
        lines: The lines without their ends.
        folder: An empty folder. The program and a file called lines are written there.

    Returns:
        The lines that it wrote, its standard error, and its exit status, or minus a signal's number.

    Raises:
        InputError: Its build fails, it can't be started, or it still runs after 60 seconds.
        Unfit: Its bot.toml is missing or wrong.
        RunError: The archive is damaged.
        OSError: The folder can't be written, or the build's command isn't found.
        UnicodeDecodeError: What it wrote isn't text in the encoding of this process.
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
    """Return the first answer that is missing or isn't as recorded, as text, or "" if all are as recorded.

    Further lines are ignored. At most 200 characters of a line are quoted.

    Args:
        written: Lines that the program wrote, in order.
        answers: Recorded answers in order, each after its decision as text.
    """
    for number, (text, recorded) in enumerate(answers):
        if number >= len(written):
            return f"{text}: wrote nothing here, {recorded} in the contest"
        if _meaning(written[number]) != _meaning(recorded):
            return f"{text}: wrote {truncate(written[number], 200)!r} here, {recorded} in the contest"
    return ""


def _meaning(line: object) -> object:
    """Return the value of a line such as ACTION 1, or the line itself if it has another form or no valid JSON."""
    if isinstance(line, str) and line.startswith("ACTION "):
        try:
            return json.loads(line.removeprefix("ACTION "))
        except ValueError:
            return line
    return line


def lines_of_dialogue(lines: Sequence[tuple[bool, str]]) -> tuple[list[str], list[tuple[str, object]]]:
    """Return the lines that a program reads, and those that it wrote, from the recorded lines of a dialogue.

    Args:
        lines: The lines in order: whether the program wrote the line, and the line without its end.

    Returns:
        The lines that it reads, and the lines that it wrote, both in order. Each of the latter comes after a text with
        the last line that the program had read, "" before the first.
    """
    read = [line for is_programs, line in lines if not is_programs]
    last, answers = "", list[tuple[str, object]]()
    for is_programs, line in lines:
        if is_programs:
            answers.append((f"after {last!r}", line))
        else:
            last = line
    return read, answers
