// gnu++17: deque, list, forward_list, stack, queue, array: put in, taken out, spliced, walked from both ends
#include <array>
#include <deque>
#include <forward_list>
#include <iterator>
#include <list>
#include <queue>
#include <stack>

class TwoCardDraw {
    std::deque<int> last;
    std::list<int> one, other;
    std::forward_list<int> single;
    std::stack<int> raises;
    std::queue<int> waiting;
    std::array<std::array<int, 5>, 5> grid{};
public:
    int init(int bet1, int bet2) { one = {bet1, bet2, 5}; other.assign(4, bet2); return 0; }
    int new_hand(int card1, int card2, int winnings) {
        last.push_back(winnings);
        last.push_front(card1 - card2);
        if (last.size() > 30) {
            last.pop_back();
            last.erase(last.begin() + 7);
        }
        waiting.push(card2);
        grid[card1][card2]++;
        return last.front() * 3 + last.back() + last[last.size() / 2] * 7 + int(last.size()) * 10000;
    }
    int round1(int card1, int card2, int bets) {
        one.push_back(card1);
        other.push_front(bets);
        one.splice(std::next(one.begin()), other, other.begin());
        one.sort();
        one.unique();
        raises.push(bets);
        int h = 0;
        for (auto at = one.rbegin(); at != one.rend(); ++at)
            h = h * 11 + *at;
        return h;
    }
    int draw(int card1, int card2, int) {
        single.push_front(card1 * 5 + card2);
        single.remove_if([](int x) { return x % 7 == 3; });
        int h = 0;
        for (int x : single)
            h = int(unsigned(h) * 5u + unsigned(x));
        return h;
    }
    int round2(int, int card2, int bets1, int bets2, int drew) {
        int h = grid[bets1][drew] + (raises.empty() ? 9 : raises.top());
        if (raises.size() > 3)
            raises.pop();
        if (!waiting.empty()) {
            h += waiting.front() * 100;
            waiting.pop();
        }
        return h + bets2;
    }
    int showdown(int, int, int opp1, int opp2) { other.insert(other.end(), {opp1, opp2}); other.reverse(); return 0; }
};
