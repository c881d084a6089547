"""Loads the rules that tournament.toml names.

The value "take_away.py" names a file beside it, "take_away:TakeAway" a class of an installed package,
and "rules/take_away.py:TakeAway" one of several classes in a file.
Whatever a folder of records says, only code that a settings file names is run.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.metadata
import importlib.util
import re
import sys
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from tournament.errors import InputError, RunError, printable, truncate
from tournament.library import Library, library_paths, mentioned, read_library
from tournament.names import CONTEST_NAME_RULE, valid_contest_name
from tournament.small_files import read_small_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tournament.contests.contest import Contest
    from tournament.rules.rules import Rules

MAX_BYTES = 1 << 20
# Modules whose functions draw by themselves, with what may be called all the same: generators, if they get a seed.
_CHANCE_NAMES: dict[str, frozenset[str]] = {
    "random": frozenset({"Random"}), "secrets": frozenset(), "uuid": frozenset({"uuid3", "uuid5", "UUID"}),
}  # fmt: skip
_FILE = re.compile(r"(.+\.py)(?::([A-Za-z_]\w*))?")
_PACKAGE = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")
_loaded: dict[str, Contest] = {}  # keyed by the name of the rules


class Source(NamedTuple):
    """The place of rules.

    Attributes:
        place: Path of a file, or name of a module.
        content: The file's content, None for a module.
        called: Name of the class. None: the file's only one.
        library: Path and source of each file of the library, for rules in a file.
    """

    place: str
    content: bytes | None
    called: str | None
    library: tuple[tuple[str, str], ...] = ()


def names_rules(game: object) -> bool:
    """Return whether a value is text that names a file or a package's class, such as "a.py", "a.py:B" or "a:B"."""
    return isinstance(game, str) and (_FILE.fullmatch(game) or _PACKAGE.fullmatch(game)) is not None


def load_rules(game: str, folder: Path, library: Sequence[Path] = ()) -> Contest:
    """Load the contest of a table's key `rules`.

    Args:
        game: A value of which `names_rules` is true.
        folder: Folder from which a file's path starts.
        library: Files and folders of the contest's library.

    Raises:
        InputError: The file can't be read or has more than 1 MiB, the rules fail or are wrong, or the library can't be
            read.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    if file := _FILE.fullmatch(game):
        path, files = folder / file[1], read_library(library)
        return load_source(Source(str(path), read_small_file(path, MAX_BYTES), file[2], tuple(sorted(files.items()))))
    package = _PACKAGE.fullmatch(game)
    assert package is not None
    return load_source(Source(package[1], None, package[2]))


def load_source(source: Source) -> Contest:
    """Load the contest of these rules, and remember it by their name. It replaces one loaded before.

    Raises:
        InputError: The source has no such rules, or they are wrong.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    from tournament.rules.contests import get_contest

    library = Library(dict(source.library), check_source)
    module = _imported(source.place) if source.content is None else _run(source.place, source.content, library)
    called, rules = _rules_in(module, source)
    name = getattr(rules, "name", "")
    if not isinstance(name, str) or not valid_contest_name(name):
        line = _class_line(source, called)
        raise InputError(f'{source.place}{line}: {called} has no name: name = "take_away"; {CONTEST_NAME_RULE}')
    try:
        contest = get_contest(rules)
    except RunError:
        raise  # The machine is at fault, such as a cache that can't be used.
    except Exception as error:
        raise InputError(f"{source.place}{_class_line(source, called)}: {called}: {_error_text(error)}") from error
    named = source._replace(called=called)
    if source.content is None:
        package = source.place.partition(".")[0]
        _loaded[name] = replace(
            contest, source=named, requires=((package, _package_digest(package)), *contest.requires)
        )
    else:
        content = source.content + b"".join(
            f"{path}\n{text}\n".encode() for path, text in sorted(mentioned(source.content, library.files).items())
        )
        _loaded[name] = replace(contest, source=named, edition=hashlib.sha256(content).hexdigest()[:12])
    return _loaded[name]


def loaded_rules(name: str) -> Contest | None:
    """Return the contest of these rules, or None if neither this process nor tournament.toml of this folder knows them.

    Rules that the file names are loaded. Those with errors are skipped.

    Raises:
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    if name not in _loaded:
        try:
            tables = tomllib.loads(read_small_file(Path("tournament.toml"), MAX_BYTES).decode()).values()
        except (InputError, ValueError, RecursionError):
            return None
        for table in [table for table in tables if isinstance(table, dict)]:
            if names_rules(game := table.get("rules")):
                with contextlib.suppress(InputError):  # a broken one keeps no one from another
                    load_rules(str(game), Path(), library_paths(table.get("library"), Path()))
    return _loaded.get(name)


def forget() -> None:
    """Forget all loaded rules."""
    _loaded.clear()
    _package_digest.cache_clear()


def _imported(name: str) -> ModuleType:
    """Import an installed module.

    Raises:
        InputError: It isn't installed, or fails.
    """
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == name.partition(".")[0]
        mend = f'; install its package, or name a file: rules = "{name}.py"' if missing else ""
        raise InputError(f"{name} can't be imported: {_error_text(error)}{mend}") from error


def _run(path: str, content: bytes, library: Library) -> ModuleType:
    """Execute a file of rules once with a library, and return its module.

    Raises:
        InputError: The file fails, or has an error that would only show in play.
    """
    within = repr(sorted(library.files.items())).encode() if library.files else b""
    name = f"tournament_rules_{hashlib.sha256(content + within).hexdigest()}"
    if name in sys.modules:
        return sys.modules[name]
    check_source(path, content)
    module = ModuleType(name)
    module.__file__ = path
    module.__dict__["__builtins__"] = library.for_rules()
    sys.modules[name] = module  # dataclasses look their module up
    try:
        exec(compile(content, path, "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError(f"{path}{_line_in(path, error)}: {_error_text(error)}") from error
    return module


def check_source(path: str, content: bytes) -> None:
    """Check for errors that would only show in play.

    Raises:
        InputError: Rules draw from the system's chance, so that their games can't be replayed. Or they unpack answers
            requested together, which come by position.
    """
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return  # running it says more
    modules: dict[str, str] = {}  # keyed by the file's names for them
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {one.asname or one.name: one.name for one in node.names if one.name in _CHANCE_NAMES}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module in _CHANCE_NAMES:
            for one in node.names:
                if one.name not in _CHANCE_NAMES[node.module]:
                    _refuse_chance(path, node, f"{node.module}.{one.name}")
        elif isinstance(node, ast.Assign) and _unpacks_answers(node):
            raise InputError(
                f"{path}, line {node.lineno}: simultaneous answers are a dict by position; use answers[position]"
                " or answers.values() of: answers = yield [...]"
            )
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            module = modules.get(called.value.id, "")
            seeded = called.attr in _CHANCE_NAMES.get(module, ()) and (node.args or node.keywords)  # type: ignore[attr-defined]
            if module and not seeded:
                _refuse_chance(path, node, f"{module}.{called.attr}")


def _unpacks_answers(assigned: ast.Assign) -> bool:
    """Return whether an assignment unpacks the answers to a list of questions."""
    question = assigned.value.value if isinstance(assigned.value, ast.Yield) else None
    is_unpacked = any(isinstance(target, ast.Tuple | ast.List) for target in assigned.targets)
    return is_unpacked and isinstance(question, ast.List | ast.ListComp | ast.Tuple)


def _refuse_chance(path: str, node: ast.AST, call: str) -> NoReturn:
    """Raise an InputError about a call that draws from the system's chance."""
    raise InputError(
        f"{path}, line {getattr(node, 'lineno', 0)}: {call} draws from the system's chance, so no game could be played"
        " again; draw by session.rng"
    )


def _line_in(path: str, error: BaseException) -> str:
    """Return the last line of the file that led to an error, such as ", line 3", or "" if none did."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f", line {line}"


def _class_line(source: Source, called: str) -> str:
    """Return the line of a file on which a class begins, such as ", line 3", or "" for a module."""
    classes = [node for node in ast.walk(ast.parse(source.content or b"")) if isinstance(node, ast.ClassDef)]
    return "".join(f", line {node.lineno}" for node in classes if node.name == called)[:20]


def _error_text(error: BaseException) -> str:
    """Return an error's type and message as one line. The message is cut at 300 characters."""
    text = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{type(error).__name__}: {truncate(printable(text), 300)}"


def _rules_in(module: ModuleType, source: Source) -> tuple[str, type[Rules]]:
    """Return the module's rules of the source's name, or its only ones, after their name.

    Raises:
        InputError: There are none of that name, or several and the source names none.
    """
    from tournament.rules.rules import Rules

    rules_by_name: dict[str, type[Rules]] = {}
    for name, value in vars(module).items():
        is_class = isinstance(value, type) and issubclass(value, Rules) and value is not Rules
        if name == source.called and is_class:
            return name, value
        if is_class and value.__module__ == module.__name__:
            rules_by_name[name] = value
    if source.called is None and len(rules_by_name) == 1:
        return next(iter(rules_by_name.items()))
    location, classes = source.place, ", ".join(rules_by_name)
    if not rules_by_name:
        raise InputError(f"{location} has no subclass of Rules" + (f" called {source.called}" if source.called else ""))
    choices = f"no subclass {source.called} of Rules; there are {classes}" if source.called else classes
    named = location if source.content is None else Path(location).name
    raise InputError(f'{location} has {choices}; name one: rules = "{named}:{next(iter(rules_by_name))}"')


@cache
def _package_digest(package: str) -> str:
    """Return a digest of a package's Python files, 12 hexadecimal digits, which all nodes must share.

    A checkout can be newer than its version.

    Raises:
        OSError: A file can't be read.
    """
    spec = importlib.util.find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    files = [(path, Path(folder)) for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
    if not files and spec and spec.origin:
        files = [(Path(spec.origin), Path(spec.origin).parent)]
    digest = hashlib.sha256()
    for path, folder in files:
        digest.update(
            f"{path.relative_to(folder).as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
        )
    return digest.hexdigest()[:12]
