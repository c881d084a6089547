/* even: the same for each box. */

int split(const View *view, int32_t answer[5])
{
    for (int box = 0; box < 5; box++) answer[box] = 2;
    return 5;
}
