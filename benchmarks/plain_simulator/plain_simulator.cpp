// A plain native simulator of two-card draw, to measure ours against: one bot, compiled in, plays
// the servers of some strategy files. No records, no sandbox; cards and dice from SplitMix64.
//
//     g++ -O3 -DBOT_FILE='"bot.cpp"' plain_simulator.cpp -o simulator
//     ./simulator HANDS FILE...
//
// Prints hands a second, and what the bot won a hand of each server.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include BOT_FILE

namespace plain {

struct Strategy {
    int bet1, bet2;
    double round1[5][5][4][3];
    double draw[5][5][4][3][2][3];
    double round2[5][5][4][4][3][3][2][3];
};

bool read(const char *name, Strategy &into)
{
    FILE *file = fopen(name, "r");
    if (!file || fscanf(file, "%d %d", &into.bet1, &into.bet2) != 2)
        return false;
    char kind[16];
    int a, b, c, d, e, f, g;
    while (fscanf(file, "%15s", kind) == 1) {
        double *row = nullptr;
        if (!strcmp(kind, "ROUND1") && fscanf(file, "%d %d %d", &a, &b, &c) == 3)
            row = into.round1[a][b][c];
        else if (!strcmp(kind, "DRAW") && fscanf(file, "%d %d %d %d %d", &a, &b, &c, &d, &e) == 5)
            row = into.draw[a][b][c][d][e];
        else if (!strcmp(kind, "ROUND2") && fscanf(file, "%d %d %d %d %d %d %d", &a, &b, &c, &d, &e, &f, &g) == 7)
            row = into.round2[a][b][c][d][e][f][g];
        if (!row || fscanf(file, "%lf %lf %lf", row, row + 1, row + 2) != 3)
            return false;
    }
    fclose(file);
    return true;
}

uint64_t state;

uint64_t word()
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

int card()
{
    return int((word() >> 32) * 5 >> 32);
}

int act(const double *chances)
{
    const double die = double(word() >> 11) / 9007199254740992.0;
    return die < chances[0] ? 0 : die < chances[0] + chances[1] || chances[2] == 0 ? 1 : 2;
}

struct Hand {
    int low, high;

    void deal()
    {
        low = card();
        high = card();
        sort();
    }

    void sort()
    {
        if (low > high)
            std::swap(low, high);
    }

    void exchange(int count)
    {
        if (count == 2)
            deal();
        if (count == 1) {
            low = card();
            sort();
        }
    }

    int strength() const
    {
        return low == high ? 100 + low : 10 * high + low;
    }
};

// A round after the bot opened with `bets` bets, 0 or 1. Returns the bets; `ended`: 1 the bot folded, 2 the server.
template <class Chances, class Ask>
int bet(int bets, Chances chances, Ask ask, int &ended, bool &server_opened)
{
    for (;;) {
        const int theirs = act(chances(bets));
        if (theirs == 0) {
            ended = 2;
            return bets;
        }
        if (theirs == 1)
            return bets;
        if (bets == 0)
            server_opened = true;
        ++bets;
        const int mine = ask(bets);
        if (mine == 0) {
            ended = 1;
            return bets;
        }
        if (mine == 1 || bets == 3)
            return bets;
        ++bets;
    }
}

int play(TwoCardDraw &bot, const Strategy &server, int winnings)
{
    Hand x, y;
    x.deal();
    y.deal();
    int ended = 0;
    bool first = false, unused = false;
    const int bets1 = bet(
        bot.new_hand(x.low, x.high, winnings) == 1, [&](int bets) { return server.round1[y.low][y.high][bets]; },
        [&](int bets) { return bot.round1(x.low, x.high, bets); }, ended, first);
    int stake = 1 + bets1 * server.bet1;
    if (ended)
        return ended == 1 ? server.bet1 - stake : stake - server.bet1;
    const int mine = bot.draw(x.low, x.high, bets1);
    const int theirs = act(server.draw[y.low][y.high][bets1][mine][first]);
    x.exchange(mine);
    y.exchange(theirs);
    const int bets2 = bet(
        bot.round2(x.low, x.high, bets1, 0, theirs) == 2,
        [&](int bets) { return server.round2[y.low][y.high][bets1][bets][mine][theirs][first]; },
        [&](int bets) { return bot.round2(x.low, x.high, bets1, bets, theirs); }, ended, unused);
    stake += bets2 * server.bet2;
    if (ended)
        return ended == 1 ? server.bet2 - stake : stake - server.bet2;
    bot.showdown(x.low, x.high, y.low, y.high);
    const int difference = x.strength() - y.strength();
    return difference > 0 ? stake : difference < 0 ? -stake : 0;
}

}  // namespace plain

#ifndef LABORATORY
int main(int count, char **arguments)
{
    const int hands = count > 1 ? atoi(arguments[1]) : 0;
    if (hands < 1 || count < 3)
        return fprintf(stderr, "usage: simulator HANDS FILE...\n"), 2;
    std::unique_ptr<plain::Strategy> server(new plain::Strategy);
    double seconds = 0;
    for (int file = 2; file < count; ++file) {
        if (!plain::read(arguments[file], *server))
            return fprintf(stderr, "%s can't be read\n", arguments[file]), 1;
        plain::state = UINT64_C(1000) * file;
        std::unique_ptr<TwoCardDraw> bot(new TwoCardDraw);
        const auto started = std::chrono::steady_clock::now();
        bot->init(server->bet1, server->bet2);
        long winnings = 0;
        for (int hand = 0; hand < hands; ++hand)
            winnings += plain::play(*bot, *server, int(winnings));
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        fprintf(stderr, "%s %+.6f\n", arguments[file], double(winnings) / hands);
    }
    printf("{\"hands_per_second\": %.0f}\n", hands * double(count - 2) / seconds);
}
#endif
