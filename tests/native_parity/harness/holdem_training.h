// Asks a bot of Hold'em training, included before, what a file lists: a line for each decision, and one for each
// answer. A question: suit and value of nine cards, -1 for those that aren't seen, and four numbers that only other
// forms are told. An answer: the chips raised, 0 for a check, -1 for a fold.

#include <stdio.h>
#include <stdlib.h>

// The better of two five-card hands has the larger number.
static long natively_worth(const int *places)
{
    int values[13] = {0}, suits[4] = {0}, order[13], kinds = 0;
    for (int i = 0; i < 5; ++i)
        ++values[places[i] % 13], ++suits[places[i] / 13];
    for (int count = 4; count; --count)
        for (int value = 12; value >= 0; --value)
            if (values[value] == count)
                order[kinds++] = value;
    bool flush = false, straight = kinds == 5 && order[0] - order[4] == 4;
    for (int suit = 0; suit < 4; ++suit)
        flush = flush || suits[suit] == 5;
    if (kinds == 5 && order[0] == 12 && order[1] == 3) {
        straight = true;
        order[0] = 3; // the five is the highest, and there is no other with it
    }
    const int most = values[order[0]], next = kinds > 1 ? values[order[1]] : 0;
    const int type = straight && flush ? 8 : most == 4 ? 7 : most == 3 && next == 2 ? 6 : flush ? 5 : straight ? 4
        : most == 3 ? 3 : most == 2 && next == 2 ? 2 : most == 2 ? 1 : 0;
    long worth = type;
    for (int i = 0; i < 5; ++i)
        worth = 13 * worth + (i < kinds && !(straight && i) ? order[i] : 0);
    return worth;
}

static long natively_best(const int *seven)
{
    long best = -1;
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < i; ++j) {
            int five[5], count = 0;
            for (int k = 0; k < 7; ++k)
                if (k != i && k != j)
                    five[count++] = seven[k];
            const long worth = natively_worth(five);
            best = worth > best ? worth : best;
        }
    return best;
}

extern "C" int32_t tournament_result(int64_t places)
{
    int alice[7], bob[7];
    for (int i = 0; i < 9; ++i) {
        const int place = places >> 6 * i & 63;
        if (i < 2)
            alice[i] = place;
        else if (i < 4)
            bob[i - 2] = place;
        else
            alice[i - 2] = bob[i - 2] = place;
    }
    const long mine = natively_best(alice), his = natively_best(bob);
    return (mine > his) - (mine < his);
}

extern "C" int64_t tournament_rates(int64_t, int32_t)
{
    abort(); // whose samples are the engine's own
}

int main(int, char **words)
{
    FILE *questions = fopen(words[1], "r"), *answers = fopen(words[2], "w");
    int numbers[22];
    for (;;) {
        for (int i = 0; i < 22; ++i)
            if (fscanf(questions, "%d", &numbers[i]) != 1)
                return fclose(answers);
        State state;
        for (int i = 0; i < 9; ++i) {
            Card &card = i < 2 ? state.alice[i] : i < 4 ? state.bob[i - 2] : state.community[i - 4];
            card = Card(numbers[2 * i], numbers[2 * i + 1]);
        }
        const std::pair<ActionType, int> decision = makeDecision(state);
        const bool raises = decision.first == ActionType::RAISE;
        fprintf(answers, "%d\n", raises ? decision.second : decision.first == ActionType::FOLD ? -1 : 0);
    }
}
