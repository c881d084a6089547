import ctypes
from collections.abc import Callable

def find_functions(library: ctypes.CDLL, raise_failure: Callable[[int, int], object]) -> None: ...
