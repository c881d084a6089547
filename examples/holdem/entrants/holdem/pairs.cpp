// pairs: raises with a pair of its cards or with the board, calls little with two high cards, and folds otherwise.

#include <algorithm>

static int value(int card) { return card % 13; }

int act(const View *view)
{
    int one = value(view->cards[0]), two = value(view->cards[1]);
    bool pair = one == two;
    for (int i = 0; i < view->board_count; i++)
        pair = pair || value(view->board[i]) == one || value(view->board[i]) == two;
    if (pair)
        return view->to_call > view->pot ? CALL : RAISE;
    return std::min(one, two) > 7 && view->to_call <= 6 ? CALL : FOLD;
}

int raise_to(const View *view) { return view->to_call + view->bets[view->seat] + view->pot; }
