"""tournament.toml: read, checked, and blamed by key and line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tournament.contests import BUILT_IN, find_contest, known_rules
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import BadInput, shortened
from tournament.names import CONTEST_NAME_RULE, did_you_mean, valid_contest_name
from tournament.paths import PathText
from tournament.sandbox.outside.settings import SandboxSettings

FILE_NAME = "tournament.toml"
# A key of many parts takes memory by the square of their number, so no more than people write.
MOST_BYTES = 16 << 10
ExecutorName = Literal["auto", "local", "ray"]
_SANDBOX = "sandbox"


class General(BaseModel):
    """The keys before the first table of tournament.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    results: PathText = Field("results", description="where records go: a folder, or a URL of s3://, gs:// or az://")
    executor: ExecutorName = Field("auto", description="who plays: local, ray, or auto")
    workers: int = Field(0, ge=0, le=100_000, description="games played at once; 0 is one per core")
    address: str | None = Field(None, description="a Ray cluster to join: auto, or host:port")


@dataclass(frozen=True)
class Config:
    """What a command works with: general keys, one contest's, and the sandbox's. Paths are absolute.

    `played` is the contest by its own name, `folder` the one from which the file's relative paths start.
    """

    general: General
    played: Contest
    contest: ContestSettings
    sandbox: SandboxSettings
    entrants: Path
    results: str
    folder: Path


@dataclass(frozen=True)
class Contests:
    """The contests that a settings file makes, by name: a table each. Those that are built in are there without one.

    `chosen` are those of the file; or, where it has none, all. `broken` are those whose package can't be loaded,
    with what is wrong: they disturb nobody but who asks for them.
    """

    made: dict[str, Contest]
    chosen: tuple[str, ...]
    broken: dict[str, BadInput] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the file's contests, and then of the others."""
        return tuple(dict.fromkeys((*self.made, *BUILT_IN)))

    def find(self, name: str) -> Contest:
        """The contest of that name. Raises BadInput for an unknown one."""
        if name in self.made:
            return self.made[name]
        if name in self.broken:
            raise self.broken[name]
        if name in BUILT_IN or name in known_rules():
            return find_contest(name)
        names = self.names
        raise BadInput(f"no contest is called {name}; there are: {', '.join(names)}{did_you_mean(name, names)}")


def load_contests(path: Path | None = None) -> Contests:
    """The contests of a settings file, as `load_config` reads it. Raises BadInput for a table that makes none."""
    text, document, _ = _read(path)
    return _contests_in(document, str(path or FILE_NAME), text)


def config_reader(
    path: str | os.PathLike[str] | None,
    entrants: str | os.PathLike[str] | None,
    results: str | os.PathLike[str] | None,
) -> Callable[[str], Config]:
    """`load_config` by a contest's name, with these laid over the file's."""

    def config_of(name: str) -> Config:
        return load_config(
            name,
            None if path is None else Path(path),
            general={"results": None if results is None else str(results)},
            contest={"entrants": None if entrants is None else str(entrants)},
        )

    return config_of


def load_config(
    contest_name: str,
    path: Path | None = None,
    *,
    general: Mapping[str, Any] | None = None,
    contest: Mapping[str, Any] | None = None,
) -> Config:
    """The settings of a contest: the file's, with those given here laid over (None changes nothing).

    Without `path`, tournament.toml of this folder if there is one. Raises
    BadInput naming file, line and key, or the option.
    """
    text, document, folder = _read(path)
    where = str(path or FILE_NAME)
    contests = _contests_in(document, where, text)
    played = contests.find(contest_name)
    tables = {*contests.names, *contests.broken, _SANDBOX}
    head = {key: value for key, value in document.items() if key not in tables}
    overrides = {key: value for key, value in (general or {}).items() if value is not None}
    own_overrides = {key: value for key, value in (contest or {}).items() if value is not None}
    for other in contests.made.values():  # every table of the file must be right, whichever is asked for
        _validate(other.settings, _table(document, other.name, where, text), where, text, other.name)
    _validate(General, head, where, text, None)
    sandbox = _validate(SandboxSettings, _sandbox_table(document, where, text), where, text, _SANDBOX)
    checked = _validate(General, head | overrides, where, text, None, options=overrides)
    own = _validate(
        played.settings,
        _table(document, contest_name, where, text) | own_overrides,
        where,
        text,
        contest_name,
        options=own_overrides,
    )
    assert isinstance(checked, General) and isinstance(own, ContestSettings) and isinstance(sandbox, SandboxSettings)
    entrants = (
        Path(own_overrides["entrants"])
        if "entrants" in own_overrides
        else folder / (own.entrants or f"entrants/{contest_name}")
    )
    results = checked.results
    if "://" not in results:
        base = Path() if "results" in overrides else folder
        results = str((base / results).absolute())
    return Config(checked, played, own, sandbox, entrants.absolute(), results, folder.absolute())


def _contests_in(document: Mapping[str, Any], where: str, text: str) -> Contests:
    """The contests that the tables of a file make."""
    made: dict[str, Contest] = {}
    broken: dict[str, BadInput] = {}
    for name, table in document.items():
        if name == _SANDBOX or name in General.model_fields or (name not in BUILT_IN and not isinstance(table, dict)):
            continue
        if name in BUILT_IN and (not isinstance(table, dict) or "game" not in table):
            made[name] = BUILT_IN[name]
            continue
        if not isinstance(table, dict) or "game" not in table:
            rules = known_rules()
            if name not in rules:
                raise BadInput(
                    f"{where}, line {_line_of(text, None, name)}: unknown table {_shown(name)}; a contest of that name"
                    f' says by which rules it is played: game = "{next(iter(BUILT_IN))}". There are'
                    f" {_listed(rules)}; other tables: {_SANDBOX}{did_you_mean(name, [*rules, _SANDBOX])}"
                )
        place, game = f"{where}, line {_line_of(text, name, 'game')}", table.get("game", name)
        rules = [*BUILT_IN] if isinstance(game, str) and game in BUILT_IN else known_rules()
        if not isinstance(game, str) or game not in rules:
            close = did_you_mean(game, rules) if isinstance(game, str) else ""
            raise BadInput(f"{place}: game = {game!r}: no such rules; there are {_listed(rules)}{close}")
        if name in rules and game != name:
            raise BadInput(f"{place}: {name} has rules of its own; give a contest of {game} another name")
        if not valid_contest_name(name):
            raise BadInput(f"{where}, line {_line_of(text, None, name)}: [{_shown(name)}]: {CONTEST_NAME_RULE}")
        try:
            made[name] = find_contest(name, game)
        except BadInput as problem:
            broken[name] = BadInput(f"{place}: {problem}")
    chosen = [name for name in document if name in made or name in broken]
    return Contests(made, tuple(chosen or BUILT_IN), broken)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _shown(name: str) -> str:
    """A name from a file, for a message."""
    return shortened(name, 100)


def _read(path: Path | None) -> tuple[str, dict[str, Any], Path]:
    file = path or Path(FILE_NAME)
    if path is None and not file.exists():
        return "", {}, Path()
    try:
        with file.open("rb") as opened:
            written = opened.read(MOST_BYTES + 1)
        if len(written) > MOST_BYTES:
            raise BadInput(f"{file} is larger than {MOST_BYTES >> 10} KiB")
        text = written.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise BadInput(f"{file} can't be read: {reason}") from None
    try:
        return text, tomllib.loads(text), file.parent
    except RecursionError:
        raise BadInput(f"{file}: nested too deeply") from None
    except ValueError as error:  # not only TOMLDecodeError: Python refuses integers of too many digits itself
        message = str(error)
        place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
        line = int(place.group(1)) if place else len(text.splitlines())
        message = message[: place.start()] if place else message.replace(" (at end of document)", "")
        content = text.splitlines()[line - 1].strip() if 0 < line <= len(text.splitlines()) else ""
        raise BadInput(f"{file}, line {line}: {message}: {content}") from None


def _sandbox_table(document: Mapping[str, Any], where: str, text: str) -> dict[str, Any]:
    """The table [sandbox], or what `sandbox = "off"` is short for."""
    value = document.get(_SANDBOX, {})
    return {"mode": value} if isinstance(value, str) else _table(document, _SANDBOX, where, text)


def _table(document: Mapping[str, Any], name: str, where: str, text: str) -> dict[str, Any]:
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise BadInput(f"{where}, line {_line_of(text, None, name)}: {name} must be a table, written [{name}]")
    return table


def _validate(
    model: type[BaseModel],
    values: Mapping[str, Any],
    where: str,
    text: str,
    table: str | None,
    options: Mapping[str, Any] | None = None,
) -> BaseModel:
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        messages = []
        for detail in error.errors():
            key = str(detail["loc"][0])
            if options and key in options:
                messages.append(f"--{key.replace('_', '-')} {detail['input']}: {_lower(detail['msg'])}")
                continue
            place = f"{where}, line {_line_of(text, table, key)}"
            if detail["type"] == "extra_forbidden":
                kind = "table" if isinstance(values[key], dict) else "key"
                known = [*model.model_fields, *([_SANDBOX, *BUILT_IN] if table is None else [])]
                close = did_you_mean(key, known)
                messages.append(f"{place}: unknown {kind} {key}; there are {_listed(known)}{close}")
            else:
                messages.append(f"{place}: {key} = {detail['input']!r}: {_lower(detail['msg'])}")
        raise BadInput("\n".join(messages)) from None


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _line_of(text: str, table: str | None, key: str) -> int:
    """The line, from 1, on which a key of a table (None: before the first table) stands."""
    current: str | None = None
    table_line = 1
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*\"?([\w.-]+)\"?\s*\]+", line):
            current = header.group(1)
            if current == table:
                table_line = number
            if table is None and current.split(".")[0] == key:
                return number
        elif current == table and re.match(rf"\s*\"?{re.escape(key)}\"?\s*[.=]", line):
            return number
        elif current is None and table and re.match(rf"\s*\"?{re.escape(table)}\"?\s*[.=].*\b{re.escape(key)}\b", line):
            return number  # table.key = …, or table = { key = … }
    return table_line
