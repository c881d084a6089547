/* Beats the move that the opponent has played most often. */

static int often[3];

int move(const Bot *bot)
{
    int likely = 0;

    if (bot->turn == 0)
        memset(often, 0, sizeof often);
    else
        often[bot->opponents_moves[bot->turn - 1]]++;
    for (int m = 1; m < 3; m++)
        if (often[m] > often[likely])
            likely = m;
    return (likely + 1) % 3; /* paper, 1, beats rock, 0, and so on around */
}
