"""Compiles the game core; everything else is in pyproject.toml."""

import os
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

# A bounds-checked build for hunting bugs: ENGINE_DEBUG=1 make build
DEBUG = os.environ.get("ENGINE_DEBUG") == "1"

extensions = [
    Extension(
        f"engine.{path.stem}",
        [str(path)],
        include_dirs=[numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
        extra_compile_args=["-O0", "-g"] if DEBUG else ["-O3"],
    )
    for path in sorted(Path("engine").glob("*.pyx"))
]

# `make` installs the package without its core, which it compiles in place next.
WITHOUT_CORE = os.environ.get("ENGINE_LATER") == "1"

CORES = os.cpu_count() or 1

setup(
    options={"build_ext": {"parallel": CORES}},
    ext_modules=cythonize(
        [] if WITHOUT_CORE else extensions,
        nthreads=CORES,
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "cdivision": not DEBUG,
            "initializedcheck": DEBUG,
            "embedsignature": True,
            "embedsignature.format": "python",
        },
    ),
)
