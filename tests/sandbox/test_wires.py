"""No leg hears another one through the interpreter that they share, whatever that one does to it.

Two legs of a bot are asked in step in one process. At each question one of them does its deed or, in the other run,
nothing; the other looks. What it sees is compared as a whole, so a wire of one bit would show.
"""

from __future__ import annotations

import pytest

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.watching.scripted_core import ScriptedCore
from tests.worker.support import ON, SILENT_C, build, legs_of, play, view
from tournament.artifacts import python_packing
from tournament.contests.settings import ContestSettings
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.leg import LegPlan
from tournament.worker.processes import python_bots

_LOOKS, _DOES, _IDLES = 1, 7, 8
_QUESTIONS = 30
_TEMPLATE = """
{listener}
{deed}
def a(bot):
    if bot.money == 1:
        return hear()
    if bot.money == 7:
        tell()
    return 0
def b(bot, bet): return 1
"""

# What a leg does so that another one might notice: `tell()` does it once.
DEEDS = {
    "allocates": "kept = []\ndef tell(): kept.extend([] for _ in range(3000))",
    "allocates and lets go": "def tell():\n  for _ in range(3000): [[]]",
    "leaves cycles": "def tell():\n  for _ in range(1000):\n    x = []\n    x.append(x)",
    "takes time": "def tell(): return sum(range(1_000_000))",
    "recurses": "def down(n): return n and down(n - 1)\ndef tell(): return down(800)",
    "interns strings": "from collections import namedtuple\nn = 0\ndef tell():\n  global n\n  n += 1\n"
    "  for i in range(5): {'w' * n: i}['w' * n]",
    "makes functions": "kept = []\ndef tell():\n  for i in range(300): kept.append(lambda x=i: x)\n  kept[-1]()",
    "makes classes": "def tell():\n  for _ in range(20):\n    class K:\n      x = 1\n    K().x",
    "specialises code": "def add(x, y): return x + y\ndef tell():\n  for x in (1, 1.5, 'a', (1,), [1]):\n"
    "    for _ in range(50): add(x, x)",
    "caches": "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef f(x): return [x]\nn = 0\n"
    "def tell():\n  global n\n  n += 1\n  for i in range(500): f((n, i))",
    "draws": "import random\ndef tell(): return [random.random() for _ in range(1000)]",
    "fails and catches": "def tell():\n  for _ in range(500):\n    try: [][1]\n    except IndexError: pass",
    "prints": "def tell(): print('x' * 2000)",
}  # fmt: skip

# Each may share by its source; `hear()` is all that it can find out.
LISTENERS = {
    "chance": "import random\ndef hear(): return random.randrange(1 << 30)",
    "orders": "order = {}\nclass K: pass\ndef hear():\n  order[K()] = len(order)\n"
    "  return sum(n * n * order[k] for n, k in enumerate(order))",
    "caches": "from functools import lru_cache\nn = 0\n@lru_cache(maxsize=4)\ndef f(x):\n  global n\n  n += 1\n"
    "  return x\ndef hear():\n  for i in range(9): f(i % 5)\n  return n",
    "depth": "def down(n): return n and 1 + down(n - 1)\ndef hear(): return down(400)",
    "endings of generators": "n = 0\ndef inner():\n  global n\n  while True:\n    n += 1\n    yield n\n"
    "def hear():\n  x = []\n  x += [inner(), x]\n  return next(x[0])",
    "merged": "from heapq import merge\nn = 0\nclass Bell:\n  def __init__(self): self.kept = None\n"
    "  def __iter__(self): return self\n  def __next__(self):\n    global n\n    n += 1\n    return n\n"
    "def hear():\n  bell = Bell()\n  bell.kept = merge(bell)\n  return next(bell.kept) + next(bell.kept)",
    "faults": "def hear():\n  try: return {}[hear]\n  except KeyError: return 1",
    "texts": "def hear(): return len(f'{1.5:.3f}' + 'a'.join(['b'] * 3))",
}  # fmt: skip

_BELL = """
rung = 0
class Bell:
    def __init__(self): self.rope = None
    def __iter__(self): return self
    def __next__(self): return 1
    def {close}(self):
        global rung
        rung += 1
"""
# Each hears a deed where its legs share a process and garbage is collected; none may share.
WIRES = {
    "a generator that hands on": _BELL.format(close="close") + "def handing(it):\n    yield from it\n"
    "def hear():\n  bell = Bell()\n  bell.rope = handing(bell)\n  next(bell.rope)\n  return rung",
    "a merge": "from heapq import merge\n" + _BELL.format(close="close") + "def hear():\n  bell = Bell()\n"
    "  bell.rope = merge(bell)\n  next(bell.rope), next(bell.rope)\n  return rung",
    "a finally": "rung = 0\ndef bell(rope):\n  global rung\n  try:\n    yield 1\n  finally:\n    rung += 1\n"
    "def hear():\n  rope = []\n  rope.append(bell(rope))\n  next(rope[0])\n  return rung",
    "a with": "rung = 0\nclass Room:\n  def __enter__(self): return 1\n  def __exit__(self, *why):\n    global rung\n"
    "    rung += 1\ndef bell(rope):\n  with Room():\n    yield 1\n"
    "def hear():\n  rope = []\n  rope.append(bell(rope))\n  next(rope[0])\n  return rung",
    "a last method": "rung = 0\nclass Bell:\n  def __del__(self):\n    global rung\n    rung += 1\n"
    "def hear():\n  bell = Bell()\n  bell.rope = bell\n  return rung",
    "a weak reference": "import weakref\nrung = 0\nrefs = []\nclass Bell: pass\ndef ring(_):\n  global rung\n"
    "  rung += 1\ndef hear():\n  bell = Bell()\n  bell.rope = bell\n  refs.append(weakref.ref(bell, ring))\n"
    "  return rung",
    "collections": "import gc\ndef hear(): return gc.get_stats()[0]['collections']",
    "garbage": "import gc\ndef hear(): return gc.get_count()[0] > 350",
}  # fmt: skip


def heard(listener: str, deed: str, does: bool) -> list[int]:
    """What the leg that looks answers, beside one that does its deed each time, or never."""
    source = _TEMPLATE.format(listener=listener, deed=deed).encode()
    judged, *others = build({"bot.py": "a = b = lambda *_: 0", "y.c": SILENT_C, "z.c": SILENT_C + "//"})
    bot = judged.__class__("bot", "python", "0" * 64, python_packing.pack(source, ON, legs_may_share=True))
    cores: dict[int, ScriptedCore] = {}

    def new_core(
        leg: LegPlan, settings: ContestSettings, games: Table, sessions: Table, house: bytes | None = None
    ) -> GameCore:
        money = _LOOKS if cores else _DOES if does else _IDLES
        cores[leg.match] = ScriptedCore(
            [(0, (), view(money=money))] * _QUESTIONS, VON_NEUMANN_POKER.interface.view_size
        )
        return cores[leg.match]

    entrants = [bot, *others]
    settings = Settings(sessions=1)
    played = play(entrants, settings, ON, legs_of(entrants, settings), new_core)
    assert [leg.faults for leg in played] == [(), ()]
    return list(cores.values())[1].answers


def may_share(listener: str, deed: str = "def tell(): pass") -> bool:
    source = _TEMPLATE.format(listener=listener, deed=deed).encode()
    return python_bots.why_apart(source, VON_NEUMANN_POKER.interface, ON) == ""


@pytest.mark.parametrize("name", WIRES)
def test_a_wire_has_no_place_in_a_shared_process(name: str) -> None:
    assert not may_share(WIRES[name])


@pytest.mark.parametrize("name", ["a generator that hands on", "a merge", "a finally", "a with", "a last method"])
def test_even_there_it_would_carry_nothing(name: str) -> None:
    """Since nothing is collected while legs share a process."""
    deed = DEEDS["allocates"]
    assert heard(WIRES[name], deed, True) == heard(WIRES[name], deed, False)


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("deed", DEEDS)
def test_a_leg_that_may_share_hears_nothing(listener: str, deed: str) -> None:
    assert may_share(LISTENERS[listener], DEEDS[deed])
    assert heard(LISTENERS[listener], DEEDS[deed], True) == heard(LISTENERS[listener], DEEDS[deed], False)
