"""wide: gives up one box, and has more in each one after it."""


def split(view):
    return [1, 2, 3, 4]
