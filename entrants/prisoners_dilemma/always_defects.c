/* Defects, come what may. */

int move(const Bot *bot)
{
    (void)bot;
    return 1;
}
