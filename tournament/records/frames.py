"""Games and sessions as data frames that know their seats."""

from __future__ import annotations

import pandas as pd


class RecordFrame(pd.DataFrame):
    """A data frame of games or sessions, with a column for each seat if bots differ, such as points_0."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        # A frame that is derived from this one might lack columns.
        return pd.DataFrame

    def by_bot(self) -> pd.DataFrame:
        """Return a row for each bot and game or session.

        Rows keep their order, and those of one game or session are sorted by seat. The index counts from 0.

        The bot's own columns lose the number of the seat, which is in the column seat. With two bots, those of the
        opponent start with opponent_, and its name is in the column opponent.

        Raises:
            ValueError: The column bot_0 wasn't loaded.
        """
        seats = sum(f"bot_{seat}" in self.columns for seat in range(len(self.columns)))
        if not seats:
            raise ValueError("by_bot: no column bot_0 was loaded")
        per_seat = [name[:-2] for name in self.columns if name.endswith("_0")]
        per_seat = [name for name in per_seat if all(f"{name}_{seat}" in self.columns for seat in range(seats))]
        numbered = {f"{name}_{seat}" for name in per_seat for seat in range(seats)}
        shared = pd.DataFrame(self)[[name for name in self.columns if name not in numbered]]
        frames = []
        for seat in range(seats):
            rows = {"seat": seat} | {name: self[f"{name}_{seat}"] for name in per_seat}
            if seats == 2:
                rows |= {f"opponent_{name}": self[f"{name}_{1 - seat}"] for name in per_seat}
            frames.append(shared.assign(**rows).rename(columns={"opponent_bot": "opponent"}))
        return pd.concat(frames).sort_index(kind="stable", ignore_index=True)
