// Tight Rock
// Puts money in only with cards it would be ashamed to lose with, and asks a better card for a bigger bet.

int a(const Bot *bot)
{
    if (bot->card > 0.95f)
        return 50;
    if (bot->card > 0.85f)
        return 30;
    return 0;
}

int b(const Bot *bot, const int aBet)
{
    float patience = aBet <= 5 ? 0.6f : aBet <= 20 ? 0.75f : 0.88f;

    return bot->card > patience;
}
