from collections.abc import Sequence

POT: int
ROLLOUTS: int

def preflop_call_probability(first: int, second: int, raised: int) -> float: ...
def bob_calls(hole: Sequence[int], board: Sequence[int], pot: int, raised: int, word: int) -> bool: ...
