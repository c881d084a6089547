POT: int
ROLLOUTS: int
