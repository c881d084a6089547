// gnu++17: map, set, multimap, multiset: ordered walks, bounds, erasing, keys that are pairs and strings
#include <map>
#include <set>
#include <string>
#include <utility>

class TwoCardDraw {
    std::map<std::pair<int, int>, int> counts;
    std::multimap<int, std::string> winners;
    std::set<int> totals;
    std::multiset<int, std::greater<int>> gains;
public:
    int init(int bet1, int bet2) { counts[{bet1, bet2}] = 1; return 0; }
    int new_hand(int card1, int card2, int winnings) {
        counts[std::make_pair(card1, card2)] += 2;
        totals.insert(winnings % 50);
        gains.insert(winnings);
        winners.emplace(card2, "hand" + std::to_string(card1));
        auto at = totals.lower_bound(card1 * 5);
        return int(totals.size()) * 1000 + (at == totals.end() ? -1 : *at) + *gains.begin();
    }
    int round1(int card1, int card2, int bets) {
        int h = bets;
        for (const auto &[cards, count] : counts)
            h = h * 7 + cards.first * 5 + cards.second + count;
        return h;
    }
    int draw(int card1, int, int) {
        int h = 0;
        auto [from, to] = winners.equal_range(card1);
        for (; from != to; ++from)
            h = h * 3 + int(from->second.back());
        return h + int(winners.count(3));
    }
    int round2(int card1, int card2, int bets1, int bets2, int drew) {
        if (gains.size() > 10)
            gains.erase(gains.find(*std::next(gains.begin(), 5)));
        counts.erase(std::make_pair(bets1, drew));
        auto at = counts.upper_bound(std::make_pair(card1, bets2));
        return at == counts.end() ? -1 : at->second * 100 + std::prev(gains.end()) .operator*();
    }
    int showdown(int, int, int opp1, int opp2) { counts[std::make_pair(opp1, opp2)]++; return 0; }
};
