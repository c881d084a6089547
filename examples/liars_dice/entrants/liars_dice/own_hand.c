/* own_hand: bids what it holds; challenges a bid of more dice than it holds of that face, and two. */

int bid(const View *view)
{
    int held[7] = {0};
    for (int i = 0; i < view->dice_count; i++)
        held[view->dice[i]]++;
    if (view->last_bid && (view->last_bid - 1) / 6 + 1 > held[(view->last_bid - 1) % 6 + 1] + 2)
        return 0;
    for (int i = view->legal_actions_count - 1; i >= 0; i--) {
        int action = view->legal_actions[i];
        if (action && (action - 1) / 6 + 1 <= held[(action - 1) % 6 + 1])
            return action;
    }
    return 0 < view->last_bid ? 0 : 1;
}
