/* Joins a bot to the controller. BOT_A and BOT_B name the bot's functions, which were
   included just before. With TRIAL_CALLS there are only the macros, by which any function can be tried.
   All names are such that no macro of a bot has them, and no type is int, which some define. */

#define ANSWER_A(name, function) int64_t name(Bot *tournament_bot) { return function(tournament_bot); }
#define ANSWER_B(name, function) \
    int32_t name(Bot *tournament_bot, int64_t tournament_bet) { return function(tournament_bot, tournament_bet) ? 1 : 0; }

#ifndef TRIAL_CALLS
#ifdef __cplusplus
extern "C" {
#endif

void tournament_seed_random(uint64_t);

__attribute__((__export_name__("a"))) ANSWER_A(tournament_a, BOT_A)
__attribute__((__export_name__("b"))) ANSWER_B(tournament_b, BOT_B)

static Money tournament_own_a(const void *tournament_bot)
{
    return tournament_a((Bot *)tournament_bot);
}

static int32_t tournament_own_b(const void *tournament_bot, const Money tournament_bet)
{
    return tournament_b((Bot *)tournament_bot, tournament_bet);
}

__attribute__((__export_name__("tournament_start"))) void tournament_start(Bot *tournament_bot, uint64_t tournament_seed)
{
    tournament_bot->a = tournament_own_a;
    tournament_bot->b = tournament_own_b;
    tournament_seed_random(tournament_seed);
}

#ifdef __cplusplus
}
#endif
#endif
