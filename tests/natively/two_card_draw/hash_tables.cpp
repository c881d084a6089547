// gnu++17: unordered_map and unordered_set, looked up and summed up in no order, with a hash of the program's own
#include <string>
#include <unordered_map>
#include <unordered_set>

struct Situation { int card, bets; bool operator==(const Situation &o) const { return card == o.card && bets == o.bets; } };
struct Hash { std::size_t operator()(const Situation &s) const { return std::size_t(s.card * 31 + s.bets); } };

class TwoCardDraw {
    std::unordered_map<Situation, int, Hash> seen;
    std::unordered_map<std::string, double> means;
    std::unordered_set<int> totals;
public:
    int init(int, int) { seen.reserve(100); return 0; }
    int new_hand(int card1, int card2, int winnings) {
        means[std::to_string(card1) + std::to_string(card2)] += winnings / 8.0;
        totals.insert(winnings % 31);
        return int(totals.size()) * 10 + int(totals.count(card1));
    }
    int round1(int card1, int card2, int bets) { return ++seen[{card1 + card2, bets}]; }
    int draw(int, int, int) { long long sum = 0; for (const auto &item : seen) sum += item.first.card * 100 + item.second; return int(sum); }
    int round2(int card1, int card2, int, int, int drew) {
        auto at = means.find(std::to_string(card1) + std::to_string(card2));
        double sum = 0;
        for (auto &item : means)
            sum += item.second;
        return at == means.end() ? drew : int(at->second * 4) + int(sum);
    }
    int showdown(int, int, int opp1, int opp2) { seen.erase({opp1, opp2}); return 0; }
};
