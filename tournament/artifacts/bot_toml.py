"""The file bot.toml, which says how a program is built and started."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from tournament.leg import Unfit
from tournament.names import did_you_mean

FILE_NAME = "bot.toml"
# Maximum bytes, because reading a recipe takes memory by the square of its size.
MAX_BYTES = 4096


@dataclass(frozen=True)
class Recipe:
    """The content of bot.toml.

    Attributes:
        command: The words of the command that starts the program, at least one.
        build: The words of the command that builds it, empty if there is none.
    """

    command: tuple[str, ...]
    build: tuple[str, ...] = ()


def read_recipe(text: str, where: str) -> Recipe:
    """Read a bot.toml. The first error counts, in the order of the file's keys.

    Args:
        text: The file's text.
        where: Name of the file in messages.

    Raises:
        Unfit: The text isn't TOML, has a key other than command and build, lacks command, or a value isn't a list of
            words. It is permanent. The message begins with `where`, and has the line, unless command is missing.
    """
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unfit(f"{where}: {error}") from None
    for key in document:
        if key not in ("command", "build"):
            short_key = key if re.fullmatch(r"[\w-]{1,40}", key) else ascii(key)[:40]
            place, close = f"{where}, line {_line_number(text, key)}", did_you_mean(key, ("command", "build"))
            raise Unfit(f"{place}: unknown key {short_key}; expected one of: command, build{close}")
    if "command" not in document:
        raise Unfit(f'{where}: lacks command, for example: command = ["python3", "bot.py"]')
    commands: dict[str, tuple[str, ...]] = {}
    for key, value in document.items():
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(word, str) and word and "\0" not in word for word in value)
        ):
            raise Unfit(
                f'{where}, line {_line_number(text, key)}: {key} must be a list of words, like ["python3", "bot.py"]'
            )
        commands[key] = tuple(value)
    return Recipe(commands["command"], commands.get("build", ()))


def _line_number(text: str, key: str) -> int:
    lines = text.splitlines()
    return next(
        (number for number, line in enumerate(lines, 1) if re.match(rf'\s*"?{re.escape(key)}"?\s*[.=]', line)), 1
    )
