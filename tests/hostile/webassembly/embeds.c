// Has the preprocessor put a file into the bot.
// Verdict: broken: not found or error
static const unsigned char file[] = {
#embed "@canary@"
};
int a(const Bot *bot) { return file[0] & 15; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
