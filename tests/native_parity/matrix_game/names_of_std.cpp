// gnu++17: a function called move, as the contest wants it, beside std::move under "using namespace std"
#include <algorithm>
#include <utility>
#include <vector>
using namespace std;

static vector<int> seen;

int move(const Bot *bot)
{
    seen.push_back(bot->opponents_previous_move);
    vector<int> copy = seen, taken = std::move(copy);
    return (int)count(taken.begin(), taken.end(), 1) % bot->moves;
}
