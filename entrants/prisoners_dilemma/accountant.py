"""Learns how the opponent answers each move, and plays the move that pays better over what is left of the game.

It counts how often cooperation followed its own cooperation and its own defection, and reckons what always
cooperating or always defecting from now on would bring against such a player. Of the last turn it knows that
nothing follows.
"""


class Accountant:
    def __init__(self):
        self.answered = [[1, 1], [1, 1]]  # by its own move: the opponent's cooperations and defections after it

    def move(self, bot):
        if bot.turn < 2:
            return 0
        before, answer = bot.my_moves[-2], bot.opponents_moves[-1]
        self.answered[before][answer] += 1
        if bot.turn == bot.turns_per_game - 1:
            return 1
        kind, nasty = (counts[0] / sum(counts) for counts in self.answered)
        return int(1 + 4 * nasty > 3 * kind)
