"""A leg of a Python bot knows nothing of other legs, and its chance repeats."""

from __future__ import annotations

import random

import pytest

from tests.worker.support import ON, A, Answered, Source, ask, ask_each, build, legs_of, play, problem_of, view
from tournament.artifacts import python_artifact
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.keys import seed_after_faults
from tournament.sandbox.outside import fork_server
from tournament.sandbox.outside.settings import SandboxSettings

NUMPY = SandboxSettings(python_packages=["numpy"])

# Each tries to remember something over legs: what a does depends on how often a was called before.
REMEMBERING = {
    "globals": "n = 0\ndef count():\n  global n\n  n += 1\n  return n",
    "caches": "from functools import lru_cache\nn = [0]\n@lru_cache\ndef g(): return n\n"
    "def count():\n  g()[0] += 1\n  return n[0]",
    "patched_random": "import random\ndef count():\n"
    "  random.seen = getattr(random, 'seen', 0) + 1\n  return random.seen",
    "builtins": "def count():\n  __builtins__['n'] = __builtins__.get('n', 0) + 1\n  return n",
    "random_state": "import random\ndef count():\n  return int(random.random() * 1000)",
    # Addresses, which are the same whenever and however a leg is played. Freed objects leave no order to chance.
    "id": "kept = []\ndef count():\n  kept.append(object())\n  return (id(kept[-1]) >> 4) + (hash(float('nan')) >> 4)",
    "set": "class K:\n  def __init__(self, n): self.n = n\n"
    "def count(): return int(''.join(str(k.n) for k in {K(n) for n in range(8)}))",
    "ctypes": "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\n"
    "def count(): return (ctypes.cast(libc.malloc, ctypes.c_void_p).value >> 12) + (libc.malloc(100) >> 4)",
    "f": "def count():\n  the.f[0] += 1\n  return the.f[0]",
}
TEMPLATE = """
{definition}
the = None
def a(bot):
    global the
    the = bot
    return count() % 37 - 5
def b(bot, bet):
    global the
    the = bot
    return count() % 3
"""


def test_leg_plays_the_same_in_every_process() -> None:
    bots: dict[str, Source] = {f"{name}.py": TEMPLATE.format(definition=text) for name, text in REMEMBERING.items()}
    entrants = build({**bots, "other.c": "int a(Bot *b) {return 5;} int b(Bot *b, int x) {return 1;}"})
    assert {entrant.name: entrant.problem for entrant in entrants if entrant.problem} == {}
    settings = Settings(sessions=4, duplicate=True)
    legs = [leg for leg in legs_of(entrants, settings) if "other" in leg.names]
    alone = SandboxSettings(legs_per_process=1)
    first: dict[str, object] = {}
    for how, chosen in ((ON, legs), (alone, legs[::-1]), (ON, legs[len(legs) // 2 :])):
        fork_server.end_idle()  # This is how another run or worker starts.
        for leg in play(entrants, settings, how, chosen):
            assert not leg.faults
            assert first.setdefault(leg.result.digest, leg.what_counts) == leg.what_counts, leg.result.title


CHANCE = {
    "function": "from random import random as value",
    "reseeded": "import random\nrandom.seed()\nvalue = random.random",
    "system": "import random\nvalue = random.SystemRandom().random",
    "secrets": "import secrets\nvalue = lambda: secrets.randbelow(10**9) / 10**9",
    "urandom": "import os\nvalue = lambda: int.from_bytes(os.urandom(4), 'big') / 2**32",
    "imported_late": "def value():\n  import importlib\n  return importlib.import_module('random').random()",
    "uuid": "import uuid\nvalue = lambda: uuid.uuid4().int / 2**128",
    "hashes": "value = lambda s=set(map(str, range(50))): int(''.join(list(s)[:8])) % 1000 / 1000",
}
NUMPY_CHANCE = {
    "rand": "import numpy as np\nvalue = np.random.rand",
    "rng_imported": "from numpy.random import default_rng\nvalue = default_rng().random",
    "twister": "from numpy.random import Generator, MT19937\nvalue = Generator(MT19937(seed=None)).random",
    "reseeded": "import numpy as np\nnp.random.seed()\nvalue = np.random.random",
}
DRAWING = """
{definition}
if 'value' not in dir():
    value = random.random
def a(bot): return int(value() * 2**40)
def b(bot, bet): return 0
"""


@pytest.mark.parametrize(("sources", "sandbox"), [(CHANCE, ON), (NUMPY_CHANCE, NUMPY)], ids=["standard", "numpy"])
def test_randomness_of_every_source_repeats(sources: dict[str, str], sandbox: SandboxSettings) -> None:
    bots = {f"{name}.py": DRAWING.format(definition=text) for name, text in sources.items()}

    def draw(seed: int) -> dict[str, Answered]:
        return ask_each(bots, [A] * 20, Settings(seed=str(seed)), sandbox)

    first, again, other = draw(1), draw(1), draw(2)
    for name in sources:
        assert not first[name].faults
        assert first[name].answers == again[name].answers, name
        if name != "hashes":  # Hashes depend on no seed.
            assert first[name].answers != other[name].answers, name
            assert len(set(first[name].answers)) > 10, name


def test_generator_reveals_no_other_start() -> None:
    """Bots can't foresee another leg's randomness from the seed of their own."""
    source = "import os, random\ndef a(bot): return {}\ndef b(bot, bet): return 1\n"
    texts = {"random": "random.getrandbits(56)", "urandom": "int.from_bytes(os.urandom(7), 'little')"}
    asked = ask_each({f"{name}.py": source.format(text) for name, text in texts.items()}, [A], Settings(seed="1"))
    for each in asked.values():
        seed = each.random_seed
        starts = [seed ^ n for n in range(4)] + [seed >> 32, random.Random(seed).getrandbits(64), seed & 0xFFFF_FFFF]
        foreseen = {random.Random(start).getrandbits(56) for start in starts}
        foreseen |= {int.from_bytes(random.Random(start).randbytes(7), "little") for start in starts}
        assert each.answers[0] not in foreseen
    # Nor does a restart's follow from the start before it.
    assert len({seed_after_faults(seed + more, faults) - seed for more in (0, 1) for faults in range(9)}) == 18


def test_seed_chosen_by_bot_is_kept() -> None:
    source = """
        import random
        random.seed(5)
        rng = random.Random(5)
        expected = int(rng.random() * 2**40)

        def a(bot):
            return int(random.random() * 2**40) == expected

        def b(bot, bet):
            random.seed(bet)
            return random.Random(bet).random() == random.random()
    """
    assert ask(source, [A, (1, view(bet=3))]).answers == [1, 1]
    numpy_source = """
        import numpy as np
        np.random.seed(5)
        expected = [np.random.RandomState(5).rand(), np.random.default_rng(5).random()]

        def a(bot):
            return [np.random.rand(), np.random.Generator(np.random.PCG64(5)).random()] == expected

        b = lambda bot, bet: 0
    """
    assert ask(numpy_source, [A], sandbox=NUMPY).answers == [1]


def test_other_legs_have_other_randomness() -> None:
    source = "import random\ndef a(bot): return random.randrange(51)\ndef b(bot, bet): return random.random() < 0.5\n"
    first, second = play(build({"one.py": source, "two.py": source}), Settings(sessions=5, duplicate=True))
    assert first.games[0].a_card == second.games[0].a_card
    assert [game.bet for game in first.games][:5] != [game.bet for game in second.games][:5]
    # Equal files, but each bot's chance is its own.
    as_x = [game.bet for game in first.games if game.seat_0_is_a]
    as_y = [game.bet for game in first.games if not game.seat_0_is_a]
    assert as_x[:5] != as_y[:5]


@pytest.mark.parametrize("module", ["numpy", "tournament", "engine.processes.lanes"])
def test_package_that_is_not_allowed_is_missing(module: str) -> None:
    problem = problem_of(f"import {module}\ndef a(bot): return 0\ndef b(bot, bet): return 0\n")
    assert problem == (
        f"can't start: ModuleNotFoundError: No module named '{module.split('.')[0]}' (line 1);"
        " bots may import the standard library and what [sandbox] python_packages names"
    )


def test_allowed_package_brings_its_dependencies() -> None:
    assert {"pandas", "numpy", "python-dateutil", "six"} <= set(python_artifact.installed(("pandas",)).versions)


def test_bot_with_other_package_versions_is_another_bot() -> None:
    """Records of other versions don't count for a bot."""
    plain, with_numpy = (python_artifact.pack(b"x", sandbox) for sandbox in (ON, NUMPY))
    assert plain != with_numpy
    assert python_artifact.sources_of(plain, ON) == python_artifact.sources_of(with_numpy, NUMPY) == (b"", b"x", b"")
    with pytest.raises(Exception, match=r"Python bots play with Python .*, numpy .*, but this machine"):
        python_artifact.sources_of(with_numpy, ON)
