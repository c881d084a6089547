"""Bots that reckon in fractions play the same games on every processor: also on one that lacks what this one has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import artifact_of, build_folder
from tests.worker.support import A, ask
from tournament.sandbox.outside.settings import SandboxSettings

# A processor of 2008: without AVX, and without multiplication and addition in one rounding.
QEMU = shutil.which("qemu-x86_64")
OLD = [str(QEMU), "-cpu", "Nehalem"]
needs_qemu = pytest.mark.skipif(not QEMU, reason="there is no qemu-x86_64: apt install qemu-user")
on_x86_64 = pytest.mark.skipif(os.uname().machine != "x86_64", reason="compares processors of x86_64")

# Digests of what the libraries of mathematics give, of orders and of hashes, as 56 bits.
STANDARD = """
import hashlib, math, random, struct
def told(bot):
    r = random.Random(3)
    xs = [r.uniform(-30, 30) for _ in range(500)]
    functions = [math.exp, math.sin, math.cos, math.tan, math.sinh, math.tanh, math.expm1, math.atan, math.erf]
    positive = [math.log, math.log2, math.log10, math.log1p, math.gamma, math.lgamma, math.sqrt]
    values = [f(x) for f in functions for x in xs] + [f(abs(x)) for f in positive for x in xs]
    values += [abs(x) ** y for x, y in zip(xs, xs[1:])] + [math.atan2(x, y) for x, y in zip(xs, xs[1:])]
    values += [r.gauss(0, 1) for _ in xs] + [r.betavariate(2, 3) for _ in xs] + [sum(xs), math.fsum(xs)]
    orders = [*{str(x) for x in xs}, *sorted(xs, key=round), hash("abc"), hash(2.5)]
    return struct.pack(f"{len(values)}d", *values) + repr(orders).encode()
def a(bot): return int.from_bytes(hashlib.sha256(told(bot)).digest()[:7], "little")
def b(bot, bet): return 0
"""
WITH_NUMPY = STANDARD.replace("def a(", """
import numpy as np
standard = told
def told(bot):
    r = random.Random(3)
    x = np.array([r.uniform(-30, 30) for _ in range(2500)])
    square = x.reshape(50, 50)
    functions = (np.exp, np.sin, np.tanh, np.expm1, np.arctan, np.cbrt)
    many = [f(y) for f in functions for y in (x, x.astype("f4"))] + [np.log(abs(x)), abs(x) ** 1.7]
    many += [square @ square, np.linalg.solve(square, x[:50]), np.linalg.eigvalsh(square + square.T), np.fft.fft(x)]
    many += [np.sort(x), np.argsort(np.round(x)), np.argpartition(np.round(x), 50), np.convolve(x, x[:50])]
    many += [np.array([x.sum(), x.std(), x @ x, x.astype("f4").sum()]), np.random.default_rng(3).gamma(2, size=500)]
    return standard(bot) + b"".join(y.tobytes() for y in many)
def a(""")  # fmt: skip
SOURCES = {"standard": (STANDARD, SandboxSettings()), "numpy": (WITH_NUMPY, SandboxSettings(packages=["numpy"]))}


@on_x86_64
@needs_qemu
@pytest.mark.thorough
@pytest.mark.parametrize("kind", SOURCES)
def test_a_python_bot_reckons_as_on_an_old_processor(kind: str) -> None:
    source, sandbox = SOURCES[kind]
    assert ask(source, [A], sandbox=sandbox).answers == [_answered(source, OLD)]


@on_x86_64
def test_a_python_bot_reckons_without_what_only_some_processors_have() -> None:
    """Nothing is emulated here: the C library is told to do without."""
    assert ask(STANDARD, [A]).answers == [_answered(STANDARD, [], GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4")]


def _answered(source: str, under: list[str], **environment: str) -> int:
    """What a bot answers outside of any sandbox."""
    command = [*under, os.path.realpath(sys.executable), "-c", source + "print(a(None))"]
    found = os.pathsep.join(path for path in sys.path if path)
    known = {"PYTHONHASHSEED": "0", "PYTHONPATH": found, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=known | environment, capture_output=True, text=True, check=True)
    return int(done.stdout)


FRACTIONS = """
#include <math.h>
static double sum = 1.25; static float small = 0.3f;
int a(const Bot *bot) {
    for (int i = 1; i < 40; i++) {
        sum = sum * 0.7 + sin(i * bot->card) * exp(-bot->card) + pow(bot->card + i, 1.7) * 1e-3;
        small = small * 0.9f + (float)tanh(sum) / (1 + fabsf(small)) + fmaf(small, 0.1f, 0.2f);
        sum += log1p(fabs(small)) + atan2(sum, small) + cbrt(sum);
    }
    union { double d; unsigned long long u; } bits = { sum + small }, none = { sqrt(-1 - bot->card) / (sum - sum) };
    return ((bits.u >> 3) + (none.u >> 51)) % 40;
}
int b(const Bot *bot, const int bet) { sum = fmod(sum, 3); return a(bot) & 1; }
"""
PLAYED = """
import sys, hashlib
from pathlib import Path
from tests.support import constant_bot, try_bot
from tournament.artifacts.bot import Entrant
for path in sys.argv[1:]:
    trial = try_bot(Entrant("x", "wasm", "", Path(path).read_bytes()), constant_bot(12, 1), sessions=8)
    assert not trial.failures, trial.failures
    print(hashlib.sha256(repr(trial.record.games).encode()).hexdigest(), len(trial.record.games))
"""


@on_x86_64
@needs_qemu
@pytest.mark.thorough
def test_webassembly_plays_as_on_an_old_processor(tmp_path: Path) -> None:
    bots = build_folder(
        tmp_path, {"one.c": FRACTIONS, "two.cpp": FRACTIONS, "three.c": FRACTIONS.replace("0.7 +", "0.9 -")}
    )
    paths = [tmp_path / f"{name}.wasm" for name in bots]
    for path, entrant in zip(paths, bots.values()):
        path.write_bytes(artifact_of(entrant))

    def played(under: list[str]) -> list[str]:
        known = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        command = [*under, os.path.realpath(sys.executable), "-c", PLAYED, *map(str, paths)]
        done = subprocess.run(command, env=known, cwd=Path(__file__).parents[2], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    here = played([])
    assert len(set(here)) > 1
    assert played(OLD) == here
