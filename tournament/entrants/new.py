"""Writing a new bot from a template."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tournament import contests
from tournament.contests.contest import Contest
from tournament.contests.interface import Interface
from tournament.decisions.decision import Decision
from tournament.entrants.folder import KINDS
from tournament.errors import InputError
from tournament.names import NAME_RULE, valid_name

_FILE, _PROGRAM = "new_bot", "new_program_"
# Templates of programs that receive lines of JSON. Contests with other protocols have their own.
_ANY_PROGRAM = Path(contests.__file__).parent / "sdk"
_LEGAL_ACTIONS = "legal_actions"
_MARK = re.compile(r"^([ \t]*)// {functions}\n", re.MULTILINE)
# Code of a Python program for decisions without an answer.
_ALWAYS_ANSWERS = re.compile(r"^    if answer is not None:\n((?: {8}.*\n)+)", re.MULTILINE)
# For each language: code of a decision, of an answer, of the first legal action, and of no answer.
_FORMS = {
    "go": ('case "{name}":\n\treturn {answer}', "{}", f'first(told["{_LEGAL_ACTIONS}"])', "nil"),
    "java": ('case "{name}":\n    return {answer};', '"{}"', f'first(told, "{_LEGAL_ACTIONS}")', "null"),
    "javascript": ("{name}(told) {{\n  return {answer};\n}},", "{}", f"told.{_LEGAL_ACTIONS}[0]", "undefined"),
    "rust": ('"{name}" => {answer},', 'Some("{}".into())', f'first(told, "{_LEGAL_ACTIONS}")', "None"),
}
_WIDTH = 100


def templates(contest: Contest) -> dict[str, Path]:
    """Return the contest's templates by language: a file of the bot's kind, or a program's folder.

    The contest's own languages come first, by ending, then those of programs, of which Python is first.
    """
    sdk = contest.interface.folder
    files = {KINDS[path.suffix]: path for path in sorted(sdk.glob(f"{_FILE}.*"))}
    if "c" in files:
        # The template is valid in both languages.
        files.setdefault("cpp", files["c"])
    folder = sdk if contest.interface.new_dialogue else _ANY_PROGRAM
    programs = sorted(folder.glob(f"{_PROGRAM}*"), key=lambda path: (path.name != f"{_PROGRAM}python", path.name))
    return files | {f"program-{path.name.removeprefix(_PROGRAM)}": path for path in programs}


def write_new_bot(contest: Contest, folder: Path, name: str, language: str | None) -> Path:
    """Write the contest's template in a language, and return the path of the new file or folder.

    Args:
        contest: Contest of the bot.
        folder: Folder to write into.
        name: Name of the bot.
        language: Language of the bot, a key of `templates`; None for the first one.

    Raises:
        InputError: There is no such template, the name is invalid, the bot exists, or it can't be written.
    """
    by_language = templates(contest)
    language = language or next(iter(by_language))
    if language not in by_language:
        raise InputError(f"--language {language}: expected one of: {', '.join(by_language)}")
    if not valid_name(name):
        raise InputError(f"{name}: {NAME_RULE}")
    template = by_language[language]
    for twin in (folder / f"{name}{suffix}" for suffix in ("", *KINDS)):
        if twin.exists():
            raise InputError(f"{twin} already exists; choose another name")
    path = folder / f"{name}{template.suffix if language != 'cpp' else '.cpp'}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if template.is_dir():
            path.mkdir()
            for source in sorted(one for one in template.iterdir() if one.is_file()):  # pip adds __pycache__
                _write(source, path / source.name, name, contest.interface)
        else:
            _write(template, path, name, contest.interface)
    except FileExistsError:
        raise InputError(f"{path} already exists; choose another name") from None
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}") from None
    return path


def _write(template: Path, path: Path, name: str, interface: Interface) -> None:
    """Write a file of a template with the bot's name in it, executable if the template is.

    Raises:
        OSError: The file exists, or can't be written.
    """
    text = template.read_text(encoding="utf-8")
    if template.parent.parent == _ANY_PROGRAM:
        language = template.parent.name.removeprefix(_PROGRAM)
        chooses = "plays at random" if language == "python" else "plays the first legal action"
        at_random = any(_LEGAL_ACTIONS in question.observation for question in interface.questions)
        text = text.replace("{manner}", chooses if at_random else "always answers the same")
        if not any(question.is_news for question in interface.questions):
            text = _ALWAYS_ANSWERS.sub(lambda found: textwrap.indent(textwrap.dedent(found[1]), "    "), text)
        text = text.replace("# {functions}\n", "\n\n".join(_functions(interface)))
        text = _MARK.sub(lambda mark: _branches(language, interface, mark[1]), text)
    with open(path, "x", encoding="utf-8") as file:
        file.write(text.replace("{name}", name))
    if template.stat().st_mode & 0o100:
        path.chmod(path.stat().st_mode | 0o111)


def _branches(language: str, interface: Interface, indent: str) -> str:
    """Return the code of a program's decisions in a language, in the order of the questions, each line indented."""
    form, plain, first, nothing = _FORMS[language]
    lines = []
    for question in interface.questions:
        observed, description, default = (
            interface.observed(question),
            _describe(question),
            _in(language, question.default),
        )
        answer = nothing if question.is_news else first if _LEGAL_ACTIONS in observed else plain.replace("{}", default)
        names = ", ".join(observed)
        comment = textwrap.wrap(f"{description} It is told {names}.", _WIDTH - 8 - len(indent))
        written = form.format(name=question.name, answer=answer, names=names)
        lines += [*(f"// {line}" for line in comment), *written.split("\n")]
    return "".join(f"{indent}{line}\n" for line in lines)


def _in(language: str, answer: object) -> str:
    """Return an answer as source code: in Java and Rust, for use within a string of JSON."""
    text = json.dumps(answer)
    if language == "go":
        return f"json.RawMessage(`{text}`)" if answer is None or isinstance(answer, list | dict) else text
    return text if language == "javascript" else text.replace('"', '\\"')


def _describe(question: Decision) -> str:
    """Return the purpose of a decision and its legal answers, as sentences. News has no answers."""
    names = ", ".join(f"{value} is {word}" for value, word in question.answer_names.items())
    about = " ".join(question.in_words.replace('"""', "'''").replace("\\", "/").split()).rstrip(".")
    if question.is_news:
        return f"{about}." if about else "Only tells something."
    answers = f"Return {f'a number: {names}' if names else question.answers}."
    return f"{about}. {answers}" if about else answers


def _functions(interface: Interface) -> Iterator[str]:
    """Yield a Python program's function for each decision, with its values as parameters."""
    for question in interface.questions:
        observed = interface.observed(question)
        choice = f"random.choice({_LEGAL_ACTIONS})" if _LEGAL_ACTIONS in observed else repr(question.default)
        answer = "return None" if question.is_news else f"return {choice}"
        head = textwrap.fill(f"def {question.name}({', '.join(observed)}):", _WIDTH, subsequent_indent="    ")
        docstring = textwrap.fill(
            f'"""{_describe(question)}"""', _WIDTH, initial_indent="    ", subsequent_indent="    "
        )
        yield f"{head}\n{docstring}\n    {answer}\n"
