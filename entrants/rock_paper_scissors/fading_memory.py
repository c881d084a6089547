"""Counts the opponent's moves, and forgets: each turn a count keeps nine tenths of what it was."""

counts = [0.0, 0.0, 0.0]


def move(bot):
    if bot.turn == 0:
        counts[:] = 0.0, 0.0, 0.0
    else:
        for number in range(3):
            counts[number] *= 0.9
        counts[bot.opponents_previous_move] += 1.0
    return (counts.index(max(counts)) + 1) % 3
