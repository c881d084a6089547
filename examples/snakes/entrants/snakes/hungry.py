"""hungry: goes to the nearest food, around whatever is in the way."""

from collections import deque

SIDE = 11
WAYS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


def turn(view):
    start = view.heads[view.seat]
    queue, seen, first = deque([(start, "")]), {start}, ""
    while queue:
        cell, first = queue.popleft()
        if view.board[cell // SIDE][cell % SIDE] == -2:
            return first
        for way, (down, right) in WAYS.items():
            row, column = cell // SIDE + down, cell % SIDE + right
            there = SIDE * row + column
            if 0 <= row < SIDE and 0 <= column < SIDE and view.board[row][column] < 0 and there not in seen:
                seen.add(there)
                queue.append((there, first or way))
    return first or "up"
