// The interface of Hold'em training for native bots: see grader.cpp.
#ifndef TEXAS_H
#define TEXAS_H

#include <utility>

struct Card {
    int color, value;
    Card() : color(-1), value(-1) {}
    Card(int color_, int value_) : color(color_), value(value_) {}
};

struct State {
    Card alice[2], bob[2];
    Card community[5];
};

enum class ActionType { CHECK, CALL, RAISE, FOLD };

std::pair<ActionType, int> makeDecision(const State &state);
int getResult(const State &state);
std::pair<double, double> getRatesBySampling(const State &state, int t);

#endif
