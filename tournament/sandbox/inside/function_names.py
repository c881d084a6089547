"""Which of a bot's functions answer its contest's questions, by their names: one rule for all languages.

The exact names of the statement come first. Then the ways in which statements name a function after the file: likemea,
likemeA and likeme_a of likeme.c. The caller says which names are there and fit: from the compiler for C and C++, from
the exports of a WebAssembly module, from the executed file for Python. Runs inside the sandbox, too, without imports.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Iterable, Mapping, Sequence

# Of a question: no one needs more.
MOST_NAMES = 20


class NotChosen(Exception):
    """No function answers a question, or more than one could; the message says so in the bot's terms.

    `is_all`: there is none that would fit but for its arguments.
    """

    is_all = True


class Lacking(NotChosen):
    """No function answers a question."""


def names_after_file(stem: str, question: str) -> list[str]:
    """The ways to name a function after the file and a question, the usual one first."""
    word = "".join(letter for letter in stem if letter.isalnum() or letter == "_")
    names = [
        word + question,
        word + question.upper(),
        f"{word}_{question}",
        word + question[:1].upper() + question[1:],
    ]
    return list(dict.fromkeys(names))


def names_for(stem: str, question: str, words: Iterable[str] = ()) -> list[str]:
    """The names under which a bot called `stem` may answer a question: the exact one, then those after its file.

    The bot's own `words` count, too, if they differ from these in case only.
    """
    after_file = names_after_file(stem, question)
    alike = {name.casefold() for name in after_file}
    own = [word for word in words if word.casefold() in alike]
    return list(dict.fromkeys([question, *after_file, *own]))[: MOST_NAMES + 1]


def choose(stem: str, fitting: Mapping[str, Sequence[str]]) -> list[str]:
    """The name that answers each question; `fitting` has for each question the bot's functions that could.

    All are exact names, or all are named after the file. Raises NotChosen.
    """
    if all(question in names for question, names in fitting.items()):
        return list(fitting)
    after_file = {question: [name for name in names if name != question] for question, names in fitting.items()}
    if all(after_file.values()):
        for question, names in after_file.items():
            if len(names) > 1:
                raise NotChosen(
                    f"{' and '.join(names)} could each be its function {question}: call the one that is meant"
                    f" {question}, or rename the other"
                )
        return [names[0] for names in after_file.values()]
    missing = [question for question, names in fitting.items() if question not in names]
    plural = "s" if len(missing) > 1 else ""
    named = " and ".join(names_after_file(stem, question)[0] for question in missing)
    raise Lacking(f"lacks the function{plural} {' and '.join(missing)} (or {named})")


def choose_news(stem: str, fitting: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the names that receive news, by the name of the news: of each the exact one, or the only one after the
    file."""
    found = {}
    for news, names in fitting.items():
        after_file = [name for name in names if name != news]
        if news in names:
            found[news] = news
        elif len(after_file) == 1:
            found[news] = after_file[0]
    return found


def named_after_another_file(questions: Sequence[str], words: Iterable[str]) -> list[str]:
    """The words that would answer the questions in a file of another name, as in a copy, if there is just one such
    file; else []."""
    found: dict[str, dict[str, str]] = {}
    for word in words:
        folded = word.casefold()
        for question in questions:
            file = folded.removesuffix(question.casefold())
            if file and file != folded:
                found.setdefault(file.removesuffix("_"), {}).setdefault(question, word)
    complete = [names for names in found.values() if len(names) == len(questions)]
    return [complete[0][question] for question in questions] if len(complete) == 1 else []
