"""Every name of wasmtime's Python binding that isn't public and is used all the same is still there.

pyproject.toml allows versions with which this was tried. Before it allows a newer one, this must pass with it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from wasmtime import _ffi as ffi

import tournament.worker.wasm
from tournament.worker.wasm import calls
from tournament.worker.wasm.engine import Engine, engine_settings

ROOM = Path(tournament.worker.wasm.__file__).parent
COMPILERS = ("wasm_config_new", "wasm_engine_new_with_config", "wasmtime_module_new")


def test_private_names_are_used_in_one_module() -> None:
    used = 0
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "wasmtime":
                assert path.name == "calls.py", f"{path.name} imports {[name.name for name in node.names]}"
            if not isinstance(node, ast.Attribute):
                continue
            of = ast.unparse(node.value)
            is_private = node.attr.startswith("_") and not node.attr.startswith("__") and of not in ("self", "ctypes")
            if of in ("ffi", "ffi.dll") or is_private:
                assert path.name == "calls.py", f"{path.name} uses {of}.{node.attr}"
                assert hasattr(eval(of, vars(calls)), node.attr), f"{of} has no {node.attr}"
                used += 1
    assert used > 5


@pytest.mark.parametrize(
    "name", [*COMPILERS, *(f"wasmtime_config_{name}_set" for name in engine_settings(Engine.PLAIN))]
)
def test_library_has_functions_of_the_compiler(name: str) -> None:
    assert hasattr(ffi.dll, name), f"no {name}: tournament/sandbox/inside/module_compiler.py needs it"
