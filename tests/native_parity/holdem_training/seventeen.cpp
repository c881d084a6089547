// gnu++17: optional, variant, any, string_view, structured bindings, inline variables, if with a beginning, charconv
#include "texas.h"
#include <any>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

inline int decisions = 0;
static std::map<int, int> seen;
static std::optional<int> same(const State &s) { if (s.alice[0].value == s.alice[1].value) return s.alice[0].value; return std::nullopt; }
struct Kind { int operator()(int x) const { return x; } int operator()(double d) const { return int(d * 10); } int operator()(std::string_view s) const { return int(s.size()); } };

std::pair<ActionType, int> makeDecision(const State &state)
{
    ++decisions;
    std::variant<int, double, std::string_view> v;
    if (const int c = state.alice[0].color; c == 0) v = 7; else if (c == 1) v = 2.5; else v = std::string_view("a view of text").substr(c);
    int x = std::visit(Kind{}, v) + same(state).value_or(-3) + int(v.index()) * 100;
    auto [first, second] = state.alice[0].value < state.alice[1].value ? std::pair(1, 2) : std::pair(3, 4);
    if (auto [at, added] = seen.insert({state.alice[1].value, decisions}); !added)
        x += at->second;
    std::any held = x;
    char text[20];
    auto [end, error] = std::to_chars(text, text + 20, x * 31);
    int back = 0;
    std::from_chars(text, end, back);
    return {ActionType::RAISE, 10000 + std::any_cast<int>(held) + back + first * second + int(end - text)};
}
