/*
 * A plain native controller for Von Neumann poker: the yardstick for the speed of the engine.
 *
 * It plays the rules and nothing else: no recording, no isolation, no checks. The bots are compiled
 * and linked natively (see build.py). It clears a bot's f before each match; variables of a bot's own
 * outlive the match here.
 *
 *     plain_controller SESSIONS          all pairs of the linked bots
 *     plain_controller SESSIONS X Y      one pair; X is the A-player of the first game
 *
 * Cards come from rand(), two calls a game, or with -DFAST_RANDOM from one 64-bit draw of an inline
 * generator a game. Bots that call rand() get the library's in both cases. -DSEED=n changes the cards.
 */
#define _POSIX_C_SOURCE 199309L

#include <time.h>

#include "bot.h"

#ifndef SEED
#define SEED 1
#endif

enum { ANTE = 10, BET_LIMIT = 50, FIRST_STACK = 100, SESSION_GAMES = 50 };

typedef struct Result {
    double points[2];
    int64_t games;
    double seconds;
} Result;

#ifdef FAST_RANDOM

#define GENERATOR "splitmix64"

static uint64_t counter_state = SEED;

static inline void deal(Card *first, Card *second)
{
    uint64_t z = counter_state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    *first = (Card)(int32_t)(z >> 40) * 0x1p-24f;
    *second = (Card)(int32_t)(z >> 16 & 0xffffff) * 0x1p-24f;
}

#else

#define GENERATOR "rand"

static inline Card draw(void)
{
    float r = (float)rand();

    return r / (float)RAND_MAX;
}

static inline void deal(Card *first, Card *second)
{
    *first = draw();
    *second = draw();
}

#endif

static inline Money least(Money one, Money other)
{
    return one < other ? one : other;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Result play_match(const Contestant *x, const Contestant *y, long sessions)
{
    Bot bots[2];
    Card previous[2] = {-1, -1}; /* what each side was shown of the other's last card */
    Result result = {{0, 0}, 0, 0};
    unsigned turn = 0; /* whose turn it is to be A: 0 is x; it runs on over session borders */
    double start;

    memset(bots, 0, sizeof bots);
    bots[0].a = x->a;
    bots[0].b = x->b;
    bots[1].a = y->a;
    bots[1].b = y->b;

    start = now();
    for (long session = 0; session < sessions; session++) {
        Money stacks[2] = {FIRST_STACK, FIRST_STACK};
        int games = 0;
        double score;

        while (games < SESSION_GAMES && stacks[0] >= ANTE && stacks[1] >= ANTE) {
            unsigned i = turn, j = turn ^ 1;
            Bot *bettor = &bots[i], *caller = &bots[j];
            Card cards[2];
            Money bet;

            deal(&cards[i], &cards[j]);

            bettor->card = cards[i];
            bettor->opponentsPreviousCard = previous[i];
            bettor->money = stacks[i];
            bettor->opponentsMoney = stacks[j];
            bet = bettor->a(bettor);
            bet = bet < 0 ? 0 : bet;
            bet = least(least(least(bet, stacks[i]), BET_LIMIT), stacks[j]);

            int calls = 1; /* a pass counts as a bet of 0 that is called */
            if (bet > 0) {
                caller->card = cards[j];
                caller->opponentsPreviousCard = previous[j];
                caller->money = stacks[j];
                caller->opponentsMoney = stacks[i];
                calls = caller->b(caller, bet);
            }

            Money change = calls ? ANTE + bet : ANTE;
            if (calls && !(cards[i] > cards[j]))
                change = -change;
            stacks[i] += change;
            stacks[j] -= change;
            previous[i] = calls ? cards[j] : -1;
            previous[j] = calls ? cards[i] : -1;
            turn = j;
            games++;
        }
        score = (double)(stacks[0] - FIRST_STACK) / sqrt(games);
        result.points[0] += score;
        result.points[1] -= score;
        result.games += games;
    }
    result.seconds = now() - start;
    return result;
}

static int find(const char *name)
{
    for (int i = 0; i < field_size; i++)
        if (strcmp(field[i].name, name) == 0)
            return i;
    fprintf(stderr, "plain_controller: no bot named %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    long sessions = argc > 1 ? strtol(argv[1], &end, 10) : 0;
    double *points = calloc((size_t)field_size, sizeof *points);
    double seconds = 0;
    int64_t games = 0;
    int x_only = -1, y_only = -1, printed = 0;

    if ((argc != 2 && argc != 4) || *end || sessions < 1 || !points) {
        fprintf(stderr, "usage: plain_controller SESSIONS [X Y]\n");
        return 2;
    }
    if (argc == 4) {
        x_only = find(argv[2]);
        y_only = find(argv[3]);
        if (x_only == y_only) {
            fprintf(stderr, "plain_controller: X and Y must differ\n");
            return 2;
        }
    }
    srand(SEED);

    printf("{\n  \"generator\": \"%s\",\n  \"sessions_per_match\": %ld,\n  \"matches\": [", GENERATOR, sessions);
    for (int x = 0; x < field_size; x++)
        for (int y = 0; y < field_size; y++) {
            if (x_only < 0 ? x >= y : x != x_only || y != y_only)
                continue;
            Result r = play_match(&field[x], &field[y], sessions);
            points[x] += r.points[0];
            points[y] += r.points[1];
            seconds += r.seconds;
            games += r.games;
            printf("%s\n    {\"x\": \"%s\", \"y\": \"%s\", \"games\": %lld, \"seconds\": %.6f, \"points_of_x\": %.6f}",
                   printed++ ? "," : "", field[x].name, field[y].name, (long long)r.games, r.seconds, r.points[0]);
        }
    printf("\n  ],\n  \"games\": %lld,\n  \"seconds\": %.6f,\n  \"games_per_second\": %.0f,\n  \"points\": {",
           (long long)games, seconds, seconds > 0 ? (double)games / seconds : 0.0);
    printed = 0;
    for (int i = 0; i < field_size; i++)
        if (x_only < 0 || i == x_only || i == y_only)
            printf("%s\n    \"%s\": %.6f", printed++ ? "," : "", field[i].name, points[i]);
    printf("\n  }\n}\n");
    free(points);
    return 0;
}
