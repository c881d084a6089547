"""A tournament.toml that names every key: its meaning and its default, commented out."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence

from pydantic import BaseModel

from tournament.config import GeneralSettings
from tournament.contests.contest import Contest
from tournament.sandbox.outside.settings import SandboxSettings

_WIDTH = 100
_HEAD = """
What `tournament run` plays, and how. Every key is optional. Those after a # stand at their defaults:
take the # away to change one. Paths start from this file's folder.
"""


def settings_text(contests: Sequence[Contest]) -> str:
    """Return the text of a settings file: general keys, a table for each contest in their order, then the sandbox.

    Keys of a contest's preset are set. All others are commented out.
    """
    tables = [_comment(_HEAD.strip().replace("\n", " ")), *_keys(GeneralSettings, {})]
    for contest in contests:
        values: dict[str, object] = {"entrants": f"entrants/{contest.name}", **contest.preset}
        head = f"[{contest.name}]\n{_comment(contest.title)}"
        tables += [head, *_keys(contest.settings, values, frozenset(contest.preset))]
    tables += ["[sandbox]\n" + _comment("How bots that are processes are confined."), *_keys(SandboxSettings, {})]
    return "\n\n".join(tables) + "\n"


def _keys(model: type[BaseModel], defaults: dict[str, object], decided: frozenset[str] = frozenset()) -> list[str]:
    """Return a paragraph for each key: its meaning, then the key with its default, after a # unless it is set.

    Keys are in the order of the class.

    Args:
        model: Class of the settings.
        defaults: Values instead of the defaults, by key. Keys without an entry have the default of the class.
        decided: Keys that are set, by default none.
    """
    paragraphs = []
    for name, field in model.model_fields.items():
        value = defaults.get(name, field.default)
        line = f"{'' if name in decided else '#'}{name} = {_toml(value)}".rstrip()
        paragraphs.append(f"{_comment(field.description or '')}\n{line}")
    return paragraphs


def _toml(value: object) -> str:
    """Return a value in TOML, or "" for a key without a default."""
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _comment(text: str) -> str:
    """Return text as lines of a comment of at most 100 characters, or "" for no text."""
    return "\n".join(textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# "))
