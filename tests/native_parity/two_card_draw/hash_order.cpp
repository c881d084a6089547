// gnu++17: the order in which an unordered_map is walked
#include <unordered_map>

class TwoCardDraw {
    std::unordered_map<int, int> counts;
public:
    int init(int, int) { return 0; }
    int new_hand(int card1, int card2, int winnings) { counts[winnings * 7 + card1] += card2; int h = 0; for (auto &item : counts) h = h * 31 + item.first; return h; }
    int round1(int, int, int) { return 0; }
    int draw(int, int, int) { return 0; }
    int round2(int, int, int, int, int) { return 0; }
    int showdown(int, int, int, int) { return 0; }
};
