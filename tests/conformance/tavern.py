"""A contest with partners, news and a house bot: two pairs and the house's bid, and points are by bids."""

from typing import Any, ClassVar

from pydantic import Field

from tournament.rules import Column, Decision, Int, News, Questions, Rules, Session, Settings

BID = Decision(
    "bid", "What to bid", observation={"coins": Int(0, 9, "coins of the position")}, answer=Int(0, 9, "a bid")
)
SOLD = News("sold", "How much was bid", observation={"bids": Int(0, 99, "bids of all")})


class TavernSettings(Settings):
    house_seats: int = Field(1, ge=1, le=2, description="pairs of the host's")


class Tavern(Rules):
    """Each position bids up to what it has, and a pair's bids add up. To bid less than the house costs more."""

    name = "tavern"
    seats = 3
    teams: ClassVar[Any] = ((0, 3), (1, 4), (2, 5))
    settings_class = TavernSettings
    decisions = (BID, SOLD)
    zero_sum = False
    columns = (Column("host", "uint8", "first position of the house"),)

    def play(self, session: Session) -> Questions:
        coins = [session.rng.randrange(10) for _ in range(session.seats)]
        bids = yield [BID(position, coins=coins[position]) for position in range(session.seats)]
        made = [min(bids[position], coins[position]) for position in range(session.seats)]
        yield [SOLD(position, bids=sum(made)) for position in range(session.seats)]
        pairs = [made[team] + made[team + 3] for team in range(3)]
        house = session.house
        assert len(house) == 2 and house[1] == house[0] + 3
        worth = [float(pairs[team] - min(pairs)) for team in range(3)]
        worth[house[0]] -= sum(pairs[house[0]] > pair for pair in pairs)
        session.record(worth, host=house[0])
