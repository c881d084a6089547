"""A Python bot's randomness, which follows from its leg's seed, and the copies of modules of legs that share a process.

It runs inside the sandbox. In a process of one leg the interpreter's own modules draw from the seed. Each use draws by
a hash (BLAKE2b), so that a generator's seed reveals nothing about the leg's seed or about other generators.
"""

from __future__ import annotations

import _blake2
import builtins
import importlib
import os
import random
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

_HASH_BYTES = 64
_SEED_BYTES = 32
_seed_of_random = random.Random.seed


class SeededBytes:
    """A replacement for os.urandom: hashes of a counter, keyed by the leg's seed and the name of the use.

    Two objects with the same seed and use give the same bytes. Other uses give unrelated ones.

    Args:
        seed: The leg's seed, from 0 to 2⁶⁴ − 1.
        use: Name of the use, at most 16 bytes.
    """

    def __init__(self, seed: int, use: bytes) -> None:
        self._key = _blake2.blake2b(seed.to_bytes(8, "little"), person=use).digest()
        self._hashed = 0

    def __call__(self, size: int) -> bytes:
        """Return the next bytes.

        Each call begins a new hash of 64 bytes, so bytes that the last call left over are lost.

        Args:
            size: Number of bytes.

        Raises:
            ValueError: The number is negative.
        """
        if size < 0:
            raise ValueError("negative argument not allowed")
        first, self._hashed = self._hashed, self._hashed - -size // _HASH_BYTES
        counts = range(first, self._hashed)
        return b"".join(_blake2.blake2b(n.to_bytes(8, "little"), key=self._key).digest() for n in counts)[:size]


def seed_interpreter(seed: int) -> None:
    """Have the interpreter's modules draw from a leg's seed, in a process of this leg alone. Nothing is restored later.

    It replaces `os.urandom`, `os.getrandom`, whose flags are then ignored, and `Random.seed`. It seeds the generator of
    `random`, and that of `numpy.random` if this is imported already. `secrets`, `uuid` and generators of numpy draw
    from `os.urandom`, too.

    Args:
        seed: The leg's seed, from 0 to 2⁶⁴ − 1.
    """
    modules: Any = sys.modules
    os.urandom = modules["random"]._urandom = draw = SeededBytes(seed, b"bytes")
    os.getrandom = lambda size, flags=0: draw(size)
    random.Random.seed = _seeding(SeededBytes(seed, b"seeds"))  # type: ignore[method-assign]
    random.seed = modules["random"]._inst.seed
    random.seed()
    if "numpy.random" in modules:
        modules["numpy.random"].seed(list(memoryview(SeededBytes(seed, b"numpy")(_SEED_BYTES)).cast("I")))


def _seeding(draw: SeededBytes) -> Callable[..., None]:
    """Return a replacement for `Random.seed`.

    Given None it draws 32 bytes as the seed, and given a NaN it seeds by 0.

    Args:
        draw: Gives the bytes.
    """

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        """Seed a generator."""
        # NaN would seed by its address. A bot's class could override the comparison.
        nan = isinstance(a, float) and float.__ne__(a, a)
        own = int.from_bytes(draw(_SEED_BYTES), "little") if a is None else 0 if nan else a
        _seed_of_random(self, own, version)

    return seed


class LegModules:
    """A leg's own copies of modules, in a process that legs share. Each is made at its first import, and then stays.

    Args:
        seed: The leg's seed, from 0 to 2⁶⁴ − 1.
        sdks: Names of the contest's modules for bots.
        new_sdk: Called with such a name and the seed. It returns the leg's module.
        library: Code of the library's modules that each leg executes for itself, by name.

    Attributes:
        builtins: The leg's builtins by name, to be set as `__builtins__` of its modules. Their `__import__` finds these
            copies, and ignores everything but the module's name.
    """

    def __init__(
        self,
        seed: int,
        sdks: Collection[str],
        new_sdk: Callable[[str, int], types.ModuleType],
        library: Mapping[str, types.CodeType],
    ) -> None:
        self._seed, self._sdks, self._new_sdk, self._library = seed, sdks, new_sdk, library
        self._made: dict[str, types.ModuleType] = {}
        # Sources that can share a process import neither packages nor parts of them (`leg_isolation`).
        self.builtins = {**vars(builtins), "__import__": lambda name, *_, **__: self.get(name)}

    def get(self, name: str) -> types.ModuleType:
        """Return the leg's own module of this name, always the same object.

        A name of the contest's modules comes first, then one of the library, then one of Python. While a module of the
        library is executed, this returns it incomplete. If it raises an exception, the next call executes it again.

        Raises:
            ImportError: There is no such module.
            Exception: The code of the contest's module, or of one of the library, raises it.
        """
        if name not in self._made:
            if name in self._sdks:
                self._made[name] = self._new_sdk(name, self._seed)
            elif name in self._library:
                self._execute(name, types.ModuleType(name), self._library[name])
            elif name == "random":
                self._made[name] = _own_random(SeededBytes(self._seed, b"seeds"))
            else:
                original = importlib.import_module(name)
                self._made[name] = _COPIERS.get(name, _own_copy)(original)
        return self._made[name]

    def _execute(self, name: str, module: types.ModuleType, code: types.CodeType) -> None:
        """Execute a module of the library as the leg's own, and keep it.

        Decorators of the standard library find it while it is executed.

        Raises:
            BaseException: The module's code raises it. Then the module isn't kept.
        """
        self._made[name] = sys.modules[name] = module
        module.__dict__["__builtins__"] = self.builtins
        try:
            exec(code, module.__dict__)
        except BaseException:
            del self._made[name]
            raise
        finally:
            sys.modules.pop(name, None)


def _copy(module: types.ModuleType) -> types.ModuleType:
    copied = types.ModuleType(module.__name__, module.__doc__)
    copied.__dict__.update(module.__dict__)
    return copied


def _own_copy(module: types.ModuleType) -> types.ModuleType:
    """Return a copy of a module with copies of its functions, so that attributes set on them stay within the leg."""
    copied = _copy(module)
    vars(copied).update({name: _copied(value) for name, value in vars(module).items()})
    return copied


def _copied(value: Any) -> Any:
    """Return a copy of a function written in Python. Other values are returned as they are: no leg can change them."""
    if not isinstance(value, types.FunctionType):
        return value
    copied = types.FunctionType(
        value.__code__, value.__globals__, value.__name__, value.__defaults__, value.__closure__
    )
    copied.__kwdefaults__ = value.__kwdefaults__ and dict(value.__kwdefaults__)
    copied.__dict__.update(value.__dict__)
    return copied


def _own_random(draw: SeededBytes) -> types.ModuleType:
    """Return a copy of `random` whose generators belong to the leg. Without a seed they start from bytes of the leg.

    Args:
        draw: Gives the leg's bytes.
    """
    methods = {name: _copied(value) for name, value in vars(random.Random).items() if not name.startswith("__")}
    kind = type("Random", (random.Random,), {**methods, "seed": _seeding(draw), "__module__": "random"})
    module, shared, instance = _copy(random), kind(), vars(random)["_inst"]
    for name, value in vars(random).items():
        if isinstance(value, types.MethodType | types.BuiltinMethodType) and value.__self__ is instance:
            setattr(module, name, getattr(shared, name))
    vars(module).update(Random=kind, _inst=shared)
    return module


def _own_sys(original: types.ModuleType) -> types.ModuleType:
    """Return the parts of `sys` that show nothing of other legs: `argv` as a copy, `maxsize` and `setrecursionlimit`.

    The last one changes nothing, so the process's limit of recursion stays the same.
    """
    module = types.ModuleType(original.__name__)

    def setrecursionlimit(limit: int) -> None:
        """Do nothing, as if the limit were set.

        Raises:
            ValueError: The limit is below 1.
        """
        if limit < 1:
            raise ValueError("recursion limit must be greater or equal than 1")

    vars(module).update(argv=[*sys.argv], maxsize=sys.maxsize, setrecursionlimit=setrecursionlimit)
    return module


def _own_enum(original: types.ModuleType) -> types.ModuleType:
    """Return `enum` executed again, because a leg can set attributes on its classes.

    While it is executed, the new module is in `sys.modules`.
    """
    assert original.__spec__ and original.__spec__.loader
    module, loader = types.ModuleType(original.__name__), original.__spec__.loader
    sys.modules["enum"] = module
    try:
        exec(loader.get_code("enum"), module.__dict__)  # type: ignore[attr-defined]
    finally:
        sys.modules["enum"] = original
    return module


# How modules are copied whose classes are written in Python, or that show the process.
_COPIERS: dict[str, Callable[[types.ModuleType], types.ModuleType]] = {"enum": _own_enum, "sys": _own_sys}
