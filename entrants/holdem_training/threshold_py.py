"""threshold.cpp in Python: raises the pot when its chance to win is above a threshold, higher from round to round."""

from texas import ActionType, get_rates_by_sampling

THRESHOLDS = (0.5, 0.6, 0.65, 0.7)


def make_decision(state):
    if state.stack == 0:
        return ActionType.CHECK
    win, tie = get_rates_by_sampling(state, 64)
    if win + tie / 2 < THRESHOLDS[state.round - 1]:
        return ActionType.CHECK
    return ActionType.RAISE, min(state.stack, state.pot)
