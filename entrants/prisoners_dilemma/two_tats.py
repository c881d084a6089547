"""Defects only after two defections in a row."""


def move(bot):
    return int(bot.opponents_moves[-2:] == [1, 1])
