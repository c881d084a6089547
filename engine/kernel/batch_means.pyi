from collections.abc import Sequence

def batch_means(
    rows: Sequence[tuple[float, ...]], shares: list[float], used: int, luck: Sequence[float] | None = None
) -> list[tuple[float, float, float]]: ...
