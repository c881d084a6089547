"""The game core, which knows nothing of tournament/.

Numbers, bytes and numpy arrays pass between the two:

- `kernel.records.Table`: column buffers, made by the caller, filled by a core; numpy arrays of the
  types that the contest names, a bool as one byte.
- a contest's core (`games.von_neumann_poker.core.VonNeumannPoker`, ...): one leg as a state machine;
  made with plain ints and two tables, read through attributes (sums as ints and floats).
- `wasm.referee.Referee`: plays a core with WebAssembly bots without the GIL; takes addresses of the
  runtime's functions as ints and gives the status codes of `kernel.game_core`.
- `processes.lanes`: plays many cores with bots that are processes.
- `games.holdem_training`: what hands are worth, and how often they win.
- `kernel.deals.deal_word`: the random bits of a deal, for tests and replays.
"""
