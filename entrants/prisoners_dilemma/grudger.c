/* Cooperates until the opponent defects, and never again in that game. */

static int offended;

int move(const Bot *bot)
{
    if (bot->turn == 0)
        offended = 0;
    else if (bot->opponents_moves[bot->turn - 1] == 1)
        offended = 1;
    return offended;
}
