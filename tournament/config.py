"""Reads and checks tournament.toml. Errors name key and line."""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from tournament.contests import BUILT_IN, SHIPPED_RULES, find_contest, no_contest
from tournament.contests.bots import ADAPTED
from tournament.contests.contest import Contest
from tournament.contests.rules_loader import load_rules, loaded_rules, names_rules
from tournament.contests.settings import ContestSettings
from tournament.errors import InputError, truncate
from tournament.library import library_paths, read_library
from tournament.names import CONTEST_NAME_RULE, did_you_mean, valid_contest_name
from tournament.paths import PathText
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.small_files import decoded, read_small_file
from tournament.store.storage import is_url

FILE_NAME = "tournament.toml"
_ABOVE_RESULTS = 3  # folders: results/, final-…/ and a contest's
MAX_BYTES = 64 << 10  # room for the payoffs of a matrix game of 64 moves
# Reading a dotted key takes time and memory by the square of its parts.
_MAX_PARTS = 16
_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_DEEP_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*\.[ \t]*{_PART}){{{_MAX_PARTS}}}")
ExecutorName = Literal["auto", "local", "ray"]
_SANDBOX, _WATCH = "sandbox", "watch"
_SECRET = frozenset({"results", "ray_address"})  # keys whose values can have a password, so that no message shows them
_Model = TypeVar("_Model", bound=BaseModel)
# Texts for common mistakes, by the parsers' message or type of error.
_PLAINLY = {
    "Invalid value": "invalid value: a text needs quotes",
    "Cannot overwrite a value": "this key is there twice",
    "bool_type": "must be true or false",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
    "string_type": "must be a text, in quotes",
    "timezone_aware": "has no offset; must be a date, a time and an offset, as 2026-01-31T09:00:00+01:00",
}
_LIMITS = (
    ("Input should be ", "must be "),
    ("greater than or equal to", "at least"),
    ("less than or equal to", "at most"),
    ("greater than", "above"),
    ("less than", "below"),
)


def _moment(value: object) -> object:
    """Return a date with a time, which can be in quotes. Its offset isn't checked.

    Raises:
        ValueError: It is another kind of value, or a text that is no date in ISO format.
    """
    with contextlib.suppress(ValueError):
        value = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(value, datetime):
        raise ValueError(f"must be {_A_MOMENT}")
    return value


_A_MOMENT = "a date, a time and an offset, as 2026-01-31T09:00:00+01:00"
_Moment = Annotated[AwareDatetime, BeforeValidator(_moment)]


class GeneralSettings(BaseModel):
    """The keys before the first table of tournament.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    results: PathText = Field(
        "results", description="path, or URL of s3://, gs:// or az://, for the records; each contest has a folder there"
    )
    executor: ExecutorName = Field(
        "auto",
        description='"local" plays in threads of this process, "ray" on Ray; "auto" takes Ray with an address, or with'
        " a minute of work and more than eight cores",
    )
    workers: int = Field(
        0,
        ge=0,
        le=100_000,
        description="batches played at the same time; 0 is one per core. On a joined cluster: queued batches; 0 is"
        " twice as many as it can play, and eight more",
    )
    ray_address: str | None = Field(
        None, description='Ray cluster to join: "auto" for the one on this machine, or "host:port" of its head'
    )


class WatchSettings(BaseModel):
    """The table [watch] of tournament.toml: when an open contest takes bots, and how many."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    opens: _Moment | None = Field(
        None, description="time when submissions start, with an offset, such as 2026-01-31T09:00:00+01:00"
    )
    closes: _Moment | None = Field(
        None, description="time when submissions end; then a final with a new secret seed is played, which alone counts"
    )
    final_top: int | None = Field(
        None,
        ge=2,
        le=1000,
        description="bots of the final: the best of a preliminary of all bots, by best possible rank, with ties;"
        " both have new secret seeds; default all bots, without a preliminary",
    )
    max_bots_per_author: int = Field(3, ge=1, le=1000, description="bots of an author in a contest")
    max_submissions_per_day: int = Field(
        50, ge=1, le=10**6, description="submissions of an author per day, from midnight UTC"
    )
    max_file_bytes: int = Field(1_000_000, ge=1_000, le=16 << 20, description="size of a bot's file or archive")
    max_megabytes_per_author: int = Field(
        200, ge=1, le=10**6, description="disk space for an author's built bots and previous versions in a contest"
    )
    max_seconds_per_day: int = Field(
        3600, ge=1, le=86_400, description="time of this machine for an author's trials, practice matches and replays"
    )
    trial_workers: int | None = Field(
        None, ge=1, le=1000, description="full trials at a time; default the machine's cores less one, at least one"
    )

    @field_validator("closes")
    @classmethod
    def _is_after_it_opens(cls, closes: datetime | None, info: ValidationInfo) -> datetime | None:
        """Return the end of submissions, None if there is none.

        Raises:
            ValueError: It isn't after their start.
        """
        opens = info.data.get("opens")
        if closes and opens and closes <= opens:
            raise ValueError(f"must be after opens = {opens.isoformat()}: otherwise no one can submit a bot")
        return closes


@dataclass(frozen=True)
class Config:
    """Settings of a command. Paths are absolute.

    Attributes:
        general: Keys before the first table.
        played: The contest by its own name, in the words of its table.
        contest: Keys of the contest's table.
        sandbox: Keys of the table [sandbox].
        entrants: Folder of the bots, which might not exist.
        results: Folder or URL of the records, above the contest's own.
        folder: Folder from which the file's relative paths start.
        opening: When an open contest takes bots, and how many.
        authors: Author of each submitted bot by its name. Empty: tables don't depend on authors.
        house: Folder of the host's own bots. None: no key names one, there are no house seats, and the default folder
            doesn't exist.
    """

    general: GeneralSettings
    played: Contest
    contest: ContestSettings
    sandbox: SandboxSettings
    entrants: Path
    results: str
    folder: Path
    opening: WatchSettings
    authors: Mapping[str, str] = field(default_factory=dict)
    house: Path | None = None


@dataclass(frozen=True)
class Contests:
    """The contests of a settings file, by name: a table each. Built-in ones need no table.

    Attributes:
        made: The file's contests whose rules could be loaded, in its order.
        chosen: Names of the file's contests in its order, broken ones, too. If it has none, all built-in ones.
        broken: Error of each contest whose rules or library can't be loaded, raised only on use.
    """

    made: dict[str, Contest]
    chosen: tuple[str, ...]
    broken: dict[str, InputError] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The file's contests without broken ones, in its order, then the other built-in ones."""
        return tuple(dict.fromkeys((*self.made, *BUILT_IN)))

    def find(self, name: str) -> Contest:
        """Return the contest of that name. Shipped rules are found by their name, even without a table.

        Raises:
            InputError: It is unknown, or its rules or library can't be loaded.
            RunError: The machine is at fault, such as a cache that can't be used.
        """
        if name in self.made:
            return self.made[name]
        if name in self.broken:
            raise self.broken[name]
        if name in SHIPPED_RULES:
            return find_contest(name)
        raise no_contest(name, tuple(dict.fromkeys((*self.names, *self.broken, *SHIPPED_RULES))))


def load_contests(path: Path | None = None, results: object = None) -> Contests:
    """Return the contests of the settings file that `load_config` reads.

    Args:
        path: Path of the settings file. By default it is tournament.toml of the current folder, or otherwise that
            in one of the three folders above the records. Without either, there are the built-in contests.
        results: Folder or URL of the records, or None. Nothing is looked for near a URL.

    Raises:
        InputError: The file can't be read, has more than 64 KiB or isn't valid TOML, or a table defines no contest.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    return _contests_in(_read(path or _beside(results)))


def _beside(results: object) -> Path | None:
    """Return the settings file in one of the three folders above these results, the nearest first.

    Returns:
        None if the current folder has one, the results are None or at a URL, or there is none.
    """
    if Path(FILE_NAME).exists() or not isinstance(results, str | os.PathLike) or is_url(str(results)):
        return None
    above = Path(results).absolute().parents[:_ABOVE_RESULTS]
    return next((folder / FILE_NAME for folder in above if (folder / FILE_NAME).is_file()), None)


def load_config(contest_name: str, path: str | os.PathLike[str] | None = None, **options: Any) -> Config:
    """Return the settings of a contest: the file's, overridden by options that aren't None.

    Without a path, they come from tournament.toml of the current folder, or otherwise of a folder above the records.
    Without such a file all settings have their defaults.

    Args:
        contest_name: Name of the contest's table.
        path: Path of the settings file.
        options: Keys before the first table or of the contest's table, with their values. Their paths start from the
            current folder, and the file's from its own.

    Raises:
        InputError: The file can't be read, the contest is unknown or its rules can't be loaded, or a setting or option
            is wrong. The message has a line for each wrong key, with file, line and key, or the option.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    file = _read(_beside(options.get("results")) if path is None else Path(path))
    contests = _contests_in(file)
    played = contests.find(contest_name)
    tables = {*contests.names, *contests.broken, _SANDBOX, _WATCH}
    head = {key: value for key, value in file.document.items() if key not in tables}
    overrides = {
        key: os.fspath(value) if isinstance(value, os.PathLike) else value
        for key, value in options.items()
        if value is not None
    }
    general_overrides = {key: overrides.pop(key) for key in GeneralSettings.model_fields.keys() & overrides.keys()}
    _validate(GeneralSettings, file, head, None)
    sandbox = _sandbox(file)
    opening = _validate(WatchSettings, file, file.table(_WATCH), _WATCH)
    general = _validate(GeneralSettings, file, head | general_overrides, None, general_overrides)
    own = _validate(played.settings, file, file.table(contest_name) | overrides, contest_name, overrides)
    if own.adapter is not None:
        own = own.model_copy(update={"adapter": _adapters(file, contest_name, own)})
    if own.library is not None:
        own = own.model_copy(update={"library": [str(path) for path in _library(file, contest_name, own.library)]})
    if "entrants" in overrides:
        entrants = Path(overrides["entrants"])
    else:
        entrants = file.folder / (own.entrants or f"entrants/{contest_name}")
    results = general.results
    if is_url(results):
        if not results.startswith("file:///"):
            from tournament.store.object_place import ObjectLocation  # needed for URLs only

            ObjectLocation(results)  # raises InputError
    else:
        base = Path() if "results" in general_overrides else file.folder
        results = str((base / results).absolute())
    played = played.under(own)
    named = replace(played, title=own.title or played.title, description=own.description or played.description)
    house = (file.folder / (own.house or f"house/{contest_name}")).absolute()
    if not (own.house or own.house_seats or house.is_dir()):
        return Config(general, named, own, sandbox, entrants.absolute(), results, file.folder.absolute(), opening)
    return Config(
        general, named, own, sandbox, entrants.absolute(), results, file.folder.absolute(), opening, house=house
    )


def _adapters(file: _File, contest_name: str, settings: ContestSettings) -> list[str]:
    """Return the absolute paths of a contest's adapters, in the order of the key.

    Raises:
        InputError: A file is missing, or isn't for any bots, or two are for the same language.
    """
    paths: list[str] = []
    adapted: set[str] = set()
    for name in settings.adapter_files:
        path = (file.folder / name).absolute()
        kinds = ADAPTED.get(path.suffix)
        problem = ""
        if kinds is None:
            problem = f"expected a file that is put before bots in its language: {', '.join(ADAPTED)}"
        elif adapted & set(kinds):
            problem = "a second one for the same language; put both into one file"
        elif not path.is_file():
            problem = "no such file"
        if problem:
            raise InputError(f"{file.place(contest_name, 'adapter')}: adapter = {name!r}: {problem}")
        adapted |= set(kinds or ())
        paths.append(str(path))
    return paths


def _library(file: _File, contest_name: str, value: object) -> list[Path]:
    """Return the absolute paths of a contest's library in the order of the key, or an empty list for None.

    Raises:
        InputError: A path is missing or unsuitable, a file can't be read, all are more than 1 MiB, or a module would
            hide one of Python's own.
    """
    try:
        paths = library_paths(value, file.folder)
        read_library(paths)
    except InputError as problem:
        raise InputError(f"{file.place(contest_name, 'library')}: library: {problem}") from None
    return paths


def with_configured_titles(contest: Contest, get_config: Callable[[str], Config]) -> Contest:
    """Return the contest of records with its table's title and description, if the table still has these rules.

    If the table has other rules, or its settings are wrong, the contest is returned as it is.

    Args:
        contest: The contest of the records.
        get_config: Called with the contest's name; returns its settings or raises InputError.

    Raises:
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    with contextlib.suppress(InputError):
        configured = get_config(contest.name).played
        if configured.rules == contest.rules:
            return replace(contest, title=configured.title, description=configured.description)
    return contest


def _sandbox(file: _File) -> SandboxSettings:
    """Return the table [sandbox]. Readable paths start beside the file.

    Raises:
        InputError: A key is wrong, or the value is neither a table nor a text.
    """
    sandbox = _validate(SandboxSettings, file, file.sandbox(), _SANDBOX)
    return sandbox.model_copy(
        update={"readable_paths": [str((file.folder / path).absolute()) for path in sandbox.readable_paths]}
    )


@dataclass(frozen=True)
class _File:
    """A settings file: its name in messages, its folder, its text and the values in it.

    Text and values are empty if there is no file.
    """

    name: str
    folder: Path
    text: str
    document: dict[str, Any]

    def place(self, table: str | None, key: str) -> str:
        """Return file and line of a key, for a message. A table of None means the keys before the first one."""
        return f"{self.name}, line {_line_number(self.text, table, key)}"

    def table(self, name: str) -> dict[str, Any]:
        """Return the table of that name, empty if there is none.

        Raises:
            InputError: The key has another kind of value.
        """
        table = self.document.get(name, {})
        if not isinstance(table, dict):
            raise InputError(f"{self.place(None, name)}: {name} must be a table, written [{name}]")
        return table

    def sandbox(self) -> dict[str, Any]:
        """Return the table [sandbox], which `sandbox = "off"` abbreviates.

        Raises:
            InputError: The value is neither a table nor a text.
        """
        value = self.document.get(_SANDBOX)
        return {"mode": value} if isinstance(value, str) else self.table(_SANDBOX)


def _contests_in(file: _File) -> Contests:
    """Return the contests that a file's tables define.

    Raises:
        InputError: A table defines no contest. Rules that can't be loaded are in `broken` instead.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    contests: dict[str, Contest] = {}
    broken: dict[str, InputError] = {}
    for name, table in file.document.items():
        is_table = isinstance(table, dict)
        if (
            name in (_SANDBOX, _WATCH)
            or name in GeneralSettings.model_fields
            or (name not in BUILT_IN and not is_table)
        ):
            continue
        game = table.get("rules") if is_table else None
        if game is None and name in BUILT_IN:
            contests[name] = find_contest(name)
            continue
        _check_table(file, name, game)
        try:
            library = _library(file, name, table.get("library")) if names_rules(game) else []
        except InputError as problem:
            broken[name] = problem
            continue
        try:
            if names_rules(game):
                contests[name] = _load_own_rules(str(game), file, library, contests)
            else:
                contests[name] = find_contest(name, game or name)
            contests[name] = contests[name].named(name)
        except InputError as problem:
            broken[name] = InputError(f"{file.place(name, 'rules')}: {problem}")
    names = [name for name in file.document if name in contests or name in broken]
    return Contests(contests, tuple(names or BUILT_IN), broken)


def _load_own_rules(game: str, file: _File, library: list[Path], loaded: Mapping[str, Contest]) -> Contest:
    """Return the contest of a file or package with rules.

    Args:
        game: Value of the table's key `rules`.
        file: The settings file.
        library: The contest's library.
        loaded: Contests of the tables before it.

    Raises:
        InputError: The rules can't be loaded, other rules have their name, or other tables have another library for
            them.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    contest = load_rules(game, file.folder, library)
    assert contest.source
    same_rules = [other for other in loaded.values() if other.rules == contest.rules]
    if contest.rules in SHIPPED_RULES or any(
        other.source is None or other.source[:3] != contest.source[:3] for other in same_rules
    ):
        raise InputError(f"{game} calls its rules {contest.rules}, as others are called; give them another name")
    if any(other.edition != contest.edition for other in same_rules):
        raise InputError(
            f"{game}: another table has another library for these rules; use one library, or put the"
            " rules into two files with different names"
        )
    return contest


def _check_table(file: _File, name: str, game: object) -> None:
    """Check that a table defines a contest, given the value of its key `rules`, if any.

    Raises:
        InputError: Its rules are unknown or aren't named, or no contest can have its name.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    short_name, rules = truncate(name, 100), ", ".join(SHIPPED_RULES)
    examples = 'a file: rules = "my_rules.py", or a package\'s class: rules = "my_package:MyRules"'
    if game is None and name not in SHIPPED_RULES and loaded_rules(name) is None:
        raise InputError(
            f"{file.place(None, name)}: unknown table {short_name}; a contest of that name needs a key for its rules:"
            f' rules = "{SHIPPED_RULES[0]}", {examples}. Built in are {rules}; other tables: {_SANDBOX}, {_WATCH}'
            f"{did_you_mean(name, [*SHIPPED_RULES, _SANDBOX, _WATCH])}"
        )
    location = file.place(name, "rules")
    if game is not None and game not in SHIPPED_RULES and not names_rules(game):
        close = did_you_mean(game, SHIPPED_RULES) if isinstance(game, str) else ""
        raise InputError(f"{location}: rules = {game!r}: unknown rules; expected one of: {rules}; {examples}{close}")
    if game is not None and name in SHIPPED_RULES and game != name:
        raise InputError(f"{location}: {name} has rules of its own; give a contest of {game} another name")
    if not valid_contest_name(name):
        raise InputError(f"{file.place(None, name)}: [{short_name}]: {CONTEST_NAME_RULE}")


def _read(path: Path | None) -> _File:
    """Return a settings file, or an empty one if no path is given and the current folder has none.

    Raises:
        InputError: The file can't be read, is no UTF-8, has more than 64 KiB, or isn't valid TOML. Or a dotted key has
            more than 16 parts.
    """
    file = path or Path(FILE_NAME)
    if path is None and not file.exists():
        return _File(FILE_NAME, Path(), "", {})
    try:
        text = decoded(read_small_file(file, MAX_BYTES))
    except UnicodeDecodeError:
        raise InputError(f"{file} can't be read: it is not UTF-8 text") from None
    if deep := _DEEP_KEY.search(text):
        line = 1 + text.count("\n", 0, deep.start())
        raise InputError(f"{file}, line {line}: a dotted key of more than {_MAX_PARTS} parts")
    try:
        return _File(str(file), file.parent, text, tomllib.loads(text))
    except RecursionError:
        raise InputError(f"{file}: nested too deeply") from None
    except ValueError as error:  # Python itself refuses integers of too many digits
        message = str(error)
        lines = text.splitlines()
        position = re.search(r" \(at line (\d+), column (\d+)\)$", message)
        line = int(position.group(1)) if position else len(lines)
        message = message[: position.start()] if position else message.replace(" (at end of document)", "")
        if declared := re.fullmatch(r"Cannot declare \((.+?),?\) twice", message):
            message = f"[{declared.group(1).replace(', ', '.').replace(chr(39), '')}] is there twice; rename one"
        message = _PLAINLY.get(message, message)
        raise InputError(f"{file}, line {line}: {message}") from None  # the line can have a secret


def _validate(
    model: type[_Model],
    file: _File,
    values: Mapping[str, Any],
    table: str | None,
    options: Mapping[str, Any] | None = None,
) -> _Model:
    """Return the settings in a table's values.

    Args:
        model: Class of the settings.
        file: The settings file.
        values: Values by key, with options in place.
        table: Name of the table, None for the keys before the first one.
        options: Those of the values that are options, which errors name as such; None if there are none.

    Raises:
        InputError: A key or option is wrong or unknown. The message has a line for each, without secret values.
    """
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        messages = []
        for detail in error.errors():
            key = str(detail["loc"][0])
            reason = _PLAINLY.get(detail["type"], detail["msg"].removeprefix("Value error, "))
            for words, plain in _LIMITS:
                reason = reason.replace(words, plain)
            reason = reason[:1].lower() + reason[1:]
            secret = key in _SECRET
            if options and key in options and detail["type"] == "extra_forbidden":
                messages.append(f"--{key.replace('_', '-')}: {_unknown(key, None, model, table)}")
            elif options and key in options:
                value = "" if secret else f" {detail['input']}"
                messages.append(f"--{key.replace('_', '-')}{value}: {reason}")
            elif detail["type"] == "extra_forbidden":
                messages.append(f"{file.place(table, key)}: {_unknown(key, values[key], model, table)}")
            else:
                value = "" if secret else f" = {_as_written(detail['input'])}"
                messages.append(f"{file.place(table, key)}: {key}{value}: {reason}")
        raise InputError("\n".join(messages)) from None


def _as_written(value: object) -> str:
    """Return a value approximately as in the file."""
    return value.isoformat() if isinstance(value, date | time) else repr(value)


def _unknown(key: str, value: object, model: type[BaseModel], table: str | None) -> str:
    """Return the reason why a table doesn't have a key, as a part of a message.

    Args:
        key: The key.
        value: Its value, or None if it was an option.
        model: Class of the table's settings.
        table: Name of the table, None for the keys before the first one.
    """
    if table is not None and key in GeneralSettings.model_fields:
        return f"{key} isn't a key of [{table}]; put it before the first table"
    if table is None and key in ContestSettings.model_fields:
        return f"{key} is a contest's key; put it below the contest's table, as [{next(iter(BUILT_IN))}]"
    if key == "deals" and issubclass(model, ContestSettings):  # older files have it
        return "deals is no longer a setting, because each leg has its own deals; delete this line"
    if key == "max_games_per_call" and model is WatchSettings:  # older files have it
        return f"{key} is no key any more: a practice match has at most about 5,000,000 games; delete this line"
    keys = [*model.model_fields, *([_SANDBOX, _WATCH, *BUILT_IN] if table is None else [])]
    kind = "table" if isinstance(value, dict) else "key"
    return f"unknown {kind} {key}; expected one of: {', '.join(keys)}{did_you_mean(key, keys)}"


def _line_number(text: str, table: str | None, key: str) -> int:
    """Return the line number, from 1, of a key of a table, or of the table's head if the key isn't found.

    It is 1 if neither is found. A table of None means the keys before the first table.
    """
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
