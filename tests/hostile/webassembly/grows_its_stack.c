// Takes more of its stack than there is.
// Verdict: disqualified: out of bounds
static int sum(volatile char *bytes, int size) {
    for (int i = 0; i < size; i += 1000)
        bytes[i] = 1;
    return bytes[1000];
}
int a(const Bot *bot) {
    int size = 100000000 + (int)bot->money;
    volatile char bytes[size];
    return sum(bytes, size);
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
