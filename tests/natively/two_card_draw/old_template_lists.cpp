// gnu++98: text of 1998: spaces between brackets, functors, typename, export of nothing, iterators written out
#include <vector>
#include <map>
#include <string>
#include <algorithm>
#include <numeric>
#include <cstdio>
using namespace std;

template <class T> struct Later : public binary_function<T, T, bool> {
    bool operator()(const T &x, const T &y) const { return y < x; }
};

template <class C> typename C::value_type total(const C &c) {
    typename C::value_type sum = typename C::value_type();
    for (typename C::const_iterator i = c.begin(); i != c.end(); ++i)
        sum += *i;
    return sum;
}

class TwoCardDraw {
private:
    map<pair<int, int>, vector<int> > shown;
    vector<vector<int> > grid;
    string log;
public:
    TwoCardDraw() : grid(5, vector<int>(5, 0)) {}
    int init(int bet1, int bet2) { return bet1 + bet2; }
    int new_hand(int card1, int card2, int winnings) {
        grid[card1][card2]++;
        char text[40];
        sprintf(text, "%d%d;", card1, card2);
        log += text;
        sort(grid[card1].begin(), grid[card1].end(), Later<int>());
        return total(grid[card1]) * 100 + (int)log.size() % 100 + winnings % 3;
    }
    int round1(int card1, int card2, int bets) { return accumulate(grid[card2].begin(), grid[card2].end(), bets); }
    int draw(int card1, int card2, int bets) { return (int)log.rfind("22") + (int)count(log.begin(), log.end(), '3'); }
    int round2(int card1, int card2, int bets1, int bets2, int drew) {
        vector<int> &v = shown[make_pair(bets1, drew)];
        v.push_back(card1 + bets2);
        return total(v);
    }
    int showdown(int card1, int card2, int opp1, int opp2) { shown[make_pair(opp1, opp2)].push_back(card2); return 0; }
};
