/* Joins a bot to the worker, which writes the struct. BOT_MOVE names the bot's function, which was included
   just before. With TRIAL_CALLS there is only the macro, by which any function can be tried. */

#define ANSWER_MOVE(name, function) int32_t name(Bot *tournament_bot) { return function(tournament_bot); }

#ifndef TRIAL_CALLS
#ifdef __cplusplus
extern "C" {
#endif

void tournament_seed_random(uint64_t);

__attribute__((__export_name__("move"))) ANSWER_MOVE(tournament_move, BOT_MOVE)

__attribute__((__export_name__("tournament_start"))) void tournament_start(Bot *tournament_bot, uint64_t tournament_seed)
{
    (void)tournament_bot;
    tournament_seed_random(tournament_seed);
}

#ifdef __cplusplus
}
#endif
#endif
