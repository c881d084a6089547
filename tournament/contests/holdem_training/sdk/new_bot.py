"""{name}: raises more the better its chances are.

Written by `tournament new`; make it yours. You are asked in every round of a hand, in order. What the file's
variables hold lasts to the end of a session of 10,000 hands, so learn what you like from hand to hand.
"""

from texas import ActionType, State, get_rates_by_sampling, get_result

hands = 0


def make_decision(state):
    """What to do in this round: check, fold, or (ActionType.RAISE, x) with x from 1 up to your stack.

    Bob checks after a check; after a raise he calls or folds.
    """
    global hands
    if state.round == 1:
        hands += 1
    if state.stack == 0:  # all in: you are still asked, and can only check or fold
        return ActionType.CHECK

    # state.alice are your cards, state.community the board: color 0 to 3 and value 1 to 13 for 2 to A, or
    # UNKNOWN. Here the unknown ones are dealt 400 times, by the engine, which is fast.
    win, tie = get_rates_by_sampling(state, 400)
    chance = win + tie / 2
    if chance < 0.55:
        return ActionType.CHECK
    return ActionType.RAISE, min(state.stack, int(2 * state.pot * (chance - 0.5)) + 1)


def beats(mine, his, board):
    """An example of the other helper: whether two cards win against two others on a board of five."""
    return get_result(State(mine, his, board)) > 0
