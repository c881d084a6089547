/* any_way: by chance among those that are free. */

int turn(const View *view)
{
    int start = rand() % 4;
    for (int i = 0; i < 4; i++)
        if (view->free[(start + i) % 4])
            return (start + i) % 4;
    return UP;
}
