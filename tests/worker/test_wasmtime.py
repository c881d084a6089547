"""Every name of wasmtime's Python binding that isn't public and is used all the same is still there.

pyproject.toml allows versions with which this was tried. Before it allows a newer one, this must pass with it.
"""

from __future__ import annotations

import ast
from pathlib import Path

from wasmtime import _ffi as ffi

from tournament.worker.wasm import calls
from tournament.worker.wasm.engine import Engine, engine_settings

COMPILERS = ("wasm_config_new", "wasm_engine_new_with_config", "wasmtime_module_new")


def test_private_names_of_the_runtime_exist() -> None:
    """tournament/sandbox/inside/module_compiler.py needs the compiler's."""
    used = 0
    for node in ast.walk(ast.parse(Path(calls.__file__).read_text())):
        if not isinstance(node, ast.Attribute) or (of := ast.unparse(node.value)) in ("self", "ctypes"):
            continue
        if of in ("ffi", "ffi.dll") or (node.attr.startswith("_") and not node.attr.startswith("__")):
            assert hasattr(eval(of, vars(calls)), node.attr), f"{of} has no {node.attr}"
            used += 1
    assert used > 5
    wanted = [*COMPILERS, *(f"wasmtime_config_{name}_set" for name in engine_settings(Engine.PLAIN))]
    assert [name for name in wanted if not hasattr(ffi.dll, name)] == []
