"""What the compiled core holds, and what it leaves out."""

from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "engine"


def holding(code: bytes) -> set[str]:
    """Compiled modules whose file has these bytes, by name."""
    compiled = list(ENGINE.rglob("*.so"))
    assert len(compiled) > 30
    return {path.name.split(".")[0] for path in compiled if code in path.read_bytes()}


def test_what_cython_brings_for_memory_views_is_in_one_module() -> None:
    """A copy of it takes four seconds to compile, more than most of our own modules."""
    assert holding(b"View.MemoryView") == {"_cython"}


def test_only_what_bots_see_can_be_pickled() -> None:
    """They may copy it. Else it would be code that nobody calls, a third of some modules."""
    assert holding(b"__pyx_unpickle") <= {"_cython", "python_bots"}
