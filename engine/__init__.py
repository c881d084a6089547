"""The game core, which doesn't depend on tournament/.

Numbers, bytes and numpy arrays pass between the two:
- `kernel.records.Table`: column buffers, made by the caller and filled by a core. They are numpy arrays.
  A bool has one byte.

- A contest's core (`games.von_neumann_poker.core.VonNeumannPoker`, ...): one leg as a state machine.
  It is made with plain ints and two tables, and read through attributes (sums as ints and floats).

- `wasm.referee.Referee`: plays a core with WebAssembly bots without the GIL. It takes addresses of the
  runtime's functions as ints and returns the status codes of `kernel.game_core`.
- `processes.lanes`: plays many cores with bots that are processes.
- `games.holdem_training`: values of hands, and how often they win.
- `kernel.deals.deal_word`: the random bits of a deal, for tests and replays.
"""
