/* Foresees the opponent's move by what followed the same two of his, and asks how far he sees himself: of six plans, which
   beat his foreseen move, what he would beat mine with, and so on, it takes the one that would have won most lately. */

static double worth[6];
static int plans[6], follows[9][3], own_follows[9][3];

static int likeliest(const int *often)
{
    int best = 0;

    for (int m = 1; m < 3; m++)
        if (often[m] > often[best])
            best = m;
    return best;
}

int move(const Bot *bot)
{
    int t = bot->turn, theirs, mine, best = 0;

    if (t == 0) {
        memset(worth, 0, sizeof worth);
        memset(follows, 0, sizeof follows);
        memset(own_follows, 0, sizeof own_follows);
    }
    if (t < 2)
        return rand() % 3;
    if (t > 2) {
        follows[3 * bot->opponents_moves[t - 3] + bot->opponents_moves[t - 2]][bot->opponents_moves[t - 1]]++;
        own_follows[3 * bot->my_moves[t - 3] + bot->my_moves[t - 2]][bot->my_moves[t - 1]]++;
        for (int p = 0; p < 6; p++) /* what each plan would have won in the last turn */
            worth[p] = 0.93 * worth[p] + (plans[p] - bot->opponents_moves[t - 1] + 4) % 3 - 1;
    }
    theirs = likeliest(follows[3 * bot->opponents_moves[t - 2] + bot->opponents_moves[t - 1]]);
    mine = likeliest(own_follows[3 * bot->my_moves[t - 2] + bot->my_moves[t - 1]]);
    for (int p = 0; p < 3; p++) {
        plans[p] = (theirs + 1 + p) % 3;
        plans[3 + p] = (mine + 2 + p) % 3;
    }
    for (int p = 1; p < 6; p++)
        if (worth[p] > worth[best])
            best = p;
    return worth[best] < 0 ? rand() % 3 : plans[best];
}
