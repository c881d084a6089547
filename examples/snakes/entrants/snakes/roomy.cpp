// roomy: goes where most cells can be reached.

#include <vector>

static const int downs[] = {-1, 0, 1, 0}, rights[] = {0, 1, 0, -1};

static int room(std::vector<int> board, int cell)
{
    std::vector<int> open{cell};
    int count = 0;
    while (!open.empty()) {
        int here = open.back();
        open.pop_back();
        if (board[here] >= 0)
            continue;
        board[here] = 9;
        count++;
        for (int way = 0; way < 4; way++) {
            int row = here / 11 + downs[way], column = here % 11 + rights[way];
            if (row >= 0 && row < 11 && column >= 0 && column < 11)
                open.push_back(11 * row + column);
        }
    }
    return count;
}

int turn(const View *view)
{
    std::vector<int> board(view->board, view->board + view->board_count);
    int head = view->heads[view->seat], best = UP, most = -1;
    for (int way = UP; way <= LEFT; way++) {
        int row = head / 11 + downs[way], column = head % 11 + rights[way];
        if (row < 0 || row > 10 || column < 0 || column > 10)
            continue;
        int found = room(board, 11 * row + column);
        if (found > most)
            most = found, best = way;
    }
    return best;
}
