"""Writes the generated tables of docs/reference: settings, commands, columns, fields. Run it by `make reference`.

A table stands between `<!-- generated: WHAT -->` and `<!-- end -->`. The rest of a page is written by hand. WHAT is a
key of `TABLES`, and can have words after it, such as a contest's name.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, get_origin

import typer
from pydantic import BaseModel

from tournament.audit.replay import Replay
from tournament.audit.report import Verification
from tournament.cli.commands import app
from tournament.cli.groups import options_by_group
from tournament.cli.meanings import Undocumented, read_meanings
from tournament.config import GeneralSettings, WatchSettings
from tournament.contests import find_contest
from tournament.contests.settings import ContestSettings
from tournament.open_contest.web import CALLS
from tournament.records.citation import Citation
from tournament.records.comparison import COMPARED, Comparison
from tournament.records.losses import LOSSES
from tournament.records.summaries import ENTRANTS, MATCHES
from tournament.records.values import AUTHOR, OUTLIER_RESULTS, STANDING
from tournament.rules import Settings
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import NAME, Column
from tournament.store.summary_parts import FAULTS, LEGS
from tournament.trial.check import CHECKED
from tournament.trial.match import MatchReport
from tournament.worker.observation import ObservedGame, Step

REFERENCE = Path(__file__).resolve().parents[1] / "reference"
_MARKED = re.compile(r"(<!-- generated: (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)
_WORDS = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false", "null": ""}
_WORDS |= {"object": "table"}
_LIMITS = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below"}
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MORE_OF_FIELDS = {
    "order_status": "../explanation/ranking.md",
    "outlier_results": "../explanation/ranking.md#who-plays-together",
}
# Where a key has more to it than its line in the table.
_MORE = {
    "ray_address": "../how_to/cluster.md",
    "rules": "contests.md",
    "seed": "../explanation/seeds.md",
    "until_settled": "../explanation/ranking.md",
}


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    names = list(head)
    cells = [[_cell(" ".join(str(cell).split())) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [names, ["---"] * len(names), *cells])


def _cell(text: str) -> str:
    """Return a text for a table: no | divides it, and text outside of code has no tags."""
    pieces = text.replace("|", "\\|").split("`")
    return "`".join(piece if place % 2 else piece.replace("<", "&lt;") for place, piece in enumerate(pieces))


def general_settings() -> str:
    return _settings(GeneralSettings)


def watch_settings() -> str:
    return _settings(WatchSettings)


def sandbox_settings() -> str:
    return _settings(SandboxSettings)


def common_settings() -> str:
    return _settings(ContestSettings)


def contest_settings(contest: str) -> str:
    """Return the keys of a contest that the common ones lack, or that have another default or meaning.

    Properties that are the same for the common key are omitted.
    """
    model = find_contest(contest).settings
    return _settings(model, besides=Settings if issubclass(model, Settings) else ContestSettings)


def python_settings() -> str:
    return _settings(Settings, besides=ContestSettings)


def _settings(model: type[BaseModel], besides: type[BaseModel] | None = None) -> str:
    known = besides.model_json_schema()["properties"] if besides else {}
    keys = {key: schema for key, schema in model.model_json_schema()["properties"].items() if schema != known.get(key)}
    rows = []
    for key, schema in keys.items():
        told = _type(schema), _default(schema.get("default")), _linked(key, schema["description"], _MORE)
        common = known.get(key, {"type": "null", "description": ""})
        same = _type(common), None, common["description"]
        rows.append((key, *("" if one == other else one for one, other in zip(told, same, strict=True))))
    return table(("key", "type", "default", "meaning"), rows)


def _linked(name: str, text: str, more: dict[str, str]) -> str:
    return f"{text} ([more]({more[name]}))" if name in more else text


def _default(value: object) -> str:
    if value is None:
        return "—"
    return f"{value:_}" if type(value) is int else json.dumps(value)


def _type(schema: dict[str, Any]) -> str:
    """Return a key's type and limits as text."""
    if "enum" in schema:
        return " or ".join(f'"{value}"' for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(kind) for kind in schema["anyOf"] if kind["type"] != "null")
    if schema["type"] == "array":
        items = re.sub(r"^(list|text|number)", r"\1s", _type(schema["items"]))
        return f"list of {items}"
    words = "date and time" if schema.get("format") == "date-time" else _WORDS[schema["type"]]
    if "minimum" in schema and "maximum" in schema:
        return f"{words} {_limit(schema['minimum'])}–{_limit(schema['maximum'])}"
    for name, word in _LIMITS.items():
        if name in schema:
            words += f" {word} {_limit(schema[name])}"
    return words


def _limit(value: float) -> str:
    """Return a limit in digits, or as a power of ten if these would be many."""
    power = len(str(value)) - 1
    if value >= 1e6 and value == 10**power:
        return f"10{str(power).translate(_POWERS)}"
    return f"{int(value) if value == int(value) else value:,}"


def record_columns(of: str, contest: str = "") -> str:
    """Return the columns of a summary, or those of a contest's games or sessions that not all contests have."""
    summaries = {"matches": MATCHES, "entrants": ENTRANTS, "legs": LEGS, "faults": FAULTS}
    columns: tuple[Column, ...] = getattr(find_contest(contest), of) if contest else summaries[of]
    common = ("match", "replica", "session") if contest else ()
    rows = [
        (one.name, "string" if one.dtype == "str" else one.dtype, one.description)
        for one in columns
        if one.name not in common and one.dtype != NAME
    ]
    return table(("column", "type", "meaning"), rows)


def fields(of: str) -> str:
    """Return the fields of a command's JSON: of a line of the standings, or of an object of a class."""
    if of == "standings":
        items = [*STANDING.items()]
        place = [*STANDING].index("name") + 1
        meanings = dict([*items[:place], ("author", AUTHOR), *items[place:], ("outlier_results", OUTLIER_RESULTS)])
    elif of == "check":
        meanings = CHECKED
    elif of == "compared":
        meanings = COMPARED
    elif of == "losses":
        meanings = LOSSES
    else:
        (kind,) = (
            kind
            for kind in (Citation, Comparison, MatchReport, Replay, ObservedGame, Step, Verification)
            if kind.__name__ == of
        )
        meanings = read_meanings(kind)
    return table(
        ("field", "meaning"), ((name, _linked(name, text, _MORE_OF_FIELDS)) for name, text in meanings.items())
    )


def commands() -> str:
    """Return the common options of commands, then each command with its help, options and examples."""
    context = typer.Context(typer.main.get_command(app))
    group: Any = context.command
    named = {f"tournament {name}": group.get_command(context, name) for name in group.commands}
    parts = {name: one for name in named for name, one in _alone(name, named[name])}
    rows = {name: _rows(command) for name, command in parts.items()}
    having: dict[tuple[str, str], list[str]] = {}
    for name in rows:
        for row in rows[name]:
            having.setdefault(row, []).append(f"`{name.removeprefix('tournament ')}`")
    common = {row: names for row, names in having.items() if len(names) > 2}
    first = table(("of several", "meaning", "commands"), [(*row, ", ".join(names)) for row, names in common.items()])
    alone = {name: [row for row in rows[name] if row not in common] for name in parts}
    return "\n\n".join([first, *(_command(name, command, alone[name]) for name, command in parts.items())])


def _alone(name: str, command: Any) -> list[tuple[str, Any]]:
    """Return a command by its name, or those of a group."""
    inner = getattr(command, "commands", None)
    return [(f"{name} {one}", inner[one]) for one in inner] if inner else [(name, command)]


def _rows(command: Any) -> list[tuple[str, str]]:
    """Return a command's arguments, then its options by group."""
    context = typer.Context(command)
    params = [param for group in options_by_group(command).values() for param in group]
    return [_lines(param, context) for param in params if param.name != "help"]


_NOT_RUN = {
    "tournament watch": "it goes on until it is stopped",
    "tournament compare": "it needs the records of two runs",
}


def _command(name: str, command: Any, rows: list[tuple[str, str]]) -> str:
    """Return a command's section."""
    usage = " ".join(command.collect_usage_pieces(typer.Context(command)))
    help_text = re.sub(r"(?<!\n)\n(?!\n)", " ", command.help)
    options = [table(("option", "meaning"), rows)] if rows else []
    examples = f"```sh\n{command.epilog}\n```"
    if name in _NOT_RUN:
        examples = f"<!-- not run: {_NOT_RUN[name]} -->\n{examples}"
    return "\n\n".join([f"## {name}", help_text, f"`{name} {usage}`", *options, examples])


def _lines(param: Any, context: Any) -> tuple[str, str]:
    """Return an argument or option as it is written, and its meaning."""
    if param.param_type_name == "argument":
        return f"`{param.metavar or param.name}`", param.help or ""
    written, told = param.get_help_record(context)
    return f"`{written}`", re.sub(r"\[env var: (\w+)\]", r"(`\1`)", re.sub(r"\s+", " ", told))


def public_names(module: str) -> str:
    """Return signatures and docstrings of the names in a module's __all__, or raise an error if one has none."""
    found = importlib.import_module(module)
    things = {name: getattr(found, name) for name in found.__all__ if not name.startswith("__")}
    return "\n\n".join(_documented(f"{module}.{name}", thing, things.values()) for name, thing in things.items())


def _documented(name: str, thing: Any, public: Collection[Any]) -> str:
    """Return a name's section.

    A class's section includes its own members, without those that override a member of another public class.
    """
    if get_origin(thing):  # an alias of a type, which can have no docstring
        return f"### {name}\n\n`{thing}`"
    parts = [f"### {name}", _sections(_text(name, thing))]
    is_settings = inspect.isclass(thing) and issubclass(thing, BaseModel)  # keys are on another page
    if callable(thing) and not is_settings:
        signature = _signature(name.rpartition(".")[2], thing).removesuffix(" -> None")
        parts[1:1] = [f"```text\n{signature}\n```"] if "(" in signature else []
    if inspect.isclass(thing):
        own = {key: value for key, value in vars(thing).items() if not key.startswith("_") and _offers(value)}
        shown = [base for base in thing.__mro__[1:] if base in public]
        overridden = {key for base in shown for key in vars(base)}  # the base's section has their meaning
        own = {key: value for key, value in own.items() if key not in overridden}
        rows = [
            (f"`{_member(key, value)}`", _text(f"{name}.{key}", value).split("\n\n")[0]) for key, value in own.items()
        ]
        parts += [table(("of an object", "meaning"), rows)] if rows else []
    return "\n\n".join(parts)


def _text(name: str, thing: Any) -> str:
    """Return a docstring, without the signature that a compiled one begins with, or raise an error if there is none."""
    text = inspect.getdoc(getattr(thing, "func", thing)) or ""
    if not text or (inspect.isclass(thing) and thing.__doc__ is None):
        raise Undocumented(f"{name} has no docstring")
    short = name.rpartition(".")[2]
    return _cell(re.sub(rf"^{short}\(.*\n\n", "", text)).replace("\\|", "|")


_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises):\n((?:(?: {4}.*)?(?:\n|$))+)", re.MULTILINE)
_ITEM = re.compile(r"^ {4}(\S+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_HEADS = {"Args": ("argument", "meaning"), "Attributes": ("attribute", "meaning"), "Raises": ("error", "reason")}


def _sections(text: str) -> str:
    """Return a docstring in Google style with its sections as tables, and its return value as a sentence."""

    def shown(match: re.Match[str]) -> str:
        if match[1] == "Returns":
            return f"Returns: {' '.join(match[2].split())}\n\n"
        rows = [(f"`{name}`", meaning) for name, meaning in _ITEM.findall(match[2])]
        return f"{table(_HEADS[match[1]], rows)}\n\n"

    return _SECTION.sub(shown, text).rstrip()


def _member(name: str, value: Any) -> str:
    """Return a method as it is called, or a property's name."""
    if isinstance(value, property | cached_property):
        return name
    names = [str(one).split(":")[0].split(" =")[0] for one in inspect.signature(value).parameters.values()]
    return f"{name}({', '.join(one for one in names if one not in ('self', '/'))})"


def _offers(value: object) -> bool:
    return inspect.isroutine(value) or isinstance(value, property | cached_property)


def _signature(name: str, thing: Any) -> str:
    """Return a signature, with a line for each argument if it is long."""
    try:
        whole = f"{name}{inspect.signature(thing)}"
    except ValueError:  # a compiled class says it in its first line
        return name
    text = re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", whole)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).replace("str | PathLike[str]", "PathLike")
    if len(text) <= 100:
        return text
    inside, _, after = text.partition("(")[2].rpartition(")")
    return f"{name}(\n    " + re.sub(r", (?=\*|\w+:)", ",\n    ", inside) + f",\n){after}"


def calls_of_server() -> str:
    """Return the calls of an open contest's server."""
    rows = []
    for call in CALLS:
        query = "; ".join(f"`{name}`: {meaning}" for name, meaning in call.parameters.items())
        rows.append((f"`{call.method} {call.path}`", call.does, call.takes, query, "" if call.needs_token else "no"))
    return table(("call", "what it does", "body", "parameters", "token"), rows)


TABLES: dict[str, Callable[..., str]] = {
    "keys before the first table": general_settings,
    "keys of every contest": common_settings,
    "keys of contests in Python": python_settings,
    "keys of sandbox": sandbox_settings,
    "keys of watch": watch_settings,
    "keys of": contest_settings,
    "commands": commands,
    "columns of": record_columns,
    "fields of": fields,
    "names of": public_names,
    "calls of the server": calls_of_server,
}


def generated(text: str) -> str:
    """Return a page with current tables, or raise an error for a table that nothing makes."""

    def made(match: re.Match[str]) -> str:
        asked = match[2]
        key = max((key for key in TABLES if asked == key or asked.startswith(f"{key} ")), key=len, default=asked)
        words = asked.removeprefix(key).split()
        return f"{match[1]}{TABLES[key](*words)}\n{match[3]}"

    return _MARKED.sub(made, text)


def pages() -> list[Path]:
    """Return the pages that have generated tables."""
    return [page for page in sorted(REFERENCE.glob("*.md")) if _MARKED.search(page.read_text())]


def tables_of(page: str) -> set[str]:
    """Return the names of a page's tables."""
    return {asked for _, asked, _ in _MARKED.findall((REFERENCE / page).read_text())}


if __name__ == "__main__":
    for page in pages():
        text = page.read_text()
        if (now := generated(text)) != text:
            page.write_text(now)
            print(f"{page.name} is written", file=sys.stderr)
