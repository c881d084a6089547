"""Which functions of a Python bot's file, or which class, answer a contest's questions.

The names are those of `function_names`. Runs inside the sandbox. A function fits if it takes a question's values.
Functions of the exact names, and a class called Bot, like the file or as the statement has it, go before other classes
and functions that are named after the file. Where two fit, neither is taken: the wrong one would lose without a word.
"""

from __future__ import annotations

import types

from tournament.sandbox.inside.function_names import NotChosen, names_after_file

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    Functions = tuple[Callable[..., object], ...]

_TAKES_ANY_NUMBER = 0x04


def choose_functions(
    module: types.ModuleType, stem: str, questions: Sequence[tuple[Sequence[str], int]], class_name: str
) -> Functions:
    """What answers the questions: functions of the file, or methods of a new object of its class.

    `questions`: the names of each, the usual one first, and how many values it gives. `class_name`: of the
    statement, "" where it has none. Raises NotChosen.
    """
    names = vars(module)
    called = {"bot", stem.lower(), stem.replace("_", "").lower(), class_name.lower()}
    classes = [value for value in names.values() if isinstance(value, type) and value.__module__ == module.__name__]
    exact = [_fitting(names, spellings, count) for spellings, count in questions]
    named = [kind for kind in classes if kind.__name__.lower() in called]
    if functions := _chosen(exact, named, questions):  # as in most bots: the rest takes a while
        return functions
    with_stem = [
        found or _fitting(names, [after for name in spellings for after in names_after_file(stem, name)], count)
        for found, (spellings, count) in zip(exact, questions)
    ]
    if functions := _chosen(with_stem, classes, questions):
        return functions
    raise NotChosen(_what_is_missing(names, classes, questions))


def _chosen(
    functions: Sequence[Mapping[str, Callable[..., object]]],
    classes: Sequence[type],
    questions: Sequence[tuple[Sequence[str], int]],
) -> Functions:
    """What answers the questions, () when none of these does. Raises NotChosen when two do."""
    fit = [
        kind
        for kind in dict.fromkeys(classes)
        if all(_methods(kind, spellings, count) for spellings, count in questions)
    ]
    fit = [kind for kind in fit if not any(kind in other.__mro__[1:] for other in fit)]
    if all(functions) and not fit and all(len(found) == 1 for found in functions):
        return tuple(function for found in functions for function in found.values())
    meant = [f"the class {kind.__name__}" for kind in fit]
    if all(functions):
        several = next((found for found in functions if len(found) > 1), {})
        first = {name: function for found in functions for name, function in [*found.items()][:1]}
        meant = [_named(*one) for one in several.items()] or [
            " and ".join(_named(*one) for one in first.items()),
            *meant,
        ]
    if len(meant) > 1:
        raise NotChosen(f"has {' and '.join(meant)}: either may be meant; rename one")
    if not fit:
        return ()
    methods = [_methods(fit[0], spellings, count) for spellings, count in questions]
    for found in methods:
        if len(found) > 1:
            raise NotChosen(f"has {' and '.join(found)} in {meant[0]}: either may be meant; rename one")
    bot = fit[0]()
    return tuple(getattr(bot, next(iter(found))) for found in methods)


def _fitting(names: Mapping[str, Any], spellings: Iterable[str], count: int) -> dict[str, Callable[..., object]]:
    """The functions of these names that fit, each once."""
    found: dict[str, Callable[..., object]] = {}
    wanted = frozenset(spellings)
    for name, value in names.items():  # in the order of their lines
        if (
            name in wanted
            and callable(value)
            and takes(value, count)
            and not any(value is other for other in found.values())
        ):
            found[name] = value
    return found


def _methods(kind: type, spellings: Iterable[str], count: int) -> dict[str, Callable[..., object]]:
    """The methods of these names that an object of a class has and that fit, each once."""
    found: dict[str, Any] = {}
    for name in spellings:
        value = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        plain = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        given = count if isinstance(value, staticmethod) else count + 1
        if callable(plain) and takes(plain, given) and not any(plain is other for other in found.values()):
            found[name] = plain
    return found


def takes(function: Any, count: int) -> bool:
    """Whether a function can be called with so many values; assumed of one that isn't written in Python."""
    if isinstance(function, types.MethodType):
        function, count = function.__func__, count + 1
    if not isinstance(function, types.FunctionType):
        return True
    code, given = function.__code__, function.__kwdefaults__ or {}
    only_by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    if any(name not in given for name in only_by_name):
        return False
    least = code.co_argcount - len(function.__defaults__ or ())
    return least <= count and (count <= code.co_argcount or bool(code.co_flags & _TAKES_ANY_NUMBER))


def _named(name: str, function: Callable[..., object]) -> str:
    code = getattr(function, "__code__", None)
    return f"the function {name}{f' (line {code.co_firstlineno})' if code else ''}"


def _what_is_missing(
    names: Mapping[str, Any], classes: Sequence[type], questions: Sequence[tuple[Sequence[str], int]]
) -> str:
    for spellings, count in questions:
        for name in spellings:
            if callable(names.get(name)) and not takes(names[name], count):
                return f"{_named(name, names[name])} can't be called with {_counted(count)}, which it is given"
            for kind in classes:
                if callable(getattr(kind, name, None)) and not _methods(kind, [name], count):
                    return f"{kind.__name__}.{name} can't be called with {_counted(count)} beside its object"
    wanted = [spellings[0] for spellings, _ in questions]
    missing = [spellings[0] for spellings, _ in questions if not any(callable(names.get(name)) for name in spellings)]
    return (
        f"lacks the function{'s' if len(missing) > 1 else ''} {' and '.join(missing)}, or a class with the methods"
        f" {' and '.join(wanted)}"
    )


def _counted(values: int) -> str:
    return f"{values} value{'s' if values != 1 else ''}"
