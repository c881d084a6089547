/* Joins a bot to the worker, which writes the struct. BOT_MOVE names the bot's function, which was included
   just before. */

#ifdef __cplusplus
extern "C" {
#endif

void tournament_seed_random(uint64_t seed);

__attribute__((export_name("move"))) int32_t tournament_move(Bot *bot)
{
    return BOT_MOVE(bot);
}

__attribute__((export_name("tournament_start"))) void tournament_start(Bot *bot, uint64_t seed)
{
    (void)bot;
    tournament_seed_random(seed);
}

#ifdef __cplusplus
}
#endif
