/* Draws every move: nobody wins anything from it, and it wins nothing. */

int move(const Bot *bot)
{
    (void)bot;
    return rand() % 3;
}
