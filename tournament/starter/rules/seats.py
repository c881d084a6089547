"""My game: rules to start from, for tables of three bots and more. Make them yours.

The game here: a prize goes to who bids most for it, and the bid is paid.
To check them: tournament check my_game.py
"""

from pydantic import Field

from tournament.rules import Column, Decision, Int, Questions, Rules, Session, Settings

MOST = 100

# What bots are asked: the function that they write, what it observes, and what it may answer.
BID = Decision(
    "bid",
    "Bid for a prize, without knowing the others' bids",
    observation={
        "value": Int(0, MOST, "what the prize is worth to you"),
        "bidders": Int(2, 64, "how many bid, you included"),
        "last_winning_bid": Int(-1, MOST, "the highest bid for the prize before, or -1 for the first one"),
    },
    answer=Int(0, MOST, "your bid; a prize is yours if it is the highest one"),
)


class MyGameSettings(Settings):
    """Keys of the contest's table in tournament.toml, besides those that all contests have."""

    prizes: int = Field(20, ge=1, le=1000, description="prizes of a session")


class MyGame(Rules):
    name = "my_game"
    title = "My game"
    seats = range(3, 7)  # the key `seats` of the contest's table says how many
    description = (
        "All bid at once for a prize that is worth something else to each. The highest bid gets it, and is paid."
    )
    points_unit = "a point is a prize's value, less what was paid"
    zero_sum = False
    settings_class = MyGameSettings
    decisions = (BID,)
    columns = (Column("bid", "uint8", "bid", per_seat=True),)

    def play(self, session: Session) -> Questions:
        """A session: ask bots by `yield`, and record at least one game."""
        last = -1
        for _ in range(self.settings.prizes):
            values = [session.rng.randint(0, MOST) for _ in range(session.seats)]  # all chance comes from here
            asked = [
                BID(seat, value=values[seat], bidders=session.seats, last_winning_bid=last)
                for seat in range(session.seats)
            ]
            bids = yield asked  # together: none sees what the others bid now
            last = max(bids)
            winner = session.rng.choice([seat for seat in range(session.seats) if bids[seat] == last])
            points = [values[seat] - bids[seat] if seat == winner else 0 for seat in range(session.seats)]
            session.record(points, bid=bids)
