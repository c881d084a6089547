/* gnu89: words that became keywords as names, and inline functions that the whole program sees */
static int restrict = 3;
inline int scaled(int x) { return x * restrict + 1; }
int (*chosen)(int) = scaled;

int a(const Bot *bot)
{
    int i, total = 0;
    for (i = 0; i < (int)(bot->card * 9); i++)
        total += chosen(i + (int)bot->money);
    return total;
}

int b(const Bot *bot, const int aBet) { return chosen(aBet) % 5 < 3; }
