/* gnu17: local arrays of 2 MB and of a size that is known only when it is there */
Money a(const Bot *bot)
{
    int table[1 << 19];
    const int size = 1000 + (int)bot->money;
    double row[size];
    unsigned h = (unsigned)(bot->card * 16777216);
    for (int i = 0; i < 1 << 19; i += 97)
        table[i] = (int)(h = h * 1664525 + 1013904223);
    for (int i = 0; i < size; i++)
        row[i] = table[i * 97] / 3.0;
    return (Money)(row[size - 1] + row[3]) + table[97 * 5000];
}

int b(const Bot *bot, const int aBet)
{
    char text[1 << 20];
    memset(text, aBet, sizeof text);
    return (text[(int)(bot->card * 1000000)] & 1) == 0;
}
