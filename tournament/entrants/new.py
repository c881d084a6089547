"""Writing a bot to start from."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from tournament import contests
from tournament.contests.contest import Contest
from tournament.contests.interface import Interface
from tournament.entrants.folder import KINDS
from tournament.errors import InputError
from tournament.names import NAME_RULE, valid_name

_FILE, _PROGRAM = "new_bot", "new_program_python"
# Of programs that are asked in lines of JSON; where they aren't, the contest has its own.
_ANY_PROGRAM = Path(contests.__file__).parent / "sdk" / _PROGRAM
_LEGAL_ACTIONS = "legal_actions"
_WIDTH = 100


def templates(contest: Contest) -> dict[str, Path]:
    """The contest's commented bots by language: a file of the bot's kind, or a program's folder."""
    sdk = contest.interface.sdk
    files = {KINDS[path.suffix]: path for path in sorted(sdk.glob(f"{_FILE}.*"))}
    if "c" in files:
        files.setdefault("cpp", files["c"])  # it is both
    return files | {"program-python": sdk / _PROGRAM if contest.interface.new_dialogue else _ANY_PROGRAM}


def write_new_bot(contest: Contest, folder: Path, name: str, language: str | None) -> Path:
    """Write the contest's commented bot in a language, by default its first; returns its path, a file's or a folder's.
    Raises InputError for a language without one, a bad name, or a bot that is there."""
    known = templates(contest)
    language = language or next(iter(known))
    if language not in known:
        raise InputError(f"--language {language}: {contest.name} has {', '.join(known)}")
    if not valid_name(name):
        raise InputError(f"{name}: {NAME_RULE}")
    template = known[language]
    for twin in (folder / f"{name}{suffix}" for suffix in ("", *KINDS)):
        if twin.exists():
            raise InputError(f"{twin} is there already; choose another name")
    path = folder / f"{name}{template.suffix if language != 'cpp' else '.cpp'}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if template.is_dir():
            path.mkdir()
            for source in sorted(template.iterdir()):
                _write(source, path / source.name, name, contest.interface)
        else:
            _write(template, path, name, contest.interface)
    except FileExistsError:
        raise InputError(f"{path} is there already; choose another name") from None
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}") from None
    return path


def _write(template: Path, path: Path, name: str, interface: Interface) -> None:
    """Write a template's file with the bot's name in it, executable if the template is."""
    text = template.read_text(encoding="utf-8")
    if template.parent == _ANY_PROGRAM:
        at_random = any(_LEGAL_ACTIONS in told for told in interface.told)
        text = text.replace("{manner}", "plays at random" if at_random else "always answers the same")
        text = text.replace("# {functions}\n", "\n\n".join(_functions(interface)))
    with open(path, "x", encoding="utf-8") as file:
        file.write(text.replace("{name}", name))
    if template.stat().st_mode & 0o100:
        path.chmod(path.stat().st_mode | 0o111)


def _functions(interface: Interface) -> Iterator[str]:
    """A program's functions, one for each decision, of what it is told."""
    for question, told in zip(interface.questions, interface.told):
        if question.only_tells:
            says, answer = "Only tells something: return nothing.", "return None"
        else:
            names = ", ".join(f"{value} is {word}" for value, word in question.names.items())
            says = f"Return {question.answers or names or 'a whole number'}."
            chosen = f"random.choice({_LEGAL_ACTIONS})" if _LEGAL_ACTIONS in told else question.default
            answer = f"return {chosen}"
        head = textwrap.fill(f"def {question.name}({', '.join(told)}):", _WIDTH, subsequent_indent="    ")
        yield f'{head}\n    """{says}"""\n    {answer}\n'
