/* gnu17: setjmp and longjmp out of nested calls */
#include <setjmp.h>
static jmp_buf back;
static int depth(int n, int limit) { if (n > limit) longjmp(back, n); return depth(n + 1, limit) + 1; }

Money a(const Bot *bot)
{
    volatile int tries = 0;
    int reached = setjmp(back);
    if (++tries < 4)
        depth(0, (int)(bot->card * 50) + tries);
    return reached * 10 + tries;
}

int b(const Bot *bot, const int aBet) { return setjmp(back) ? 1 : depth(0, aBet); }
