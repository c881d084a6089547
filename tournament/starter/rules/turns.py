"""My game: rules to start from, for two bots that take turns. Make them yours.

The game here: a heap of sticks; each takes one to three in turn, and who takes the last one wins.
To check them: tournament check my_game.py
"""

from pydantic import Field

from tournament.contests.python_contest import Column, Decision, Play, PythonContest, PythonSettings, Session, whole

MOST_STICKS = 1000

# What bots are asked: the function that they write, what it is told, and what it may answer.
MOVE = Decision(
    "move",
    "Take some sticks",
    tells={"sticks": whole(1, MOST_STICKS, "sticks on the heap")},
    answer=whole(1, 3, "how many you take; the heap's last ones if there are fewer"),
)


class Settings(PythonSettings):
    """Keys of the contest's table in tournament.toml, besides those that all contests have."""

    most_sticks: int = Field(30, ge=4, le=MOST_STICKS, description="sticks on the heap at the start, at most")


class MyGame(PythonContest):
    name = "my_game"
    title = "My game"
    about = "Each takes one to three sticks in turn. Who takes the last one wins."
    unit = "a point is a heap won, less one lost"
    settings_type = Settings
    decisions = (MOVE,)
    columns = (Column("heap", "uint16", "sticks at the start"),)

    def play(self, session: Session) -> Play:
        """A session: ask bots by `yield`, and record at least one game."""
        heap = sticks = session.chance.randint(4, self.settings.most_sticks)  # all chance comes from here
        seat = session.first
        while sticks > 0:
            sticks -= yield MOVE(seat, sticks=sticks)
            seat = 1 - seat
        points_0 = 1 if seat == 1 else -1  # the other one took the last
        session.record(points_0, -points_0, heap=heap)
