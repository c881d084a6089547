"""hungry: goes to the nearest food, around whatever is in the way."""

from collections import deque

SIDE = 11
WAYS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


def ways_from(cell, board):
    """The free cells beside a cell, by way."""
    row, column = divmod(cell, SIDE)
    for way, (down, right) in WAYS.items():
        if 0 <= row + down < SIDE and 0 <= column + right < SIDE and board[row + down][column + right] < 0:
            yield way, SIDE * (row + down) + column + right


def turn(view):
    queue = deque((there, way) for way, there in ways_from(view.heads[view.seat], view.board))
    seen = {cell for cell, _ in queue}
    last = "up"
    while queue:
        cell, last = queue.popleft()
        if view.board[cell // SIDE][cell % SIDE] == -2:
            return last
        for _, there in ways_from(cell, view.board):
            if there not in seen:
                seen.add(there)
                queue.append((there, last))
    return last
