/* clockwise: the first free way, from up on clockwise. */

int turn(const View *view)
{
    for (int way = UP; way <= LEFT; way++)
        if (view->free[way]) return way;
    return UP;
}
