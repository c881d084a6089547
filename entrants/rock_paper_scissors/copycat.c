/* Plays what the opponent played last. */

int move(const Bot *bot)
{
    return bot->turn ? bot->opponents_moves[bot->turn - 1] : 0;
}
