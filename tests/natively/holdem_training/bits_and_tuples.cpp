// gnu++11: bitset, tuple, pair, array, tie, limits, initialiser lists
#include "texas.h"
#include <algorithm>
#include <array>
#include <bitset>
#include <limits>
#include <string>
#include <tuple>
#include <vector>
using namespace std;

static bitset<52> met;
static vector<tuple<int, string, array<int, 2>>> log_;

pair<ActionType, int> makeDecision(const State &state)
{
    bitset<52> now;
    for (const Card &c : state.alice)
        now.set(13 * c.color + c.value - 1);
    met ^= now | now << 3;
    log_.emplace_back(state.alice[0].value, to_string(state.alice[1].value), array<int, 2>{{state.alice[0].color, state.alice[1].color}});
    sort(log_.begin(), log_.end());
    int v; string s; array<int, 2> a;
    tie(v, s, a) = log_[log_.size() / 2];
    const unsigned long long low = (met & bitset<52>(0xFFFFFFFFull)).to_ullong();
    int x = int(met.count()) * 100 + v + int(s.size()) + a[1] + int(low % 9973) + int(met.to_string().find("101")) + met.test(51) + (now.any() ? 1 : 0);
    x += numeric_limits<int>::max() % 1000 + numeric_limits<double>::digits + max({v, 3, 9}) + int(numeric_limits<float>::epsilon() * 1e8f);
    return make_pair(ActionType::RAISE, x);
}
