"""Bots that look at addresses play the same games whenever and however they play: addresses follow from the leg."""

from __future__ import annotations

import pytest

from tests.sandbox.test_isolation import NUMPY, TEMPLATE
from tests.worker.support import ON, Source, build, legs_of, play
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.sandbox.outside import fork_server
from tournament.sandbox.outside.settings import SandboxSettings

# `count()` is a number that an address moves. Much is made and let go before, so that no order stays by chance.
LOOKING = {
    "id": "kept = []\ndef count():\n  kept.append(object())\n  return (id(kept[-1]) >> 4) + (hash(float('nan')) >> 4)",
    "text": "class K: pass\nkept = []\n"
    "def count():\n  kept.append(K())\n  return int(repr(kept[-1]).split('0x')[1][:-1], 16) >> 4",
    "set": "class K:\n  def __init__(self, n): self.n = n\n"
    "def count(): return int(''.join(str(k.n) for k in {K(n) for n in range(8)}))",
    "ctypes": "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\n"
    "def count(): return (ctypes.cast(libc.malloc, ctypes.c_void_p).value >> 12) + (libc.malloc(100) >> 4)",
}  # fmt: skip
OF_NUMPY = {"pointer": "import numpy\ndef count(): return numpy.zeros(100_000).__array_interface__['data'][0] >> 4"}


@pytest.mark.parametrize(
    ("sources", "sandbox"),
    [(LOOKING, ON), pytest.param(OF_NUMPY, NUMPY, marks=pytest.mark.thorough)],
    ids=["standard", "numpy"],
)
def test_addresses_are_the_same_in_every_run(sources: dict[str, str], sandbox: SandboxSettings) -> None:
    bots: dict[str, Source] = {f"{name}.py": TEMPLATE.format(definition=text) for name, text in sources.items()}
    entrants = build({**bots, "other.c": "int a(Bot *b) {return 5;} int b(Bot *b, int x) {return 1;}"}, sandbox)
    assert {entrant.name: entrant.problem for entrant in entrants if entrant.problem} == {}
    settings = Settings(sessions=2)
    legs = [leg for leg in legs_of(entrants, settings) if "other" in leg.names]
    alone = SandboxSettings(legs_per_process=1, python_packages=sandbox.python_packages)
    ways = [(sandbox, legs), (alone, legs[::-1]), (sandbox, legs[len(legs) // 2 :])]
    first: dict[str, object] = {}
    for how, chosen in ways:
        fork_server.end_idle()  # as in another run, or on another worker
        for leg in play(entrants, settings, how, chosen):
            assert not leg.faults
            assert first.setdefault(leg.result.digest, leg.what_counts) == leg.what_counts, leg.result.title
