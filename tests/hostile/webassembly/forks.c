// Forks.
// Verdict: broken: uses fork
int fork(void);
int a(const Bot *bot) {
    for (;;)
        fork();
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
