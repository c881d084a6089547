"""Limits that every compiled bot is built for."""

# Bytes, as Linux gives a program. This stack, in a bot's memory, has variables whose address the bot takes.
BOT_STACK = 8 << 20

# Elements of a WebAssembly bot's one table.
MAX_ELEMENTS = 100_000
