// gnu++17: one header for all, in a contest that gives texas.h: what its parts are for, each used once
#include <bits/stdc++.h>
#include "texas.h"
using namespace std;

static forward_list<int> chain;
static atomic<int> asked(0);
static const regex digits("[0-9]+");

pair<ActionType, int> makeDecision(const State &state)
{
    const int v = state.alice[0].value;
    chain.push_front(v);
    optional<int> o = ++asked % 2 ? optional<int>(v) : nullopt;
    variant<int, double> either = 2.5;
    any held = v;
    string_view view = "a view";
    smatch found;
    const string text = "card " + to_string(v) + " of " + to_string(state.alice[1].value);
    regex_search(text, found, digits);
    const chrono::seconds s(90 + v);
    const map<type_index, int> kinds = {{typeid(int), 5}, {typeid(double), 7}};
    const error_code code = make_error_code(errc::invalid_argument);
    ostringstream out;
    out << put_time(localtime(new time_t(0)), "") << setw(4) << v;
    int64_t far = imaxabs(-7) + fegetround();
    return {ActionType::RAISE, 1 + o.value_or(3) + int(get<double>(either) * 2) + any_cast<int>(held) + int(view.size()) + stoi(found[0]) * 100
        + int(chrono::duration_cast<chrono::minutes>(s).count()) * 1000 + kinds.at(typeid(double)) + (code ? 1 : 0) + int(out.str().size())
        + int(far) + int(distance(chain.begin(), chain.end())) + isdigit('5', locale::classic()) + ratio<6, 4>::num + int(hash<int>()(0) == 0)};
}
