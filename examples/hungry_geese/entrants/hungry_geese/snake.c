/* snake: east and south in turns, unless somebody is there. */

static int taken(const View *view, int cell)
{
    for (int i = 0; i < view->geese_count; i++)
        for (int j = 0; j < view->geese_lengths[i]; j++)
            if (view->geese[i][j] == cell)
                return 1;
    return 0;
}

int move(const View *view)
{
    static const int ways[] = {EAST, SOUTH, NORTH}, downs[] = {0, 1, 6}, rights[] = {1, 0, 0};
    static int last = EAST, step = 1000;
    if (view->step <= step)
        last = EAST; /* another game */
    step = view->step;
    int head = view->geese[view->seat][0];
    for (int i = 0; i < 3; i++) {
        int way = ways[(i + view->step) % 3], down = downs[(i + view->step) % 3], right = rights[(i + view->step) % 3];
        int cell = (head / 11 + down) % 7 * 11 + (head % 11 + right) % 11;
        if (!(way + last == NORTH + SOUTH && way != last) && !taken(view, cell))
            return last = way;
    }
    return last;
}
