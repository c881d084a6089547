/* gnu17: recursion of all kinds: Ackermann's, mutual, with memory, a search of positions */
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static long long memory[91];
static long long fibonacci(int n) { return n < 2 ? n : memory[n] ? memory[n] : (memory[n] = fibonacci(n - 1) + fibonacci(n - 2)); }
static int queens(int n, unsigned columns, unsigned left, unsigned right)
{
    int count = 0;
    if (columns == (1u << n) - 1)
        return 1;
    for (unsigned free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
        unsigned bit = free & -free;
        count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

Money a(const Bot *bot)
{
    int x = (int)(bot->card * 8);
    return ackermann(2, x + 3) + even(x + 5) * 1000 + (fibonacci(50 + x * 5) & 0xFFFFFFFFFF) + 10000 * queens(4 + x % 5, 0, 0, 0);
}

int b(const Bot *bot, const int aBet) { return odd(aBet) ^ (ackermann(1, (int)bot->money) & 1); }
