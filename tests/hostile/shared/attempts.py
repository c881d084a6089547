"""Common code of hostile bots that make ATTEMPTS, each of which must be refused."""

from look_once import a, b


def look():
    for name, attempt in dict(ATTEMPTS if isinstance(ATTEMPTS, dict) else enumerate(ATTEMPTS)).items():
        try:
            result = attempt()
        except (OSError, ImportError, RuntimeError, ValueError, MemoryError):
            continue
        raise AssertionError(f"attempt {name} gave {result}")
