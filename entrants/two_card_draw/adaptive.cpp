// Learns the server while it plays, and answers what it has learned with the best response.
//
// It knows how servers are made, so before the first hand it makes some for the bets at hand:
// their mean is what it believes of a new server, and their spread how firmly. It then counts
// what the server does. Which hand the server held is mostly hidden, so a hand's observation is
// shared out over the hands that it may have been, by their probability under the estimate so
// far (expectation maximisation: Dempster, Laird and Rubin, 1977). From time to time the perfect
// answer to the estimate is worked out anew.
//
// Hands are numbered by rank, the weakest first: 0-1 is 0, 0-2 is 1, 1-2 is 2, ..., the pair of fours 14.

#include <algorithm>
#include <cstring>

namespace {

constexpr int HANDS = 15;
constexpr int ENDINGS = 7;      // of round 1: nobody bet; 1 to 3 bets after ours; 1 to 3 after the server's
constexpr int SITUATIONS = HANDS * 4 + HANDS * ENDINGS * 3 + HANDS * ENDINGS * 9 * 4;
constexpr int PATHS = 10;       // what the server can have done in a round
constexpr double TREMBLE = 0.001;

enum { FOLD, CALL, RAISE };

typedef double Hands[HANDS];
typedef Hands Actions[3];

// Probabilities or counts of actions, for the server or for us.
struct Table {
    Actions round1[4];                  // by bets faced
    Actions drawing[ENDINGS][3];        // by what we drew; our own only [0]
    Actions round2[ENDINGS][3][3][4];   // by what we and the server drew, and bets faced
};

constexpr int TABLE_ACTIONS = sizeof(Table) / sizeof(Actions);

int rank_of(int low, int high)
{
    return low == high ? 10 + low : high * (high - 1) / 2 + low;
}

struct Deck {
    Hands chance;
    int high[HANDS];
    int with[5][5];     // the hand that a card and a new one make

    Deck()
    {
        for (int low = 0; low < 5; ++low)
            for (int high_card = low; high_card < 5; ++high_card) {
                const int hand = rank_of(low, high_card);
                chance[hand] = low == high_card ? 0.04 : 0.08;
                high[hand] = high_card;
                with[low][high_card] = with[high_card][low] = hand;
            }
    }
};

const Deck deck;

// From the reach of hands that exchange so many cards to that of the hands they become.
void spread(const Hands &from, int count, Hands &into)
{
    if (count == 0) {
        std::copy(from, from + HANDS, into);
        return;
    }
    double kept[5] = {}, total = 0;
    for (int hand = 0; hand < HANDS; ++hand) {
        kept[deck.high[hand]] += 0.2 * from[hand];
        total += from[hand];
        into[hand] = 0;
    }
    if (count == 1) {
        for (int card = 0; card < 5; ++card)
            for (int drawn = 0; drawn < 5; ++drawn)
                into[deck.with[card][drawn]] += kept[card];
    } else {
        for (int hand = 0; hand < HANDS; ++hand)
            into[hand] = total * deck.chance[hand];
    }
}

// The other way: from values of hands after the exchange to those before.
void gather(const Hands &after, int count, Hands &before)
{
    if (count == 0) {
        std::copy(after, after + HANDS, before);
    } else if (count == 1) {
        double kept[5] = {};
        for (int card = 0; card < 5; ++card)
            for (int drawn = 0; drawn < 5; ++drawn)
                kept[card] += 0.2 * after[deck.with[card][drawn]];
        for (int hand = 0; hand < HANDS; ++hand)
            before[hand] = kept[deck.high[hand]];
    } else {
        double mean = 0;
        for (int hand = 0; hand < HANDS; ++hand)
            mean += deck.chance[hand] * after[hand];
        std::fill(before, before + HANDS, mean);
    }
}

double total(const Hands &values)
{
    double sum = 0;
    for (int hand = 0; hand < HANDS; ++hand)
        sum += values[hand];
    return sum;
}

void times(const Hands &one, const Hands &other, Hands &into)
{
    for (int hand = 0; hand < HANDS; ++hand)
        into[hand] = one[hand] * other[hand];
}

// What each of our hands wins at a showdown with hands of this reach.
void showdown_values(const Hands &reach, double stake, Hands &values)
{
    const double all = total(reach);
    double below = 0;
    for (int hand = 0; hand < HANDS; ++hand) {
        values[hand] = stake * (2 * below + reach[hand] - all);
        below += reach[hand];
    }
}

// What a server of this strategy is worth to us, from the end of a hand back to its start.
// Values are for each of our hands, times the reach of the server's.
class Game {
public:
    Table server;

    void set_bets(int first, int second)
    {
        bet1 = first;
        bet2 = second;
    }

    // Work everything out; with `plan`, note there what is best for us: 0, 1 or 2.
    double solve(unsigned char (*plan)[HANDS])
    {
        reach_round1();
        for (int ending = 0; ending < ENDINGS; ++ending)
            refresh(ending, plan);
        return start(plan);
    }

    // After the server's strategy changed in one place: round 1 facing `bets`; the draw; or round 2.
    double after_round1(int bets)
    {
        reach_round1();
        for (int ending = 0; ending < ENDINGS; ++ending)
            if (bets == 0 ? ending == 0 || ending > 3 : bets == 1 ? ending > 0 && ending < 4
                                                      : bets == 2 ? ending > 4 : ending == 3)
                refresh(ending, nullptr);
        return start(nullptr);
    }

    double after_draw(int ending, int mine)
    {
        reach_draw(ending, mine);
        for (int theirs = 0; theirs < 3; ++theirs)
            round2(ending, mine, theirs, nullptr);
        drawn(ending, mine);
        best_draw(ending, nullptr);
        return start(nullptr);
    }

    double after_round2(int ending, int mine, int theirs)
    {
        round2(ending, mine, theirs, nullptr);
        drawn(ending, mine);
        best_draw(ending, nullptr);
        return start(nullptr);
    }

    struct After {
        Hands reach;                // of the server's hands before the draw
        Hands reach_drawn[3][3];    // and after it
        Hands value2[3][3];         // by our hand after the draw
        Hands value_drawn[3];       // by what we draw and our hand before
        Hands value;                // by our hand before the draw
    };
    After after[ENDINGS];
    double won[3];                  // the server's folds in round 1

private:
    double bet1 = 1, bet2 = 1;

    static double two(double first, double second)
    {
        const double best = first > second ? first : second;
        return best + TREMBLE * (first + second - 2 * best);
    }

    static double three(double first, double second, double third)
    {
        double best = first > second ? first : second;
        best = best > third ? best : third;
        return best + TREMBLE * (first + second + third - 3 * best);
    }

    static int best_of(double first, double second, double third)
    {
        return third > second && third > first ? 2 : first > second ? 0 : 1;
    }

    static int bets_of(int ending)
    {
        return ending > 3 ? ending - 3 : ending;
    }

    void reach_round1()
    {
        Hands folded;
        times(deck.chance, server.round1[0][CALL], after[0].reach);
        times(deck.chance, server.round1[0][RAISE], after[4].reach);
        times(after[4].reach, server.round1[2][CALL], after[5].reach);
        times(after[4].reach, server.round1[2][RAISE], after[6].reach);
        times(deck.chance, server.round1[1][CALL], after[1].reach);
        times(deck.chance, server.round1[1][RAISE], after[2].reach);
        times(after[2].reach, server.round1[3][CALL], after[3].reach);
        times(deck.chance, server.round1[1][FOLD], folded);
        won[0] = total(folded);
        times(after[4].reach, server.round1[2][FOLD], folded);
        won[1] = (1 + bet1) * total(folded);
        times(after[2].reach, server.round1[3][FOLD], folded);
        won[2] = (1 + 2 * bet1) * total(folded);
    }

    void refresh(int ending, unsigned char (*plan)[HANDS])
    {
        for (int mine = 0; mine < 3; ++mine) {
            reach_draw(ending, mine);
            for (int theirs = 0; theirs < 3; ++theirs)
                round2(ending, mine, theirs, plan);
            drawn(ending, mine);
        }
        best_draw(ending, plan);
    }

    void reach_draw(int ending, int mine)
    {
        Hands drawing;
        for (int theirs = 0; theirs < 3; ++theirs) {
            times(after[ending].reach, server.drawing[ending][mine][theirs], drawing);
            spread(drawing, theirs, after[ending].reach_drawn[mine][theirs]);
        }
    }

    void round2(int ending, int mine, int theirs, unsigned char (*plan)[HANDS])
    {
        const Hands &reach = after[ending].reach_drawn[mine][theirs];
        const Actions *acts = server.round2[ending][mine][theirs];
        Hands &values = after[ending].value2[mine][theirs];
        const double base = 1 + bets_of(ending) * bet1;
        Hands raised1, raised2, here, shown[7];
        times(reach, acts[0][CALL], here);
        showdown_values(here, base, shown[0]);
        times(reach, acts[0][RAISE], raised1);
        showdown_values(raised1, base + bet2, shown[1]);
        times(raised1, acts[2][CALL], here);
        showdown_values(here, base + 2 * bet2, shown[2]);
        times(raised1, acts[2][FOLD], here);
        const double won2 = (base + bet2) * total(here);
        times(raised1, acts[2][RAISE], here);
        showdown_values(here, base + 3 * bet2, shown[3]);
        const double lost3 = -(base + 2 * bet2) * total(here);
        times(reach, acts[1][CALL], here);
        showdown_values(here, base + bet2, shown[4]);
        times(reach, acts[1][FOLD], here);
        const double won1 = base * total(here);
        times(reach, acts[1][RAISE], raised2);
        showdown_values(raised2, base + 2 * bet2, shown[5]);
        times(raised2, acts[3][CALL], here);
        showdown_values(here, base + 3 * bet2, shown[6]);
        times(raised2, acts[3][FOLD], here);
        const double won3 = (base + 2 * bet2) * total(here);
        const double lost1 = -base * total(raised1), lost2 = -(base + bet2) * total(raised2);
        for (int hand = 0; hand < HANDS; ++hand) {
            const double again = two(lost3, shown[3][hand]);
            const double raise1 = won2 + shown[2][hand] + again, raise2 = won3 + shown[6][hand];
            const double check = shown[0][hand] + three(lost1, shown[1][hand], raise1);
            const double bet = won1 + shown[4][hand] + three(lost2, shown[5][hand], raise2);
            values[hand] = two(check, bet);
            if (plan) {
                unsigned char (*row)[HANDS] = plan + plan_round2(ending, mine, theirs);
                row[0][hand] = bet > check ? 2 : 1;
                row[1][hand] = best_of(lost1, shown[1][hand], raise1);
                row[2][hand] = best_of(lost2, shown[5][hand], raise2);
                row[3][hand] = lost3 > shown[3][hand] ? 0 : 1;
            }
        }
    }

    void drawn(int ending, int mine)
    {
        After &here = after[ending];
        Hands sum;
        for (int hand = 0; hand < HANDS; ++hand)
            sum[hand] = here.value2[mine][0][hand] + here.value2[mine][1][hand] + here.value2[mine][2][hand];
        gather(sum, mine, here.value_drawn[mine]);
    }

    void best_draw(int ending, unsigned char (*plan)[HANDS])
    {
        After &here = after[ending];
        for (int hand = 0; hand < HANDS; ++hand) {
            const double none = here.value_drawn[0][hand], one = here.value_drawn[1][hand];
            const double both = here.value_drawn[2][hand];
            here.value[hand] = three(none, one, both);
            if (plan)
                plan[4 + ending][hand] = none >= one && none >= both ? 0 : one >= both ? 1 : 2;
        }
    }

    double start(unsigned char (*plan)[HANDS])
    {
        const double lost1 = -total(after[4].reach), lost2 = -(1 + bet1) * total(after[2].reach);
        const double lost3 = -(1 + 2 * bet1) * total(after[6].reach);
        double sum = 0;
        for (int hand = 0; hand < HANDS; ++hand) {
            const double again = two(lost3, after[6].value[hand]);
            const double raise1 = won[1] + after[5].value[hand] + again, raise2 = won[2] + after[3].value[hand];
            const double check = after[0].value[hand] + three(lost1, after[4].value[hand], raise1);
            const double bet = won[0] + after[1].value[hand] + three(lost2, after[2].value[hand], raise2);
            sum += deck.chance[hand] * two(check, bet);
            if (plan) {
                plan[0][hand] = bet > check;
                plan[1][hand] = best_of(lost1, after[4].value[hand], raise1);
                plan[2][hand] = best_of(lost2, after[2].value[hand], raise2);
                plan[3][hand] = lost3 > after[6].value[hand] ? 0 : 1;
            }
        }
        return sum;
    }

public:
    // A plan has four rows for round 1, by bets faced; one for each ending's draw; then those of round 2.
    static constexpr int PLAN_ROWS = 4 + ENDINGS + ENDINGS * 9 * 4;

    static int plan_round2(int ending, int mine, int theirs)
    {
        return 4 + ENDINGS + ((ending * 3 + mine) * 3 + theirs) * 4;
    }
};

// Makes servers as the contest does.
class Smith {
public:
    Smith(Game &workplace, uint64_t seed) : game(workplace), state(seed) {}

    // Leaves the new server in the workplace.
    void forge(int steps)
    {
        for (int situation = 0; situation < SITUATIONS; ++situation) {
            double chances[3];
            propose(situation, chances);
            double *row = place(situation);
            for (int action = 0; action < 3; ++action)
                row[action * HANDS] = chances[action];
        }
        double value = game.solve(nullptr);
        for (int step = 0; step < steps; ++step) {
            const int situation = step % SITUATIONS;
            double chances[3], before[3];
            if (!propose(situation, chances))
                continue;
            double *row = place(situation);
            for (int action = 0; action < 3; ++action) {
                before[action] = row[action * HANDS];
                row[action * HANDS] = chances[action];
            }
            keep();
            const double changed = stage == 1   ? game.after_round1(bets)
                                   : stage == 2 ? game.after_draw(ending, mine)
                                                : game.after_round2(ending, mine, theirs);
            if (changed < value) {
                value = changed;
                continue;
            }
            for (int action = 0; action < 3; ++action)
                row[action * HANDS] = before[action];
            bring_back();
        }
    }

private:
    Game &game;
    uint64_t state;
    Game::After spare[ENDINGS];
    double spare_won[3];
    int stage = 0, hand = 0, ending = 0, mine = 0, theirs = 0, bets = 0;

    double uniform()
    {
        uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
        z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        return double((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
    }

    double *place(int situation)
    {
        int rest = situation;
        if (rest < HANDS * 4) {
            stage = 1;
            bets = rest % 4;
            hand = rest / 4;
            return &game.server.round1[bets][0][hand];
        }
        rest -= HANDS * 4;
        if (rest < HANDS * ENDINGS * 3) {
            stage = 2;
            mine = rest % 3;
            ending = rest / 3 % ENDINGS;
            hand = rest / (3 * ENDINGS);
            return &game.server.drawing[ending][mine][0][hand];
        }
        rest -= HANDS * ENDINGS * 3;
        stage = 3;
        bets = rest % 4;
        theirs = rest / 4 % 3;
        mine = rest / 12 % 3;
        ending = rest / 36 % ENDINGS;
        hand = rest / (36 * ENDINGS);
        return &game.server.round2[ending][mine][theirs][bets][0][hand];
    }

    // A uniform distribution over the distributions of what the server may do; false if it has no choice.
    bool propose(int situation, double (&chances)[3])
    {
        place(situation);
        const bool best = hand == HANDS - 1, pair = hand >= 10;
        bool allowed[3] = {true, true, true};
        if (stage == 2) {
            allowed[1] = !pair;
            allowed[2] = !best && (pair || deck.high[hand] != 4);
        } else {
            allowed[FOLD] = bets > 0 && !best;
            allowed[RAISE] = bets < 3;
            allowed[CALL] = !(best && stage == 3 && bets < 3);
        }
        double u = uniform(), v = uniform();
        if (u > v)
            std::swap(u, v);
        const int count = allowed[0] + allowed[1] + allowed[2];
        const double parts[3] = {count == 1 ? 1 : u, count == 2 ? 1 - u : v - u, 1 - v};
        int next = 0;
        for (int action = 0; action < 3; ++action)
            chances[action] = allowed[action] ? parts[next++] : 0;
        return count > 1;
    }

    void keep()
    {
        if (stage == 1) {
            std::memcpy(spare, game.after, sizeof spare);
            std::memcpy(spare_won, game.won, sizeof spare_won);
        } else if (stage == 2) {
            spare[ending] = game.after[ending];
        } else {
            copy_round2(spare[ending], game.after[ending]);
        }
    }

    void bring_back()
    {
        if (stage == 1) {
            std::memcpy(game.after, spare, sizeof spare);
            std::memcpy(game.won, spare_won, sizeof spare_won);
        } else if (stage == 2) {
            game.after[ending] = spare[ending];
        } else {
            copy_round2(game.after[ending], spare[ending]);
        }
    }

    void copy_round2(Game::After &into, const Game::After &from)
    {
        std::memcpy(into.value2[mine][theirs], from.value2[mine][theirs], sizeof(Hands));
        std::memcpy(into.value_drawn[mine], from.value_drawn[mine], sizeof(Hands));
        std::memcpy(into.value, from.value, sizeof(Hands));
    }
};

// Each path of the server through a round: (bets faced, action) pairs.
struct Path {
    int steps;
    int bets[2];
    int action[2];
};

constexpr Path PATH[PATHS] = {
    {1, {0, 0}, {CALL, 0}},     {1, {0, 0}, {RAISE, 0}},    {2, {0, 2}, {RAISE, FOLD}}, {2, {0, 2}, {RAISE, CALL}},
    {2, {0, 2}, {RAISE, RAISE}}, {1, {1, 0}, {FOLD, 0}},    {1, {1, 0}, {CALL, 0}},     {1, {1, 0}, {RAISE, 0}},
    {2, {1, 3}, {RAISE, FOLD}}, {2, {1, 3}, {RAISE, CALL}},
};

// The path by which round 1 reached each ending.
constexpr int PATH_TO[ENDINGS] = {0, 6, 7, 9, 1, 3, 4};

}  // namespace

// How many servers to make before the first hand, by how many steps each; and how much more firmly
// to believe in them than their spread says, since what is rarely visited is answered by their mean.
constexpr int SAMPLES = 12, SAMPLE_STEPS = 40000;
constexpr double FIRMNESS = 2;

class TwoCardDraw {
public:
    int init(int bet1, int bet2)
    {
        game.set_bets(bet1, bet2);
        believe();
        game.server = prior;
        game.solve(plan);
        return 0;
    }

    int new_hand(int card1, int card2, int)
    {
        finish_hand();
        if (hands_seen >= next_lesson) {
            learn();
            next_lesson = hands_seen + std::max(20, hands_seen / 20);
        }
        in_hand = true;
        in_round2 = false;
        shown = HANDS;
        my_bets = plan[0][rank_of(card1, card2)];
        opened1 = my_bets > 0;
        path[0] = opened1 ? 5 : -1;     // unless we hear otherwise the server folds, if it can
        waiting = true;
        return my_bets;
    }

    int round1(int card1, int card2, int bets)
    {
        return answer(0, opened1, bets, plan[bets][rank_of(card1, card2)]);
    }

    int draw(int card1, int card2, int bets)
    {
        close(0, opened1, bets);
        ending = bets && !opened1 ? bets + 3 : bets;
        mine = plan[4 + ending][rank_of(card1, card2)];
        return mine;
    }

    int round2(int card1, int card2, int, int bets2, int drew)
    {
        const int wish = plan[Game::plan_round2(ending, mine, drew) + bets2][rank_of(card1, card2)];
        if (bets2 > 0)
            return answer(1, opened2, bets2, wish);
        in_round2 = true;
        theirs = drew;
        opened2 = wish == 2;
        my_bets = opened2;
        path[1] = opened2 ? 5 : -1;
        waiting = true;
        return wish;
    }

    int showdown(int, int, int opp1, int opp2)
    {
        close(1, opened2, my_bets);
        shown = rank_of(opp1, opp2);
        return 0;
    }

private:
    Game game;
    Table prior, firmness, counts;
    unsigned char plan[Game::PLAN_ROWS][HANDS];

    // What was observed so often: hands that ended in round 1 by its path, and the others by
    // ending, draws, path of round 2 and hand shown (HANDS: none).
    int seen1[PATHS] = {};
    int seen2[ENDINGS][3][3][PATHS][HANDS + 1] = {};
    int hands_seen = 0, next_lesson = 20;

    // The hand now played. A path is -1 while the server has done nothing in the round.
    bool in_hand = false, in_round2 = false, opened1 = false, opened2 = false;
    bool waiting = false;       // for the server to answer what we did last
    int path[2] = {-1, -1};
    int my_bets = 0, ending = 0, mine = 0, theirs = 0, shown = HANDS;

    // The server raised to `bets`; note that, and what it will have done if we hear of it no more.
    int answer(int round, bool opened, int bets, int wish)
    {
        if (bets == 3 && wish == 2)
            wish = 1;
        my_bets = bets;
        waiting = false;
        path[round] = opened ? 7 : bets == 1 ? 1 : 4;
        if (wish == 2) {
            my_bets = bets + 1;
            waiting = true;
            path[round] = opened ? 8 : 2;
        }
        return wish;
    }

    // The round went on: if the server still had to answer us, it called.
    void close(int round, bool opened, int bets)
    {
        if (!waiting)
            return;
        waiting = false;
        path[round] = opened ? (bets == 3 ? 9 : 6) : (bets == 0 ? 0 : 3);
    }

    void finish_hand()
    {
        if (!in_hand)
            return;
        in_hand = false;
        ++hands_seen;
        if (in_round2) {
            if (path[1] >= 0)
                ++seen2[ending][mine][theirs][path[1]][shown];
        } else if (path[0] >= 0) {
            ++seen1[path[0]];
        }
    }

    // What to expect of a server with these bets, from some that we make ourselves.
    void believe()
    {
        static Table square;
        double *sums = &prior.round1[0][0][0], *squares = &square.round1[0][0][0];
        std::memset(&prior, 0, sizeof prior);
        std::memset(&square, 0, sizeof square);
        constexpr int COUNT = sizeof(Table) / sizeof(double);
        Smith smith(game, 20061101);
        for (int sample = 0; sample < SAMPLES; ++sample) {
            smith.forge(SAMPLE_STEPS);
            const double *values = &game.server.round1[0][0][0];
            for (int i = 0; i < COUNT; ++i) {
                sums[i] += values[i];
                squares[i] += values[i] * values[i];
            }
        }
        Actions *mean = reinterpret_cast<Actions *>(&prior), *spread_of = reinterpret_cast<Actions *>(&square);
        Actions *firm = reinterpret_cast<Actions *>(&firmness);
        for (int place = 0; place < TABLE_ACTIONS; ++place)
            for (int hand = 0; hand < HANDS; ++hand) {
                // As if seen so often: fitted to the samples' variance, which for a Dirichlet
                // distribution is mean * (1 - mean) / (firmness + 1).
                double expected = 0, variance = 0;
                for (int action = 0; action < 3; ++action) {
                    double &m = mean[place][action][hand];
                    m /= SAMPLES;
                    expected += m * (1 - m);
                    variance += (spread_of[place][action][hand] / SAMPLES - m * m) * SAMPLES / (SAMPLES - 1.0);
                }
                const double weight = variance > 1e-9 ? expected / variance - 1 : 1e6;
                firm[place][0][hand] = FIRMNESS * std::min(std::max(weight, 1.0), 40.0);
                if (variance <= 1e-9)
                    firm[place][0][hand] = 1e6;
            }
    }

    // Share out what was seen over the hands that the server may have held, and answer the new estimate.
    void learn()
    {
        for (int pass = 0; pass < 2; ++pass) {
            count();
            estimate();
        }
        game.solve(plan);
    }

    void estimate()
    {
        const Actions *mean = reinterpret_cast<const Actions *>(&prior), *firm = reinterpret_cast<Actions *>(&firmness);
        const Actions *seen = reinterpret_cast<const Actions *>(&counts);
        Actions *acts = reinterpret_cast<Actions *>(&game.server);
        for (int place = 0; place < TABLE_ACTIONS; ++place)
            for (int hand = 0; hand < HANDS; ++hand) {
                const double weight = firm[place][0][hand];
                const double all = weight + seen[place][0][hand] + seen[place][1][hand] + seen[place][2][hand];
                for (int action = 0; action < 3; ++action)
                    acts[place][action][hand] =
                        (weight * mean[place][action][hand] + seen[place][action][hand]) / all;
            }
    }

    static void along(const Path &taken, const Actions *acts, Hands &likelihood)
    {
        for (int step = 0; step < taken.steps; ++step)
            times(likelihood, acts[taken.bets[step]][taken.action[step]], likelihood);
    }

    static void add(const Path &taken, Actions *into, const Hands &weights)
    {
        for (int step = 0; step < taken.steps; ++step)
            for (int hand = 0; hand < HANDS; ++hand)
                into[taken.bets[step]][taken.action[step]][hand] += weights[hand];
    }

    void count()
    {
        const Table &server = game.server;
        std::memset(&counts, 0, sizeof counts);
        for (int taken = 0; taken < PATHS; ++taken) {
            if (!seen1[taken])
                continue;
            Hands weights;
            std::copy(deck.chance, deck.chance + HANDS, weights);
            along(PATH[taken], server.round1, weights);
            const double scale = seen1[taken] / (total(weights) + 1e-300);
            for (int hand = 0; hand < HANDS; ++hand)
                weights[hand] *= scale;
            add(PATH[taken], counts.round1, weights);
        }
        for (int end = 0; end < ENDINGS; ++end) {
            Hands reach, held = {};
            std::copy(deck.chance, deck.chance + HANDS, reach);
            along(PATH[PATH_TO[end]], server.round1, reach);
            for (int own = 0; own < 3; ++own)
                for (int other = 0; other < 3; ++other)
                    count_round2(end, own, other, reach, held);
            add(PATH[PATH_TO[end]], counts.round1, held);
        }
    }

    void count_round2(int end, int own, int other, const Hands &reach, Hands &held)
    {
        const Table &server = game.server;
        const int (&seen)[PATHS][HANDS + 1] = seen2[end][own][other];
        Hands drawing, drawn, found = {};
        times(reach, server.drawing[end][own][other], drawing);
        spread(drawing, other, drawn);
        bool any = false;
        for (int taken = 0; taken < PATHS; ++taken) {
            Hands likelihood, weights = {};
            std::copy(deck.chance, deck.chance + HANDS, likelihood);
            std::fill(likelihood, likelihood + HANDS, 1.0);
            along(PATH[taken], server.round2[end][own][other], likelihood);
            Hands both;
            times(drawn, likelihood, both);
            const double all = total(both);
            bool here = false;
            for (int hand = 0; hand < HANDS; ++hand) {
                double weight = 0;
                if (seen[taken][hand]) {
                    weight += seen[taken][hand];
                    if (drawn[hand] > 0)
                        found[hand] += seen[taken][hand] / drawn[hand];
                    here = true;
                }
                if (seen[taken][HANDS] && all > 0) {
                    weight += seen[taken][HANDS] * both[hand] / all;
                    found[hand] += seen[taken][HANDS] * likelihood[hand] / all;
                    here = true;
                }
                weights[hand] = weight;
            }
            if (here) {
                any = true;
                add(PATH[taken], counts.round2[end][own][other], weights);
            }
        }
        if (!any)
            return;
        // Back over the draw: which hand it was that drew.
        Hands before;
        gather(found, other, before);
        times(before, drawing, before);
        for (int hand = 0; hand < HANDS; ++hand) {
            counts.drawing[end][own][other][hand] += before[hand];
            held[hand] += before[hand];
        }
    }
};
