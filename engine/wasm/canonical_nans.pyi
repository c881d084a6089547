class Unreadable(ValueError):
    """Bytes that aren't a WebAssembly module; see canonical_nans.pyx."""

def with_canonical_nans(module: bytes) -> bytes:
    """A WebAssembly module whose NaNs are the same on every processor wherever their bits show; see the .pyx."""
