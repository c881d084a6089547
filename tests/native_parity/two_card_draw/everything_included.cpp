// gnu++17: all of the library by one header, as many begin: #include <bits/stdc++.h>
#include <bits/stdc++.h>
using namespace std;
typedef long long ll;
#define rep(i, n) for (int i = 0; i < (int)(n); ++i)

class TwoCardDraw {
    map<string, vector<ll>> log;
    bitset<25> met;
public:
    int init(int bet1, int bet2) { log["bets"] = {bet1, bet2}; return 0; }
    int new_hand(int card1, int card2, int winnings) { met.set(card1 * 5 + card2); log["won"].push_back(winnings); return (int)met.count() + (int)log["won"].size() * 100; }
    int round1(int card1, int card2, int bets) { ll s = 0; rep(i, bets + 3) s += (ll)card1 * i + card2; return (int)s; }
    int draw(int, int, int) { return (int)*max_element(log["won"].begin(), log["won"].end()); }
    int round2(int, int, int bets1, int bets2, int drew) { return __gcd(bets1 * 12 + 6, bets2 * 9 + 3) + drew; }
    int showdown(int, int, int opp1, int opp2) { log["shown"].push_back(opp1 * 5 + opp2); return 0; }
};
