/* What follows what: counts the opponent's moves by both moves of the turn before, and beats the likeliest. */

static int follows[9][3];

int move(const Bot *bot)
{
    int t = bot->turn, likely = 0;
    const int *next;

    if (t == 0)
        memset(follows, 0, sizeof follows);
    if (t < 1)
        return rand() % 3;
    if (t > 1)
        follows[3 * bot->my_moves[t - 2] + bot->opponents_moves[t - 2]][bot->opponents_moves[t - 1]]++;
    next = follows[3 * bot->my_moves[t - 1] + bot->opponents_moves[t - 1]];
    for (int m = 1; m < 3; m++)
        if (next[m] > next[likely])
            likely = m;
    return (likely + 1) % 3;
}
