// gnu++98: a generator of its own as a class template of numbers, an old library and old casts
#include <vector>
#include <algorithm>
#include <numeric>

template <unsigned A, unsigned C> class Linear {
    unsigned state;
public:
    explicit Linear(unsigned seed) : state(seed) {}
    unsigned operator()() { return (state = state * A + C) >> 16; }
};

static Linear<1103515245u, 12345u> chance(1999);
static std::vector<std::vector<double> > odds(3, std::vector<double>(3, 1.0));

int move(const Bot *bot)
{
    if (bot->turn > 0)
        odds[bot->my_previous_move][bot->opponents_previous_move] += 1.0;
    std::vector<double> row = odds[chance() % 3];
    const double all = std::accumulate(row.begin(), row.end(), 0.0);
    double at = (chance() % 10000) / 10000.0 * all;
    int i = 0;
    while (i < 2 && (at -= row[i]) > 0)
        ++i;
    return static_cast<int>((i + 1) % bot->moves);
}
