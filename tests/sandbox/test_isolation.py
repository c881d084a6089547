"""A leg of a Python bot knows nothing of other legs, and its chance repeats."""

from __future__ import annotations

import random
import uuid
from pathlib import Path

import numpy.random
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
    "class_state": "class K:\n  n = 0\ndef count():\n  K.n += 1\n  return K.n",
    "defaults": "def count(seen=[]):\n  seen.append(0)\n  return len(seen)",
    "attributes": "def count():\n  count.n = getattr(count, 'n', 0) + 1\n  return count.n",
    "caches": "from functools import lru_cache\nn = [0]\n@lru_cache\ndef g(): return n\n"
    "def count():\n  g()[0] += 1\n  return n[0]",
    "patched_random": "import random\ndef count():\n"
    "  random.seen = getattr(random, 'seen', 0) + 1\n  return random.seen",
    "patched_os": "import os\ndef count():\n  os.seen = getattr(os, 'seen', 0) + 1\n  return os.seen",
    "builtins": "def count():\n  __builtins__['n'] = __builtins__.get('n', 0) + 1\n  return n",
    "own_name": "import sys\ndef count():\n  m = sys.modules.setdefault(__name__ + str(id(count)), K)\n"
    "  m.n = getattr(m, 'n', 0) + 1\n  return m.n\nclass K: pass",
    "random_state": "import random\ndef count():\n  return int(random.random() * 1000)",
    # Addresses, which are the same whenever and however a leg is played. Freed objects leave no order to chance.
    "id": "kept = []\ndef count():\n  kept.append(object())\n  return (id(kept[-1]) >> 4) + (hash(float('nan')) >> 4)",
    "text": "class K: pass\nkept = []\n"
    "def count():\n  kept.append(K())\n  return int(repr(kept[-1]).split('0x')[1][:-1], 16) >> 4",
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


OF_NUMPY = {"pointer": "import numpy\ndef count(): return numpy.zeros(100_000).__array_interface__['data'][0] >> 4"}


@pytest.mark.parametrize(
    ("sources", "sandbox"),
    [(REMEMBERING, ON), pytest.param(OF_NUMPY, NUMPY, marks=pytest.mark.thorough)],
    ids=["standard", "numpy"],
)
def test_leg_plays_the_same_in_every_process(sources: dict[str, str], sandbox: SandboxSettings) -> None:
    bots: dict[str, Source] = {f"{name}.py": TEMPLATE.format(definition=text) for name, text in sources.items()}
    entrants = build({**bots, "other.c": "int a(Bot *b) {return 5;} int b(Bot *b, int x) {return 1;}"}, sandbox)
    assert {entrant.name: entrant.problem for entrant in entrants if entrant.problem} == {}
    settings = Settings(sessions=4, duplicate=True)
    legs = [leg for leg in legs_of(entrants, settings) if "other" in leg.names]
    alone = SandboxSettings(legs_per_process=1, python_packages=sandbox.python_packages)
    first: dict[str, object] = {}
    for how, chosen in ((sandbox, legs), (alone, legs[::-1]), (sandbox, legs[len(legs) // 2 :])):
        fork_server.end_idle()  # This is how another run or worker starts.
        for leg in play(entrants, settings, how, chosen):
            assert not leg.faults
            assert first.setdefault(leg.result.digest, leg.what_counts) == leg.what_counts, leg.result.title


CHANCE = {
    "random": "import random",
    "function": "from random import random as value",
    "choice": "from random import choice\nvalue = lambda: choice(range(10**9)) / 10**9",
    "generator": "from random import Random\nvalue = Random().random",
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
    "rng": "import numpy as np\nvalue = np.random.default_rng().random",
    "rng_imported": "from numpy.random import default_rng\nvalue = default_rng().random",
    "state": "import numpy.random\nvalue = numpy.random.RandomState().rand",
    "twister": "from numpy.random import Generator, MT19937\nvalue = Generator(MT19937(seed=None)).random",
    "sequence": "import numpy as np\nvalue = np.random.default_rng(np.random.SeedSequence().spawn(1)[0]).random",
    "reseeded": "import numpy as np\nnp.random.seed()\nvalue = np.random.random",
    "shuffled": "import numpy as np\nvalue = lambda: np.random.permutation(1000)[0] / 1000",
}
DRAWING = """
{definition}
if 'value' not in dir():
    value = random.random
def a(bot): return int(value() * 2**40)
def b(bot, bet): return 0
"""


SOME = {name: NUMPY_CHANCE[name] for name in ("rand", "rng_imported", "reseeded")}  # numpy takes long to import


@pytest.mark.parametrize(
    ("sources", "sandbox"),
    [(CHANCE, ON), (SOME, NUMPY), pytest.param(NUMPY_CHANCE, NUMPY, marks=pytest.mark.thorough)],
    ids=["standard", "numpy", "all of numpy"],
)
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


RAW = {
    "random": "random.getrandbits(62)",
    "urandom": "int.from_bytes(os.urandom(7), 'little')",
    "secrets": "secrets.randbits(62)",
    "uuid": "uuid.uuid4().int >> 66",
    "numpy": "int(numpy.random.randint(2**62))",
}


def test_generator_reveals_no_other_start() -> None:
    lines = "import os, random, secrets, uuid, numpy.random\ndef a(bot): return {}\ndef b(bot, bet): return 1\n"
    bots = {f"{name}.py": lines.format(text) for name, text in RAW.items()}
    asked = ask_each(bots, [A], Settings(seed="1"), NUMPY)
    drawn = {name: each.answers[0] for name, each in asked.items()}
    for name in RAW:
        seed = asked[name].random_seed
        starts = [seed ^ n for n in range(4)] + [seed >> 32, random.Random(seed).getrandbits(64), seed & 0xFFFF_FFFF]
        for start in starts:
            twister, state = random.Random(start), numpy.random.RandomState(start & 0xFFFF_FFFF)
            foreseen = {twister.getrandbits(62), int(state.randint(2**62))}
            foreseen |= {int.from_bytes(random.Random(start).randbytes(7), "little")}
            foreseen |= {
                uuid.UUID(bytes=random.Random(start).getrandbits(128).to_bytes(16, "little"), version=4).int >> 66
            }
            assert drawn[name] not in foreseen
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


@pytest.mark.parametrize("module", ["numpy", "tournament", "engine", "engine.processes.lanes", "pytest", "bot"])
def test_package_that_is_not_allowed_is_missing(module: str) -> None:
    problem = problem_of(f"import {module}\ndef a(bot): return 0\ndef b(bot, bet): return 0\n")
    assert problem == (
        f"can't start: ModuleNotFoundError: No module named '{module.split('.')[0]}' (line 1);"
        " bots may import the standard library and what [sandbox] python_packages names"
    )


@pytest.mark.slow
def test_allowed_package_brings_its_dependencies() -> None:
    sandbox = SandboxSettings(python_packages=["pandas"])
    source = "import pandas as pd\ndef a(bot): return int(pd.Series([3, 4]).sum())\ndef b(bot, bet): return 0\n"
    assert ask(source, [A], sandbox=sandbox).answers == [7]
    known = python_artifact.installed(("pandas",))
    assert {"pandas", "numpy", "python-dateutil", "six"} <= set(known.versions)
    assert known.modules["six"] == (known.modules["six"][0], [])
    assert known.modules["numpy"][0].endswith("numpy/__init__.py")


def _install(folder: Path, name: str, source: str) -> None:
    """Write a package as an installer leaves it, without bytecode."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(source)
    information = folder / f"{name}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (information / "RECORD").write_text(f"{name}/__init__.py,,\n{name}-1.0.dist-info/METADATA,,\n")


def test_imported_package_is_loaded_once_before_legs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(
        tmp_path,
        "loaded_once",
        "import os, random\nprint('text')\nmade = os.getpid(), os.urandom(4), random.random()\n",
    )
    _install(tmp_path, "unloadable", "raise ValueError('no licence')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    sandbox = SandboxSettings(python_packages=["loaded_once", "unloadable"])
    of_names = "def a(bot): return made[0] != os.getpid()\ndef b(bot, bet): return 0\n"
    started = [ask(f"import os\nfrom loaded_once import made\n{of_names}", [A], sandbox=sandbox) for _ in range(2)]
    assert [one.answers for one in started] == [[1], [1]]
    late = ask(f"import os\nmade = __import__('loaded_' + 'once').made\n{of_names}", [A], sandbox=sandbox)
    assert late.answers == [0]
    assert "ValueError: no licence" in problem_of(f"import unloadable\n{of_names}", sandbox=sandbox)


def test_bot_with_other_package_versions_is_another_bot() -> None:
    """Records of other versions don't count for a bot."""
    plain, with_numpy = (python_artifact.pack(b"x", sandbox) for sandbox in (ON, NUMPY))
    assert plain != with_numpy
    assert python_artifact.sources_of(plain, ON) == python_artifact.sources_of(with_numpy, NUMPY) == (b"", b"x", b"")
    with pytest.raises(Exception, match=r"Python bots play with Python .*, numpy .*, but this machine"):
        python_artifact.sources_of(with_numpy, ON)
