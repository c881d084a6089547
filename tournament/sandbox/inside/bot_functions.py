"""Chooses the functions, or the class, of a Python bot's file that answer a contest's questions.

It runs inside the sandbox. The names that it accepts come from `function_names`. A function fits if it accepts a
question's values. Functions of the exact names, and a class named Bot, after the file or after the statement's class,
come first. Other classes, and functions named after the file, come next. If two fit, none is chosen, because the wrong
one would lose silently.
"""

from __future__ import annotations

import types

from tournament.sandbox.inside.function_names import NotChosen, names_after_file

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    Functions = tuple[Any, ...]
    # Description, class or None, and for each question the function, or the method's name.
    _Way = tuple[str, type | None, list[Any]]

_TAKES_ANY_NUMBER = 0x04


def choose_functions(
    module: types.ModuleType,
    stem: str,
    questions: Sequence[tuple[Sequence[str], int]],
    class_name: str,
    *,
    news: Sequence[tuple[Sequence[str], int]] = (),
) -> Functions:
    """Return the functions that answer the questions, or the bound methods of a new object of the bot's class.

    Args:
        module: The module in which the bot's file was executed.
        stem: The file's name without its suffix.
        questions: For each question the accepted names, the usual one first, and the number of values.
        class_name: Name of the statement's class, or "" if it has none.
        news: The same for news. By default there are none.

    Returns:
        A function for each question in their order, then one for each of the news in theirs. None stands for news that
            no function receives. If several receive one, it is the first in the file, or the class's first by the
            accepted names. Methods receive news by accepted names alone, functions also by names after the file.

    Raises:
        NotChosen: No function or class fits, or more than one does.
        Exception: The constructor of the bot's class raises it.
    """
    names = vars(module)
    called = {"bot", stem.lower(), stem.replace("_", "").lower(), class_name.lower()}
    classes = [value for value in names.values() if isinstance(value, type) and value.__module__ == module.__name__]
    exact = [_fitting(names, spellings, count) for spellings, count in questions]
    ways = _ways(exact, [kind for kind in classes if kind.__name__.lower() in called], questions)
    if not ways:  # slow, and most bots don't need it
        with_stem = [
            found or _fitting(names, [after for name in spellings for after in names_after_file(stem, name)], count)
            for found, (spellings, count) in zip(exact, questions)
        ]
        ways = _ways(with_stem, classes, questions)
    if not ways:
        raise NotChosen(_explain_missing(names, classes, questions))
    if len(ways) > 1:
        raise NotChosen(f"has {' and '.join(words for words, *_ in ways)}: either may be meant; rename one")
    ((_, kind, answers),) = ways
    if kind is None:
        heard = [
            _fitting(
                names, [*spellings, *(after for name in spellings for after in names_after_file(stem, name))], count
            )
            for spellings, count in news
        ]
        return (*answers, *(next(iter(found.values()), None) for found in heard))
    bot = kind()
    methods = [next(iter(_methods(kind, spellings, count).values()), "") for spellings, count in news]
    return (*[getattr(bot, name) for name in answers], *[getattr(bot, name) if name else None for name in methods])


def _ways(
    functions: Sequence[Mapping[str, Any]], classes: Iterable[type], questions: Sequence[tuple[Sequence[str], int]]
) -> list[_Way]:
    """Return the ways to answer all questions, none if nothing fits. Those by functions come first, then by classes.

    A class that is a base of another one that fits doesn't count.

    Args:
        functions: The fitting functions of each question, by description.
        classes: The classes that are tried.
        questions: For each question the accepted names and the number of values.
    """
    ways = _each(" and ".join(words for found in functions for words in found), None, functions)
    methods = {kind: [_methods(kind, spellings, count) for spellings, count in questions] for kind in classes}
    fitting = [kind for kind, found in methods.items() if all(found) and not _constructor_needs_values(kind)]
    for kind in fitting:
        if not any(kind in other.__mro__[1:] for other in fitting):
            ways += _each(f"the class {kind.__name__}", kind, methods[kind])
    return ways


def _each(history: str, kind: type | None, questions: Sequence[Mapping[str, Any]]) -> list[_Way]:
    """Return the ways to answer by these functions, none if a question has no function.

    If several fit one question, each of them counts as a way. Only the first such question counts, and the ways differ
    in their descriptions alone.

    Args:
        history: Description of the only way.
        kind: The class whose methods they are, or None for functions.
        questions: The fitting functions of each question, by description. For a class they are names of methods.
    """
    if not all(questions):
        return []
    descriptions = next((one for one in questions if len(one) > 1), [history])
    return [(words, kind, [next(iter(one.values())) for one in questions]) for words in descriptions]


def _fitting(names: Mapping[str, Any], spellings: Iterable[str], count: int) -> dict[str, Callable[..., object]]:
    """Return the fitting functions among these names, each once, by their descriptions, in the order of the file.

    Args:
        names: The module's values by name.
        spellings: The accepted names.
        count: Number of values that a function is called with.
    """
    by_identity: dict[int, tuple[str, Callable[..., object]]] = {}
    names_accepted = frozenset(spellings)
    for name, value in names.items():  # this is the order of their lines
        if name in names_accepted and callable(value) and takes(value, count):
            by_identity.setdefault(id(value), (_named(name, value), value))
    return dict(by_identity.values())


def _methods(kind: type, spellings: Iterable[str], count: int) -> dict[str, str]:
    """Return the names of a class's fitting methods, each method once, by their descriptions, in the given order.

    Args:
        kind: The class. Methods of its bases count.
        spellings: The accepted names.
        count: Number of values that a method is called with, without the object.
    """
    by_identity: dict[int, tuple[str, str]] = {}
    for name in spellings:
        value = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        plain = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if callable(plain) and takes(plain, count if isinstance(value, staticmethod) else count + 1):
            by_identity.setdefault(id(plain), (f"{kind.__name__}.{name}", name))
    return dict(by_identity.values())


def _constructor_needs_values(kind: type) -> bool:
    """Return whether a class can't be instantiated without arguments, so that it is no bot.

    Constructors that aren't written in Python count as needing none.
    """
    for name in ("__new__", "__init__"):
        maker = next(vars(base)[name] for base in kind.__mro__ if name in vars(base))
        maker = maker.__func__ if isinstance(maker, staticmethod) else maker
        if not takes(maker, 1):
            return True
    return False


def takes(function: Any, count: int) -> bool:
    """Return whether a function can be called with this many values by position.

    What isn't a function or method written in Python, such as a class or a builtin, is assumed to. A parameter that can
    only be given by name and has no default makes it False.
    """
    if isinstance(function, types.MethodType):
        function, count = function.__func__, count + 1
    if not isinstance(function, types.FunctionType):
        return True
    code, given = function.__code__, function.__kwdefaults__ or {}
    only_by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    if any(name not in given for name in only_by_name):
        return False
    min_count = code.co_argcount - len(function.__defaults__ or ())
    return min_count <= count and (count <= code.co_argcount or bool(code.co_flags & _TAKES_ANY_NUMBER))


def _named(name: str, function: Callable[..., object]) -> str:
    code = getattr(function, "__code__", None)
    return f"the function {name}{f' (line {code.co_firstlineno})' if code else ''}"


def _explain_missing(
    names: Mapping[str, Any], classes: Sequence[type], questions: Sequence[tuple[Sequence[str], int]]
) -> str:
    """Return why no function or class answers the questions, as text.

    The first function, method or constructor that can't be called as needed is named. Without one, the missing
    functions and methods are named.
    """
    for spellings, count in questions:
        for name in spellings:
            if callable(names.get(name)) and not takes(names[name], count):
                return f"{_named(name, names[name])} can't be called with {_counted(count)}, which it is given"
            for kind in classes:
                if not callable(getattr(kind, name, None)):
                    continue
                if not _methods(kind, [name], count):
                    return f"{kind.__name__}.{name} can't be called with {_counted(count)} beside its object"
                if _constructor_needs_values(kind):
                    return f"{kind.__name__}() can't be called without arguments; give its parameters defaults"
    wanted = [spellings[0] for spellings, _ in questions]
    missing = [spellings[0] for spellings, _ in questions if not any(callable(names.get(name)) for name in spellings)]
    return (
        f"lacks the function{'s' if len(missing) > 1 else ''} {_few(missing)}, or a class with the"
        f" method{'s' if len(wanted) > 1 else ''} {_few(wanted)}"
    )


def _few(names: list[str]) -> str:
    """Return names joined by "and", "" for none. Of more than six names it shows five and the number of others."""
    listed = names[:5] if len(names) > 6 else names
    return " and ".join([*listed, *([f"{len(names) - len(listed)} more"] if len(names) > len(listed) else [])])


def _counted(values: int) -> str:
    return f"{values} value{'s' if values != 1 else ''}"
