/* gnu17: weights that fade, exp and logf of them, a choice by the largest */
static double weights[8];

int move(const Bot *bot)
{
    int best = 0;
    for (int i = 0; i < bot->moves; i++)
        weights[i] *= 0.93;
    if (bot->turn)
        weights[(bot->opponents_previous_move + 1) % bot->moves] += exp(-0.01 * (bot->turn % 50)) + logf(2.f + bot->my_previous_move) / 9;
    for (int i = 1; i < bot->moves; i++)
        if (weights[i] > weights[best] + 1e-7)
            best = i;
    return best;
}
