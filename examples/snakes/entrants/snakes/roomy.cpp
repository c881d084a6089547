// roomy: goes where most cells can be reached.

#include <algorithm>

static const int downs[] = {-1, 0, 1, 0}, rights[] = {0, 1, 0, -1};

static int room(int board[11][11], int row, int column)
{
    if (row < 0 || row > 10 || column < 0 || column > 10 || board[row][column] >= 0)
        return 0;
    board[row][column] = 9;
    int count = 1;
    for (int way = 0; way < 4; way++) count += room(board, row + downs[way], column + rights[way]);
    return count;
}

int turn(const View *view)
{
    int head = view->heads[view->seat], best = UP, most = -1;
    for (int way = UP; way <= LEFT; way++) {
        int row = head / 11 + downs[way], column = head % 11 + rights[way], board[11][11];
        std::copy(&view->board[0][0], &view->board[0][0] + 121, &board[0][0]);
        int found = row < 0 || row > 10 || column < 0 || column > 10 ? -1 : room(board, row, column);
        if (found > most) most = found, best = way;
    }
    return best;
}
