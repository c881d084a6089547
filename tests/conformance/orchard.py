"""A contest whose values hold each other: on a grid of trees each picks one, or says which it leaves to the other."""

from typing import Any

from pydantic import Field

from tournament.rules import (
    Bool,
    Column,
    Decision,
    Illegal,
    Int,
    List,
    Maybe,
    News,
    Questions,
    Rules,
    Session,
    Settings,
    Struct,
    Text,
)


class OrchardSettings(Settings):
    side: int = Field(3, ge=2, le=9, description="side of the grid")


class Orchard(Rules):
    name = "orchard"
    seats = 2
    settings_class = OrchardSettings
    columns = (
        Column("picked", "uint8", "row and column of the tree", per_seat=True),
        Column("left", "uint8", "trees left to the other", per_seat=True),
    )

    @staticmethod
    def decisions(settings: OrchardSettings) -> list[Decision]:
        side = Int(0, settings.side - 1)
        tree = Struct("a tree", row=side, column=side)
        grid = List(List(Bool(), settings.side), settings.side, "row by row, whether a tree has fruit")
        told = {"grid": grid, "last": Maybe(tree, "the last tree that was picked")}
        left = List(Struct(tree=tree, word=Text(5), sure=Bool()), 3, "trees that you leave to the other")
        return [
            Decision("pick", "Pick a tree", observation=told, answer=Maybe(tree), illegal="loses"),
            Decision("leave", "Leave trees to the other", observation=told, answer=left, default=[]),
            News("eaten", "The trees that both picked", observation={"eaten": List(Maybe(tree), 2)}),
            Decision("count", "Say a number", observation=told, answer=Int(0, 9)),
        ]

    def play(self, session: Session) -> Questions:
        side = self.settings.side
        told: dict[str, Any] = {"grid": [[session.rng.randrange(2)] * side for _ in range(side)], "last": None}
        picks = yield [self.ask.pick(seat, **told) for seat in range(2)]
        illegal = [isinstance(pick, Illegal) for pick in picks.values()]
        if not any(illegal):
            told["last"] = picks[session.rng.randrange(2)]
        yield [self.ask.eaten(seat, eaten=[told["last"]] * seat) for seat in range(2)]
        left = yield [self.ask.leave(seat, **told) for seat in range(2)]
        counts = yield [self.ask.count(seat, **told, answer=Int(0, side + seat)) for seat in range(2)]
        assert all(0 <= count <= side + seat for seat, count in counts.items())
        points = counts[0] - counts[1] + 1 if not any(illegal) else 20 * (illegal[1] - illegal[0])
        picked = {seat: 0 if bad else len(str(picks[seat])) for seat, bad in enumerate(illegal)}
        session.record([points, -points], picked=picked, left={seat: len(trees) for seat, trees in left.items()})
