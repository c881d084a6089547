/* {name}: bets its best cards for value and its worst as bluffs; calls when the price is right.
   Written by `tournament new`; make it yours. */

/* As A: return how many dollars to bet; 0 or less passes. The controller cuts a bet to
   $50, to bot->money and to bot->opponentsMoney. */
int a(const Bot *bot)
{
    /* bot->card is this game's card, at least 0 and less than 1. */
    if (bot->card > 0.7 || bot->card < 0.1)
        return 50;
    return 0;
}

/* As B, facing a bet of aBet dollars: return 0 to fold, anything else to call. */
int b(const Bot *bot, const int aBet)
{
    /* Calling costs aBet to win the pot: $20 of antes and A's bet. */
    float price = aBet / (20.0f + 2 * aBet);

    /* Also there: bot->opponentsPreviousCard (negative after a fold), bot->money,
       bot->opponentsMoney, and bot->f[0..49], floats that last for the whole match (cast
       the const away, or take a plain Bot *, to write to them). rand() is allowed. */
    return bot->card > 0.4f + price / 2;
}
