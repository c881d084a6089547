/* gnu17: one block of 56 MB of the 64 that there are */
static unsigned *table;

Money a(const Bot *bot)
{
    const size_t count = 14u << 20;
    if (!table) {
        table = malloc(count * sizeof *table);
        if (!table)
            return -1;
        for (size_t i = 0; i < count; i += 1024)
            table[i] = (unsigned)(i * 2654435761u);
    }
    return table[(size_t)(bot->card * (double)(count / 1024)) * 1024];
}

int b(const Bot *bot, const int aBet) { return table && table[1024 * aBet] > (unsigned)bot->money << 24; }
