"""nearest: goes to the nearest food, and neither back nor into a goose if it can."""

WAYS = {"NORTH": (-1, 0), "EAST": (0, 1), "SOUTH": (1, 0), "WEST": (0, -1)}


def beside(cell, way):
    down, right = WAYS[way]
    return (cell // 11 + down) % 7 * 11 + (cell % 11 + right) % 11


def distance(one, other):
    down, right = abs(one // 11 - other // 11), abs(one % 11 - other % 11)
    return min(down, 7 - down) + min(right, 11 - right)


class Goose:
    def __init__(self):
        self.cell, self.step = None, 0

    def move(self, view):
        own, back = view.geese[view.seat][0], self.cell if view.step > self.step else None
        self.cell, self.step = own, view.step
        taken = {cell for goose in view.geese for cell in goose}
        ways = [way for way in WAYS if beside(own, way) != back]
        free = [way for way in ways if beside(own, way) not in taken] or ways
        return min(free, key=lambda way: min((distance(beside(own, way), food) for food in view.food), default=0))
