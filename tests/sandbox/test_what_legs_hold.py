"""What a leg that shares its process can get hold of is its own, or nobody can change it.

By two ways: all that two legs reach from what they are given, and all that the library's functions hand out to whatever
they are given. Neither knows the judge's lists of what is dangerous.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import itertools
import json
import random
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tournament.contests.holdem_training import HOLDEM_TRAINING
from tournament.sandbox.inside.leg_isolation import MODULES

SDK = HOLDEM_TRAINING.interface.python.sdk

# Runs where it may change the interpreter: two legs, and the paths to what both reach and could change.
_TWO_LEGS = """
import builtins, json, sys, types
from collections import deque
from functools import cache
from tournament.sandbox.inside import leg_isolation, python_host
from tournament.sandbox.inside.leg_isolation import MODULES, why_apart

python_host._told.update(legs_share=True, name="bot")
python_host.prepare_sdk(sys.argv[1])
SDK = {"texas": frozenset(python_host._new_leg_sdk("texas", 0).__all__)}

@cache
def may_read(name):
    if not name.isidentifier():
        return False
    # Where the source has that name for something of its own.
    return why_apart(f"x.{name}".encode(), SDK) == "" or why_apart(f"class K: {name} = x.{name}".encode(), SDK) == ""

def held(leg):
    for name, known in {**MODULES, **SDK}.items():
        module = leg.get(name)
        for public in known:
            if why_apart(f"from {name} import {public}\\nx = {public}".encode(), SDK) == "":
                yield f"{name}.{public}", getattr(module, public)
    for name, value in python_host._builtins(leg).items():
        if name.isidentifier() and why_apart(f"x = {name}".encode(), SDK) == "":
            yield name, value
    own = leg.get("random")
    yield "generator", own.Random(1)
    yield "bound", own.random
    yield "record", leg.get("collections").namedtuple("T", "a b")(1, 2)
    yield "cached", leg.get("functools").lru_cache(lambda x: x)
    yield "partial", leg.get("functools").partial(print)
    yield "merged", leg.get("heapq").merge([1], [2])

def reached(leg):
    # id -> path and object
    found, waiting = {}, list(held(leg))
    while waiting:
        path, value = waiting.pop()
        if id(value) in found or type(value) in (int, float, complex, str, bytes, bool):
            continue
        found[id(value)] = path, value
        assert len(found) < 100_000, path
        kinds = [*type(value).__mro__, *(value.__mro__ if isinstance(value, type) else ())]
        for name in {*dir(value), *(name for kind in kinds for name in vars(kind))}:  # an Enum's dir hides some
            if may_read(name):
                try:
                    waiting.append((f"{path}.{name}", getattr(value, name)))
                except Exception:
                    pass
        if isinstance(value, (list, tuple, set, frozenset, deque)):
            waiting += [(f"{path}[]", inner) for inner in value]
        if isinstance(value, (dict, types.MappingProxyType)):
            waiting += [(f"{path}[]", inner) for pair in value.items() for inner in pair]
        if isinstance(value, type) and hasattr(value, "__members__"):
            waiting += [(f"{path}()", inner) for inner in value]
    return found

def may_change(value):
    if isinstance(value, (list, dict, set, bytearray, deque)):
        return True
    try:
        value.left_by_a_leg = 1
    except (AttributeError, TypeError):
        return False
    return True

one, other = (reached(python_host._LegModules(seed)) for seed in (1, 2))
common = {number for number in one.keys() & other.keys() if one[number][1] is other[number][1]}
print(json.dumps([len(one), sorted(one[number][0] for number in common if may_change(one[number][1]))]))
"""


def test_two_legs_reach_nothing_in_common_that_one_could_change() -> None:
    assert SDK is not None
    done = subprocess.run([sys.executable, "-c", _TWO_LEGS, str(SDK.file)], capture_output=True, text=True, check=True)
    reached, common = json.loads(done.stdout)
    assert reached > 300
    assert common == []


class _Enough(BaseException):
    pass


def _itself(spy: object) -> object:
    return spy


def _spy(base: type, seen: list[object]) -> Any:
    """A class that notes all that its objects are given, and gives itself out for a number, text or list."""

    def noting(name: str) -> Callable[..., object]:
        def method(*given: Any, **named: Any) -> Any:
            if len(seen) > 200:  # a loop that spies keep going
                raise _Enough
            seen.extend([None, *given[1:], *named.values()])
            return _ANSWERS.get(name, _itself)(given[0] if given else None)

        return method

    kind: Any = type(
        "Spy", (base,), {name: noting(name) for name in _METHODS if base is object or name not in _OF_BASES}
    )
    # Of a class itself that is passed where an object is expected: these need none.
    for name in ("as_integer_ratio", "numerator", "denominator", "is_integer"):
        setattr(kind, name, staticmethod(lambda: (1, 2)))
    return kind


_SPECIAL = """add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv pow rpow mod rmod divmod iadd neg abs
    lt le gt ge getitem setitem call iter next len index int float bool contains reversed str repr"""
_ORDINARY = "encode decode split replace isidentifier is_finite conjugate startswith append items keys values"
_METHODS = [*(f"__{name}__" for name in _SPECIAL.split()), *_ORDINARY.split()]
_OF_BASES = {"__len__", "__iter__", "__next__", "__getitem__", "__call__", "__bool__", "__str__", "__repr__"}
_ANSWERS: dict[str, Callable[[Any], object]] = {
    "__len__": lambda self: 3,
    "__iter__": lambda self: iter([self, 2, 1]),
    "__next__": lambda self: self,
    "__index__": lambda self: 2,
    "__int__": lambda self: 2,
    "__float__": lambda self: 2.0,
    "__bool__": lambda self: True,
    "__lt__": lambda self: True,
    "__le__": lambda self: True,
    "__gt__": lambda self: False,
    "__ge__": lambda self: False,
    "__contains__": lambda self: False,
    "__str__": lambda self: "spy",
    "__repr__": lambda self: "spy",
    "isidentifier": lambda self: True,
    "is_finite": lambda self: True,
    "startswith": lambda self: False,
}


def _functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """What legs may call that is written in Python."""
    for name, public in MODULES.items():
        module = importlib.import_module(name)
        for value in (getattr(module, known) for known in sorted(public)):
            if isinstance(value, types.FunctionType):
                yield f"{name}.{value.__name__}", value
    generator = random.Random(5)
    for name, value in vars(random.Random).items():
        if isinstance(value, types.FunctionType) and not name.startswith("_"):
            yield f"Random.{name}", getattr(generator, name)


FUNCTIONS = dict(_functions())


def _handed_out(function: Callable[..., object]) -> Iterator[object]:
    """All that a function gives to what it is given, or returns."""
    seen: list[object] = []
    kinds = [_spy(base, seen) for base in (object, int, float, str, list)]
    # Each as an object, a class, and in lists.
    given = [*(kind("1") if issubclass(kind, str) else kind() for kind in kinds), *kinds, None, 3, "ab", b"YQ=="]
    given += [[value] for value in given[:10]] + [[3, 1, 2]]
    signature = inspect.signature(function)
    names = [p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
    for count in (1, 2):
        for arguments in itertools.product(given, repeat=count):
            for named in ({}, *({name: kind()} for name in names for kind in kinds[:1] if count == 1)):
                with contextlib.suppress(Exception, _Enough):
                    result = function(*arguments, **named)
                    if isinstance(result, types.GeneratorType):
                        result = list(itertools.islice(result, 5))
                    elif callable(result):
                        seen.append(result)
                        result = result(*arguments)
                    seen.append(result)
                yield from seen
                seen.clear()


_IMMUTABLE_TYPE, _HEAP_TYPE = 1 << 8, 1 << 9  # Py_TPFLAGS


def _is_the_librarys(value: object) -> bool:
    """Whether an object is one of the library's own that could be changed, or `type`, which gives others."""
    if isinstance(value, type):
        own = value.__name__ in ("Spy", "spy") or value.__module__ == __name__
        return not own and (value is type or value.__flags__ & (_HEAP_TYPE | _IMMUTABLE_TYPE) == _HEAP_TYPE)
    if isinstance(value, types.ModuleType):
        return True
    if isinstance(value, types.FunctionType):
        return getattr(sys.modules.get(value.__module__), value.__name__, None) is value
    return _is_the_librarys(type(value)) and type(value).__module__ != "functools"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_what_the_library_does_in_python_hands_out_nothing_of_its_own(name: str) -> None:
    assert [value for value in _handed_out(FUNCTIONS[name]) if _is_the_librarys(value)] == []
