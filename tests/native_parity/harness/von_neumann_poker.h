/* Asks a bot of von Neumann poker, included before, what a file lists: a line for each question, and one for each
   answer. A question: 0 for a, 1 for b; card and opponentsPreviousCard as bits; both stacks; for b the bet. */

static Bot natively_bot;

static Money natively_a(const void *bot)
{
    return a((Bot *)bot);
}

static int natively_b(const void *bot, const Money bet)
{
    return b((Bot *)bot, bet) ? 1 : 0;
}

int main(int count, char **words)
{
    FILE *questions = fopen(words[1], "r"), *answers = fopen(words[2], "w");
    unsigned card, previous;
    long long money, theirs, bet;
    int kind;
    (void)count;
    while (fscanf(questions, "%d %u %u %lld %lld", &kind, &card, &previous, &money, &theirs) == 5) {
        natively_bot.a = natively_a;
        natively_bot.b = natively_b;
        memcpy(&natively_bot.card, &card, 4);
        memcpy(&natively_bot.opponentsPreviousCard, &previous, 4);
        natively_bot.money = money;
        natively_bot.opponentsMoney = theirs;
        if (kind == 0)
            fprintf(answers, "%lld\n", (long long)natively_a(&natively_bot));
        else if (fscanf(questions, "%lld", &bet) == 1)
            fprintf(answers, "%d\n", natively_b(&natively_bot, bet));
    }
    return fclose(answers);
}
