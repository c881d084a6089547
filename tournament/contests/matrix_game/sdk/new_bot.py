"""{name}: plays what the opponent has played most often so far.

Written by `tournament new`; make it yours.
"""

# Globals last for a whole match: where bot.turn is 0 another game begins. The standard library is there;
# `random` needs no seed, it has one.


def move(bot):
    """Return the number of your next move, from 0 to bot.moves - 1. Both players choose at the same time."""
    # bot.turn counts the turns of this game from 0. The lists bot.my_moves and bot.opponents_moves have the
    # moves of the turns before. bot.turns_per_game is how many there will be, or -1.
    if bot.turn == 0:
        return 0
    return max(range(bot.moves), key=bot.opponents_moves.count)


# A class with the method move(self, bot) will do as well: each match has an object of its own, and what it
# learns may lie in its attributes.
