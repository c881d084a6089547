"""Every name of wasmtime's Python binding that isn't public and is used all the same is still there.

pyproject.toml allows versions with which this was tried. Before it allows a newer one, this must pass with it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import wasmtime
from wasmtime import _ffi as ffi

import tournament.worker.wasm
from tournament.worker.wasm import calls
from tournament.worker.wasm.engine import Engine, engine_settings

ROOM = Path(tournament.worker.wasm.__file__).parent
# By what they hang on.
FUNCTIONS = (
    "wasmtime_caller_export_get",
    "wasmtime_context_set_epoch_deadline",
    "wasmtime_func_call_unchecked",
    "wasmtime_func_new_unchecked",
    "wasmtime_global_get",
    "wasmtime_global_new",
    "wasmtime_global_set",
    "wasmtime_instance_export_get",
    "wasmtime_instance_new",
    "wasmtime_memory_data",
    "wasmtime_memory_data_size",
    "wasmtime_memory_grow",
    "wasmtime_store_context",
    "wasmtime_store_delete",
    "wasmtime_store_limiter",
    "wasmtime_store_new",
    "wasmtime_trap_new",
)
TYPES = ("wasm_trap_t", "wasmtime_error_t")
NAMES = ("filename",)
METHODS = {
    "_from_ptr": wasmtime.Trap,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_library_has_the_function(name: str) -> None:
    assert hasattr(ffi.dll, name), f"wasmtime's library has no {name}: tournament/worker/wasm/calls.py needs it"


@pytest.mark.parametrize("name", [*engine_settings(Engine.PLAIN)])
def test_the_library_has_a_function_for_each_setting(name: str) -> None:
    function = f"wasmtime_config_{name}_set"
    assert hasattr(ffi.dll, function), f"no {function}: tournament/sandbox/inside/module_compiler.py needs it"


@pytest.mark.parametrize("name", ("wasm_config_new", "wasm_engine_new_with_config", "wasmtime_module_new"))
def test_the_library_has_what_compiles(name: str) -> None:
    assert hasattr(ffi.dll, name), (
        f"wasmtime's library has no {name}: tournament/sandbox/inside/module_compiler.py needs it"
    )


@pytest.mark.parametrize("name", (*TYPES, *NAMES))
def test_the_binding_has_the_name(name: str) -> None:
    assert hasattr(ffi, name), f"wasmtime._ffi has no {name}: tournament/worker/wasm/calls.py needs it"


@pytest.mark.parametrize("name", METHODS)
def test_the_class_has_the_method(name: str) -> None:
    of = METHODS[name]
    assert hasattr(of, name), f"wasmtime.{of.__name__} has no {name}: tournament/worker/wasm/calls.py needs it"
    if name == "_from_ptr":
        assert hasattr(wasmtime.WasmtimeError, name)


def test_no_other_name_is_used() -> None:
    used: set[str] = set()
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "wasmtime":
                assert path.name == "calls.py", f"{path.name} imports {[name.name for name in node.names]}"
            if not isinstance(node, ast.Attribute):
                continue
            of = ast.unparse(node.value)
            if of in ("ffi", "ffi.dll") and node.attr != "dll":
                used.add(node.attr)
            elif node.attr.startswith("_") and not node.attr.startswith("__") and of not in ("self", "ctypes"):
                assert path.name == "calls.py", f"{path.name} uses {of}.{node.attr}"
                used.add(node.attr)
    assert used == {*FUNCTIONS, *TYPES, *NAMES, *METHODS}


@pytest.mark.parametrize("value", [0, 65536, 2**31 - 1, 2**31, 2**32 - 65536])
def test_a_constant_has_its_value(value: int) -> None:
    store = calls.new_store(wasmtime.Engine())
    assert store.value_of(store.constant(value)) == calls.signed(value, 32)


def test_wrong_handles_are_refused_before_the_runtime_reads_them() -> None:
    made = wasmtime.Engine()
    store = calls.new_store(made)
    module = wasmtime.Module(made, '(module (memory (export "memory") 1) (func (export "trap") unreachable))')
    memory, trap = (instance := calls.new_instance(store, module, [])).exports((b"memory", b"trap"))
    assert store.place_of(memory)[1] == 65536
    assert store.grow(memory, 1) == 1
    for wrong in (b"", memory[:-1], memory + b"\0"):
        with pytest.raises(ValueError, match="32 bytes"):
            calls.new_instance(store, module, [wrong])
        with pytest.raises(ValueError, match="32 bytes"):
            instance.call(wrong)
        with pytest.raises(ValueError, match="32 bytes"):
            store.place_of(wrong)
    with pytest.raises(KeyError):
        instance.exports((b"nothing",))
    with pytest.raises(wasmtime.Trap):
        instance.call(trap)


def test_a_store_ends_with_all_that_is_in_it() -> None:
    """Bots of a leg have hundreds of megabytes: what isn't freed would end a worker."""
    made = wasmtime.Engine()
    module = wasmtime.Module(made, '(module (memory (export "memory") 1))')

    def mapped() -> int:
        return Path("/proc/self/maps").read_text().count("\n")

    def make(count: int) -> int:
        for _ in range(count):
            calls.new_instance(calls.new_store(made), module, [])
        return mapped()

    make(10)
    assert make(200) < make(10) + 100
