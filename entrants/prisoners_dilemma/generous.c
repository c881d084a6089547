/* Tit for tat that forgives a third of all defections: two of them don't fall out over a slip for ever. */

int move(const Bot *bot)
{
    if (bot->turn == 0 || bot->opponents_moves[bot->turn - 1] == 0)
        return 0;
    return rand() % 3 != 0;
}
