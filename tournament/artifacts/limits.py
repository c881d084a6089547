"""What every compiled bot is built for."""

# Bytes. What Linux gives a program; in a bot's memory, for what it takes addresses of.
BOT_STACK = 8 << 20
