"""My game: rules to start from, for two bots that choose at once. Make them yours.

The game here: a prize goes to who bids more for it, and the bid is paid.
To check them: tournament check my_game.py
"""

from pydantic import Field

from tournament.rules import Column, Decision, Int, Questions, Rules, Session, Settings

MOST = 100

# What bots are asked: the function that they write, what it observes, and what it may answer.
BID = Decision(
    "bid",
    "Bid for a prize, without knowing the other's bid",
    observation={
        "value": Int(0, MOST, "what the prize is worth to you"),
        "others_last_bid": Int(-1, MOST, "the other's bid for the prize before, or -1 for the first one"),
    },
    answer=Int(0, MOST, "your bid; a prize is yours if it is the higher one"),
)


class MyGameSettings(Settings):
    """Keys of the contest's table in tournament.toml, besides those that all contests have."""

    prizes: int = Field(20, ge=1, le=1000, description="prizes of a session")


class MyGame(Rules):
    """The rules, which play sessions by asking bots."""

    name = "my_game"
    title = "My game"
    seats = 2
    description = (
        "Both bid at once for a prize that is worth something else to each. The higher bid gets it, and is paid."
    )
    points_unit = "a point is a prize's value, less what was paid"
    zero_sum = False
    settings_class = MyGameSettings
    decisions = (BID,)
    columns = (Column("bid", "uint8", "bid", per_seat=True),)

    def play(self, session: Session) -> Questions:
        """Play a session: ask bots by `yield`, and record at least one game."""
        last = [-1, -1]
        for _ in range(self.settings.prizes):
            values = [session.rng.randint(0, MOST) for _ in range(2)]  # all chance comes from here
            asked = [BID(seat, value=values[seat], others_last_bid=last[1 - seat]) for seat in range(2)]
            bids = yield asked  # together: neither sees what the other bids now
            points = [values[seat] - bids[seat] if bids[seat] > bids[1 - seat] else 0 for seat in range(2)]
            session.record(points, bid=bids)
            last = bids
