/* snake: east and south in turns, unless a goose is there. */

static int taken(const View *view, int cell)
{
    for (int i = 0; i < view->geese_count; i++)
        for (int j = 0; j < view->geese_lengths[i]; j++)
            if (view->geese[i][j] == cell) return 1;
    return 0;
}

int move(const View *view)
{
    int head = view->geese[view->seat][0], row = head / 11, column = head % 11;
    int east = 11 * row + (column + 1) % 11, south = 11 * ((row + 1) % 7) + column;
    return taken(view, view->step % 2 ? east : south) ? view->step % 2 ? SOUTH : EAST : view->step % 2 ? EAST : SOUTH;
}
