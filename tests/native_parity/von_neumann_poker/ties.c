/* gnu17: the order in which qsort leaves what compares equal */
static int by_tens(const void *p, const void *q) { return *(const int *)p / 10 - *(const int *)q / 10; }

int a(const Bot *bot)
{
    int numbers[40], h = 0;
    for (int i = 0; i < 40; i++)
        numbers[i] = (i * 37 + (int)(bot->card * 100)) % 100;
    qsort(numbers, 40, sizeof *numbers, by_tens);
    for (int i = 0; i < 40; i++)
        h = h * 31 + numbers[i];
    return h;
}

int b(const Bot *bot, const int aBet) { return aBet > bot->money / 4; }
