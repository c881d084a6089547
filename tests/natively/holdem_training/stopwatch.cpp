// gnu++11: chrono's clocks, which go on: a search that stops when its time is up or its work is done
#include "texas.h"
#include <chrono>
using namespace std;

static chrono::steady_clock::time_point before;
static bool asked;

pair<ActionType, int> makeDecision(const State &state)
{
    auto began = chrono::steady_clock::now();
    auto wall = chrono::system_clock::now(), fine = chrono::time_point_cast<chrono::system_clock::duration>(wall);
    auto high = chrono::high_resolution_clock::now();
    int good = (!asked || began >= before) + (wall.time_since_epoch().count() > 0) + (fine == wall);
    unsigned h = state.alice[0].value;
    for (int i = 0; i < 1000; ++i) {
        h = h * 1664525 + 1013904223;
        if (i % 64 == 0 && chrono::steady_clock::now() - began > chrono::seconds(3600))
            return {ActionType::FOLD, 0};
    }
    good += chrono::high_resolution_clock::now() >= high;
    good += chrono::duration<double>(chrono::steady_clock::now() - began).count() >= 0;
    asked = true;
    before = began;
    return {ActionType::RAISE, 1 + good * 1000000 + int(h >> 12) % 1000000};
}
