/* Joins a bot to the worker, which writes the struct. BOT_MOVE names the bot's function, which was included
   just before. */

#ifdef __cplusplus
#define BOTS_OWN(function) ::function /* not std::move, where the bot is "using namespace std" */
extern "C" {
#else
#define BOTS_OWN(function) function
#endif

void tournament_seed_random(uint64_t seed);

__attribute__((export_name("move"))) int32_t tournament_move(Bot *bot)
{
    return BOTS_OWN(BOT_MOVE)(bot);
}

__attribute__((export_name("tournament_start"))) void tournament_start(Bot *bot, uint64_t seed)
{
    (void)bot;
    tournament_seed_random(seed);
}

#ifdef __cplusplus
}
#endif
