/* gnu17: what gcc adds: computed goto, statement expressions, case ranges, typeof, ?: without a middle, zero arrays */
#define most(x, y) ({ typeof(x) x_ = (x); typeof(y) y_ = (y); x_ > y_ ? x_ : y_; })
struct tail { int n; int items[0]; };

Money a(const Bot *bot)
{
    static void *const places[] = {&&add, &&twice, &&less, &&out};
    int x = (int)(bot->card * 1000), step = 0;
    static const unsigned char program[] = {0, 1, 2, 0, 1, 1, 2, 3};
    goto *places[program[step]];
add:
    x += most((int)bot->money, 50);
    goto *places[program[++step]];
twice:
    x *= 2;
    goto *places[program[++step]];
less:
    switch (x) {
    case 0 ... 99: x += 5; break;
    case 100 ... 999: x -= 77; break;
    default: x /= 3;
    }
    goto *places[program[++step]];
out:
    return (x ?: 9) * (Money)sizeof(struct tail) + __builtin_expect(x & 1, 0) + __builtin_constant_p(3);
}

int b(const Bot *bot, const int aBet) { return ({ int y = aBet * 3; y % 2; }) ?: bot->money > 100; }
