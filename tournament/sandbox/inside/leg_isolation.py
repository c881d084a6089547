"""Finds out which Python bots' legs can share a process: those whose source shows that legs can't observe each other.

It runs inside the sandbox, before the bot does. It recognises a subset of Python in which a leg reaches nothing that
other legs change. That is its own functions, classes and values, immutable builtins, and its own copies of a few
modules. A bot outside the subset plays in a process for each leg, with all of Python. So a doubtful construct costs
time, never fairness.

The subset omits what other legs could change or reveal:

- attributes of the library's modules, functions and classes

- frames, and other ways from an object to its surroundings

- addresses, which `id`, `hash`, the order of sets and default texts of objects show

- whether two strings are one object

- memory that runs out, and exceptions that report it

- names of attributes that are made at run time

- finalisers, because others could choose the moment at which they run

- clocks, files, and everything else of the process

Attributes must belong to plain values or to what the contest gives, or be names that the source defines and the library
doesn't.

A leg holds builtins, its own objects, or its own copies. None of these leads to an object that other legs can change. A
library function written in Python must keep it so: it can return numbers, texts, new containers and its arguments only.
So `statistics.mean` is missing, because it returns a Fraction of the type that it was given.
"""

from __future__ import annotations

import ast
import builtins
import re
import types

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Iterable, Iterator, Mapping

# Maximum bytes of all sources, because parsing takes much memory.
MAX_BYTES = 1 << 18


def _name_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names that a leg can use of each module. If the module is written in Python, the leg gets its own copy.
MODULES: dict[str, frozenset[str]] = {
    name: _name_set(names)
    for name, names in {
        "__future__": "annotations",
        "base64": "b64decode b64encode b85decode b85encode",
        "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
        "cmath": "exp log log10 sqrt phase polar rect sin cos tan pi e tau isnan isfinite isinf isclose",
        "collections": "OrderedDict defaultdict deque namedtuple",
        "dataclasses": "dataclass field replace",
        "enum": "Enum IntEnum auto unique",
        "functools": "cache cmp_to_key lru_cache partial reduce",
        "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
        "itertools": "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile"
        " filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest",
        "math": "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp"
        " exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt"
        " lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh"
        " sqrt tan tanh tau trunc ulp",
        "operator": "abs add and_ eq floordiv ge getitem gt itemgetter le lt mul ne neg not_ or_ pos sub truediv xor",
        "random": "Random betavariate choice choices expovariate gammavariate gauss getrandbits lognormvariate"
        " normalvariate paretovariate randint random randrange sample seed shuffle triangular uniform"
        " vonmisesvariate weibullvariate",
        "statistics": "fmean median median_high median_low",
        "sys": "argv maxsize setrecursionlimit",
        "typing": "Any Callable ClassVar Deque Dict Final FrozenSet Iterable Iterator List Literal Mapping NoReturn"
        " Optional Sequence Set Tuple Type Union",
        "zlib": "adler32 compress crc32 decompress",
    }.items()
}
# Modules whose objects all legs share. Bots could set attributes on them, so only annotations can name them.
_ONLY_IN_ANNOTATIONS = {"typing"}
# What makes attributes of names: namedtuple of texts in a call, dataclass of a class that it decorates.
_MAKERS = _name_set("dataclass namedtuple")
_ENUMS = _name_set("Enum IntEnum")
# Attributes of what `dataclasses.field` makes: they lead to an object that all legs have.
_FIELD_ARGUMENTS = _name_set("default default_factory kw_only metadata type")
# Builtin types that annotations can name. Those of the first line can be named nowhere else.
_ONLY_TYPES = _name_set("bytes frozenset set str")
_TYPES = _ONLY_TYPES | _name_set("bool dict float int list tuple")
# Modules that return bytes of any content, which could then be a format.
_GIVING_BYTES = {"base64", "zlib"}

# Exceptions that bots can catch. None of them can result from memory that other legs took.
_CATCHABLE = _name_set(
    "ArithmeticError AssertionError AttributeError FloatingPointError IndexError KeyError LookupError"
    " OverflowError StopIteration TypeError ValueError ZeroDivisionError"
)
_BUILTINS = _CATCHABLE | _name_set(
    "Ellipsis Exception False None NotImplemented NotImplementedError RuntimeError True abs all any bool callable"
    " classmethod complex dict divmod enumerate filter float int isinstance issubclass iter len list map max min"
    " next object ord pow property range reversed round slice sorted staticmethod sum tuple zip"
)
_DUNDER_NAMES = {"__name__"}
_SETTABLE_DUNDERS = {"__slots__"}
_DUNDER_METHODS = frozenset(
    f"__{name}__"
    for name in _name_set(
        "abs add and bool call contains delitem divmod eq float floordiv ge getitem gt iadd imul index init int"
        " invert isub iter itruediv le len lt matmul mod mul ne neg next or pos pow radd repr reversed rfloordiv rmod"
        " rmul rpow rsub rtruediv setitem str sub truediv xor"
    )
)
# Methods of builtin types that reveal only their object. `keys` and `items` have further conditions.
_METHODS = _name_set(
    "append appendleft bit_count bit_length clear conjugate copy count denominator endswith extend extendleft"
    " find from_bytes fromkeys get imag index insert is_integer items join keys lower lstrip move_to_end numerator"
    " partition pop popitem popleft real remove replace _replace reverse rfind rotate rsplit rstrip setdefault setter"
    " sort split splitlines start startswith step stop strip title update upper value values"
)
# Methods that a generator calls of another one when it ends or is freed.
_CALLED = _name_set("close send throw")
# Builtins that take the entries of a dictionary and return no set of them; the second line only as sole argument.
_TAKING_ENTRIES = _name_set("all any dict enumerate filter iter len list map reversed sorted tuple zip")
_REDUCING_ENTRIES = _name_set("max min sum")
_TEXT_FROM_ANY_VALUE = 'a text made of any value; one of a number with a format shares, as in f"{x:.2f}"'
_RELIED_ON = _CATCHABLE | _TAKING_ENTRIES | _REDUCING_ENTRIES | {"super", "print"}
_STATEMENTS = (
    *(ast.Module, ast.FunctionDef, ast.ClassDef, ast.Return, ast.Delete, ast.Assign, ast.AugAssign, ast.AnnAssign),
    *(ast.For, ast.While, ast.If, ast.Raise, ast.Try, ast.Assert, ast.Import, ast.ImportFrom, ast.Global),
    *(ast.Nonlocal, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Match, ast.match_case),
)
_EXPRESSIONS = (
    *(ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.Set, ast.ListComp),
    *(ast.DictComp, ast.GeneratorExp, ast.Yield, ast.Compare, ast.Call, ast.FormattedValue),
    *(ast.JoinedStr, ast.Constant, ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple),
    *(ast.Slice, ast.comprehension, ast.ExceptHandler, ast.arguments, ast.arg, ast.keyword, ast.alias),
    *(ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop),
    *(ast.MatchValue, ast.MatchSingleton, ast.MatchSequence, ast.MatchStar, ast.MatchAs, ast.MatchOr),
)


def _library_attributes() -> frozenset[str]:
    """Return the names of all attributes of the library's objects that a leg can have, in any order.

    Some of these attributes lead to other objects.
    """
    import collections
    import functools
    import itertools
    import operator
    import random

    names: set[str] = {"mro"}
    for space in (builtins, types, collections, functools, itertools, operator, random):
        for value in vars(space).values():
            if isinstance(value, type):
                names.update(dir(value))
    record, key = collections.namedtuple("record", "")(), functools.cmp_to_key(max)(0)
    examples: tuple[object, ...] = (
        iter([]),
        iter({}),
        iter(""),
        {}.items(),
        {}.keys(),
        {}.values(),
        (x for x in ""),
        len,
        "".join,
    )
    for value in (*examples, record, key, random.Random()):
        names.update(dir(value))
    return frozenset(names)


_PLAIN_VALUE_METHODS = _METHODS | MODULES["random"]  # methods of its generators
_DENIED = _library_attributes() - _PLAIN_VALUE_METHODS


class _NotIsolated(Exception):
    """Raised for the first construct outside the subset. The message has its line and a description."""


def isolation_violation(
    source: bytes,
    sdk: Mapping[str, frozenset[str]],
    visible: Iterable[str] = (),
    adapter: bytes = b"",
    library: Mapping[str, str] | None = None,
) -> str:
    """Return why a bot's legs must not share a process, or "" if they can.

    The files are read in this order: the library's in theirs, then the adapter with the bot's file after it. Only the
    first construct that is found outside the subset is reported. It isn't always the one on the first line.

    Args:
        source: The bot's file.
        sdk: The public names of the contest's own modules for bots, by module.
        visible: Attributes of what the contest gives.
        adapter: The contest's adapter, which is executed before the bot's file, or b"".
        library: Sources of the contest's library by their paths, all of which are checked. Each leg executes it again,
            as it does the bot. None means no library.

    Returns:
        "line 3: …", with "of the adapter" after a line of the adapter, and with a library file's path before the line.
            The line is missing for other reasons: all files together exceed 256 KiB, a library file is in a package, or
            a file can't be parsed.
    """
    files = library or {}
    if len(source) + len(adapter) + sum(map(len, files.values())) > MAX_BYTES:
        return f"larger than {MAX_BYTES >> 10} KiB"
    before = adapter + b"\n" if adapter else b""
    where = ""
    try:
        trees = {}
        for where, text in files.items():
            if "/" in where:
                return f"{where} is in a package of the contest's library"
            trees[where] = ast.parse(text)
        where = ""
        trees[where] = ast.parse(before + source)
        own = {path.removesuffix(".py"): _defined_globals(tree) for path, tree in trees.items() if path}
        readers = {path: _Reader(MODULES, sdk, own, visible, 0 if path else len(before.splitlines())) for path in trees}
        defined: set[str] = set()
        for where, reader in readers.items():
            defined |= reader.names_defined(trees[where])
        denied = _DENIED | _FIELD_ARGUMENTS if any(reader.has_fields for reader in readers.values()) else _DENIED
        may_format = any(reader.may_format for reader in readers.values())
        for where, reader in readers.items():
            reader.read(trees[where], defined, denied, may_format=may_format)
    except _NotIsolated as reason:
        return f"{where}, {reason}" if where else str(reason)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"{where or 'it'} can't be read" if where else "can't be read"
    return ""


def _defined_globals(tree: ast.Module) -> frozenset[str]:
    """Return the names that a module's top level defines by functions, classes and assignments.

    Imports, loops and statements within `if` or `try` don't count. All names in the target of an assignment do.
    """
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
    return frozenset(names)


def _constant_text(node: ast.AST) -> str:
    """Return the value of a constant string, "" for any other node."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _annotations(node: ast.AST) -> list[ast.expr]:
    """Return the annotation of a function's result, an argument or a variable. The list is empty without one."""
    if isinstance(node, ast.FunctionDef):
        return [node.returns] if node.returns else []
    annotation = node.annotation if isinstance(node, ast.AnnAssign | ast.arg) else None
    return [annotation] if annotation else []


class _Reader:
    """Walks a source's tree and stops at the first construct outside the subset.

    Call `names_defined` before `read`, each once. The `_check_` methods raise _NotIsolated for a node outside the
    subset.

    Args:
        modules: Names that a leg can use of each module of the standard library.
        sdk: The public names of the contest's own modules for bots, by module.
        library: The names that each module of the contest's library defines.
        visible: Attributes of what the contest gives.
        adapter_lines: Number of lines of the adapter before the bot's file, 0 without one.

    Attributes:
        may_format: Whether % could put an object's text into some text or bytes. `names_defined` sets it for this
            source, and `read` for all sources.
        has_fields: Whether it imports `dataclasses`. It is known after `names_defined`.
    """

    def __init__(
        self,
        modules: Mapping[str, frozenset[str]],
        sdk: Mapping[str, frozenset[str]],
        library: Mapping[str, frozenset[str]],
        visible: Iterable[str],
        adapter_lines: int,
    ) -> None:
        self._adapter_lines = adapter_lines
        self._modules = {**library, **modules, **sdk}
        self._sdk = sdk
        self._attributes = set(visible)
        self._types: set[str] = set()  # names imported from modules that only annotations can name
        self._annotations: set[int] = set()  # nodes in annotations
        self._bound: dict[str, str] = {}  # module by the name that it is bound to
        self._of_sdk: set[str] = set()  # names imported from the contest's own modules
        self._makers: dict[str, str] = {}  # names of namedtuple and dataclass, and which each is
        self._of_enum: dict[str, str] = {}  # names of what comes from enum, and what each is
        self._members: frozenset[str] = frozenset()  # attributes that only members of an Enum have
        self.may_format = False  # whether % could put an object's text into some text or bytes
        self.has_fields = False  # whether it can make fields of dataclasses
        self._fine: set[int] = set()  # nodes that are harmless in their context

    def names_defined(self, tree: ast.Module) -> set[str]:
        """Return the names that a source can give to attributes. Call it once, before `read`.

        It also records what the source imports, which nodes are harmless in their context, `may_format` and
        `has_fields`.

        Raises:
            _NotIsolated: An import leads out of the subset or binds a name that the rules rely on. Or a namedtuple's
                names aren't constant, or are ones that generators call.
        """
        nodes = list(ast.walk(tree))
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
        for part in [part for node in nodes for part in _annotations(node) if self._is_plain(part)]:
            self._annotations.update(id(inner) for inner in ast.walk(part))
        defined: set[str] = set()
        for node in nodes:
            self._surroundings(node)
            defined.update(self._defined(node))
        for node in nodes:
            if isinstance(node, ast.Constant) and id(node) not in self._fine:
                self.may_format |= isinstance(node.value, str) and "%" in node.value
                self.may_format |= isinstance(node.value, bytes) and b"%" in node.value
        return defined

    def read(self, tree: ast.Module, defined: set[str], denied: frozenset[str], *, may_format: bool) -> None:
        """Check a tree. `names_defined` must have had the same tree.

        Args:
            tree: The tree.
            defined: Names that all sources can give to attributes.
            denied: Attributes that lead to shared objects.
            may_format: Whether % in any source could put an object's text into some text or bytes.

        Raises:
            _NotIsolated: The tree has a construct outside the subset.
        """
        nodes, self.may_format = list(ast.walk(tree)), may_format
        self._attributes = (self._attributes | defined) - denied | _PLAIN_VALUE_METHODS | self._members
        for node in nodes:
            if not isinstance(node, (*_STATEMENTS, *_EXPRESSIONS)):
                raise self._not_isolated(node, type(node).__name__)
            check = getattr(self, f"_check_{type(node).__name__.lower()}", None)
            if check is not None:
                check(node)

    def _is_plain(self, part: ast.AST) -> bool:
        """Return whether an annotation, or a part of one, can only name types, without calls.

        Names and constants always count. What is subscripted or has a dot must be a type of the library, and so must
        both sides of |, except None.
        """
        if isinstance(part, ast.Tuple | ast.List):
            return all(map(self._is_plain, part.elts))
        if isinstance(part, ast.Subscript):
            return self._is_type(part.value) and self._is_plain(part.slice)
        if isinstance(part, ast.BinOp):
            sides = (part.left, part.right)
            return (
                isinstance(part.op, ast.BitOr)
                and all(
                    (isinstance(side, ast.Constant) and side.value is None)
                    or self._is_type(side.value if isinstance(side, ast.Subscript) else side)
                    for side in sides
                )
                and all(map(self._is_plain, sides))
            )
        return isinstance(part, ast.Name | ast.Constant) or (isinstance(part, ast.Attribute) and self._is_type(part))

    def _is_type(self, part: ast.expr) -> bool:
        """Return whether an expression names a type of the library."""
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            return self._bound.get(part.value.id) in _ONLY_IN_ANNOTATIONS
        return isinstance(part, ast.Name) and (part.id in self._types or part.id in _TYPES)

    def _not_isolated(self, node: ast.AST, construct: str) -> _NotIsolated:
        """Return the exception for a node, with its line in the bot's file or in the adapter. It isn't raised here.

        A node without a line counts as on line 1.
        """
        line = getattr(node, "lineno", 1)
        if line > self._adapter_lines:
            return _NotIsolated(f"line {line - self._adapter_lines}: {construct}")
        return _NotIsolated(f"line {line} of the adapter: {construct}")

    def _defined(self, node: ast.AST) -> Iterable[str]:
        """Return the names that a node can make attributes of objects, none for most nodes.

        A call of namedtuple is also marked as harmless.

        Raises:
            _NotIsolated: A namedtuple has no constant names, or has names that generators call.
        """
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            return [node.name]
        if isinstance(node, ast.Name):
            return [] if isinstance(node.ctx, ast.Load) else [node.id]
        if isinstance(node, ast.Attribute):
            return [] if isinstance(node.ctx, ast.Load) else [node.attr]
        if isinstance(node, ast.Call) and self._is_maker(node.func, "namedtuple"):
            self._fine.add(id(node.func))
            fields = node.args[1] if len(node.args) == 2 else node
            texts = fields.elts if isinstance(fields, ast.List | ast.Tuple) else [fields]
            names = [name for text in texts for name in _constant_text(text).replace(",", " ").split()]
            if not names or not _CALLED.isdisjoint(names):
                raise self._not_isolated(node, "a namedtuple of other than plain names")
            return names
        return []

    def _is_maker(self, node: ast.expr, name: str = "") -> bool:
        """Return whether an expression is the maker of this name, or, without a name, namedtuple or dataclass."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called = node.attr if node.value.id in self._bound else ""
        else:
            called = self._makers.get(node.id, "") if isinstance(node, ast.Name) else ""
        return called == name if name else called in _MAKERS

    def _is_enum(self, node: ast.expr) -> bool:
        """Return whether an expression is Enum or IntEnum."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return node.attr in _ENUMS and self._bound.get(node.value.id) == "enum"
        return isinstance(node, ast.Name) and self._of_enum.get(node.id) in _ENUMS

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Record the names that an import binds, and whether it can give fields, members of an Enum or formats.

        Raises:
            _NotIsolated: A module or name is outside the subset, or the import is relative. Or it binds a name that the
                rules rely on or generators call.
        """
        modules = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        self.has_fields |= "dataclasses" in modules
        if "enum" in modules:  # A few exceptions of the library's have a name, too, which is a text.
            self._members = frozenset(["name"])
        if isinstance(node, ast.ImportFrom):
            importable = self._modules.get(node.module or "", frozenset())
            for alias in node.names:
                if node.level or alias.name not in importable:
                    raise self._not_isolated(node, f"imports {alias.name} from {node.module}")
                name = alias.asname or alias.name
                if name not in self._of_sdk:
                    self._not_a_builtin(node, name)
                if node.module in _ONLY_IN_ANNOTATIONS:
                    self._types.add(name)
                if node.module in self._sdk:
                    self._of_sdk.add(name)
                elif alias.name in _MAKERS and node.module in ("collections", "dataclasses"):
                    self._makers[name] = alias.name
                elif node.module == "enum":
                    self._of_enum[name] = alias.name
                if node.module == "__future__":  # all legs share this object
                    self._bound[name] = node.module
            self.may_format |= node.module in _GIVING_BYTES
            return
        for alias in node.names:
            if alias.name not in self._modules or alias.asname in _CALLED:
                raise self._not_isolated(node, f"imports {alias.name}")
            self._bound[alias.asname or alias.name] = alias.name
            self.may_format |= alias.name in _GIVING_BYTES

    def _not_a_builtin(self, node: ast.AST, name: str) -> None:
        """Check that a source is allowed to bind a name.

        Raises:
            _NotIsolated: The rules rely on the name, generators call it, or it has two underscores at both ends. Among
                the last, `__slots__` is allowed.
        """
        protected = (_RELIED_ON, _TYPES, self._bound, self._of_sdk, self._types, self._of_enum)
        if any(name in names for names in protected):
            raise self._not_isolated(node, f"gives {name} another meaning")
        if name in _CALLED:
            raise self._not_isolated(node, f"the name {name}, which generators call")
        if name.startswith("__") and name.endswith("__") and name not in _SETTABLE_DUNDERS:
            raise self._not_isolated(node, f"the name {name}")

    def _surroundings(self, node: ast.AST) -> None:
        """Mark nodes that are harmless in their context, such as entries that are iterated or a set behind `in`."""
        nodes: Iterator[ast.AST] = iter(())
        if isinstance(node, ast.For | ast.comprehension):
            nodes = iter([node.iter])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name in _TAKING_ENTRIES or (name in _REDUCING_ENTRIES and len(node.args) == 1):
                nodes = iter(node.args)
        elif isinstance(node, ast.Compare):
            nodes = (place for test, place in zip(node.ops, node.comparators) if isinstance(test, ast.In | ast.NotIn))
        for place in nodes:
            if isinstance(place, ast.Call) and isinstance(place.func, ast.Attribute):
                self._fine.add(id(place.func))
            elif isinstance(place, ast.Set) and isinstance(node, ast.Compare):
                self._fine.add(id(place))
        if isinstance(node, ast.ClassDef):
            self._fine.update(id(base) for base in node.bases if self._is_enum(base))
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if self._is_maker(called, "dataclass"):
                    self._fine.add(id(called))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("super", "print"):
            self._fine.add(id(node.func))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
            self._fine.add(id(node.value))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            first = node.body[0]
            assert isinstance(first, ast.Expr)
            self._fine.add(id(first.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            inner = node.func.value
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "super":
                self._fine.add(id(node.func))

    def _check_name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._not_a_builtin(node, node.id)
        elif node.id in _ONLY_TYPES and id(node) in self._annotations:
            pass
        elif node.id in self._types:
            if id(node) not in self._annotations:
                raise self._not_isolated(node, f"{node.id} of typing outside an annotation")
        elif node.id in self._bound:
            if id(node) not in self._fine:
                raise self._not_isolated(node, f"the module {node.id} as a value")
        elif node.id in ("super", "print") or self._is_maker(node) or self._is_enum(node):
            if id(node) not in self._fine:
                raise self._not_isolated(node, f"{node.id} as a value")
        elif node.id not in _BUILTINS | _DUNDER_NAMES and (
            node.id in vars(builtins) or (node.id.startswith("__") and node.id.endswith("__"))
        ):
            raise self._not_isolated(node, f"the name {node.id}")

    def _check_attribute(self, node: ast.Attribute) -> None:
        name = node.attr
        if isinstance(node.value, ast.Name) and node.value.id in self._bound:
            module = self._bound[node.value.id]
            if not isinstance(node.ctx, ast.Load) or name not in self._modules[module]:
                raise self._not_isolated(node, f"{node.value.id}.{name}")
            if module in _ONLY_IN_ANNOTATIONS and id(node) not in self._annotations:
                raise self._not_isolated(node, f"{node.value.id}.{name} outside an annotation")
            if (self._is_maker(node) or self._is_enum(node)) and id(node) not in self._fine:
                raise self._not_isolated(node, f"{name} as a value")
        elif name in ("keys", "items"):
            if id(node) not in self._fine:
                raise self._not_isolated(node, f".{name}() as a value")
        elif name == "__init__" and id(node) in self._fine:
            pass
        elif name not in self._attributes or (name.startswith("_") and name.endswith("_")):  # an Enum's _missing_
            raise self._not_isolated(node, f"the attribute {name}")

    def _check_call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Name):
            return
        if node.func.id == "super" and (node.args or node.keywords):
            raise self._not_isolated(node, "super of something")
        if node.func.id == "print" and any(keyword.arg not in ("sep", "end", "flush") for keyword in node.keywords):
            raise self._not_isolated(node, "print into something")

    def _check_formattedvalue(self, node: ast.FormattedValue) -> None:
        """Accept formats of numbers only. Other objects refuse them, or define them in their own class.

        Raises:
            _NotIsolated: It is another format, or none.
        """
        spec = node.format_spec
        if not isinstance(spec, ast.JoinedStr) or not all(isinstance(piece, ast.Constant) for piece in spec.values):
            raise self._not_isolated(node, _TEXT_FROM_ANY_VALUE)
        text = "".join(str(piece.value) for piece in spec.values if isinstance(piece, ast.Constant))
        if node.conversion != -1 or not re.fullmatch(r"[0-9.,+ <>=^]*[bdefgox]", text):
            raise self._not_isolated(node, _TEXT_FROM_ANY_VALUE)

    def _check_binop(self, node: ast.BinOp | ast.AugAssign) -> None:
        if isinstance(node.op, ast.Mod) and self.may_format:
            raise self._not_isolated(node, "% beside a text with a per cent sign, or bytes that may have one")

    _check_augassign = _check_binop

    def _check_set(self, node: ast.Set) -> None:
        if id(node) not in self._fine or not all(isinstance(value, ast.Constant) for value in node.elts):
            raise self._not_isolated(node, "a set; a list or a dict shares")

    def _check_compare(self, node: ast.Compare) -> None:
        """Refuse `is` between values, because other legs can influence whether two values are one object.

        None and booleans are always the same objects.

        Raises:
            _NotIsolated: Neither side is such an object, or an attribute of the contest's module.
        """
        sides = [node.left, *node.comparators]
        for test, *pair in zip(node.ops, sides, sides[1:]):
            if isinstance(test, ast.Is | ast.IsNot) and not any(
                (isinstance(side, ast.Constant) and (side.value is None or isinstance(side.value, bool)))
                or self._is_of_the_sdk(side)
                for side in pair
            ):
                raise self._not_isolated(node, "is between values; == shares")

    def _is_of_the_sdk(self, side: ast.expr) -> bool:
        """Return whether it is an attribute of an object in the contest's module, such as ActionType.RAISE."""
        if not isinstance(side, ast.Attribute):
            return False
        base = side.value
        if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name):
            return self._bound.get(base.value.id) in self._sdk
        return isinstance(base, ast.Name) and base.id in self._of_sdk

    def _check_try(self, node: ast.Try) -> None:
        if node.finalbody:
            raise self._not_isolated(node, "finally")

    def _check_excepthandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self._not_a_builtin(node, node.name)
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        for kind in caught:
            if not isinstance(kind, ast.Name) or kind.id not in _CATCHABLE:
                raise self._not_isolated(
                    node, "except of what may be a lack of memory; name errors, as in except ValueError"
                )

    def _check_functiondef(self, node: ast.FunctionDef) -> None:
        if node.name not in _DUNDER_METHODS:
            self._not_a_builtin(node, node.name)

    def _check_classdef(self, node: ast.ClassDef) -> None:
        self._not_a_builtin(node, node.name)
        if node.keywords:
            raise self._not_isolated(node, "a class with keywords")
        if any(map(self._is_enum, node.bases)) and (len(node.bases) > 1 or not self._has_members(node)):
            raise self._not_isolated(node, "an Enum without members, or with other bases")

    def _has_members(self, node: ast.ClassDef) -> bool:
        """Return whether an Enum certainly has a member. One without any makes attributes from texts when called.

        Only a constant or auto() that is assigned to a name without a leading underscore counts. No member is certain
        in a class that binds `_ignore_`.
        """
        names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
        return "_ignore_" not in names and any(
            isinstance(part, ast.Assign)
            and isinstance(part.targets[0], ast.Name)
            and not part.targets[0].id.startswith("_")
            and (isinstance(part.value, ast.Constant) or self._is_auto(part.value))
            for part in node.body
        )

    def _is_auto(self, node: ast.expr) -> bool:
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            return called.attr == "auto" and self._bound.get(called.value.id) == "enum"
        return isinstance(called, ast.Name) and self._of_enum.get(called.id) == "auto"

    def _check_arg(self, node: ast.arg) -> None:
        self._not_a_builtin(node, node.arg)

    def _check_matchas(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self._not_a_builtin(node, node.name)

    _check_matchstar = _check_matchas

    def _check_global(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self._not_a_builtin(node, name)

    _check_nonlocal = _check_global
