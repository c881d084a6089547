// Last Game Gambler
// Plays plain sense for most of a session, then throws everything in if it is behind, or sits on what it won.

struct Notebook {
    float games; // played in this session, as far as can be told
    float stack; // when last seen
};

static struct Notebook *notes(Bot *bot, int played)
{
    struct Notebook *book = (struct Notebook *)bot->f;
    int restarted = bot->money == 100 && book->stack != 100;

    book->games = restarted || book->games >= 50 ? 0 : book->games + played;
    book->stack = (float)bot->money;
    return book;
}

int a(Bot *bot)
{
    int left = 50 - (int)notes(bot, 2)->games;
    int behind = 100 - (int)bot->money;

    if (left > 8)
        return bot->card > 0.72f ? 25 : bot->card < 0.1f ? 25 : 0;
    if (behind > 0) // aim just past level, and harder the fewer games remain
        return bot->card > 0.4f + 0.03f * left || bot->card < 0.15f ? behind + 5 : 0;
    return bot->card > 0.9f ? 50 : 0;
}

int b(Bot *bot, const int aBet)
{
    int left = 50 - (int)notes(bot, 0)->games;
    float line = 1 - 40.0f * (20 + aBet) / ((40.0f + aBet) * (20 + 2.0f * aBet));

    if (left <= 8)
        line += bot->money < 100 ? -0.15f : 0.08f;
    return bot->card > line;
}
