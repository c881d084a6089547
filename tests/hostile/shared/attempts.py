"""What hostile bots that make ATTEMPTS have in common: each must be refused."""

from look_once import a, b


def look():
    for name, attempt in dict(ATTEMPTS if isinstance(ATTEMPTS, dict) else enumerate(ATTEMPTS)).items():
        try:
            result = attempt()
        except (OSError, ImportError, RuntimeError, ValueError, MemoryError):
            continue
        raise AssertionError(f"attempt {name} gave {result}")
