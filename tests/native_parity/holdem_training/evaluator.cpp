// gnu++11: the helper of the contest: a hundred boards a decision, dealt by the bot and compared by getResult
#include "texas.h"
#include <algorithm>
#include <vector>

static unsigned chance = 12345;
static int below(int n) { return int((chance = chance * 1664525 + 1013904223) >> 8) % n; }

std::pair<ActionType, int> makeDecision(const State &state)
{
    std::vector<Card> unseen;
    for (int color = 0; color < 4; ++color)
        for (int value = 1; value <= 13; ++value) {
            bool seen = false;
            for (const Card &c : state.alice) seen = seen || (c.color == color && c.value == value);
            for (const Card &c : state.community) seen = seen || (c.color == color && c.value == value);
            if (!seen)
                unseen.push_back(Card(color, value));
        }
    int wins = 0, ties = 0;
    for (int i = 0; i < 100; ++i) {
        State full = state;
        int left = 0;
        for (Card *c : {&full.bob[0], &full.bob[1], &full.community[0], &full.community[1], &full.community[2], &full.community[3], &full.community[4]})
            if (c->value == -1) {
                std::swap(unseen[left], unseen[left + below(int(unseen.size()) - left)]);
                *c = unseen[left++];
            }
        const int result = getResult(full);
        wins += result > 0;
        ties += result == 0;
    }
    return wins < 20 ? std::pair<ActionType, int>(ActionType::FOLD, 0) : std::pair<ActionType, int>(ActionType::RAISE, 1 + wins * 1000 + ties);
}
