"""Liar's dice for two: each rolls dice that only it sees; bids on both hands rise until somebody challenges."""

from pydantic import Field

from tournament.contests.python_contest import (
    Column,
    Decision,
    Play,
    PythonContest,
    PythonSettings,
    Session,
    whole,
    wholes,
)

MOST_DICE, FACES, CHALLENGE = 8, 6, 0
HIGHEST_BID = 2 * MOST_DICE * FACES

BID = Decision(
    "bid",
    "Bid higher than the last bid, or challenge it",
    tells={
        "dice": wholes(MOST_DICE, 1, FACES, "your own dice"),
        "last_bid": whole(0, HIGHEST_BID, "the bid to beat, or 0 when there is none yet"),
        "legal_actions": wholes(HIGHEST_BID, 0, HIGHEST_BID, "what you may answer"),
    },
    answer=whole(0, HIGHEST_BID, "6 · (count - 1) + face, which says that so many dice show it; or 0, a challenge"),
)


class Settings(PythonSettings):
    dice: int = Field(5, ge=1, le=MOST_DICE, description="dice of each player")


class LiarsDice(PythonContest):
    name = "liars_dice"
    title = "Liar's dice"
    unit = "a point is a session won, less one lost"
    settings_type = Settings
    decisions = (BID,)
    columns = (
        Column("last_bid", "uint8", "the bid that was challenged: 6 · (count - 1) + face"),
        Column("held", "bool", "there were as many dice of that face as it said"),
    )

    def play(self, session: Session) -> Play:
        dice = [session.chance.dice(self.settings.dice) for _ in range(2)]
        actions = list(range(2 * self.settings.dice * FACES + 1))
        seat, bid = session.first, 0
        while True:
            legal = [CHALLENGE, *actions[bid + 1 :]] if bid else actions[1:]
            answer = yield BID(seat, dice=dice[seat], last_bid=bid, legal_actions=legal)
            seat = 1 - seat
            if answer == CHALLENGE:
                break
            bid = answer
        count, face = (bid - 1) // FACES + 1, (bid - 1) % FACES + 1
        held = (dice[0] + dice[1]).count(face) >= count
        x_points = 1 if (seat == 0) == held else -1  # `seat` made the bid
        session.record(x_points, -x_points, last_bid=bid, held=held)
