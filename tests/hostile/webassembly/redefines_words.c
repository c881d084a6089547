// Gives the words of the language other meanings for what comes after the file.
// Verdict: broken: error or lacks
int a(const Bot *bot) { return 1; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
#define const volatile
#define return goto
#define struct union
