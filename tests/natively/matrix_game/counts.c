/* gnu89: declarations at the beginning of blocks, comments of one kind, counts of what came after what */
static int counts[4][4], mine[4];

int move(bot)
    const Bot *bot;
{
    int best = 0, i;
    static int before = 0;
    if (bot->turn) {
        counts[before][bot->opponents_previous_move]++;
        mine[bot->my_previous_move]++;
        before = bot->opponents_previous_move;
    }
    for (i = 1; i < bot->moves; i++)
        if (counts[before][i] > counts[before][best])
            best = i;
    return (best + 1 + mine[0] % 2) % bot->moves;
}
