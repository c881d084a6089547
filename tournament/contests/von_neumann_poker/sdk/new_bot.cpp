// {name}: bets its best cards for value and its worst as bluffs; calls when the price is right.
// Written by `tournament new`; make it yours.

namespace {

// Bots may keep what they learn in globals, too: all are new at the start of a match.
int bets_seen = 0;

}

// As A: return how many dollars to bet; 0 or less passes. The controller cuts a bet to
// $50, to bot->money and to bot->opponentsMoney.
int a(const Bot *bot)
{
    // bot->card is this game's card, at least 0 and less than 1.
    const bool value = bot->card > 0.7f;
    const bool bluff = bot->card < 0.1f;
    return value || bluff ? 50 : 0;
}

// As B, facing a bet of aBet dollars: return 0 to fold, anything else to call.
int b(const Bot *bot, const int aBet)
{
    ++bets_seen;
    // Calling costs aBet to win the pot: $20 of antes and A's bet.
    const float price = aBet / (20.0f + 2 * aBet);
    // Also there: bot->opponentsPreviousCard (negative after a fold), bot->money,
    // bot->opponentsMoney, and bot->f[0..49], floats that last for the whole match.
    return bot->card > 0.4f + price / 2;
}
