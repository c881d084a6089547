// Hold'em training as one would write it in an hour, to measure against: a hand is what five cards sorted by
// multiplicity and value say, a player's the best of 21, and Bob's hundred rollouts are dealt and compared in full.
//
//     g++ -O3 -std=c++17 grader.cpp bot.cpp -o grader && ./grader HANDS
#include "texas.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

std::mt19937 dice(20210516);

using Hand = std::array<Card, 5>;
using Worth = std::array<int, 6>;  // the type, then the values

Worth worth_of_five(const Hand &hand)
{
    int counts[14] = {};
    bool flush = true;
    for (const Card &card : hand) {
        ++counts[card.value];
        flush = flush && card.color == hand[0].color;
    }
    std::array<int, 5> values;
    for (int i = 0; i < 5; ++i)
        values[i] = hand[i].value;
    std::sort(values.begin(), values.end(), [&](int a, int b) {
        return counts[a] != counts[b] ? counts[a] > counts[b] : a > b;
    });
    const int most = counts[values[0]], second = counts[values[most % 5]];
    int straight = 0;
    if (most == 1 && values[0] - values[4] == 4)
        straight = values[0];
    else if (most == 1 && values[0] == 13 && values[1] == 4)
        straight = 4;
    if (straight)
        return {flush ? 8 : 4, straight, 0, 0, 0, 0};
    int type = 0;
    if (most == 4)
        type = 7;
    else if (most == 3 && second == 2)
        type = 6;
    else if (flush)
        type = 5;
    else if (most == 3)
        type = 3;
    else if (most == 2)
        type = second == 2 ? 2 : 1;
    return {type, values[0], values[1], values[2], values[3], values[4]};
}

Worth worth_of_seven(const Card *hole, const Card *board)
{
    const Card cards[7] = {hole[0], hole[1], board[0], board[1], board[2], board[3], board[4]};
    Worth best{};
    for (int left = 0; left < 7; ++left)
        for (int out = 0; out < left; ++out) {
            Hand hand;
            int filled = 0;
            for (int i = 0; i < 7; ++i)
                if (i != left && i != out)
                    hand[filled++] = cards[i];
            best = std::max(best, worth_of_five(hand));
        }
    return best;
}

std::vector<Card> unseen(const State &state)
{
    bool seen[4][14] = {};
    for (const Card *cards : {state.alice, state.bob})
        for (int i = 0; i < 2; ++i)
            if (cards[i].color >= 0)
                seen[cards[i].color][cards[i].value] = true;
    for (const Card &card : state.community)
        if (card.color >= 0)
            seen[card.color][card.value] = true;
    std::vector<Card> rest;
    for (int color = 0; color < 4; ++color)
        for (int value = 1; value <= 13; ++value)
            if (!seen[color][value])
                rest.emplace_back(color, value);
    return rest;
}

State filled(State state, std::vector<Card> &rest)
{
    std::shuffle(rest.begin(), rest.end(), dice);
    int next = 0;
    for (Card *cards : {state.alice, state.bob})
        for (int i = 0; i < 2; ++i)
            if (cards[i].color < 0)
                cards[i] = rest[next++];
    for (Card &card : state.community)
        if (card.color < 0)
            card = rest[next++];
    return state;
}

bool bob_calls(const State &seen, int stack, int pot, int raise)
{
    std::vector<Card> rest = unseen(seen);
    int total = 0;
    for (int rollout = 0; rollout < 100; ++rollout) {
        const int result = getResult(filled(seen, rest));
        const int end = stack - raise + (result < 0 ? pot + raise : result == 0 ? (pot + raise) / 2 : 0);
        total += end - 100;
    }
    return total > 100 * (stack - 100);
}

int play()
{
    static const int shown[4] = {0, 3, 4, 5};
    State all;
    std::vector<Card> deck = unseen(all);
    all = filled(all, deck);
    int stack = 100, bobs_stack = 100, pot = 10;
    for (int round = 0; round < 4; ++round) {
        State alices = all, bobs = all;
        for (int i = 0; i < 2; ++i)
            alices.bob[i] = bobs.alice[i] = Card();
        for (int i = shown[round]; i < 5; ++i)
            alices.community[i] = bobs.community[i] = Card();
        const auto [action, raise] = makeDecision(alices);
        if (action == ActionType::CHECK)
            continue;
        if (action == ActionType::FOLD)
            return stack - 100;
        if (action != ActionType::RAISE || raise < 1 || raise > stack)
            std::abort();
        stack -= raise;
        pot += raise;
        if (!bob_calls(bobs, bobs_stack, pot, raise))
            return stack + pot - 100;
        bobs_stack -= raise;
        pot += raise;
    }
    const int result = getResult(all);
    return stack - 100 + (result > 0 ? pot : result == 0 ? pot / 2 : 0);
}

}  // namespace

int getResult(const State &state)
{
    const Worth alice = worth_of_seven(state.alice, state.community);
    const Worth bob = worth_of_seven(state.bob, state.community);
    return (alice > bob) - (alice < bob);
}

std::pair<double, double> getRatesBySampling(const State &state, int t)
{
    std::vector<Card> rest = unseen(state);
    int wins = 0, ties = 0;
    for (int i = 0; i < t; ++i) {
        const int result = getResult(filled(state, rest));
        wins += result > 0;
        ties += result == 0;
    }
    return {(double)wins / t, (double)ties / t};
}

int main(int, char **arguments)
{
    const long hands = std::atol(arguments[1]);
    const auto start = std::chrono::steady_clock::now();
    double profit = 0;
    for (long i = 0; i < hands; ++i)
        profit += play();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("{\"hands_per_second\": %.1f, \"mean_profit\": %.4f}\n", hands / seconds, profit / hands);
}
