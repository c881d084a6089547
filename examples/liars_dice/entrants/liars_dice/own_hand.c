/* own_hand: bids what it holds; challenges a bid of more dice than it holds of that face, and two. */

int bid(const Bot *bot)
{
    int held[7] = {0};
    for (int i = 0; i < bot->dice_count; i++)
        held[bot->dice[i]]++;
    if (bot->last_bid && (bot->last_bid - 1) / 6 + 1 > held[(bot->last_bid - 1) % 6 + 1] + 2)
        return 0;
    for (int i = bot->legal_actions_count - 1; i >= 0; i--) {
        int action = bot->legal_actions[i];
        if (action && (action - 1) / 6 + 1 <= held[(action - 1) % 6 + 1])
            return action;
    }
    return 0 < bot->last_bid ? 0 : 1;
}
