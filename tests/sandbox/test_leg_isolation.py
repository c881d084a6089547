"""Legs of Python bots share a process only if the source shows that none can observe another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.support import ON, build, play
from tournament.artifacts import python_artifact
from tournament.contests import CONTESTS
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.sandbox.inside import leg_isolation
from tournament.sandbox.inside.leg_isolation import isolation_violation
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import python_bots

ROOT = Path(__file__).parents[2]
SDK = {"texas": frozenset(["ActionType", "Card", "State", "UNKNOWN", "get_result", "get_rates_by_sampling"])}
SHOWN = {"f", "card", "RAISE", "CHECK"}
ALONE = SandboxSettings(legs_per_process=1)


LEADING_OUT = ("atexit", "contextvars", "gc", "numpy", "os", "re", "signal", "threading", "weakref")
# Other ways out of a leg. None of these sources may share a process.
ESCAPES = [
    "x = ().__class__.__base__.__subclasses__()",
    "x = (lambda: 0).__globals__",
    "x = (i for i in ()).gi_frame",
    "x = '{0.__class__}'.format(1)",
    "x = '{0.__class__}'.format_map({})",
    "x = '%r' % object()",
    "x = f'{object()}'",
    "x = 'a'.translate({97: 37})",
    "x = str(object())",
    "x = hash(object())",
    "x = id(0)",
    "x = list({object(), object()})",
    "x = set([object()])",
    "x = {1: 2}.keys() - {}.keys()",
    "x = 'a' is 'b'",
    "def f(x, y): return x is y",
    "x = getattr(1, 'real')",
    "x = eval",
    "x = __import__('os')",
    "x = __builtins__",
    "x = type(1)",
    "x = open",
    "x = chr(37)",
    "try: x = 1\nexcept: x = 2",
    "try: x = 1\nexcept ValueError as e: x = e.args",
    "ValueError = Exception\ntry: x = 1\nexcept ValueError: x = 2",
    "import random\nx = random.Random().randbytes(2)",
    "x = (i for i in ()).close()",
    "def f():\n  yield from ()",
    "class K:\n  def close(self): pass",
    "from collections import namedtuple\nT = namedtuple('T', 'a close')",
    "x = (1).anything",
    "def f():\n  try: return 1\n  finally: return 2",
    "class K:\n  def __del__(self): pass",
    "class K:\n  def __exit__(self, *_): return True",
    "class K:\n  def __getattr__(self, name): return 1",
    "class K(metaclass=int): pass",
    "class K:\n  def f(self): return __class__",
    "class K:\n  def write(self, text): pass\nprint(object(), file=K())",
    "print = 1",
    "import math\nmath.x = 1",
    "from math import *",
    "from operator import attrgetter",
    "async def f(): pass",
    "match 1:\n  case int(real=x): pass",
    "global __builtins__",
    "from __future__ import annotations\nannotations.x = 1",
    "import typing\ntyping.x = 1",
    "from typing import get_type_hints",
    "from typing import Optional\ndef g(x): x.y = 1\ndef f(a: g(Optional)): return 1",
    "class K:\n    def __getitem__(self, x): return x(self)\nk = K()\na: k[str] = 1",
    "def f(a: str = str(1)): return 1",
    "import sys\nx = sys.modules",
    "from dataclasses import dataclass\nd = dataclass",
    "from dataclasses import field\ndefault = 1\nfield().default.x = 1",
    "from enum import Enum\nK = Enum('K', 'close')",
    "from enum import Enum, auto\nauto = lambda: property()\nclass K(Enum):\n  A = auto()",
    "from enum import Enum\nclass K(Enum):\n  A = 1\nx = K.A is K.A",
    "import numpy\nx = numpy.empty(9)",
    "from texas import ActionType\nActionType._generate_next_value_.x = 1",
    "x = " + "-" * 20_000 + "1",
    "x = 1\0",
    "# coding: unicode_escape\nx = 1 #\\u000aimport os",
    "#" * (leg_isolation.MAX_BYTES + 1),
    *(f"import {name}" for name in LEADING_OUT),
]


@pytest.mark.parametrize("source", ESCAPES, ids=range(len(ESCAPES)))
def test_source_with_way_out_of_leg_may_not_share(source: str) -> None:
    assert isolation_violation(source.encode(), SDK)


ORDINARY = [
    "from __future__ import annotations\ndef f(card: float) -> int: return 1",
    "from typing import Dict, List, Optional\ndef f(a: Dict[str, List[int]], b: Optional[float]): return 1",
    "import random\nx = random.random()\nrandom.seed(5)\nr = random.Random(3)\ny = r.choice([1])",
    "from collections import defaultdict, deque, namedtuple\nd = defaultdict(int)\nq = deque(maxlen=3)\nq.append(1)",
    "class K:\n  '''100% of it.'''\n"
    "  def __init__(self):\n    super().__init__()\n    self.n = 0\n  def add(self, x=1):\n    self.n += x",
    "x = {1: 2}\nfor k, v in x.items(): pass\ny = sorted(x.keys())\nz = [k for k in x.keys()]\nw = max(x.keys())",
    "def f(card):\n  try: return 1 / card\n  except (ZeroDivisionError, ValueError): return 0",
    "x = f'{0.5:.2f}-{3:d}'\ny = 7 % 3",
    "x = 3 in {1, 2, 3}\ny = None is x\nz = x is not None",
    "from texas import ActionType\nx = ActionType.RAISE is ActionType.CHECK",
    "import heapq, bisect, itertools, math\nx = heapq.nlargest(2, [1])\ny = math.log(2)",
    "match 3:\n  case 1 | 2: x = 1\n  case _: x = 2",
    "x = lambda bot: bot.f[0] if bot.card > 0.5 else (y := 3)",
    "from collections import namedtuple\nT = namedtuple('T', 'a b')\nx = T(1, 2)._replace(a=3).b",
    "import sys\nsys.setrecursionlimit(10 ** 6)\nx = sys.maxsize + len(sys.argv)",
    "from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass P:\n  x: int = 0\n"
    "  y: list = field(default_factory=list)\np = P(1).x",
    "from enum import Enum, IntEnum, auto, unique\n@unique\nclass C(Enum):\n  RED = auto()\n  BLUE = 5\n"
    "x = [c.name for c in C if c == C.RED or c.value == 5]\nclass D(IntEnum):\n  A = 1\ny = D.A + 1",
]


@pytest.mark.parametrize("source", ORDINARY, ids=range(len(ORDINARY)))
def test_ordinary_source_may_share(source: str) -> None:
    assert isolation_violation(source.encode(), SDK, SHOWN) == ""


def test_shipped_bots_and_templates_share() -> None:
    for contest in CONTESTS:
        for path in (*ROOT.glob(f"entrants/{contest.name}/*.py"), contest.interface.folder / "new_bot.py"):
            assert python_bots.isolation_violation(path.read_bytes(), contest.interface, ON) == "", path


LIBRARY = {
    "board.py": "import math\nimport moves\nFORMAT = 'per cent'\n\n\nclass Board:\n    size = 3\n\n"
    "    def best(self):\n        return moves.first(self.size)\n",
    "moves.py": "def first(size):\n    return size - 1\n",
}


@pytest.mark.parametrize(
    ("source", "changed", "reason"),
    [
        ("import board\nx = board.Board().best()", {}, ""),
        ("from board import Board\nx = Board()\nx.size = 2\ny = x.best()", {}, ""),
        ("import board\nboard.math.x = board.math", {}, "line 2: board.math"),
        ("from board import FORMAT\nx = FORMAT % object()", {"board.py": "FORMAT = '%s'"}, "line 2: % beside a text"),
        ("import board", {"moves.py": "import os\n"}, "moves.py, line 1: imports os"),
        ("import lux.kit", {"lux/kit.py": ""}, "lux/kit.py is in a package of the contest's library"),
        ("import board", {"moves.py": "x = (\n"}, "moves.py can't be read"),
    ],
)
def test_library_with_way_out_prevents_sharing(source: str, changed: dict[str, str], reason: str) -> None:
    found = isolation_violation(source.encode(), SDK, library={**LIBRARY, **changed})
    assert found.startswith(reason) and bool(found) == bool(reason)


# Bots that count in all that they have of modules, and seeds that could tell of addresses or of other legs' starts.
COUNT = """
def count(of):
    try:
        of.n += 1
    except AttributeError:
        of.n = 1
    return of.n
"""
DRAW = (
    "import random\ndraw = random.random\n{}def a(bot): return int(draw() * 50)\ndef b(bot, bet): return draw() < 0.5\n"
)
SHARING = {
    "functions": f"""
from heapq import merge
from random import Random, choice
from functools import lru_cache
{COUNT}
def a(bot):
    return count(merge) + count(Random) + count(Random.choice) + count(lru_cache)
def b(bot, bet):
    return count(bot) % 2
""",
    "classes": f"""
import sys
from dataclasses import dataclass, field
from enum import Enum
sys.setrecursionlimit(10 ** 6)
@dataclass
class Seen:
    n: int = 0
    of: list = field(default_factory=list)
class Kind(Enum):
    ONE = 1
seen = Seen()
{COUNT}
def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)
def a(bot):
    sys.argv.append(1)
    seen.of.append(1)
    return count(field) + count(Kind) + count(seen) + len(sys.argv) + len(seen.of) + (deep(5000) - 5000)
def b(bot, bet):
    return (Kind.ONE.value + bot.card > 1.5) * 1
""",
    "lying_nan": DRAW.format(
        "class F(float):\n    def __ne__(self, other):\n        return False\n"
        "kept = [F('nan') for _ in range(7)]\nrandom.seed(kept[-1])\n"
    ),
    "number": DRAW.format("class N(int):\n    def __abs__(self):\n        return 1 / 0\nrandom.seed(N(-5))\n"),
}


def test_legs_that_share_a_process_play_as_alone() -> None:
    entrants = build({f"{name}.py": source for name, source in SHARING.items()})
    assert all(python_artifact.legs_may_share(entrant.artifact or b"") for entrant in entrants)
    settings = Settings(sessions=3, duplicate=True)
    together, alone = play(entrants, settings), play(entrants, settings, ALONE)
    assert [leg.what_counts for leg in together] == [leg.what_counts for leg in alone]
    assert not any(leg.faults for leg in together)


def test_bot_that_may_not_share_is_marked() -> None:
    plain = "def a(bot): return 5\ndef b(bot, bet): return 1\n"
    entrants = build({"plain.py": plain, "timed.py": f"import time\n{plain}"})
    assert [python_artifact.legs_may_share(entrant.artifact or b"") for entrant in entrants] == [True, False]


def test_bot_is_not_executed_to_be_judged() -> None:
    interface = CONTESTS[0].interface
    loops = b"while True: pass\n"
    assert python_bots.isolation_violation(loops, interface, ON) == ""
    assert python_bots.isolation_violation(b"import time\n" + loops, interface, ON) == "line 1: imports time"
    assert python_bots.isolation_violation(b"x = " + b"[" * 99 + b"]" * 99, interface, ON) == ""
