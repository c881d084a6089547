/* Does the same again where the opponent cooperated, and something else where he defected (Pavlov). */

int move(const Bot *bot)
{
    if (bot->turn == 0)
        return 0;
    return bot->opponents_moves[bot->turn - 1] == 0 ? bot->my_moves[bot->turn - 1] : 1 - bot->my_moves[bot->turn - 1];
}
