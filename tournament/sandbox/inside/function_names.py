"""Chooses a bot's functions by name: one rule for all languages.

The statement's exact names come first, then names after the file, such as likemea, likemeA and likeme_a in likeme.c.
The caller passes the names that exist and fit. For C and C++ they come from the compiler, for a WebAssembly module from
its exports, for Python from the executed file. It also runs inside the sandbox, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Iterable, Mapping, Sequence

# Maximum names of a question's function.
MAX_NAMES = 20


class NotChosen(Exception):
    """Raised when no function answers a question, or more than one could. The message is for the bot's author."""


def names_after_file(stem: str, question: str) -> list[str]:
    """Return the names after the file that a question's function can have, the usual one first, each once.

    For likeme and take they are likemetake, likemeTAKE, likeme_take and likemeTake, in this order.

    Args:
        stem: Name of the bot's file without its suffix. Only its letters, digits and underscores count.
        question: The statement's name of the function.
    """
    prefix = "".join(letter for letter in stem if letter.isalnum() or letter == "_")
    names = [
        prefix + question,
        prefix + question.upper(),
        f"{prefix}_{question}",
        prefix + question[:1].upper() + question[1:],
    ]
    return list(dict.fromkeys(names))


def names_for(stem: str, question: str, stems: Iterable[str] = ()) -> list[str]:
    """Return the names that a question's function can have: the exact one, then those after the file.

    Each name occurs once. Of more than MAX_NAMES names it returns one more than these, so that callers can refuse them.

    Args:
        stem: Name of the bot's file without its suffix.
        question: The statement's name of the function.
        stems: Words of the bot's source. Those that differ from a name after the file only in case are accepted, too,
            in their order, after all others.
    """
    after_file = names_after_file(stem, question)
    alike = {name.casefold() for name in after_file}
    own = [word for word in stems if word.casefold() in alike]
    return list(dict.fromkeys([question, *after_file, *own]))[: MAX_NAMES + 1]


def choose(stem: str, fitting: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the name that answers each question, in their order. All are exact names, or all are named after the file.

    If all questions have exact names, other names don't matter.

    Args:
        stem: Name of the bot's file without its suffix.
        fitting: For each question the names of the bot's functions that fit.

    Raises:
        NotChosen: A question lacks its exact name, and some question has no function named after the file, or several.
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
    raise NotChosen(f"lacks the function{plural} {' and '.join(missing)} (or {named})")


def choose_news(stem: str, fitting: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the functions that receive news, by name of the news: the exact one, or the only one after the file.

    News are missing from the result if no function fits. They are missing, too, if several are named after the file and
    none has the exact name.

    Args:
        stem: Name of the bot's file without its suffix.
        fitting: For each of the news the names of the bot's functions that fit.
    """
    by_news = {}
    for news, names in fitting.items():
        after_file = [name for name in names if name != news]
        if news in names:
            by_news[news] = news
        elif len(after_file) == 1:
            by_news[news] = after_file[0]
    return by_news
