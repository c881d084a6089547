"""Games and sessions as data frames that know their seats."""

from __future__ import annotations

import pandas as pd


class RecordFrame(pd.DataFrame):
    """Rows of games or sessions: a row each, with a column for each seat where bots differ, like points_0."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame  # what is made of it may lack columns

    def by_bot(self) -> pd.DataFrame:
        """Return a row for each bot and game: its `seat`, its own columns without the seat's number, and of two bots
        the opponent's, which begin with opponent_."""
        seats = sum(f"bot_{seat}" in self.columns for seat in range(len(self.columns)))
        if not seats:
            raise ValueError("by_bot: no column bot_0 was loaded")
        own = [name[:-2] for name in self.columns if name.endswith("_0")]
        own = [name for name in own if all(f"{name}_{seat}" in self.columns for seat in range(seats))]
        of_seats = {f"{name}_{seat}" for name in own for seat in range(seats)}
        shared = pd.DataFrame(self)[[name for name in self.columns if name not in of_seats]]
        several = []
        for seat in range(seats):
            rows = {"seat": seat} | {name: self[f"{name}_{seat}"] for name in own}
            if seats == 2:
                rows |= {f"opponent_{name}": self[f"{name}_{1 - seat}"] for name in own}
            several.append(shared.assign(**rows).rename(columns={"opponent_bot": "opponent"}))
        return pd.concat(several).sort_index(kind="stable", ignore_index=True)
