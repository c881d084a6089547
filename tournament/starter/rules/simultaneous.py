"""My game: rules to start from, for two bots that choose at once. Make them yours.

The game here: a prize goes to who bids more for it, and the bid is paid.
To check them: tournament check my_game.py
"""

from pydantic import Field

from tournament.contests.python_contest import Column, Decision, Play, PythonContest, PythonSettings, Session, whole

MOST = 100

# What bots are asked: the function that they write, what it is told, and what it may answer.
BID = Decision(
    "bid",
    "Bid for a prize, without knowing the other's bid",
    tells={
        "value": whole(0, MOST, "what the prize is worth to you"),
        "others_last_bid": whole(-1, MOST, "the other's bid for the prize before, or -1 for the first one"),
    },
    answer=whole(0, MOST, "your bid; a prize is yours if it is the higher one"),
)


class Settings(PythonSettings):
    """Keys of the contest's table in tournament.toml, besides those that all contests have."""

    prizes: int = Field(20, ge=1, le=1000, description="prizes of a session")


class MyGame(PythonContest):
    name = "my_game"
    title = "My game"
    about = "Both bid at once for a prize that is worth something else to each. The higher bid gets it, and is paid."
    unit = "a point is a prize's value, less what was paid"
    zero_sum = False
    settings_type = Settings
    decisions = (BID,)
    columns = (
        Column("x_bid", "uint8", "its bid"),
        Column("y_bid", "uint8", "its bid"),
    )

    def play(self, session: Session) -> Play:
        """A session: ask bots by `yield`, and record at least one game."""
        last = [-1, -1]
        for _ in range(self.settings.prizes):
            values = [session.chance.randint(0, MOST) for _ in range(2)]  # all chance comes from here
            bids = []
            for seat in range(2):  # neither is told what the other bids now
                bids.append((yield BID(seat, value=values[seat], others_last_bid=last[1 - seat])))
            points = [values[seat] - bids[seat] if bids[seat] > bids[1 - seat] else 0 for seat in range(2)]
            session.record(points[0], points[1], x_bid=bids[0], y_bid=bids[1])
            last = bids
