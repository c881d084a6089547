/* gnu17: the whole struct copied, its 200 KB of histories filled and searched with memset, memcpy, memcmp and memchr */
static Bot last;

int move(const Bot *bot)
{
    Bot here;
    memcpy(&here, bot, sizeof here);
    memset(here.my_moves, bot->turn & 3, 50000);
    here.my_moves[bot->turn * 100 % 50000] = 9;
    const uint8_t *found = memchr(here.my_moves, 9, sizeof here.my_moves);
    int differs = memcmp(here.opponents_moves, last.opponents_moves, sizeof here.opponents_moves) != 0;
    last = here;
    return (int)((found - here.my_moves) + differs + bot->opponents_previous_move + 1) % bot->moves;
}
