// pairs: raises with a pair of its cards or with the board, calls little with two high cards, and folds otherwise.

#include <algorithm>

int act(const View *view)
{
    int one = view->cards[0] % 13, two = view->cards[1] % 13;
    auto hits = [&](int card) { return card % 13 == one || card % 13 == two; };
    if (one == two || std::any_of(view->board, view->board + view->board_count, hits))
        return view->to_call > view->pot ? CALL : RAISE;
    return std::min(one, two) > 7 && view->to_call <= 6 ? CALL : FOLD;
}

int raise_to(const View *view) { return view->to_call + view->bets[view->seat] + view->pot; }
