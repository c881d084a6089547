"""A Python bot's randomness: each leg has its own copies of modules, which draw from the leg's seed.

It runs inside the sandbox. Each use draws by a hash (BLAKE2b), so that a generator's seed reveals nothing about the
leg's seed or about other generators.
"""

from __future__ import annotations

import _blake2
import builtins
import importlib
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any


class SeededBytes:
    """A replacement for os.urandom: hashes of a counter, keyed by the leg's seed and the name of the use."""

    def __init__(self, seed: int, use: bytes) -> None:
        self._key = _blake2.blake2b(seed.to_bytes(8, "little"), person=use).digest()
        self._hashed = 0

    def __call__(self, size: int) -> bytes:
        if size < 0:
            raise ValueError("negative argument not allowed")
        first, self._hashed = self._hashed, self._hashed - -size // _HASH_BYTES
        counts = range(first, self._hashed)
        return b"".join(_blake2.blake2b(n.to_bytes(8, "little"), key=self._key).digest() for n in counts)[:size]

    def number(self) -> int:
        """Return a seed for a generator."""
        return int.from_bytes(self(_SEED_BYTES), "little")

    def words(self) -> list[int]:
        """Return a seed in the form that numpy takes."""
        return list(memoryview(self(_SEED_BYTES)).cast("I"))


_HASH_BYTES = 64
_SEED_BYTES = 32


class LegModules:
    """A leg's own copies of modules that draw random numbers. They are made at the first import.

    Args:
        seed: The leg's seed.
        sdks: Names of the contest's modules for bots.
        new_sdk: Called with such a name and the seed; returns the leg's module.
        copies: Whether the leg has its own copies of all other modules, too.
        library: Code of the library's modules that each leg executes for itself.

    Attributes:
        library: The same.
        names: The leg's builtins, which these modules get.
    """

    def __init__(
        self,
        seed: int,
        sdks: Collection[str],
        new_sdk: Callable[[str, int], types.ModuleType],
        *,
        copies: bool,
        library: Mapping[str, types.CodeType] | None = None,
    ) -> None:
        self._sdks, self._new_sdk, self._copies = sdks, new_sdk, copies
        self.library = library or {}
        self.names: dict[str, object] = {}
        self.seeds = SeededBytes(seed, b"seeds")
        self.bytes = SeededBytes(seed, b"bytes")
        self._made: dict[str, types.ModuleType] = {}
        self._seeded: set[str] = set()
        self._seed = seed
        os.urandom = SeededBytes(seed, b"urandom")
        self.seed_shared()

    def seed_shared(self) -> None:
        """Seed the shared modules that were imported since the last call."""
        for name in ("random", "numpy.random"):
            module: Any = sys.modules.get(name)
            if module is not None and name not in self._seeded:
                self._seeded.add(name)
                # Drawn apart from the leg's other seeds, because another leg may have imported the module before.
                own = SeededBytes(self._seed, name.encode())
                module.seed(own.number() if name == "random" else own.words())
                if name == "random":
                    module._urandom = os.urandom

    def get(self, name: str) -> types.ModuleType | None:
        """Return the leg's own module of this name, or None if the leg shares the interpreter's."""
        if name not in self._made:
            if name in self._sdks:
                self._made[name] = self._new_sdk(name, self._seed)
            elif name in self.library:
                self._execute(name, types.ModuleType(name), self.library[name])
            elif name in MAKERS:
                self._made[name] = MAKERS[name](self, importlib.import_module(name))
            elif self._copies and name in _COPIERS:
                self._made[name] = _COPIERS[name](self, importlib.import_module(name))
            elif self._copies:
                self._made[name] = _own_copy(importlib.import_module(name))
        return self._made.get(name)

    def _execute(self, name: str, module: types.ModuleType, code: types.CodeType) -> None:
        """Execute a module of the library as the leg's own, while decorators of the library's can find it."""
        self._made[name] = sys.modules[name] = module
        module.__dict__["__builtins__"] = self.names
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
    """Return a copy of a function written in Python. Other values can't be changed, and are returned as they are."""
    if not isinstance(value, types.FunctionType):
        return value
    copied = types.FunctionType(
        value.__code__, value.__globals__, value.__name__, value.__defaults__, value.__closure__
    )
    copied.__kwdefaults__ = value.__kwdefaults__ and dict(value.__kwdefaults__)
    copied.__dict__.update(value.__dict__)
    return copied


def _leg_random(leg: LegModules, original: types.ModuleType) -> types.ModuleType:
    """Return a copy of `random` whose generators belong to the leg. Without a seed they start from the leg's."""
    import random

    class Random(random.Random):
        # Own copies of the methods, because bots can set attributes on them.
        locals().update(
            {name: _copied(value) for name, value in vars(random.Random).items() if not name.startswith("__")}
        )

        def __init__(self, x: Any = None) -> None:
            super().__init__(leg.seeds.number() if x is None else x)

        def seed(self, a: Any = None, version: int = 2) -> None:
            # NaN would seed by its address. A bot's class could override the comparison.
            nan = isinstance(a, float) and float.__ne__(a, a)
            super().seed(leg.seeds.number() if a is None else 0 if nan else a, version)

    class SystemRandom(Random):
        def __init__(self, x: Any = None) -> None:
            super().__init__(0)

        def random(self) -> float:
            return self.getrandbits(53) / (1 << 53)

        def getrandbits(self, k: int) -> int:
            if k < 0:
                raise ValueError("number of bits must be non-negative")
            return int.from_bytes(leg.bytes(-(-k // 8)), "little") & (1 << k) - 1

        def randbytes(self, n: int) -> bytes:
            return leg.bytes(n)

        def seed(self, a: Any = None, version: int = 2) -> None:
            pass

    module = _copy(original)
    shared = Random()
    for name, value in original.__dict__.items():
        if isinstance(value, types.MethodType | types.BuiltinMethodType) and value.__self__ is random._inst:
            setattr(module, name, getattr(shared, name))
    Random.__module__ = SystemRandom.__module__ = "random"
    vars(module).update(Random=Random, SystemRandom=SystemRandom, _inst=shared, _urandom=leg.bytes)
    return module


def _leg_secrets(leg: LegModules, original: types.ModuleType) -> types.ModuleType:
    import base64

    module = _copy(original)
    own_random = leg.get("random")
    assert own_random is not None
    chance = own_random.SystemRandom()

    def token_bytes(nbytes: int | None = None) -> bytes:
        return bytes(chance.randbytes(original.DEFAULT_ENTROPY if nbytes is None else nbytes))

    def token_urlsafe(nbytes: int | None = None) -> str:
        return base64.urlsafe_b64encode(token_bytes(nbytes)).rstrip(b"=").decode()

    vars(module).update(
        choice=chance.choice,
        randbits=chance.getrandbits,
        randbelow=chance.randrange,
        token_bytes=token_bytes,
        token_hex=lambda nbytes=None: token_bytes(nbytes).hex(),
        token_urlsafe=token_urlsafe,
        SystemRandom=own_random.SystemRandom,
    )
    return module


def _leg_os(leg: LegModules, original: types.ModuleType) -> types.ModuleType:
    module = _copy(original)
    vars(module).update(urandom=leg.bytes, getrandom=lambda size, flags=0: leg.bytes(size))
    return module


def _leg_importlib(leg: LegModules, original: types.ModuleType) -> types.ModuleType:
    module = _copy(original)

    def import_module(name: str, package: str | None = None) -> types.ModuleType:
        return leg.get(name) or importlib.import_module(name, package)

    vars(module).update(import_module=import_module)
    return module


def _leg_numpy(leg: LegModules, original: types.ModuleType) -> types.ModuleType:
    module = _copy(original)
    vars(module)["random"] = leg.get("numpy.random")
    return module


def _leg_numpy_random(leg: LegModules, original: types.ModuleType) -> types.ModuleType:
    """Return a copy of `numpy.random` whose generators belong to the leg."""
    module = _copy(original)

    def seeded(kind: Any) -> Any:
        """Return a subclass whose objects take their seed from the leg if they get none."""

        def start(self: Any, *given: Any, **named: Any) -> None:
            if all(value is None for value in (*given[:1], *map(named.get, ("seed", "entropy", "key")))):
                given = (leg.seeds.words(), *given[1:])
                named = {name: value for name, value in named.items() if value is not None}
            kind.__init__(self, *given, **named)

        return type(kind.__name__, (kind,), {"__init__": start, "__module__": kind.__module__})

    for name in ("SeedSequence", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        setattr(module, name, seeded(getattr(original, name)))
    state = seeded(original.RandomState)
    shared = state()
    for name in original.__all__:
        value = getattr(original, name)
        if hasattr(value, "__self__") and hasattr(shared, name):
            setattr(module, name, getattr(shared, name))

    def default_rng(seed: Any = None) -> Any:
        return original.default_rng(leg.seeds.words() if seed is None else seed)

    def seed(seed: Any = None) -> None:
        shared.seed(leg.seeds.words() if seed is None else seed)

    drawn = {"ranf": shared.random_sample, "sample": shared.random_sample}
    vars(module).update(default_rng=default_rng, RandomState=state, seed=seed, **drawn)
    return module


def _leg_sys(leg: LegModules, original: types.ModuleType) -> types.ModuleType:
    """Return the parts of `sys` that show nothing of other legs. The process's limit of recursion stays."""
    module = types.ModuleType(original.__name__)

    def setrecursionlimit(limit: int) -> None:
        if limit < 1:
            raise ValueError("recursion limit must be greater or equal than 1")

    vars(module).update(argv=[*sys.argv], maxsize=sys.maxsize, setrecursionlimit=setrecursionlimit)
    return module


def _leg_enum(leg: LegModules, original: types.ModuleType) -> types.ModuleType:
    """Return `enum` executed again: its classes can be given attributes."""
    assert original.__spec__ and original.__spec__.loader
    module, loader = types.ModuleType(original.__name__), original.__spec__.loader
    sys.modules["enum"] = module
    try:
        exec(loader.get_code("enum"), module.__dict__)  # type: ignore[attr-defined]
    finally:
        sys.modules["enum"] = original
    return module


# Copies for legs that may share a process, of modules whose classes are written in Python or show the process.
_COPIERS: dict[str, Callable[[LegModules, types.ModuleType], types.ModuleType]] = {"enum": _leg_enum, "sys": _leg_sys}
MAKERS: dict[str, Callable[[LegModules, types.ModuleType], types.ModuleType]] = {
    "random": _leg_random,
    "secrets": _leg_secrets,
    "os": _leg_os,
    "importlib": _leg_importlib,
    "numpy": _leg_numpy,
    "numpy.random": _leg_numpy_random,
}


def builtins_of(leg: LegModules) -> dict[str, object]:
    """Return the leg's own builtins, whose `__import__` finds the leg's modules first."""
    original_import = builtins.__import__

    def import_for_leg(
        name: str,
        global_names: dict[str, object] | None = None,
        local_names: dict[str, object] | None = None,
        fromlist: Iterable[str] = (),
        level: int = 0,
    ) -> types.ModuleType:
        if not level and name in leg.library and (of_library := leg.get(name)):
            return of_library
        module = original_import(name, global_names, local_names, tuple(fromlist or ()), level)
        leg.seed_shared()
        found = module.__name__ if level else name  # a library has a random of its own as .random
        own = leg.get(found) if fromlist else leg.get(found.split(".")[0])
        return own or module

    leg.names = {**vars(builtins), "__import__": import_for_leg}
    return leg.names
