/* any_way: by chance among those that are free. */

static const int downs[] = {-1, 0, 1, 0}, rights[] = {0, 1, 0, -1};

int turn(const View *view)
{
    int head = view->heads[view->seat], start = rand() % 4;
    for (int i = 0; i < 4; i++) {
        int way = (start + i) % 4;
        int row = head / 11 + downs[way], column = head % 11 + rights[way];
        if (row >= 0 && row < 11 && column >= 0 && column < 11 && view->board[11 * row + column] < 0)
            return way;
    }
    return UP;
}
