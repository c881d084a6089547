"""The perfect opponent of a server, written as a C bot that can be entered."""

from __future__ import annotations

import numpy as np

from engine.games.two_card_draw.evaluation import StrategyEvaluator
from tournament.contests.two_card_draw.hands import HANDS, HISTORIES
from tournament.contests.two_card_draw.strategy_file import ServerStrategy

_TEMPLATE = """\
/* {about}
   Written by `tournament strategy value --best-response`. Against this server it expects {profit:.8f} chips a hand. */

/* What to do by hand, 0 0 first, then 0 1: in round 1 by bets faced (1 checks, 2 bets when none),
   then how many cards to draw by the end of round 1, then round 2 by that, both draws and bets faced. */
static const char round1_acts[] = "{round1}";
static const char draws[] = "{draws}";
static const char round2_acts[] =
{round2};

/* What the arguments don't say: whether we bet first in round 1, and how many cards we drew. */
static int opened, drawn;

static int hand(int card1, int card2)
{{
    return card1 * 5 - card1 * (card1 - 1) / 2 + card2 - card1;
}}

/* How round 1 ended: nobody bet, or 1 to 3 bets after ours, or after the server's. */
static int ending(int bets)
{{
    return bets && !opened ? bets + 3 : bets;
}}

int init(int bet1, int bet2)
{{
    return 0;
}}

int new_hand(int card1, int card2, int winnings)
{{
    opened = round1_acts[hand(card1, card2) * 4] == '2';
    return opened;
}}

int round1(int card1, int card2, int bets)
{{
    return round1_acts[hand(card1, card2) * 4 + bets] - '0';
}}

int draw(int card1, int card2, int bets)
{{
    drawn = draws[hand(card1, card2) * 7 + ending(bets)] - '0';
    return drawn;
}}

int round2(int card1, int card2, int bets1, int bets2, int drew)
{{
    return round2_acts[(((hand(card1, card2) * 7 + ending(bets1)) * 3 + drawn) * 3 + drew) * 4 + bets2] - '0';
}}

int showdown(int card1, int card2, int opp1, int opp2)
{{
    return 0;
}}
"""


def perfect_bot(strategy: ServerStrategy, about: str) -> str:
    """C source of the perfect opponent; `about` is its first comment."""
    evaluator = StrategyEvaluator(strategy.rows, strategy.bet1, strategy.bet2)
    digits = "".join(map(str, np.argmax(evaluator.best_response(), axis=1)))
    first, second = len(HANDS) * 4, len(HANDS) * (4 + len(HISTORIES))
    rest = digits[second:]
    lines = [f'    "{rest[start : start + 108]}"' for start in range(0, len(rest), 108)]
    return _TEMPLATE.format(
        about=about.replace("*/", ""),
        profit=-evaluator.value(),
        round1=digits[:first],
        draws=digits[first:second],
        round2="\n".join(lines),
    )
