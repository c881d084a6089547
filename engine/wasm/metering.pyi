from collections.abc import Container

FUEL: str
BEGIN: str

def metered(code: bytes, exports: Container[str]) -> bytes:
    """A module that was read, with fuel; see metering.pyx. Raises Refused where it has an export of ours."""

def origin(code: bytes, place: int) -> int:
    """Where in a module's bytes stands what is at this place in `metered` of it; -1 for what was written in."""
