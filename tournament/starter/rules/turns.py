"""My game: rules to start from, for two bots that take turns. Make them yours.

In this game there is a heap of sticks. Each bot takes one to three in turn, and the one that takes the last wins.

To check them: tournament check my_game.py
"""

from pydantic import Field

from tournament.rules import Column, Decision, Int, Questions, Rules, Session, Settings

MAX_STICKS = 1000

# What bots are asked: the function that they write, what it observes, and what it may answer.
MOVE = Decision(
    "move",
    "Take some sticks",
    observation={"sticks": Int(1, MAX_STICKS, "sticks on the heap")},
    answer=Int(1, 3, "how many you take; the heap's last ones if there are fewer"),
)


class MyGameSettings(Settings):
    """Keys of the contest's table in tournament.toml, besides those that all contests have."""

    most_sticks: int = Field(30, ge=4, le=MAX_STICKS, description="sticks on the heap at the start, at most")


class MyGame(Rules):
    """The rules, which play sessions by asking bots."""

    name = "my_game"
    title = "My game"
    seats = 2
    description = "Each takes one to three sticks in turn. Who takes the last one wins."
    points_unit = "a point is a heap won, less one lost"
    settings_class = MyGameSettings
    decisions = (MOVE,)
    columns = (Column("heap", "uint16", "sticks at the start"),)

    def play(self, session: Session) -> Questions:
        """Play a session: ask bots by `yield`, and record at least one game."""
        heap = sticks = session.rng.randint(4, self.settings.most_sticks)  # all chance comes from here
        seat = 0  # positions, from 0; who sits where is drawn for each session
        while sticks > 0:
            sticks -= yield MOVE(seat, sticks=sticks)
            seat = session.next_seat(seat)
        points = 1 if seat == 1 else -1  # the other one took the last
        session.record([points, -points], heap=heap)
