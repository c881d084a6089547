/* Joins a bot to the controller. BOT_A and BOT_B name the bot's functions, which were
   included just before. */

#ifdef __cplusplus
extern "C" {
#endif

void tournament_seed_random(uint64_t seed);

__attribute__((export_name("a"))) int64_t tournament_a(Bot *bot)
{
    return (int64_t)BOT_A(bot);
}

__attribute__((export_name("b"))) int32_t tournament_b(Bot *bot, int64_t bet)
{
    return BOT_B(bot, bet) ? 1 : 0;
}

static Money tournament_own_a(const void *bot)
{
    return tournament_a((Bot *)bot);
}

static int tournament_own_b(const void *bot, const Money bet)
{
    return tournament_b((Bot *)bot, bet);
}

__attribute__((export_name("tournament_start"))) void tournament_start(Bot *bot, uint64_t seed)
{
    bot->a = tournament_own_a;
    bot->b = tournament_own_b;
    tournament_seed_random(seed);
}

#ifdef __cplusplus
}
#endif
