"""Snakes on a grid, which all turn at the same time. A snake that hits something is gone, and food makes it longer."""

from pydantic import Field

from tournament.rules import Bool, Choice, Column, Decision, Int, List, Questions, Rules, Session, Settings

SIDE, SEATS = 11, 4
CELLS, FREE, FOOD = SIDE * SIDE, -1, -2
WAYS = {"up": -SIDE, "right": 1, "down": SIDE, "left": -1}
STARTS = [SIDE + 1, 2 * SIDE - 2, CELLS - SIDE - 2, CELLS - 2 * SIDE + 1]  # corners, one cell off the walls

ROW = List(Int(FOOD, SEATS - 1), SIDE)


class SnakesSettings(Settings):
    turns: int = Field(150, ge=1, le=1000, description="turns of a session at most")


class Snakes(Rules):
    name = "snakes"
    title = "Snakes"
    description = (
        "Two to four snakes move at the same time on a grid of 11 by 11. One that runs into a wall, a snake or a head"
        " of a longer one is gone. There are always two pieces of food."
    )
    points_unit = "a point for each snake outlived, less one for each that lived longer"
    seats = range(2, SEATS + 1)
    settings_class = SnakesSettings
    columns = (
        Column("turns", "uint16", "turns lived", per_seat=True),
        Column("length", "uint8", "length at the end", per_seat=True),
    )

    @staticmethod
    def decisions(settings: SnakesSettings) -> list[Decision]:
        told = {
            "board": List(ROW, SIDE, "rows of cells: the seat whose snake is there, -1 free, -2 food"),
            "heads": List(Int(-1, CELLS - 1), SEATS, "each snake's head: 11 · row + column, -1 for one that is gone"),
            "free": List(Bool(), len(WAYS), "for each way from your head whether no wall or snake is there"),
            "lengths": List(Int(0, CELLS), SEATS, "the length of each snake"),
            "turns_left": Int(1, settings.turns, "turns until the session ends"),
        }
        return [Decision("turn", "Choose where your snake goes", observation=told, answer=Choice(list(WAYS)))]

    def play(self, session: Session) -> Questions:
        self.snakes = [[start] for start in STARTS[: session.seats]]  # cells from head to tail
        self.food: list[int] = []
        lived, lengths = [0] * session.seats, [1] * session.seats
        for left in range(self.settings.turns, 0, -1):
            alive = [seat for seat, snake in enumerate(self.snakes) if snake]
            if len(alive) < 2:
                break
            board = self.board()
            while len(self.food) < 2 and FREE in board:
                self.food.append(session.rng.choice([cell for cell in range(CELLS) if board[cell] == FREE]))
                board[self.food[-1]] = FOOD
            heads = [snake[0] if snake else -1 for snake in self.snakes]
            told = {"heads": heads, "lengths": lengths, "turns_left": left}
            told["board"] = [board[row : row + SIDE] for row in range(0, CELLS, SIDE)]
            ways = {seat: [next_cell(heads[seat], way) for way in WAYS] for seat in alive}
            free = {seat: [cell >= 0 and board[cell] < 0 for cell in ways[seat]] for seat in alive}
            self.move((yield [self.ask.turn(seat, free=free[seat], **told) for seat in alive]))
            for seat in alive:
                lived[seat] += bool(self.snakes[seat])
                lengths[seat] = len(self.snakes[seat]) or lengths[seat]
        points = [sum((one > other) - (one < other) for other in lived) for one in lived]
        session.record(points, turns=lived, length=lengths)

    def board(self) -> list[int]:
        """Return the snake or food on each cell."""
        held = dict.fromkeys(self.food, FOOD) | {cell: seat for seat, snake in enumerate(self.snakes) for cell in snake}
        return [held.get(cell, FREE) for cell in range(CELLS)]

    def move(self, ways: dict[int, str]) -> None:
        """Move all snakes at once, then take away those that ran into something."""
        moved = {seat: [next_cell(self.snakes[seat][0], way), *self.snakes[seat]] for seat, way in ways.items()}
        eaten = {snake[0] for snake in moved.values()} & set(self.food)
        for snake in moved.values():
            if snake[0] not in eaten:
                snake.pop()
        bodies = {cell for snake in moved.values() for cell in snake[1:]}
        for seat, snake in moved.items():
            met = [len(other) for one, other in moved.items() if one != seat and other[0] == snake[0]]
            gone = snake[0] < 0 or snake[0] in bodies or max(met, default=0) >= len(snake)
            self.snakes[seat] = [] if gone else snake
        self.food = [cell for cell in self.food if cell not in eaten]

    def render(self) -> str:
        return as_svg(self.board(), [snake[0] for snake in self.snakes if snake])


def next_cell(cell: int, way: str) -> int:
    """Return the cell to which a way leads, -1 for a wall."""
    across = cell % SIDE + (way == "right") - (way == "left")
    there = cell + WAYS[way]
    return there if 0 <= across < SIDE and 0 <= there < CELLS else -1


def as_svg(board: list[int], heads: list[int]) -> str:
    """Draw the grid: a colour for each seat, an eye for each head, food as dots."""
    corners = [(20 * (cell % SIDE) + 1, 20 * (cell // SIDE) + 1) for cell in range(CELLS)]
    drawn = []
    for seat, colour in enumerate(("#3b82c4", "#d9822b", "#3d9a50", "#b04a8f")):
        squares = "".join(f"M{x} {y}h18v18h-18z" for (x, y), holds in zip(corners, board) if holds == seat)
        drawn.append(f'<path d="{squares}" fill="{colour}"/>')
    for cell, (x, y) in enumerate(corners):
        if board[cell] == FOOD or cell in heads:
            colour = "#c33" if board[cell] == FOOD else "white"
            drawn.append(f'<circle cx="{x + 9}" cy="{y + 9}" r="5" fill="{colour}"/>')
    frame = f'<rect width="{20 * SIDE}" height="{20 * SIDE}" fill="#eee" stroke="#999"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {20 * SIDE} {20 * SIDE}">'
    return f"{head}{frame}{''.join(drawn)}</svg>"
