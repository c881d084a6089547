"""The command `tournament schemas`: JSON Schemas of what commands print by --json."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any, get_type_hints

import pandas
import typer
from pydantic import TypeAdapter, create_model
from pydantic.fields import FieldInfo

from tournament.audit.replay import Replay
from tournament.audit.report import Verification
from tournament.cli.meanings import read_meanings
from tournament.cli.options import print_json
from tournament.errors import InputError
from tournament.records.citation import Citation
from tournament.records.comparison import Comparison
from tournament.records.losses import LOSSES
from tournament.records.values import AUTHOR, FAULT_COLUMNS, OUTLIER_RESULTS, STANDING
from tournament.standings.authors import AuthorTotal
from tournament.standings.standings import Standing
from tournament.store.summary_parts import FAULTS
from tournament.trial.check import CHECKED, CheckReport
from tournament.trial.match import MatchReport

_PAIR: dict[str, Any] = {
    "bot": str, "opponent": str, "sessions": int, "games": int, "points_per_session": float, "stderr": float | None,
    "ci_half_width": float | None,
}  # fmt: skip
_RATED: dict[str, Any] = {
    "rank": int, "name": str, "rating": float, "stderr": float | None, "ci_half_width": float | None, "won": float,
    "drawn": float, "lost": float,
}  # fmt: skip
_LOSS: dict[str, Any] = {
    "decision": str, "hand": str, "answer": str, "opponent": str | None, "games": int, "points": float, "others": float,
    "lost": float, "stderr": float,
}  # fmt: skip
_TYPES = {"str": str, "bool": bool}


def schemas(
    command: Annotated[
        str | None, typer.Argument(metavar="COMMAND", help="command, such as leaderboard; default all, by name")
    ] = None,
) -> None:
    """Print JSON Schemas of the output of commands with --json.

    Each field's description is its meaning.

    Raises:
        InputError: The command prints no JSON.
    """
    by_command = command_schemas()
    if command is None:
        print_json(by_command)
    elif command in by_command:
        print_json(by_command[command])
    else:
        raise InputError(f"{command} prints no JSON; expected one of: {', '.join(by_command)}")


def command_schemas() -> dict[str, Any]:
    """Return the JSON Schema of what each command prints by --json, by the command with the options that matter.

    Raises:
        Undocumented: A field has no meaning.
    """
    hints = {name: _hint(Standing, name) for name in STANDING} | {
        "author": str | None,
        "outlier_results": list[dict[str, Any]],
    }
    standing = _schema("Standing", hints, STANDING | {"author": AUTHOR, "outlier_results": OUTLIER_RESULTS})
    columns = [one for one in FAULTS if one.name in FAULT_COLUMNS]
    faults = {one.name: _TYPES.get(one.dtype, int) for one in columns} | {"replay": str}
    fault = _schema(
        "Fault", faults, {one.name: one.description for one in columns} | {"replay": "the command that shows it"}
    )
    loss = _schema("Loss", _LOSS, LOSSES)
    match = _dataclass_schema(MatchReport, {"faults": list[dict[str, Any]], "baseline_faults": list[dict[str, Any]]})
    match["properties"] |= {
        "seed": {"type": "string", "description": "repeats the match"},
        "verdict": {"enum": ["better", "worse", "open", None], "description": "of the bot, compared"},
        "replay": {"type": ["object", "null"], "description": "the session that was asked for"},
    }
    checked = {name: _hint(CheckReport, name) for name in CHECKED} | {
        "faults": list[dict[str, Any]],
        "boundary_faults": list[dict[str, Any]],
    }
    rows = list[dict[str, Any]]  # fields as in output.md
    return {
        "check": _schema("Check", checked, CHECKED),
        "cite": _dataclass_schema(Citation, {}),
        "compare": _dataclass_schema(Comparison, {"settings": list[dict[str, Any]], "scores": rows, "pairs": rows}),
        "crosstable": {"type": "array", "items": _schema("Pair", _PAIR, dict.fromkeys(_PAIR, "see output.md"))},
        "leaderboard --rating": {
            "type": "array",
            "items": _schema("Rated", _RATED, dict.fromkeys(_RATED, "see output.md")),
        },
        "leaderboard --by": {"type": "array", "items": _dataclass_schema(AuthorTotal, {})},
        "leaderboard": {"type": "array", "items": standing},
        "losses": {"type": "array", "items": loss},
        "faults": {"type": "array", "items": fault},
        "verify": {"type": "array", "items": _dataclass_schema(Verification, {"problems": list[dict[str, Any]]})},
        "replay": _dataclass_schema(Replay, {"games": list[dict[str, Any]], "faults": list[dict[str, Any]]}),
        "match": match,
    }


def _dataclass_schema(kind: Any, instead: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a dataclass, with fields in its order.

    Args:
        kind: The dataclass.
        instead: Types that replace those of fields, by name.

    Raises:
        Undocumented: A field has no meaning.
    """
    meanings = read_meanings(kind)
    hints = {field.name: instead.get(field.name) or _hint(kind, field.name) for field in dataclasses.fields(kind)}
    return _schema(kind.__name__, hints, meanings)


def _hint(kind: Any, name: str) -> Any:
    """Return the type of a dataclass's field, or of its property."""
    attribute = getattr(kind, name, None)
    if isinstance(attribute, property):
        return get_type_hints(attribute.fget)["return"]
    return get_type_hints(kind, localns={"pd": pandas})[name]


def _schema(name: str, hints: Mapping[str, Any], meanings: Mapping[str, str]) -> dict[str, Any]:
    """Return the JSON Schema of an object.

    Args:
        name: Title of the schema.
        hints: Type of each field by name, in the order of the schema.
        meanings: Meaning of each of these fields by name.
    """
    fields: dict[str, Any] = {key: (hint, FieldInfo(description=meanings[key])) for key, hint in hints.items()}
    schema: dict[str, Any] = TypeAdapter(create_model(name, **fields)).json_schema()
    return schema
