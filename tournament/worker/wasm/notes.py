"""Reasons why C or C++ bots give up, which their runtime (in tournament/artifacts) writes to memory before a trap."""

from __future__ import annotations

import re

from engine.wasm.instances import Store
from tournament.errors import one_line
from tournament.worker.wasm import calls

FAILURE, UNCAUGHT = "tournament_assertion", "tournament_uncaught"
ASSERTION = "assertion failed: "
_MAX_BYTES = 200
_BYTES = 12


def noted_failure(store: Store, memory: calls.Extern, noted: calls.Extern) -> str:
    """Return a failed assertion or uncaught exception as text, or "" if neither is noted or the address is invalid.

    The bot can write all of this, so nothing is trusted. Texts in it are cut to 200 bytes.

    Args:
        store: The bot's store.
        memory: The bot's memory.
        noted: Variable with the address of three 32-bit numbers: a pointer to the text, the line, and a pointer to the
            type of the thrown value.
    """

    def number(address: int) -> int:
        """Return the 32-bit number at an address."""
        return int.from_bytes(calls.content(store, memory, address, 4), "little")

    def text(address: int) -> str:
        """Return the text at an address, up to a 0 byte or 200 bytes, as one line."""
        return one_line(calls.content(store, memory, address, _MAX_BYTES).split(b"\0")[0].decode(errors="replace"))

    address = store.value_of(noted)
    if not 0 < address <= store.place_of(memory)[1] - _BYTES:
        return ""
    words, line, thrown = (number(address + place) for place in range(0, _BYTES, 4))
    if thrown:
        return f"threw {type_in_words(text(thrown))}, which nothing caught{f': {text(words)}' if words else ''}"
    return f"{ASSERTION}{text(words)}, line {line}" if words else ""


_BUILT_IN = {"a": "signed char", "b": "bool", "c": "char", "d": "double", "f": "float", "h": "unsigned char",
    "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long", "s": "short", "t": "unsigned short",
    "x": "long long", "y": "unsigned long long", "PKc": "const char*",
    "NSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE": "std::string",
}  # fmt: skip
_LIBRARY_THROW = re.compile(r"(\S+) was thrown in -fno-exceptions mode")
_PART = re.compile(r"\d+")


def type_in_words(name: str) -> str:
    """Return the name of a type as in its source if that is simple, otherwise the given name.

    Compilers shorten names (Itanium C++ ABI, 5.1). The C++ library's messages about its exceptions are accepted, too.
    """
    if found := _LIBRARY_THROW.match(name):
        return f"std::{found[1]}"
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    remaining = name[1:-1] if name[:1] == "N" and name[-1:] == "E" else name
    parts = ["std"] if remaining.startswith("St") else []
    remaining = remaining.removeprefix("St")
    while length := _PART.match(remaining):
        parts.append(remaining[length.end() : length.end() + int(length[0])])
        remaining = remaining[length.end() + int(length[0]) :]
    return name if remaining or not parts else "::".join(part for part in parts if part != "__1")
