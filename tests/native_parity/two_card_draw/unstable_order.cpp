// gnu++17: the order in which std::sort and std::shuffle leave things, which no standard fixes
#include <algorithm>
#include <random>
#include <vector>

class TwoCardDraw {
    std::mt19937 chance{5};
public:
    int init(int, int) { return 0; }
    int new_hand(int card1, int card2, int winnings) {
        std::vector<int> v(100);
        for (int i = 0; i < 100; ++i)
            v[i] = i * 37 % 100;
        std::sort(v.begin(), v.end(), [](int x, int y) { return x / 20 < y / 20; });
        std::shuffle(v.begin() + 50, v.end(), chance);
        int h = winnings;
        for (int x : v)
            h = int(unsigned(h) * 31u + unsigned(x));
        return h;
    }
    int round1(int, int, int) { return 0; }
    int draw(int, int, int) { return 0; }
    int round2(int, int, int, int, int) { return 0; }
    int showdown(int, int, int, int) { return 0; }
};
