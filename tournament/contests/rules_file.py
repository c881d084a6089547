"""Contests by a file: `game = "take_away.py"` in tournament.toml, or `"rules/take_away.py:TakeAway"`.

The file is read once and its digest is part of the contest's version, so that records of other rules are archived.
Records know only the name that the rules give themselves: whatever a folder of records says, no file is run for it but
those that a settings file names.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from tournament.errors import BadInput, printable, shortened
from tournament.names import CONTEST_NAME_RULE, valid_contest_name
from tournament.small_files import read_small_file

if TYPE_CHECKING:
    from tournament.contests.contest import Contest
    from tournament.contests.python_contest.rules import PythonContest

MOST_BYTES = 1 << 20
_WRITTEN = re.compile(r"(.+\.py)(?::([A-Za-z_]\w*))?")
_loaded: dict[str, Contest] = {}  # by the name of the rules


def is_rules_file(game: object) -> bool:
    """Whether a table's `game` names a file."""
    return isinstance(game, str) and _WRITTEN.fullmatch(game) is not None


def load_rules(game: str, folder: Path) -> Contest:
    """The contest of a file; relative names start from `folder`. Raises BadInput for a file that has none."""
    written = _WRITTEN.fullmatch(game)
    assert written is not None
    path = folder / written[1]
    return load_source(str(path), read_small_file(path, MOST_BYTES), written[2])


def load_source(path: str, content: bytes, attribute: str | None = None) -> Contest:
    """The contest of a file with this content. Raises BadInput when it has none."""
    from tournament.contests.python_contest.rules import contest_of

    digest = hashlib.sha256(content).hexdigest()
    rules = _class_in(_module(path, content, f"tournament_rules_{digest}"), path, attribute)
    name = getattr(rules, "name", "")
    if not valid_contest_name(name):
        raise BadInput(f'{path}: {rules.__name__} has no name: name = "take_away"; {CONTEST_NAME_RULE}')
    try:
        made = contest_of(rules)
    except Exception as error:
        raise BadInput(f"{path}: {rules.__name__}: {_told(error)}") from error
    _loaded[name] = replace(made, source=(path, content, rules.__name__), edition=digest[:12])
    return _loaded[name]


def loaded_rules(name: str) -> Contest | None:
    """The contest of these rules from a file that was loaded, or that tournament.toml of this folder names."""
    if name not in _loaded:
        try:
            tables = tomllib.loads(read_small_file(Path("tournament.toml"), MOST_BYTES).decode()).values()
        except (BadInput, ValueError, RecursionError):
            return None
        for game in {table.get("game") for table in tables if isinstance(table, dict)}:
            if is_rules_file(game):
                with contextlib.suppress(BadInput):  # a broken one keeps nobody from another
                    load_rules(str(game), Path())
    return _loaded.get(name)


def forget() -> None:
    """Forget what was loaded, as a new process has."""
    _loaded.clear()


def _module(path: str, content: bytes, name: str) -> ModuleType:
    """What the file defines. It is run once."""
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module  # dataclasses look their module up
    try:
        exec(compile(content, path, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        line = _line_in(path, error)
        raise BadInput(f"{path}{line}: {_told(error)}") from error
    return module


def _line_in(path: str, error: BaseException) -> str:
    """The last line of the file that led to an error, for a message."""
    found = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == path:
            found = trace.tb_lineno
        trace = trace.tb_next
    return "" if found is None else f", line {found}"


def _told(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{type(error).__name__}: {shortened(printable(text), 300)}"


def _class_in(module: ModuleType, path: str, attribute: str | None) -> type[PythonContest]:
    """The module's class of rules: of that name, or its only one."""
    from tournament.contests.python_contest.rules import PythonContest

    found = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, PythonContest) and value.__module__ == module.__name__
    }
    if attribute is None and len(found) == 1:
        return next(iter(found.values()))
    if attribute in found:
        return found[attribute]
    classes = ", ".join(found)
    if not found:
        raise BadInput(f"{path} has no subclass of PythonContest")
    asked = f"has no subclass {attribute} of PythonContest; there are {classes}" if attribute else f"has {classes}"
    raise BadInput(f'{path} {asked}; name one: game = "{Path(path).name}:{next(iter(found))}"')
