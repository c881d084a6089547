"""The part of `tournament check` that checks a contest's rules against the conformance suite."""

from __future__ import annotations

import contextlib
import re
import tomllib
from pathlib import Path

from rich.text import Text

from tournament.cli.fitting import Facts
from tournament.cli.screen import Screen
from tournament.config import FILE_NAME, Config
from tournament.contests.contest import Contest
from tournament.contests.rules_loader import MAX_BYTES, load_rules
from tournament.contests.settings import ContestSettings
from tournament.errors import InputError, TournamentError, printable
from tournament.library import library_paths
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.small_files import read_small_file

_RULES = re.compile(rb"^class\s+\w+\s*\([^)]*\bRules\b", re.MULTILINE)
_SESSIONS, _FEW_SESSIONS = 20, 10  # sessions of a leg, thorough or not


def are_rules(path: Path) -> bool:
    """Return whether a file has rules of a contest, rather than a bot. False for folders and files not in Python.

    Raises:
        InputError: The file can't be read, or is larger than rules can be.
    """
    return path.suffix == ".py" and path.is_file() and bool(_RULES.search(read_small_file(path, MAX_BYTES)))


def _find_library(path: Path) -> list[Path]:
    """Return the absolute paths of the library that a settings file gives these rules, in the order of the key.

    The file beside the rules comes before that of the current folder. In it the first table with these rules counts.

    Returns:
        An empty list if no table has these rules or it has no library. Files that can't be read, or aren't valid TOML,
        are ignored.

    Raises:
        InputError: A path of the library is no text, or no Python file and no folder.
    """
    for file in (path.with_name(FILE_NAME), Path(FILE_NAME)):
        tables: list[object] = []
        with contextlib.suppress(InputError, ValueError, RecursionError):
            tables = list(tomllib.loads(read_small_file(file, MAX_BYTES).decode()).values())
        for table in tables:
            if isinstance(table, dict) and _is(file.parent, table.get("rules"), path):
                try:
                    return library_paths(table.get("library"), file.parent)
                except InputError as problem:
                    raise InputError(f"{file}: library: {problem}") from None
    return []


def _is(folder: Path, rules: object, path: Path) -> bool:
    """Return whether a value of the key rules names this file. False if it isn't text or can't be a path.

    Args:
        folder: Folder from which the value's path starts.
        rules: The value.
        path: The file.
    """
    with contextlib.suppress(ValueError, OSError):  # no path
        return isinstance(rules, str) and (folder / rules.partition(":")[0]).resolve() == path.resolve()
    return False


def check_rules(
    path: Path, screen: Screen, *, thorough: bool = False, audit_minutes: float | None = None, seed: str | None = None
) -> tuple[Facts, bool]:
    """Return the verdict with a line for each check of the conformance suite, and whether all checks hold.

    The table begins with the verdict. Failed checks precede the others, both in the order of the suite. After a failure
    that ends play, no further check is made. Positions and the audit are only included if no check failed.

    Args:
        path: The file with the rules.
        screen: Shows which check runs.
        thorough: Whether positions are compared at every number of seats, and over more sessions.
        audit_minutes: Minutes of an audit that follows the suite; None for no audit.
        seed: Chooses the deals of the audit. None is as "".

    Raises:
        InputError: The file has no rules that can be loaded, its library or settings are wrong, or its bots play house
            players and there is an audit.
        RunError: The machine is at fault, such as a cache that can't be used, or the rules fail between random bots.
        ConformanceError: The rules fail between random bots.
        OSError: The folder for temporary files can't be written.
    """
    from tournament import conformance

    library = _find_library(path)
    contest = load_rules(path.name, path.parent, library)
    held: list[tuple[str, Text]] = [("rules", Text(f"{contest.rules}, {contest.title}"))]
    failed: list[tuple[str, Text]] = []
    with scratch_folder() as folder:
        suite = conformance.ContestSuite(
            contest.rules,
            folder,
            rules=str(path.absolute()),
            thorough=thorough,
            sessions=_SESSIONS if thorough else _FEW_SESSIONS,
            library=[str(one) for one in library],
        )
        for check in conformance.CHECKS:
            screen.doing(f"check {conformance.CHECKS.index(check) + 1} of {len(conformance.CHECKS)}: {check.__name__}")
            try:
                check(suite)
            except (conformance.ConformanceError, TournamentError) as problem:
                failed.append((check.__name__, Text(printable(str(problem)), style="red")))
                if isinstance(problem, TournamentError):  # nothing more can be played
                    break
            else:
                held.append((check.__name__, Text((check.__doc__ or "").partition("\n")[0])))
        for worth in conformance.position_values(suite) if not failed else ():
            held.append(("positions", Text(worth)))
        if audit_minutes is not None and not failed:
            _add_findings(suite.contest, suite.settings, screen, audit_minutes, seed, failed, held)
    return _verdict(failed, held)


def audit_contest(config: Config, screen: Screen, minutes: float, seed: str | None) -> tuple[Facts, bool]:
    """Return the findings of an audit by the settings of a contest's table, and whether none is a fault.

    Args:
        config: The settings.
        screen: Shows how far it is.
        minutes: Minutes to play.
        seed: Chooses the deals. None is as "".

    Raises:
        InputError: Bots play house players.
    """
    failed: list[tuple[str, Text]] = []
    held = [("rules", Text(f"{config.played.rules}, {config.played.title}"))]
    _add_findings(config.played, config.contest, screen, minutes, seed, failed, held)
    return _verdict(failed, held)


def _add_findings(
    contest: Contest,
    settings: ContestSettings,
    screen: Screen,
    minutes: float,
    seed: str | None,
    failed: list[tuple[str, Text]],
    held: list[tuple[str, Text]],
) -> None:
    """Audit a contest, and add each finding as a line to those that failed or held, in the order of `audit`.

    Args:
        contest: The contest.
        settings: Its settings.
        screen: Shows how far it is.
        minutes: Minutes to play.
        seed: Chooses the deals. None is as "".
        failed: Receives the name and text of each fault.
        held: Receives the name and text of each other finding.

    Raises:
        InputError: Bots play house players.
    """
    from tournament.rehearsal.auditing import audit

    for finding in audit(contest, settings, minutes, screen.doing, seed=seed or ""):
        text = Text(printable(finding.text), style="red" if finding.is_fault else "")
        (failed if finding.is_fault else held).append((finding.name, text))


def _verdict(failed: list[tuple[str, Text]], held: list[tuple[str, Text]]) -> tuple[Facts, bool]:
    """Return the lines as a table, the verdict first, then what failed, then the rest, and whether none failed."""
    words, style = ("not fit to be played", "red") if failed else ("fit to be played", "green")
    table = Facts()
    for label, value in [("verdict", Text(words, style=style)), *failed, *held]:
        table.add_row(label, value)
    return table, not failed
