// Hold'em training: what a bot of the function form includes.
//
// A bot is one C++ file with the function makeDecision. It is asked in every round of a hand that
// goes on, in the order of the game, so it may follow a hand in variables of its own.
#ifndef TEXAS_H
#define TEXAS_H

#ifndef __cplusplus
#error "bots of this contest are written in C++: call the file .cpp"
#endif

#include <cstdint>
#include <utility>

struct Card {
    int color;  // suit, 0 to 3; -1 for a card that you don't see
    int value;  // 1 to 13 for 2, 3, ..., T, J, Q, K, A; -1 likewise
    Card() : color(-1), value(-1) {}
    Card(int color_, int value_) : color(color_), value(value_) {}
};

struct State {
    Card alice[2];      // yours
    Card bob[2];        // never known when you are asked
    Card community[5];  // the first 0, 3, 4 or 5 are known
};

enum class ActionType { CHECK, CALL, RAISE, FOLD };

// Yours to write. The int is the raise, 1 up to your stack; 0 with CHECK and FOLD.
std::pair<ActionType, int> makeDecision(const State &state);

// The rest are answered by the engine itself. A state that is no state (a card twice, a value out of
// range, an unknown card for getResult, t below 1) is a fault.
extern "C" {
__attribute__((import_module("env"), import_name("tournament_rates")))
int64_t tournament_rates(int64_t places, int32_t samples);
__attribute__((import_module("env"), import_name("tournament_result")))
int32_t tournament_result(int64_t places);
}

namespace tournament_detail {

inline int64_t places(const State &state)
{
    int64_t packed = 0;
    const Card *cards[9];
    for (int i = 0; i < 2; ++i) {
        cards[i] = &state.alice[i];
        cards[2 + i] = &state.bob[i];
    }
    for (int i = 0; i < 5; ++i)
        cards[4 + i] = &state.community[i];
    for (int i = 0; i < 9; ++i) {
        const int color = cards[i]->color, value = cards[i]->value;
        const bool unknown = color == -1 && value == -1;
        if (!unknown && (color < 0 || color > 3 || value < 1 || value > 13))
            __builtin_trap();
        packed |= (int64_t)(unknown ? 52 : 13 * color + value - 1) << 6 * i;
    }
    return packed;
}

// The engine says -2 for a state that is none and -3 when the fuel doesn't reach.
inline void check(int64_t answer)
{
    if (answer == -2)
        __builtin_trap();
    while (answer == -3)
        asm volatile("");  // an empty tank stops this at once
}

}  // namespace tournament_detail

// All nine cards known: 1 if Alice has the better hand, 0 for a tie, -1 if Bob has.
inline int getResult(const State &state)
{
    const int answer = tournament_result(tournament_detail::places(state));
    tournament_detail::check(answer);
    return answer;
}

// Deals the unknown cards at random t times: how often Alice has the better hand, and how often both tie.
inline std::pair<double, double> getRatesBySampling(const State &state, int t)
{
    const int64_t answer = tournament_rates(tournament_detail::places(state), t);
    tournament_detail::check(answer);
    return {(double)(answer >> 32) / t, (double)(answer & 0xFFFFFFFF) / t};
}

#endif
