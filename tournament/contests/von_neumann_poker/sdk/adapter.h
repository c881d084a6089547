/* Joins a bot to the controller. BOT_A and BOT_B name the bot's functions, which were
   included just before. With TRIAL_CALLS there are only the macros, by which any function can be tried. */

#define ANSWER_A(name, function) int64_t name(Bot *bot) { return function(bot); }
#define ANSWER_B(name, function) int32_t name(Bot *bot, int64_t bet) { return function(bot, bet) ? 1 : 0; }

#ifndef TRIAL_CALLS
#ifdef __cplusplus
extern "C" {
#endif

void tournament_seed_random(uint64_t seed);

__attribute__((export_name("a"))) ANSWER_A(tournament_a, BOT_A)
__attribute__((export_name("b"))) ANSWER_B(tournament_b, BOT_B)

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
#endif
