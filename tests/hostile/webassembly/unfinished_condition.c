// Ends in a condition, so that what comes after the file is left out.
// Verdict: broken: error or lacks
int a(const Bot *bot) { return 1; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
#if 0
