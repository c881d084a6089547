/* gnu17: qsort and bsearch, of numbers, of structs by several keys, of pointers */
struct hand { int value; float card; char name[8]; };

static int by_number(const void *p, const void *q) { return (*(const int *)p > *(const int *)q) - (*(const int *)p < *(const int *)q); }
static int by_hand(const void *p, const void *q)
{
    const struct hand *x = p, *y = q;
    return x->value != y->value ? x->value - y->value : strcmp(x->name, y->name);
}
static int by_text(const void *p, const void *q) { return strcmp(*(char *const *)p, *(char *const *)q); }

Money a(const Bot *bot)
{
    int numbers[300];
    struct hand hands[50];
    char *names[50];
    unsigned x = (unsigned)(bot->card * 16777216), h = 0;
    for (int i = 0; i < 300; i++)
        numbers[i] = (int)((x = x * 1664525 + 1013904223) >> 8) % 1000;
    qsort(numbers, 300, sizeof *numbers, by_number);
    for (int i = 0; i < 50; i++) {
        hands[i].value = numbers[i * 6] / 100;
        hands[i].card = bot->card * i;
        sprintf(hands[i].name, "h%d", i * 37 % 50);
        names[i] = hands[i].name;
    }
    qsort(hands, 50, sizeof *hands, by_hand);
    qsort(names, 50, sizeof *names, by_text);
    for (int i = 0; i < 300; i++)
        h = h * 33 + numbers[i];
    for (int i = 0; i < 50; i++)
        h = h * 33 + hands[i].value + atoi(hands[i].name + 1) * 7 + (unsigned)atoi(names[i] + 1);
    const int key = (int)bot->money;
    const int *found = bsearch(&key, numbers, 300, sizeof *numbers, by_number);
    return h + (found ? *found : -1);
}

int b(const Bot *bot, const int aBet)
{
    int numbers[] = {aBet, 25, (int)bot->money, 3};
    qsort(numbers, 4, sizeof *numbers, by_number);
    return numbers[1] == 25 || numbers[2] == aBet;
}
