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

// Yours to write. The int is the raise, 1 up to your stack; 0 with CHECK and FOLD:
//     std::pair<ActionType, int> makeDecision(const State &state);

// The rest are answered by the engine itself. A state that is no state (a card twice, a value out of
// range, an unknown card for getResult, t below 1) is a fault.
extern "C" {
__attribute__((import_module("env"), import_name("tournament_rates")))
int64_t tournament_rates(int64_t places, int32_t samples);
__attribute__((import_module("env"), import_name("tournament_result")))
int32_t tournament_result(int64_t places);
}

namespace tournament_detail {

// Six bits for each card: 13 · color + value − 1, 52 where it is unknown, 63 where it is nonsense.
inline int64_t places(const State &state)
{
    const Card cards[9] = {
        state.alice[0], state.alice[1], state.bob[0], state.bob[1], state.community[0],
        state.community[1], state.community[2], state.community[3], state.community[4],
    };
    int64_t packed = 0;
    for (int i = 0; i < 9; ++i) {
        const int color = cards[i].color, value = cards[i].value;
        int64_t place = 63;
        if (color >= 0 && color <= 3 && value >= 1 && value <= 13)
            place = 13 * color + value - 1;
        else if (color == -1 && value == -1)
            place = 52;
        packed |= place << 6 * i;
    }
    return packed;
}

}  // namespace tournament_detail

// All nine cards known: 1 if Alice has the better hand, 0 for a tie, -1 if Bob has.
inline int getResult(const State &state)
{
    return tournament_result(tournament_detail::places(state));
}

// Deals the unknown cards at random t times: how often Alice has the better hand, and how often both tie.
inline std::pair<double, double> getRatesBySampling(const State &state, int t)
{
    const int64_t counts = tournament_rates(tournament_detail::places(state), t);
    return std::make_pair((double)(counts >> 32) / t, (double)(counts & 0xFFFFFFFF) / t);
}

#endif
