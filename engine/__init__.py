"""The game core. It knows nothing of tournament/; this is all that crosses between the two.

- `records.Table`: column buffers, made by the caller, filled by a core; numpy arrays of the
  types that the contest names, a bool as one byte.
- a contest's core (`von_neumann_poker.VonNeumannPoker`, `holdem_training.HoldemTraining`): one leg
  as a state machine; made with plain ints and two tables, read through attributes (sums as ints and floats).
- `referee.Referee`: plays a core with WebAssembly bots without the GIL; takes addresses of the
  runtime's functions as ints and gives the status codes of `game_core`.
- `hand_strength.strengths`: what seven cards are worth; numpy arrays in and out.
- `rates.RateSampler`: Hold'em's win and tie rates by sampling; `rate_helpers.RateHelpers`: the same as
  functions that a WebAssembly bot imports, by their addresses.
- `bob`, `preflop`: Bob's answers and the counts behind them, for tests and the curious.
- `deals.deal_word`: the random bits of a deal, for tests and replays.
"""
