"""The interpreter of a Python bot: legs kept apart, chance that repeats, then `engine.processes.python_bots`.

Runs inside the sandbox with the standard library and the packages that the organiser allows. Each leg executes the
bot's file again in a module of its own. The leg's `random`, `numpy.random`, `secrets` and `os` draw from its seed, for
each use by a hash (BLAKE2b): the seed of one generator tells nothing of the leg's or of other generators'.
Legs that share a process also get their own copies of all else that they may reach (`leg_isolation` says what that
is). A leg with a process of its own has all modules; their own chance follows from the leg's seed, too.
"""

from __future__ import annotations

import _blake2
import builtins
import gc
import importlib
import os
import sys
import types

from engine.processes import python_bots
from tournament.sandbox.inside.bot_functions import choose_functions
from tournament.sandbox.inside.function_names import NotChosen

FILE_NAME, ADAPTER_NAME = "<bot>", "<adapter>"
_LOADER = "load_bot"  # the adapter's function that gets the code of the bot's file instead of its being executed
TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    import importlib.machinery
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

_told: dict[str, Any] = {}
_sdks: dict[str, types.CodeType] = {}  # the contest's module for bots, by its name, if it has one
_engine: dict[str, types.ModuleType] = {}  # what that module imports, and bots can't


def prepare(told: dict[str, Any]) -> None:
    """Set up imports: the standard library and the allowed packages, nothing else.

    `told`: name, questions (the names of each, the usual one first), class_name (of the statement, or ""), shows (1
    where the bot is shown something beside arguments, or 0), argument_counts, fields (name, offset, struct code),
    returns (of each question: number, name or value), most_json, told_names (of each question, of values that come by
    name instead, or None), view_size, most_arguments, state_size (of the list f), sdk (file of the contest's module
    for bots, or None), modules (name to file and package folders), imported (names of those that are imported before
    a fork), only_tell and catch_up (of each question), histories (where their length lies, and name and offset of
    each), shares_process (whether legs may share a process), many_legs (whether they share this one), examine (to say
    only whether they may).
    """
    _told.update(told)
    prepare_sdk(told["sdk"])
    if told["examine"]:
        from tournament.sandbox.inside import leg_isolation  # noqa: F401  # while it can be found
    os.environ.update(told["environment"])
    sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") != "Finder"]
    sys.meta_path.append(Packages(told["modules"]))


def prepare_sdk(file: str | None) -> None:
    """Compile the contest's module for bots, and import what it needs while the engine's modules can be found.

    Done once in a process: its forks inherit it.
    """
    if not file or _sdks:
        return
    name = os.path.basename(file).removesuffix(".py")
    with open(file, encoding="utf-8") as source:
        _sdks[name] = compile(source.read(), f"<{name}>", "exec", dont_inherit=True)
    sys.modules[name] = _new_sdk(name)
    _engine.update({name: module for name, module in sys.modules.items() if name.split(".")[0] == "engine"})


def import_packages(
    names: Sequence[str], modules: dict[str, tuple[str, list[str]]], environment: dict[str, str]
) -> None:
    """Import what bots would import in each leg: forks inherit it.

    No chance gets into it, and nothing that it prints among the answers. A package that can't be imported is left to
    the bots, who are told why.
    """
    import random

    os.environ.update(environment)
    kept, urandom = [os.dup(stream) for stream in (1, 2)], (os.urandom, random._urandom)  # type: ignore[attr-defined]
    printed = os.memfd_create("printed")
    finders, sys.meta_path = sys.meta_path, [*sys.meta_path, Packages(modules)]
    try:
        for stream in (1, 2):
            os.dup2(printed, stream)
        os.urandom = random._urandom = _Bytes(0, b"packages")  # type: ignore[attr-defined]
        random.seed(0)
        for name in names:
            try:
                for module in (name, *(made for made in _MAKERS if made.startswith(f"{name}."))):
                    importlib.import_module(module)
            except Exception:
                for loaded in [loaded for loaded in sys.modules if loaded.split(".")[0] == name]:
                    del sys.modules[loaded]
        for output in (sys.stdout, sys.stderr):
            if output is not None:
                output.flush()
    finally:
        sys.meta_path = finders
        os.urandom, random._urandom = urandom  # type: ignore[attr-defined]
        for stream, original in zip((1, 2), kept):
            os.dup2(original, stream)
        for descriptor in (printed, *kept):
            os.close(descriptor)
    gc.collect()
    gc.freeze()  # forks that look for cycles don't look here, which would copy it


def _new_sdk(name: str) -> types.ModuleType:
    """The contest's module for bots, executed again: its classes and functions are one leg's alone."""
    module = types.ModuleType(name)
    sys.modules.update(_engine)
    try:
        exec(_sdks[name], module.__dict__)
    finally:
        for kept in _engine:
            del sys.modules[kept]
    return module


class Packages:
    """Finds the allowed packages, whose folders can't be listed."""

    def __init__(self, modules: dict[str, tuple[str, list[str]]]) -> None:
        self._modules = modules

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self._modules:
            return None
        import importlib.util

        file, folders = self._modules[name]
        return importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders or None)


def serve() -> None:
    """Answer questions until the pipe closes. The adapter and the bot's file are the first messages."""
    questions, answers = os.dup(0), os.dup(1)
    # What a bot prints goes to standard error, not among its answers.
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    adapter, source = [_read_exactly(questions, int.from_bytes(_read_exactly(questions, 4), "little")) for _ in "ab"]
    if _told["examine"]:
        _examine(answers, adapter, source)
        return
    for name in [name for name in sys.modules if name.split(".")[0] in ("tournament", "engine")]:
        del sys.modules[name]
    sys.argv = [_told["name"]]
    sys.orig_argv = [sys.executable, _told["name"]]  # not the words of the process that forked this one
    if _told["many_legs"]:
        gc.disable()  # else a leg could tell by what it lets go of how much the others allocate
    if _told["shares_process"]:  # to know which leg printed what, the same alone as beside others
        stream = None if _told["many_legs"] else sys.stderr
        sys.stdout = sys.stderr = python_bots.LegOutput(_without_addresses, stream)
    bot = _Bot(source, adapter)
    python_bots.serve(
        questions,
        answers,
        bot.new_leg,
        explain,
        argument_counts=_told["argument_counts"],
        view_size=_told["view_size"],
        most_arguments=_told["most_arguments"],
        histories=(_told["histories"][0], [offset for _, offset in _told["histories"][1]]),
        told_numbers=_told_numbers(),
        returns=_told["returns"],
        most_json=_told["most_json"],
    )


def _told_numbers() -> tuple[list[int], ...] | None:
    """Of each question, the numbers of the values that it tells: their places among all names."""
    if _told["told_names"] is None:
        return None
    numbers = {name: number for number, name in enumerate(_all_told())}
    return tuple([numbers[name] for name in names] for names in _told["told_names"])


def _all_told() -> list[str]:
    return list(dict.fromkeys(name for names in _told["told_names"] or () for name in names))


def _examine(answers: int, adapter: bytes, source: bytes) -> None:
    """Write why the bot's legs must not share a process, nothing if they may. The bot is not executed."""
    from tournament.sandbox.inside.leg_isolation import isolation_violation

    sdks = {name: _new_leg_sdk(name, 0) for name in _sdks}
    public = {name: frozenset(sdk.__all__) for name, sdk in sdks.items()}
    shown = {
        attribute for name, sdk in sdks.items() for given in public[name] for attribute in dir(getattr(sdk, given))
    }
    shown.update((name for name, *_ in (*_told["fields"], *_told["histories"][1])), _all_told())
    shown.add("f")
    os.write(answers, isolation_violation(source, public, shown, adapter).encode())


def _new_leg_sdk(name: str, seed: int) -> Any:
    """The contest's module for bots with what depends on the leg's seed."""
    module = _new_sdk(name)
    vars(module).update(module.for_leg(seed))
    return module


def _read_exactly(descriptor: int, size: int) -> bytes:
    content = b""
    while len(content) < size:
        chunk = os.read(descriptor, size - len(content))
        if not chunk:
            sys.exit(0)
        content += chunk
    return content


class _Bot:
    """A bot's file, from which each leg gets a bot of its own, and the contest's adapter, empty if it has none."""

    def __init__(self, source: bytes, adapter: bytes) -> None:
        self._source, self._adapter = source, adapter
        self._code: tuple[types.CodeType, types.CodeType] | None = None
        # One class for all legs: those that share a process can't reach it, and lookups by class stay fast.
        fields = {name: python_bots.Field(offset, code) for name, offset, code in _told["fields"]}
        histories = {name: python_bots.History(number) for number, (name, _) in enumerate(_told["histories"][1])}
        told = {
            name: python_bots.Value(
                number, {kind: names.index(name) for kind, names in enumerate(_told["told_names"]) if name in names}
            )
            for number, name in enumerate(_all_told())
        }
        names = {"field_names": (*fields, *told)}
        self._view = type("Bot", (python_bots.View,), {**fields, **histories, **told, **names})

    def new_leg(self, seed: int) -> tuple[python_bots.View, tuple[Callable[..., object] | None, ...]]:
        """What the bot is shown, and the functions that answer its questions, None for one that catches up."""
        if self._code is None:
            parts = ((self._adapter, ADAPTER_NAME), (self._source, FILE_NAME))
            adapter, code = [compile(source, name, "exec", dont_inherit=True) for source, name in parts]
            self._code = adapter, code
        # No module that can be imported has a name with a dot and this beginning.
        name = f"bot.{_told['name']}"
        module = types.ModuleType(name)
        module.__file__ = FILE_NAME
        modules = _LegModules(seed)
        module.__dict__["__builtins__"] = _builtins(modules)
        # Decorators such as dataclass look for the module of the class that they are given.
        sys.modules[name] = module
        try:
            of_adapter = _execute(*self._code, module.__dict__)
        finally:
            sys.modules.pop(name, None)  # not by the name that it has now: bots may give it another
        view = self._view()
        if _told["state_size"]:
            view.f = [0] * _told["state_size"]
        given = [count + _told["shows"] for count in _told["argument_counts"]]
        asked = zip(_told["questions"], given, _told["catch_up"])
        questions = [(names, count) for names, count, catches_up in asked if not catches_up]
        functions = _choose(module, of_adapter, questions)
        for name in _sdks:
            sdk: Any = modules.get(name)
            functions = tuple(map(sdk.answering, functions))
        answering = iter(functions)
        return view, tuple(
            None if catches_up else _listening(next(answering), only_tells)
            for catches_up, only_tells in zip(_told["catch_up"], _told["only_tell"])
        )


def _execute(adapter: types.CodeType, code: types.CodeType, space: dict[str, object]) -> dict[str, object]:
    """Execute the adapter and then the bot's file; returns the adapter's names with their values."""
    before = dict(space)
    exec(adapter, space)
    of_adapter = {name: value for name, value in space.items() if before.get(name) is not value}
    load = of_adapter.get(_LOADER)
    if callable(load):
        load(code)
    else:
        exec(code, space)
    return of_adapter


def _choose(
    module: types.ModuleType, of_adapter: dict[str, object], questions: Sequence[tuple[Sequence[str], int]]
) -> tuple[Callable[..., object], ...]:
    """Return the functions that answer the questions: the adapter's, or the bot's own if the adapter has none.

    A class of the adapter's from which the bot derives its own isn't the adapter's answer.

    Raises:
        NotChosen: No function or class fits, or two do.
    """
    name, class_name = _told["name"], _told["class_name"]
    if of_adapter:
        bases = {base for value in vars(module).values() if isinstance(value, type) for base in value.__mro__[1:]}
        alone = types.ModuleType(module.__name__)
        vars(alone).update(
            {key: value for key, value in of_adapter.items() if not (isinstance(value, type) and value in bases)}
        )
        try:
            return choose_functions(alone, name, questions, class_name, may_be_copy=False)
        except NotChosen:
            pass
    return choose_functions(module, name, questions, class_name)


def _listening(function: Callable[..., object], only_tells: bool) -> Callable[..., object]:
    """A function whose answer is ignored may return anything, also nothing."""
    if not only_tells:
        return function

    def call(*arguments: object) -> int:
        function(*arguments)
        return 0

    return call


class _Bytes:
    """Replaces os.urandom: hashes of a counter, with a key that follows from the leg's seed and the use's name."""

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
        """A seed for a generator."""
        return int.from_bytes(self(_SEED_BYTES), "little")

    def words(self) -> list[int]:
        """A seed as numpy takes it."""
        return list(memoryview(self(_SEED_BYTES)).cast("I"))


_HASH_BYTES = 64
_SEED_BYTES = 32  # of a generator


class _LegModules:
    """A leg's own copies of modules that draw chance, made when they are first imported."""

    def __init__(self, seed: int) -> None:
        self.seeds = _Bytes(seed, b"seeds")
        self.bytes = _Bytes(seed, b"bytes")
        self._made: dict[str, types.ModuleType] = {}
        self._seeded: set[str] = set()
        self._seed = seed
        os.urandom = _Bytes(seed, b"urandom")
        self.seed_shared()

    def seed_shared(self) -> None:
        """Seed the shared modules that have been imported since."""
        for name in ("random", "numpy.random"):
            module: Any = sys.modules.get(name)
            if module is not None and name not in self._seeded:
                self._seeded.add(name)
                # Not from the leg's other seeds: whether another leg has imported it must make no difference.
                own = _Bytes(self._seed, name.encode())
                module.seed(own.number() if name == "random" else own.words())
                if name == "random":
                    module._urandom = os.urandom

    def get(self, name: str) -> types.ModuleType | None:
        """The leg's own module of that name, None if it shares the interpreter's."""
        if name not in self._made:
            if name in _sdks:
                self._made[name] = _new_leg_sdk(name, self._seed)
            elif name in _MAKERS:
                self._made[name] = _MAKERS[name](self, importlib.import_module(name))
            elif _told["shares_process"]:
                self._made[name] = _own_copy(importlib.import_module(name))
        return self._made.get(name)


def _copy(module: types.ModuleType) -> types.ModuleType:
    copied = types.ModuleType(module.__name__, module.__doc__)
    copied.__dict__.update(module.__dict__)
    return copied


def _own_copy(module: types.ModuleType) -> types.ModuleType:
    """A module whose functions may be given attributes that are seen nowhere else."""
    copied = _copy(module)
    vars(copied).update({name: _copied(value) for name, value in vars(module).items()})
    return copied


def _copied(value: Any) -> Any:
    """A copy of a function that is written in Python; other values, which can't be changed, as they are."""
    if not isinstance(value, types.FunctionType):
        return value
    copied = types.FunctionType(
        value.__code__, value.__globals__, value.__name__, value.__defaults__, value.__closure__
    )
    copied.__kwdefaults__ = value.__kwdefaults__ and dict(value.__kwdefaults__)
    copied.__dict__.update(value.__dict__)
    return copied


def _leg_random(leg: _LegModules, original: types.ModuleType) -> types.ModuleType:
    """`random` with a generator of the leg's own; without a seed, new ones start from its chance."""
    import random

    class Random(random.Random):
        # Methods of its own, which may be given attributes.
        locals().update(
            {name: _copied(value) for name, value in vars(random.Random).items() if not name.startswith("__")}
        )

        def __init__(self, x: Any = None) -> None:
            super().__init__(leg.seeds.number() if x is None else x)

        def seed(self, a: Any = None, version: int = 2) -> None:
            # NaN would seed by its address, and a class of the bot's may say that it is none.
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


def _leg_secrets(leg: _LegModules, original: types.ModuleType) -> types.ModuleType:
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


def _leg_os(leg: _LegModules, original: types.ModuleType) -> types.ModuleType:
    module = _copy(original)
    vars(module).update(urandom=leg.bytes, getrandom=lambda size, flags=0: leg.bytes(size))
    return module


def _leg_importlib(leg: _LegModules, original: types.ModuleType) -> types.ModuleType:
    module = _copy(original)

    def import_module(name: str, package: str | None = None) -> types.ModuleType:
        return leg.get(name) or importlib.import_module(name, package)

    vars(module).update(import_module=import_module)
    return module


def _leg_numpy(leg: _LegModules, original: types.ModuleType) -> types.ModuleType:
    module = _copy(original)
    vars(module)["random"] = leg.get("numpy.random")
    return module


def _leg_numpy_random(leg: _LegModules, original: types.ModuleType) -> types.ModuleType:
    """`numpy.random` with generators of the leg's own: nothing in it takes chance from elsewhere."""
    module = _copy(original)

    def seeded(kind: Any) -> Any:
        """The class, with objects that take their seed from the leg where none is given."""

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


_MAKERS: dict[str, Callable[[_LegModules, types.ModuleType], types.ModuleType]] = {
    "random": _leg_random,
    "secrets": _leg_secrets,
    "os": _leg_os,
    "importlib": _leg_importlib,
    "numpy": _leg_numpy,
    "numpy.random": _leg_numpy_random,
}


def _builtins(leg: _LegModules) -> dict[str, object]:
    """The builtins of a leg: an own dictionary, and imports that find the leg's modules first."""
    original_import = builtins.__import__

    def import_for_leg(
        name: str,
        global_names: dict[str, object] | None = None,
        local_names: dict[str, object] | None = None,
        fromlist: Iterable[str] = (),
        level: int = 0,
    ) -> types.ModuleType:
        module = original_import(name, global_names, local_names, tuple(fromlist or ()), level)
        leg.seed_shared()
        own = leg.get(name) if fromlist else leg.get(name.split(".")[0])
        return own or module

    return {**vars(builtins), "__import__": import_for_leg}


def explain(problem: BaseException) -> str:
    """An exception in one line: what it is, and the place in the bot's file."""
    import traceback

    if isinstance(problem, NotChosen):
        return str(problem)
    if isinstance(problem, SyntaxError):
        of_adapter = " of the adapter" if problem.filename == ADAPTER_NAME else ""
        where = f" (line {problem.lineno}{of_adapter})" if problem.lineno else ""
        return f"{type(problem).__name__}: {problem.msg}{where}"
    places = traceback.extract_tb(problem.__traceback__)
    frames = [frame for frame in places if frame.filename == FILE_NAME] or [
        frame for frame in places if frame.filename == ADAPTER_NAME
    ]
    where = ""
    if frames:
        place = frames[-1]
        inside = " of the adapter" if place.filename == ADAPTER_NAME else ""
        inside += "" if place.name == "<module>" else f" in {place.name}"
        called = f", called on line {frames[-2].lineno} in {frames[-2].name}" if len(frames) > 1 else ""
        where = f" (line {place.lineno}{inside}{called.replace(' in <module>', '')})"
    try:
        text = str(problem)
    except BaseException:
        text = ""
    lines = _without_addresses(text).strip().splitlines()
    if isinstance(problem, ModuleNotFoundError):
        where += "; bots may import the standard library and what [sandbox] python_packages names"
    return f"{type(problem).__name__}{': ' + lines[0][:250] if lines else ''}{where}"


def _without_addresses(text: str) -> str:
    """A text without where objects lie: it tells no one anything, and hangs on which legs share the process."""
    import re

    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)
