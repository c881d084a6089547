// spear: all chips in one box.

int split(const View *, int32_t answer[5])
{
    answer[0] = 10;
    return 5;
}
