/* Joins a bot to the worker, which writes the struct. BOT_MOVE names the bot's function, which was included
   just before. With TRIAL_CALLS there is only the macro, by which any function can be tried. */

#define ANSWER_MOVE(name, function) int32_t name(Bot *bot) { return function(bot); }

#ifndef TRIAL_CALLS
#ifdef __cplusplus
extern "C" {
#endif

void tournament_seed_random(uint64_t seed);

__attribute__((export_name("move"))) ANSWER_MOVE(tournament_move, BOT_MOVE)

__attribute__((export_name("tournament_start"))) void tournament_start(Bot *bot, uint64_t seed)
{
    (void)bot;
    tournament_seed_random(seed);
}

#ifdef __cplusplus
}
#endif
#endif
