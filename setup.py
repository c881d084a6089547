"""Compiles the game core and packs what a new contest folder starts with; everything else is in pyproject.toml."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

# `make debug` compiles into build/debug what stops at the first index out of bounds, overflow or bad shift.
DEBUG = os.environ.get("ENGINE_DEBUG") == "1"
# Without checks for null pointers, which end a process anyway, and the like: they take gcc half as long again.
UNDEFINED = (
    "bounds,shift,signed-integer-overflow,integer-divide-by-zero,float-cast-overflow,bool,enum,return,unreachable"
)
SANITIZERS = [f"-fsanitize=address,{UNDEFINED}", "-fno-sanitize-recover=undefined"]
# For tests of the package: a slow core compiles five times as fast.
SLOW = os.environ.get("ENGINE_SLOW") == "1"
# Cython's own code for memory views, compiled once instead of into every module of the core.
SHARED = "engine._cython"
# Processes of bots load these. A copy of their own costs less than the shared module and what that imports.
ALONE = ("engine.processes.forking", "engine.processes.python_bots")
# Modules, and folders of them, for which nothing waits: half the time to compile them is worth more.
SELDOM = (SHARED, "engine.processes.forking", "engine.wasm.modules", "engine.watching")
# The tests of `make debug` don't run these, which are taken from the fast core there.
UNCHECKED = (
    *("engine.rules", "engine.parquet", "engine.wasm", "engine.games.matrix_game", "engine.watching.observed_core"),
    *ALONE,
)
CORES = len(os.sched_getaffinity(0))  # a container may have fewer than the machine
# What `tournament init` copies: read from the repository in a checkout, from this folder once installed.
SHIPPED = "tournament/starter/shipped"


def is_in(name: str, places: tuple[str, ...]) -> bool:
    """Return whether a module is one of these, or in one of these folders."""
    return any(f"{name}.".startswith(f"{place}.") for place in places)


class BuildCore(build_ext):
    """Has Cython write the C only when a core is built: an sdist holds the sources as they are."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or CORES

    def build_extensions(self) -> None:
        import numpy
        from Cython.Build import cythonize

        build = "build/debug_c" if DEBUG else "build/c"
        shared = Path(build, *SHARED.split(".")).with_suffix(".c")
        shared.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "cython", f"--generate-shared={shared}"], check=True)
        multiprocessing.set_start_method("fork", force=True)  # otherwise Cython's processes would run this file again
        for name in (SHARED, None):
            own = [one for one in self.extensions if one.sources and is_in(one.name, ALONE) == (name is None)]
            written = cythonize(
                own,
                nthreads=CORES,
                build_dir=build,
                force=self.force,
                shared_utility_qualified_name=name,
                compiler_directives={
                    "language_level": 3,
                    "boundscheck": DEBUG,
                    "wraparound": False,
                    "cdivision": not DEBUG,
                    "initializedcheck": DEBUG,
                    "auto_pickle": None if name is None else False,  # bots may copy what they see; no others do
                    "embedsignature": True,
                    "embedsignature.format": "python",
                },
            )
            for extension, in_c in zip(own, written):
                extension.sources, extension.depends = in_c.sources, in_c.depends
        for extension in self.extensions:
            extension.include_dirs.append(numpy.get_include())
            extension.sources = extension.sources or [str(shared)]
        super().build_extensions()


class BuildPython(build_py):
    """Adds the shipped bots, which are next to the packages in the repository."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            shipped = Path(self.build_lib, SHIPPED)
            shutil.rmtree(shipped, ignore_errors=True)
            shutil.copytree("entrants", shipped / "entrants", ignore=shutil.ignore_patterns("__pycache__", ".*"))
            (shipped / "results").mkdir()
            shutil.copy("results/README.md", shipped / "results")


def core() -> list[Any]:
    """Return one extension for each source of the core, and one for what they share."""
    sources = {".".join(path.with_suffix("").parts): [str(path)] for path in sorted(Path("engine").rglob("*.pyx"))}

    def options(name: str) -> list[str]:
        if DEBUG:
            return ["-O0", "-g1", *SANITIZERS]
        return ["-O0" if SLOW else "-O1" if is_in(name, SELDOM) else "-O3", "-g0"]

    return [
        Extension(
            name,
            source,
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
            # Without contraction numbers are rounded the same on processors that can multiply and add at once.
            extra_compile_args=["-ffp-contract=off", *options(name)],
            extra_link_args=SANITIZERS if DEBUG else [],
        )
        for name, source in {SHARED: [], **sources}.items()
        if not (DEBUG and is_in(name, UNCHECKED))
    ]


# `make` installs the package without its core, which it compiles in place next.
LATER = os.environ.get("ENGINE_LATER") == "1"
setup(cmdclass={"build_ext": BuildCore, "build_py": BuildPython}, ext_modules=[] if LATER else core())
