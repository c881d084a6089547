// Ends in a comment, so that what comes after the file is none.
// Verdict: broken: error or lacks
int a(const Bot *bot) { return 1; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
/* and all that follows
