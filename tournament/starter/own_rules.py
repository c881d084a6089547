"""Writing a folder for a contest with rules of one's own: rules to start from, a test of them, and bots."""

from __future__ import annotations

import re
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

from tournament.config import FILE_NAME
from tournament.contests import SHIPPED_RULES
from tournament.contests.contest import Contest
from tournament.contests.rules_loader import load_rules
from tournament.entrants.new import templates, write_new_bot
from tournament.errors import InputError
from tournament.names import CONTEST_NAME_RULE, valid_contest_name
from tournament.starter.folder import RESULTS_PAGE, refuse_if_taken, shipped, write_file
from tournament.starter.settings_file import settings_text

_TEMPLATES = Path(__file__).parent / "rules"
_TEST = "tests_of_rules"
_BUILD_PATH = "/usr/local/bin:/usr/bin:/bin"  # the sandbox hides toolchains elsewhere
# For each shape: sessions of a match, so that a first run takes seconds; a bot that plays better than those that always
# answer the same, and its answer in Python.
_FIRST_RUN = {
    "simultaneous": (20, "bids_half", "view.value // 2"),
    "table": (10, "dares", '"roll" if view.rolled < 15 else "keep"'),
    "turns": (50, "counts", "view.sticks % 4 or 1"),
}
SHAPES = tuple(sorted(path.stem for path in _TEMPLATES.glob("[a-z]*.py") if path.stem != _TEST))


def write_rules_folder(folder: Path, name: str, shape: str) -> list[Path]:
    """Write rules of a shape under a contest's name, with settings, a test and a bot in each language available here.

    There is also a bot in Python that plays better than the others.

    Args:
        folder: A new or existing folder.
        name: Name of the contest, which no shipped rules have.
        shape: One of `SHAPES`.

    Returns:
        What was written, relative to the folder: rules, test, folder of bots, page about records, settings file.

    Raises:
        InputError: A name or the shape is wrong, or a name is taken, and nothing was written. Or the folder or a bot
            can't be written. A part may have been written then.
        RunError: The shipped files are missing, or the cache can't be used.
        OSError: The better bot or the settings file can't be written.
    """
    if not valid_contest_name(name) or name in SHIPPED_RULES:
        raise InputError(f"--rules {name}: {CONTEST_NAME_RULE}, and is none of {', '.join(SHIPPED_RULES)}")
    if shape not in SHAPES:
        raise InputError(f"--shape {shape}: expected one of: {', '.join(SHAPES)}")
    rules, test, bots = Path(f"{name}.py"), Path(f"test_{name}.py"), Path("entrants") / name
    written = [rules, test, bots, Path(RESULTS_PAGE), Path(FILE_NAME)]
    for taken in written:
        refuse_if_taken(folder, taken)
    try:
        (folder / RESULTS_PAGE).parent.mkdir(parents=True, exist_ok=True)
        write_file(folder / RESULTS_PAGE, (shipped() / RESULTS_PAGE).read_text(encoding="utf-8"))
        write_file(folder / rules, _named(shape, name))
        write_file(folder / test, _named(_TEST, name))
    except OSError as error:
        raise InputError(f"{folder} can't be written: {error.strerror}") from None
    contest = load_rules(rules.name, folder).named(name)
    for language in _playable(contest):
        write_new_bot(contest, folder / bots, f"in_{language.replace('-', '_')}", language)
    sessions, better, answer = _FIRST_RUN[shape]
    _write_better_bot(contest, folder / bots, better, answer)
    preset = {"rules": rules.name, "sessions": sessions, "replicas": 4}
    write_file(folder / FILE_NAME, settings_text([replace(contest, presets={name: preset})]))
    return written


def _write_better_bot(contest: Contest, folder: Path, name: str, answer: str) -> None:
    """Write the template in Python with another answer.

    Args:
        contest: Contest of the bot.
        folder: Folder of the bots.
        name: Name of the bot.
        answer: The answer as Python source. It replaces that of the first function.

    Raises:
        InputError: The bot exists, or can't be written.
        OSError: The answer can't be written.
    """
    path = write_new_bot(contest, folder, name, "python")
    text = path.read_text(encoding="utf-8")
    text = text.replace("always answers the same", "plays better than the bots beside it")
    path.write_text(re.sub(r"^    return .*$", f"    return {answer}", text, count=1, flags=re.MULTILINE))


def _named(template: str, name: str) -> str:
    """Return a template's text with the contest's name in place of its own.

    Args:
        template: Name of a module in the folder of templates.
        name: Name of the contest. Its parts between underscores become the words of class and title.

    Raises:
        OSError: The template can't be read.
    """
    parts = name.split("_")
    text = (_TEMPLATES / f"{template}.py").read_text(encoding="utf-8")
    text = text.replace("MyGame", "".join(word.capitalize() for word in parts) or "Rules")
    return text.replace("my_game", name).replace("My game", " ".join(parts).capitalize())


def _playable(contest: Contest) -> list[str]:
    """Return the languages of bots that this machine can build and start, in the order of `templates`.

    C++ is omitted, because it works if C does. Only whether a program's commands are installed is checked, in folders
    that the sandbox shows.

    Raises:
        OSError: A template's bot.toml can't be read.
    """
    languages = []
    for language, template in templates(contest).items():
        commands = [["c"]]
        if template.is_dir():
            recipe = tomllib.loads((template / "bot.toml").read_text().replace("{name}", "bot"))
            commands = [recipe[key] for key in ("build", "command") if key in recipe]
        needed = [words[0] for words in commands if "/" not in words[0]]
        is_installed = all(shutil.which(word, path=_BUILD_PATH) for word in needed)
        if language != "cpp" and (not template.is_dir() or is_installed):
            languages.append(language)
    return languages
