/* {name}: plays what the opponent has played most often so far.
   Written by `tournament new`; make it yours. */

/* Return the number of your next move, from 0 to bot->moves - 1. Both players choose at the same time. */
int move(const Bot *bot)
{
    /* bot->turn counts the turns of this game from 0, so this is how many there were before. Of each there
       are bot->my_moves[i] and bot->opponents_moves[i]. bot->turns_per_game is how many there will be, or -1. */
    int often[64] = {0}, best = 0;

    for (int i = 0; i < bot->turn; i++)
        often[bot->opponents_moves[i]]++;
    for (int m = 1; m < bot->moves; m++)
        if (often[m] > often[best])
            best = m;

    /* Variables of the file last for the whole match: where bot->turn is 0 another game begins. rand() is allowed. */
    return best;
}
