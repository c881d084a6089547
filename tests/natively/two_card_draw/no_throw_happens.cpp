// gnu++17: text with try, catch and throw in it whose throw is never reached
#include <stdexcept>
#include <string>
#include <vector>

class TwoCardDraw {
    std::vector<int> seen;
    int checked(std::size_t i) { if (i >= seen.size()) throw std::out_of_range("no such hand"); return seen.at(i); }
public:
    int init(int bet1, int) { seen.push_back(bet1); return 0; }
    int new_hand(int card1, int card2, int) { seen.push_back(card1 * card2); try { return checked(seen.size() / 2); } catch (const std::exception &) { return -1; } }
    int round1(int, int, int bets) { try { return std::stoi("42") + bets; } catch (...) { return 0; } }
    int draw(int, int card2, int) noexcept { return card2; }
    int round2(int, int, int bets1, int, int) { return checked(0) + bets1; }
    int showdown(int, int, int, int) { return 0; }
};
