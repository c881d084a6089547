"""Bots in WebAssembly: loaded, seated and called."""
