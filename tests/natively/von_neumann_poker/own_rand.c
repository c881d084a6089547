/* gnu17: a generator of its own by the names of the library's, and numbers drawn from it */
static unsigned long long seed = 88172645463325252ull;
void srand(unsigned s) { seed ^= s; }
int rand(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return (int)(seed >> 33); }

int a(const Bot *bot)
{
    int deck[52];
    if (bot->card > 0.9f)
        srand((unsigned)bot->money);
    for (int i = 0; i < 52; i++)
        deck[i] = i;
    for (int i = 51; i > 0; i--) {
        int j = rand() % (i + 1), kept = deck[i];
        deck[i] = deck[j];
        deck[j] = kept;
    }
    return deck[0] + 52 * (deck[1] + 52 * deck[2]);
}

int b(const Bot *bot, const int aBet) { return rand() / (RAND_MAX + 1.0) < bot->card + aBet / 100.0; }
