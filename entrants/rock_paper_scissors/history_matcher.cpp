// Looks for the longest stretch of the past that is like the last few turns, and expects what came after it then.
// Where that loses, it stops thinking: a player who draws his moves can't be out-thought.

namespace {

constexpr int longest = 24;       // turns compared
constexpr int window = 600;       // turns looked back
constexpr int most_lost = 12;     // points, since the last change of mind

int since_change = 0;
int turns_of_chance = 0;

int length_of_match(const Bot *bot, int earlier)
{
    int now = bot->turn - 1, length = 0;
    while (length < longest && earlier - length >= 0
           && bot->my_moves[earlier - length] == bot->my_moves[now - length]
           && bot->opponents_moves[earlier - length] == bot->opponents_moves[now - length])
        ++length;
    return length;
}

}

int move(const Bot *bot)
{
    const int t = bot->turn;
    if (t == 0)
        since_change = turns_of_chance = 0;
    else
        since_change += (bot->my_moves[t - 1] - bot->opponents_moves[t - 1] + 4) % 3 - 1;
    if (since_change < -most_lost) {
        turns_of_chance = 100;
        since_change = 0;
    }
    if (turns_of_chance > 0) {
        --turns_of_chance;
        return rand() % 3;
    }
    int best = 0, expected = -1;
    for (int earlier = t - 2; earlier >= 0 && earlier > t - window && best < longest; --earlier) {
        const int length = length_of_match(bot, earlier);
        if (length > best) {
            best = length;
            expected = bot->opponents_moves[earlier + 1];
        }
    }
    return expected < 0 ? rand() % 3 : (expected + 1) % 3;
}
