"""My game: rules to start from, for three to six bots at a table. Make them yours.

The game here: each rolls a die in turn, and again as often as it dares. A one loses what it rolled this turn. The
first with fifty eyes wins.
To check them: tournament check my_game.py
"""

from pydantic import Field

from tournament.rules import Choice, Column, Decision, Int, List, Questions, Rules, Session, Settings

MOST = 1000

# What bots are asked: the function that they write, what it observes, and what it may answer.
DARE = Decision(
    "dare",
    "Roll again, or keep what you rolled",
    observation={
        "rolled": Int(0, MOST + 6, "eyes that you rolled this turn, not yet kept"),
        "kept": List(Int(0, MOST + 6), 6, "eyes that each position has kept"),
        "target": Int(1, MOST, "eyes that win"),
    },
    answer=Choice(["keep", "roll"], "what you do"),
)


class MyGameSettings(Settings):
    """Keys of the contest's table in tournament.toml, besides those that all contests have."""

    target: int = Field(50, ge=1, le=MOST, description="eyes that win")


class MyGame(Rules):
    """The rules, which play sessions by asking bots."""

    name = "my_game"
    title = "My game"
    seats = range(3, 7)  # the contest's table says how many: seats = 4
    description = "Each rolls a die in turn, and again as it dares. A one loses the turn's eyes; the target wins."
    points_unit = "a point is what each of the others lost to the winner"
    settings_class = MyGameSettings
    decisions = (DARE,)
    columns = (Column("kept", "uint16", "eyes kept", per_seat=True),)

    def play(self, session: Session) -> Questions:
        """Play a session: ask bots by `yield`, and record at least one game."""
        kept, target, seat = [0] * session.seats, self.settings.target, 0
        for _ in range(100 * session.seats):  # turns; bots that never keep any end, too
            rolled, answer = 0, "roll"
            while answer == "roll" and kept[seat] + rolled < target:
                die = session.rng.randint(1, 6)  # all chance comes from here
                rolled += die
                if die == 1:
                    rolled = 0
                    break
                if kept[seat] + rolled < target:
                    answer = yield DARE(seat, rolled=rolled, kept=kept, target=target)
            kept[seat] += rolled
            if kept[seat] >= target:
                break
            seat = session.next_seat(seat)
        points = [0] * session.seats
        if kept[seat] >= target:
            points = [-1] * session.seats
            points[seat] = session.seats - 1
        session.record(points, kept=kept)
