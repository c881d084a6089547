"""Which assertion of a bot in C failed, as `bot_runtime/assertions.c` notes it in the bot's memory before it traps."""

from __future__ import annotations

import wasmtime

EXPORT = "tournament_assertion"
_MOST_BYTES = 200


def failed_assertion(store: wasmtime.Store, memory: wasmtime.Memory, noted: wasmtime.Global) -> str:
    """The assertion in words, "" when none failed. `noted` is the address of a pointer to its text and of its line.

    All of that is the bot's to write, so nothing is taken for granted.
    """

    def number(address: int) -> int:
        return int.from_bytes(memory.read(store, address, address + 4), "little")

    address = noted.value(store)
    if not 0 < address <= memory.data_len(store) - 8 or not (text := number(address)):
        return ""
    expression = bytes(memory.read(store, text, text + _MOST_BYTES)).split(b"\0")[0].decode(errors="replace")
    return f"assertion failed: {expression}, line {number(address + 4)}"
