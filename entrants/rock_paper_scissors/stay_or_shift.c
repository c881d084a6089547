/* Plays the same again after a win; else what would have beaten the opponent's last move. */

int move(const Bot *bot)
{
    int mine = bot->my_previous_move, theirs = bot->opponents_previous_move;

    if (bot->turn == 0)
        return rand() % 3;
    return (mine - theirs + 3) % 3 == 1 ? mine : (theirs + 1) % 3;
}
