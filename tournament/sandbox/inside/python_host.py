"""Hosts a Python bot: separates legs, makes their randomness repeatable, and runs `engine.processes.python_bots`.

It runs inside the sandbox with the standard library and the packages that the organiser allows. Each leg executes the
bot's file in a module of its own, and its randomness follows from its seed (`leg_chance`). Legs that share a process
get their own copies of everything that they can reach (`leg_isolation`). A leg with a process of its own has all
modules.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import os
import random
import sys
import types

from engine.processes import python_bots
from tournament.library import Library, mentioned
from tournament.sandbox.inside.bot_functions import choose_functions
from tournament.sandbox.inside.function_names import NotChosen
from tournament.sandbox.inside.leg_chance import LegModules, SeededBytes, seed_interpreter

FILE_NAME, ADAPTER_NAME = "<bot>", "<adapter>"
_DEEPEST = 10_000  # calls within each other that a bot may have that shares a process and sets that limit
_LOADER = "load_bot"  # the adapter's function that receives the bot's code, which is then not executed
TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    import importlib.machinery
    from collections.abc import Callable, Sequence
    from typing import Any

_told: dict[str, Any] = {}
_sdks: dict[str, types.CodeType] = {}  # the contest's module for bots, by name
_engine: dict[str, types.ModuleType] = {}  # modules that it imports, and bots can't


def prepare(settings: dict[str, Any]) -> None:
    """Set up imports: the standard library and the allowed packages, nothing else.

    Args:
        settings: Values by these names, which must not be changed later. name: the bot's name. questions: for each
            question the accepted names, the usual one first. class_name: of the statement, or "". passes_view: whether
            functions receive the object with all values. parameters: for each question the offset and struct code of
            the values passed one by one. fields: name, offset and struct code of each. returns: for each question
            number, name or value. most_json: maximum bytes of an answer as JSON. told_names: for each question the
            names of values that are passed by name, or None if no question passes any. view_size: bytes of the view.
            state_size: length of the list f, 0 for no list. sdk: file of the contest's module for bots, or None.
            modules: file and package folders by name. imported: names that are imported before a fork. environment:
            variables to set. only_tell, catch_up, optional: flags of each question. histories: offset of their length,
            and name and offset of each. shares_process: whether legs can share a process. many_legs: whether they share
            this one. examine: whether `serve` only reports whether legs can share one. only_starts: whether it only
            reports whether a leg can begin.

    Raises:
        OSError: The contest's module can't be read.
        SyntaxError: The contest's module isn't valid Python.
        Exception: The code of the contest's module raises it.
    """
    _told.update(settings)
    prepare_sdk(settings["sdk"])
    if settings["examine"]:
        from tournament.sandbox.inside import leg_isolation  # noqa: F401  # while it can be found
    os.environ.update(settings["environment"])
    sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") != "Finder"]
    sys.meta_path.append(Packages(settings["modules"]))


def prepare_sdk(file: str | None) -> None:
    """Compile and execute the contest's module for bots. Its imports happen while the engine's modules can be found.

    This happens once in a process, and later calls do nothing. Its forks inherit the result.

    Args:
        file: The module's file, or None if the contest has none.

    Raises:
        OSError: The file can't be read.
        SyntaxError: The file isn't valid Python.
        UnicodeDecodeError: The file isn't UTF-8.
        Exception: Its code raises it.
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
    """Import packages in the server, in the order of their names here, so that forks inherit them.

    Their imports draw from a fixed seed, and what they print is discarded. If an import fails, the package is left to
    the bots, which then get the error. At the end all present objects are kept out of garbage collections.

    Args:
        names: Names of the packages. With numpy, `numpy.random` is imported, too.
        modules: File and package folders of each module, by name.
        environment: Variables to set before. They stay set.

    Raises:
        OSError: The output can't be redirected.
    """
    os.environ.update(environment)
    kept, urandom = [os.dup(stream) for stream in (1, 2)], (os.urandom, random._urandom)  # type: ignore[attr-defined]
    printed = os.memfd_create("printed")
    finders, sys.meta_path = sys.meta_path, [*sys.meta_path, Packages(modules)]
    try:
        for stream in (1, 2):
            os.dup2(printed, stream)
        os.urandom = random._urandom = SeededBytes(0, b"packages")  # type: ignore[attr-defined]
        random.seed(0)
        for name in names:
            try:
                for module in (name, *["numpy.random"] * (name == "numpy")):
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
    gc.freeze()  # collections in forks skip these objects, because visiting them would copy their pages


def _new_sdk(name: str) -> types.ModuleType:
    """Execute the contest's module for bots again, and return it. Its classes and functions belong to one leg.

    Raises:
        Exception: The module's code raises it.
    """
    module = types.ModuleType(name)
    sys.modules.update(_engine)
    try:
        exec(_sdks[name], module.__dict__)
    finally:
        for kept in _engine:
            del sys.modules[kept]
    return module


class Packages:
    """A finder of the allowed packages, whose folders can't be listed.

    Args:
        modules: File and package folders of each module, by name.
    """

    def __init__(self, modules: dict[str, tuple[str, list[str]]]) -> None:
        self._modules = modules

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of an allowed module, or None for other names. Path and target are ignored."""
        if name not in self._modules:
            return None
        import importlib.util

        file, folders = self._modules[name]
        return importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders or None)


def serve() -> None:
    """Answer questions until the pipe closes. The first messages are the adapter, the bot's file and the library.

    Each is preceded by its length in four bytes, the lowest first. The adapter and the library can be empty. The
    library is JSON with the sources by path. Exit with the status 0 if the pipe closes before they are complete.

    If the settings ask for an examination, this writes its result and returns. If they ask for a start, it writes the
    outcome and ends the process. Before it answers, it moves the pipes away from standard input and output.
    """
    questions, answers = os.dup(0), os.dup(1)
    # Print to standard error, not among the answers.
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    adapter, source, library = [
        _read_exactly(questions, int.from_bytes(_read_exactly(questions, 4), "little")) for _ in "abc"
    ]
    files: dict[str, str] = {}
    if library:
        import json

        files = json.loads(library)
    if _told["examine"]:
        _examine(answers, adapter, source, files)
        return
    own = Library(files)
    if library and not _told["shares_process"]:
        sys.meta_path.insert(0, own)
    for name in [name for name in sys.modules if name.split(".")[0] in ("tournament", "engine")]:
        del sys.modules[name]
    sys.argv = [_told["name"]]
    sys.orig_argv = [sys.executable, _told["name"]]  # hides the server's command
    if _told["many_legs"]:
        gc.disable()  # collections would show a leg how much the others allocate
    if _told["shares_process"]:  # attributes output to its leg, also if the leg is alone
        if b"setrecursionlimit" in adapter + source + library:
            sys.setrecursionlimit(_DEEPEST)
        stream = None if _told["many_legs"] else sys.stderr
        sys.stdout = sys.stderr = python_bots.LegOutput(_without_addresses, stream)
    bot = _Bot(source, adapter, own)
    if _told["only_starts"]:
        _report_start(answers, bot)
    python_bots.serve(
        questions,
        answers,
        bot.new_leg,
        explain,
        parameters=_told["parameters"],
        view_size=_told["view_size"],
        passes_view=_told["passes_view"],
        histories=_told["histories"],
        told_numbers=_told_numbers(),
        returns=_told["returns"],
        most_json=_told["most_json"],
    )


def _told_numbers() -> tuple[list[int], ...] | None:
    """Return, for each question, the indices of its values in `_all_told`, in the order in which it passes them.

    None means that no question passes values by name.
    """
    if _told["told_names"] is None:
        return None
    numbers = {name: number for number, name in enumerate(_all_told())}
    return tuple([numbers[name] for name in names] for names in _told["told_names"])


def _all_told() -> list[str]:
    """Return the names of all values that are passed by name, each once, in the order of the questions."""
    return list(dict.fromkeys(name for names in _told["told_names"] or () for name in names))


def _examine(answers: int, adapter: bytes, source: bytes, library: dict[str, str]) -> None:
    """Write why the bot's legs must not share a process, nothing if they can. The bot isn't executed.

    Args:
        answers: Descriptor to write to.
        adapter: The contest's adapter, b"" if there is none.
        source: The bot's file.
        library: Sources of the library, by path. Only files that the bot or the adapter can import are checked.

    Raises:
        Exception: The code of the contest's module for bots raises it.
    """
    from tournament.sandbox.inside.leg_isolation import isolation_violation

    sdks = {name: _new_leg_sdk(name, 0) for name in _sdks}
    public = {name: frozenset(sdk.__all__) for name, sdk in sdks.items()}
    attributes = {
        attribute for name, sdk in sdks.items() for given in public[name] for attribute in dir(getattr(sdk, given))
    }
    attributes.update((name for name, *_ in (*_told["fields"], *_told["histories"][1])), _all_told())
    attributes.add("f")
    files = mentioned(adapter + b"\n" + source, library)
    os.write(answers, isolation_violation(source, public, attributes, adapter, files).encode())


def _report_start(answers: int, bot: _Bot) -> None:
    """Begin a leg with the seed 0, report the outcome, and end this process with the status 0.

    The report is "s" for success, "m" for a lack of memory, or "f" and the reason of another failure.

    Args:
        answers: Descriptor to write to.
        bot: The bot.
    """
    try:
        bot.new_leg(0)
        outcome = b"s"
    except MemoryError:
        outcome = b"m"
    except BaseException as problem:
        outcome = b"f" + python_bots.explained(explain, problem)
    os.write(answers, outcome)
    os._exit(0)


def _new_leg_sdk(name: str, seed: int) -> Any:
    """Return the contest's module for bots with the parts that depend on the leg's seed."""
    module = _new_sdk(name)
    vars(module).update(module.for_leg(seed))
    return module


def _read_exactly(descriptor: int, size: int) -> bytes:
    """Return this many bytes of a pipe. Exit with the status 0 if it closes before."""
    content = b""
    while len(content) < size:
        chunk = os.read(descriptor, size - len(content))
        if not chunk:
            sys.exit(0)
        content += chunk
    return content


class _Bot:
    """A bot's file, which makes a new bot for each leg, and the contest's adapter, empty if there is none."""

    def __init__(self, source: bytes, adapter: bytes, library: Library) -> None:
        self._source, self._adapter, self._library = source, adapter, library
        self._code: tuple[types.CodeType, types.CodeType] | None = None
        self._modules: dict[str, types.CodeType] | None = None
        # One class for all legs. Legs that share a process can't reach it, and lookups by class stay fast.
        fields = {name: python_bots.Field(offset, code) for name, offset, code in _told["fields"]}
        values = {name: python_bots.Value(number) for number, name in enumerate(_all_told())}
        names = {"field_names": (*fields, *values)}
        self._view = type("Bot", (python_bots.View,), {**fields, **values, **names})

    def _compiled_library(self) -> dict[str, types.CodeType]:
        """Return the code of the library's modules that the bot or its adapter can import, by name.

        Each leg executes it for itself. It is compiled once, and the dictionary is shared.

        Raises:
            SyntaxError: A module isn't valid Python.
        """
        if self._modules is None:
            files = mentioned(self._adapter + b"\n" + self._source, self._library.files)
            self._modules = {
                path.removesuffix(".py"): compile(text, path, "exec", dont_inherit=True) for path, text in files.items()
            }
        return self._modules

    def new_leg(self, seed: int) -> tuple[python_bots.View, tuple[Callable[..., object] | None, ...]]:
        """Return the object that the bot is shown, and the function for each question, None if there is none.

        The functions are in the order of the settings' questions. Functions of questions that only inform return 0.

        Args:
            seed: The start of all that is random in the leg, from 0 to 2⁶⁴ − 1.

        Raises:
            NotChosen: No function or class fits, or two do.
            SyntaxError: The bot, its adapter or a module of the library isn't valid Python.
            BaseException: The code of the bot, of its adapter, or of a module that they import raises it.
        """
        if self._code is None:
            parts = ((self._adapter, ADAPTER_NAME), (self._source, FILE_NAME))
            adapter, code = [compile(source, name, "exec", dont_inherit=True) for source, name in parts]
            self._code = adapter, code
        # No importable module has a name that begins so.
        name = f"bot.{_told['name']}"
        module = types.ModuleType(name)
        module.__file__ = FILE_NAME
        if _told["shares_process"]:
            modules = LegModules(seed, _sdks, _new_leg_sdk, self._compiled_library())
            module.__dict__["__builtins__"] = modules.builtins
            sdks = map(modules.get, _sdks)
        else:
            seed_interpreter(seed)
            sys.modules.update({sdk: _new_leg_sdk(sdk, seed) for sdk in _sdks})
            self._library.forget(vars(builtins))
            sdks = map(sys.modules.__getitem__, _sdks)
        # Decorators such as dataclass look up the module of a class.
        sys.modules[name] = module
        try:
            adapter_names = _execute(*self._code, module.__dict__)
        finally:
            sys.modules.pop(name, None)  # bots can change the module's own name
        view = self._view()
        if _told["state_size"]:
            view.f = [0] * _told["state_size"]
        counts = [len(values) + _told["passes_view"] for values in _told["parameters"]]
        questions = list(enumerate(zip(_told["questions"], counts)))
        required = [kind for kind, _ in questions if not (_told["catch_up"][kind] or _told["optional"][kind])]
        news = [kind for kind, _ in questions if _told["optional"][kind]]
        by_kind = [[question for kind, question in questions if kind in chosen] for chosen in (required, news)]
        functions = _choose(module, adapter_names, *by_kind)
        sdk: Any
        for sdk in sdks:
            functions = tuple(map(sdk.answering, functions))
        answering = dict(zip([*required, *news], functions))
        return view, tuple(_listening(answering.get(kind), is_news) for kind, is_news in enumerate(_told["only_tell"]))


def _execute(adapter: types.CodeType, code: types.CodeType, space: dict[str, object]) -> dict[str, object]:
    """Execute the adapter and then the bot's file. Return the adapter's names with their values.

    If the adapter has a function `load_bot`, this gets the bot's code instead, which is then not executed here.

    Args:
        adapter: Code of the adapter, which can be empty.
        code: Code of the bot's file.
        space: Names of the module, to which both add.

    Raises:
        BaseException: The adapter or the bot raises it.
    """
    before = dict(space)
    exec(adapter, space)
    adapter_names = {name: value for name, value in space.items() if before.get(name) is not value}
    load = adapter_names.get(_LOADER)
    if callable(load):
        load(code)
    else:
        exec(code, space)
    return adapter_names


def _choose(
    module: types.ModuleType,
    of_adapter: dict[str, object],
    questions: Sequence[tuple[Sequence[str], int]],
    news: Sequence[tuple[Sequence[str], int]],
) -> tuple[Callable[..., object] | None, ...]:
    """Return the functions that answer the questions: the adapter's, or the bot's own if the adapter has none.

    They are in the order of the questions. Those that receive news follow in their order, with None for a missing one.
    A class of the adapter that is a base of the bot's class doesn't count as the adapter's.

    Args:
        module: The module in which both were executed.
        of_adapter: The adapter's names with their values, empty without an adapter.
        questions: Accepted names and number of parameters of each question that needs a function.
        news: The same of questions that need none.

    Raises:
        NotChosen: No function or class fits, or two do. The message is about the bot's own.
        Exception: The constructor of the class raises it.
    """
    name, class_name = _told["name"], _told["class_name"]
    if of_adapter:
        bases = {base for value in vars(module).values() if isinstance(value, type) for base in value.__mro__[1:]}
        adapter_module = types.ModuleType(module.__name__)
        vars(adapter_module).update(
            {key: value for key, value in of_adapter.items() if not (isinstance(value, type) and value in bases)}
        )
        try:
            return choose_functions(adapter_module, name, questions, class_name, news=news)
        except NotChosen:
            pass
    return choose_functions(module, name, questions, class_name, news=news)


def _listening(function: Callable[..., object] | None, is_news: bool) -> Callable[..., object] | None:
    """Return a function, or None if it is missing. If its question only informs, its result is replaced by 0."""
    if not is_news or function is None:
        return function

    def call(*arguments: object) -> int:
        """Call the function, and return 0."""
        function(*arguments)
        return 0

    return call


def explain(problem: BaseException) -> str:
    """Return an exception as one line, with its place in the bot's file or, if it isn't there, in the adapter.

    The place is left out if it is in neither. The message is cut to the first 250 characters of its first line, and has
    no addresses of objects. NotChosen is returned as its message alone, complete. A SyntaxError has its own line,
    whatever file it is in.
    """
    import traceback

    if isinstance(problem, NotChosen):
        return str(problem)
    if isinstance(problem, SyntaxError):
        suffix = " of the adapter" if problem.filename == ADAPTER_NAME else ""
        where = f" (line {problem.lineno}{suffix})" if problem.lineno else ""
        return f"{type(problem).__name__}: {problem.msg}{where}"
    stack = traceback.extract_tb(problem.__traceback__)
    frames = [frame for frame in stack if frame.filename == FILE_NAME] or [
        frame for frame in stack if frame.filename == ADAPTER_NAME
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
    """Return a text without objects' addresses, which depend on the legs that share the process."""
    import re

    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)
