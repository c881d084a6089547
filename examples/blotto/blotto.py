"""Colonel Blotto (E. Borel, 1921): both split ten chips among five boxes, and a box goes to who has more there."""

from tournament.rules import Column, Decision, Int, List, Questions, Rules, Session

CHIPS, BOXES = 10, 5

SPLIT = Decision(
    "split",
    "Split ten chips among five boxes",
    observation={"others_last": List(Int(0, CHIPS), BOXES, "the other's split before; empty for the first one")},
    answer=List(Int(0, CHIPS), BOXES, "chips for each box; more than ten in all lose every box"),
    default=[2, 2, 2, 2, 2],
)


class Blotto(Rules):
    name = "blotto"
    title = "Colonel Blotto"
    description = "Both split ten chips among five boxes at the same time. A box goes to the one who has more there."
    points_unit = "a point is a box won, less one lost"
    seats = 2
    decisions = (SPLIT,)
    columns = (Column("chips", "uint8", "chips in boxes", per_seat=True),)

    def play(self, session: Session) -> Questions:
        last: list[list[int]] = [[], []]
        for _ in range(5):
            splits = yield [SPLIT(seat, others_last=last[1 - seat]) for seat in range(2)]
            zero_filled = [(splits[seat] + [0] * BOXES)[:BOXES] for seat in range(2)]
            boxes = [split if sum(split) <= CHIPS else [-1] * BOXES for split in zero_filled]
            won = sum((one > other) - (one < other) for one, other in zip(*boxes))
            session.record([won, -won], chips=[sum(split) for split in zero_filled])
            last = zero_filled
