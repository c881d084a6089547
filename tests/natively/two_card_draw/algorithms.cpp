// gnu++17: algorithm and numeric: sort, stable_sort, partial_sort, nth_element, bounds, permutations, unions, rotations
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

class TwoCardDraw {
    std::vector<int> v;
    static int mix(const std::vector<int> &w) { return std::accumulate(w.begin(), w.end(), 7, [](unsigned h, int x) { return h * 31 + unsigned(x); }); }
public:
    int init(int bet1, int bet2) { v.resize(40); std::iota(v.begin(), v.end(), bet1 * bet2); return 0; }
    int new_hand(int card1, int card2, int winnings) {
        std::transform(v.begin(), v.end(), v.begin(), [&](int x) { return (x * 17 + card1 * 5 + winnings) % 97; });
        auto w = v;
        std::sort(w.begin(), w.end(), std::greater<int>());
        std::rotate(w.begin(), w.begin() + card2, w.end());
        return mix(w) + int(std::lower_bound(w.begin(), w.begin() + 3, 5, std::greater<int>()) - w.begin());
    }
    int round1(int card1, int card2, int bets) {
        auto w = v;
        std::stable_sort(w.begin(), w.end(), [](int x, int y) { return x / 10 < y / 10; });
        w.erase(std::unique(w.begin(), w.end()), w.end());
        std::reverse(w.begin() + 1, w.end());
        return mix(w) + int(std::count_if(w.begin(), w.end(), [&](int x) { return x > 10 * card2; })) + bets;
    }
    int draw(int card1, int card2, int) {
        std::array<int, 6> p{0, 1, 2, 3, card1, card2};
        std::sort(p.begin(), p.end());
        int count = 0, h = 0;
        do {
            h = h * 7 + p[count % 6];
            ++count;
        } while (std::next_permutation(p.begin(), p.end()));
        return h + count + std::gcd(84, 18 * (card1 + 1)) + std::lcm(4, card2 + 1);
    }
    int round2(int card1, int card2, int bets1, int bets2, int drew) {
        auto w = v;
        std::nth_element(w.begin(), w.begin() + 20, w.end());
        int h = w[20];
        std::partial_sort(w.begin(), w.begin() + 9, w.end());
        h = h * 100 + w[8];
        std::vector<int> x(v.begin(), v.begin() + 20), y(v.begin() + 10, v.end()), both, either;
        std::sort(x.begin(), x.end());
        std::sort(y.begin(), y.end());
        std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
        std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(either));
        auto [low, high] = std::minmax_element(v.begin(), v.end());
        std::partial_sum(x.begin(), x.end(), x.begin());
        std::adjacent_difference(y.begin(), y.end(), y.begin());
        return h + mix(both) + mix(either) + *high - *low + x[19] + y[3] + std::inner_product(x.begin(), x.end(), y.begin(), bets2) + drew
            + int(std::partition(v.begin(), v.end(), [](int z) { return z % 2; }) - v.begin());
    }
    int showdown(int, int, int opp1, int opp2) { std::replace(v.begin(), v.end(), opp1, opp2); std::sort(v.begin(), v.end()); std::swap_ranges(v.begin(), v.begin() + 5, v.begin() + 20); return 0; }
};
