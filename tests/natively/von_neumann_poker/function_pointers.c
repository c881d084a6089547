/* gnu17: function pointers in tables, as arguments, and those of the bot itself */
typedef int (*Step)(int, const Bot *);
static int add(int x, const Bot *bot) { return x + (int)bot->money; }
static int scale(int x, const Bot *bot) { return x * 3 ^ (int)(bot->card * 64); }
static int turn(int x, const Bot *bot) { (void)bot; return -x; }
static Step const steps[] = {add, scale, turn, add, scale};
static int fold(Step step, int n, int x, const Bot *bot) { return n ? fold(step, n - 1, step(x, bot), bot) : x; }
static int (*pick(int which))(int, const Bot *) { return steps[which % 5]; }

Money a(const Bot *bot)
{
    int x = 1;
    for (int i = 0; i < 25; i++)
        x = fold(pick(i * 7), 1 + i % 3, x & 0xFFFFF, bot);
    return bot->b(bot, 20) ? x : -x;
}

int b(const Bot *bot, const Money aBet) { return pick((int)aBet)((int)aBet, bot) > 0; }
