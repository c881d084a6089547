/* Defects, cooperates, cooperates: who lets that pass is defected against for good; against others it is tit for tat. */

int move(const Bot *bot)
{
    static const int opening[] = {1, 0, 0};

    if (bot->turn < 3)
        return opening[bot->turn];
    if (bot->opponents_moves[1] == 0 && bot->opponents_moves[2] == 0)
        return 1;
    return bot->opponents_moves[bot->turn - 1];
}
