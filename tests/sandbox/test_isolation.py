"""A leg of a Python bot knows nothing of other legs, and its chance repeats."""

from __future__ import annotations

import random
import uuid
from pathlib import Path

import numpy.random
import pytest

from tests.worker.support import ON, A, Answered, ask, ask_each, build, legs_of, play, problem_of, view
from tournament.artifacts import python_artifact
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.keys import seed_after_faults
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


def test_legs_that_share_a_process_share_no_memory() -> None:
    settings = Settings(sessions=4, duplicate=True)
    bots = {f"{name}.py": TEMPLATE.format(definition=text) for name, text in REMEMBERING.items()}
    entrants = build(bots)
    legs = [leg for leg in legs_of(entrants, settings) if "globals" in leg.names]
    together = play(entrants, settings, legs=legs)
    alone = play(entrants, settings, SandboxSettings(legs_per_process=1), legs)
    for one, other in zip(together, alone):
        assert not one.faults
        assert one.what_counts == other.what_counts
    # They do count: over one leg the answers change.
    assert any(len({game.bet for game in played.games}) > 10 for played in together)


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
def test_chance_of_every_source_repeats(sources: dict[str, str], sandbox: SandboxSettings) -> None:
    bots = {f"{name}.py": DRAWING.format(definition=text) for name, text in sources.items()}

    def draw(seed: int) -> dict[str, Answered]:
        return ask_each(bots, [A] * 20, Settings(seed=str(seed)), sandbox)

    first, again, other = draw(1), draw(1), draw(2)
    for name in sources:
        assert not first[name].faults
        assert first[name].answers == again[name].answers, name
        if name != "hashes":  # they depend on no seed
            assert first[name].answers != other[name].answers, name
            assert len(set(first[name].answers)) > 10, name


RAW = {
    "random": "random.getrandbits(62)",
    "urandom": "int.from_bytes(os.urandom(7), 'little')",
    "secrets": "secrets.randbits(62)",
    "uuid": "uuid.uuid4().int >> 66",
    "numpy": "int(numpy.random.randint(2**62))",
}


def test_no_generator_starts_at_a_number_from_which_another_follows() -> None:
    """The start of a Mersenne Twister can be worked back from what it gives: it must lead nowhere."""
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


def test_seeds_that_a_bot_chooses_are_kept() -> None:
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


def test_other_legs_have_other_chance() -> None:
    source = "import random\ndef a(bot): return random.randrange(51)\ndef b(bot, bet): return random.random() < 0.5\n"
    first, second = play(build({"one.py": source, "two.py": source}), Settings(sessions=5, duplicate=True))
    assert first.games[0].a_card == second.games[0].a_card
    assert [game.bet for game in first.games][:5] != [game.bet for game in second.games][:5]
    # Equal files, but each bot's chance is its own.
    as_x = [game.bet for game in first.games if game.seat_0_is_a]
    as_y = [game.bet for game in first.games if not game.seat_0_is_a]
    assert as_x[:5] != as_y[:5]


@pytest.mark.parametrize("module", ["numpy", "tournament", "engine", "engine.processes.lanes", "pytest", "bot"])
def test_what_is_not_allowed_is_not_there(module: str) -> None:
    problem = problem_of(f"import {module}\ndef a(bot): return 0\ndef b(bot, bet): return 0\n")
    assert problem == (
        f"can't start: ModuleNotFoundError: No module named '{module.split('.')[0]}' (line 1);"
        " bots may import the standard library and what [sandbox] python_packages names"
    )


@pytest.mark.slow
def test_allowed_packages_come_with_what_they_need() -> None:
    sandbox = SandboxSettings(python_packages=["pandas"])
    source = "import pandas as pd\ndef a(bot): return int(pd.Series([3, 4]).sum())\ndef b(bot, bet): return 0\n"
    assert ask(source, [A], sandbox=sandbox).answers == [7]
    known = python_artifact.installed(("pandas",))
    assert {"pandas", "numpy", "python-dateutil", "six"} <= set(known.versions)
    assert known.modules["six"] == (known.modules["six"][0], [])
    assert known.modules["numpy"][0].endswith("numpy/__init__.py")


def _install(folder: Path, name: str, source: str) -> None:
    """A package as an installer leaves it, without bytecode."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(source)
    information = folder / f"{name}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (information / "RECORD").write_text(f"{name}/__init__.py,,\n{name}-1.0.dist-info/METADATA,,\n")


def test_package_that_a_bot_imports_is_loaded_once_before_its_legs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert list((tmp_path / "loaded_once" / "__pycache__").iterdir())
    late = ask(f"import os\nmade = __import__('loaded_' + 'once').made\n{of_names}", [A], sandbox=sandbox)
    assert late.answers == [0]
    assert "ValueError: no licence" in problem_of(f"import unloadable\n{of_names}", sandbox=sandbox)


def test_other_versions_of_packages_are_another_bot() -> None:
    """What plays says with what: records of other versions are not taken for its own."""
    plain, with_numpy = (python_artifact.pack(b"x", sandbox) for sandbox in (ON, NUMPY))
    assert plain != with_numpy
    assert python_artifact.sources_of(plain, ON) == python_artifact.sources_of(with_numpy, NUMPY) == (b"", b"x", b"")
    with pytest.raises(Exception, match=r"Python bots play with Python .*, numpy .*, but this machine"):
        python_artifact.sources_of(with_numpy, ON)
