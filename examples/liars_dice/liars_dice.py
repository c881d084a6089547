"""Liar's dice for two. Each sees only its own dice. Bids on both hands rise until one challenges."""

from pydantic import Field

from tournament.rules import Column, Decision, Int, LegalAction, List, Questions, Rules, Session, Settings

FACES, CHALLENGE = 6, 0
BID = "6 · (count - 1) + face, which says that this count of dice show it; or 0, a challenge"


class LiarsDiceSettings(Settings):
    dice: int = Field(5, ge=1, le=8, description="dice of each player")


class LiarsDice(Rules):
    name = "liars_dice"
    title = "Liar's dice"
    description = (
        "Both roll dice that only they see, and bid in turn how many dice of all show a face, each time higher, until"
        " one challenges the bid. It loses the session if there are as many as the bid said, else the bidder does."
    )
    points_unit = "a point is a session won, less one lost"
    seats = 2
    settings_class = LiarsDiceSettings
    columns = (
        Column("last_bid", "uint8", "the bid that was challenged: 6 · (count - 1) + face"),
        Column("held", "bool", "there were as many dice of that face as it said"),
    )

    @staticmethod
    def decisions(settings: LiarsDiceSettings) -> list[Decision]:
        dice, bids = List(Int(1, FACES), settings.dice, "your own dice"), 2 * settings.dice * FACES
        told = {"dice": dice, "last_bid": Int(0, bids, "the bid to beat, or 0 when there is none yet")}
        legal = LegalAction(Int(0, bids), bids, BID)
        return [Decision("bid", "Bid higher than the last bid, or challenge it", observation=told, answer=legal)]

    def render(self) -> str:
        said = f"bid: {(self.bid - 1) // FACES + 1} of {(self.bid - 1) % FACES + 1}" if self.bid else "no bid yet"
        return "\n".join([said, *(f"position {seat}: {sorted(dice)}" for seat, dice in enumerate(self.dice))])

    def play(self, session: Session) -> Questions:
        self.dice = dice = [session.rng.roll(self.settings.dice) for _ in range(2)]
        actions = list(range(2 * self.settings.dice * FACES + 1))
        seat, answer = 0, -1
        while answer != CHALLENGE:
            self.bid = bid = max(answer, 0)
            legal = [CHALLENGE, *actions[bid + 1 :]] if bid else actions[1:]
            answer = yield self.ask.bid(seat, dice=dice[seat], last_bid=bid, legal_actions=legal)
            seat = session.next_seat(seat)
        count, face = (bid - 1) // FACES + 1, (bid - 1) % FACES + 1
        held = (dice[0] + dice[1]).count(face) >= count
        points_0 = 1 if (seat == 0) == held else -1  # `seat` made the bid
        session.record([points_0, -points_0], last_bid=bid, held=held)
