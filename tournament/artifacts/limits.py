"""Limits that every compiled bot is built for."""

# Bytes, as Linux gives a program. In a bot's memory, for variables whose address it takes.
BOT_STACK = 8 << 20

# Elements of a WebAssembly bot's one table.
MOST_ELEMENTS = 100_000
