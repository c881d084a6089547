// gnu++98: what C++17 took away: auto_ptr, bind1st, mem_fun, ptr_fun, random_shuffle, register, lists of throw()
#include <algorithm>
#include <functional>
#include <memory>
#include <vector>
using namespace std;

struct Limited {
    int most;
    Limited(int most) : most(most) {}
    bool below(int x) const throw() { return x < most; }
    int risky(int x) throw(int) { return x + most; }
};

static int twice(int x) { return 2 * x; }
static unsigned drawn = 1;
static int below(int n) { drawn = drawn * 1103515245 + 12345; return (int)(drawn >> 16) % n; }

class TwoCardDraw {
    auto_ptr<Limited> limit;
    vector<int> seen;
public:
    int init(int bet1, int bet2) { limit = auto_ptr<Limited>(new Limited(bet1 + bet2)); return 0; }
    int new_hand(int card1, int card2, int winnings) {
        seen.push_back(10 * card1 + card2 + winnings % 7);
        random_shuffle(seen.begin(), seen.end(), below);
        return count_if(seen.begin(), seen.end(), bind1st(less<int>(), 20)) + count_if(seen.begin(), seen.end(), bind2nd(greater<int>(), 30)) * 100;
    }
    int round1(int card1, int card2, int bets) {
        register int total = 0;
        vector<int> doubled(seen.size());
        transform(seen.begin(), seen.end(), doubled.begin(), ptr_fun(twice));
        for (vector<int>::iterator i = doubled.begin(); i != doubled.end(); ++i)
            total += *i;
        return total * 5 + bets;
    }
    int draw(int card1, int card2, int bets) { return limit->risky(card1 * bets) + limit->below(card2); }
    int round2(int card1, int card2, int bets1, int bets2, int drew) {
        auto_ptr<Limited> other(new Limited(drew + bets2));
        vector<Limited *> both;
        both.push_back(limit.get());
        both.push_back(other.get());
        return count_if(both.begin(), both.end(), bind2nd(mem_fun(&Limited::below), card1 + bets1)) * 10 + not1(bind2nd(equal_to<int>(), 2))(card2);
    }
    int showdown(int card1, int card2, int opp1, int opp2) { seen.push_back(opp1 * 5 + opp2); return 0; }
};
