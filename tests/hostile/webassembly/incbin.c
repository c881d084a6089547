// Has the assembler put a file into the bot.
// Verdict: broken: error
__asm__(".section .data.file,\"\",@\nfile: .incbin \"@canary@\"\n");
int a(const Bot *bot) { return 1; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
