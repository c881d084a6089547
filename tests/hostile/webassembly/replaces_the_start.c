// Brings its own start of a leg.
// Verdict: broken: error or redefinition or duplicate
void tournament_start(Bot *bot, unsigned long long seed) {
    for (;;) {
    }
}
int a(const Bot *bot) { return 1; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
