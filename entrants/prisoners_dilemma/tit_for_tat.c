/* Cooperates first, then does what the opponent did last (A. Rapoport). */

int move(const Bot *bot)
{
    return bot->turn ? bot->opponents_moves[bot->turn - 1] : 0;
}
