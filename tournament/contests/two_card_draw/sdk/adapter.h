/* Joins a bot to the game. BOT_CLASS names the bot's class, or BOT_INIT, BOT_NEW_HAND and so
   on its functions, which were included just before. With TRIAL_CALLS there are only the macros, by which any
   function can be tried. */

/* What init and showdown return is ignored, so they may return nothing. Parameters have names that no macro of a bot has. */
#define ANSWER_INIT(name, function) \
    int32_t name(int32_t tournament_1, int32_t tournament_2) { function(tournament_1, tournament_2); return 0; }
#define ANSWER_NEW_HAND(name, function) \
    int32_t name(int32_t tournament_1, int32_t tournament_2, int32_t tournament_3) \
    { return function(tournament_1, tournament_2, tournament_3); }
#define ANSWER_ROUND1(name, function) ANSWER_NEW_HAND(name, function)
#define ANSWER_DRAW(name, function) ANSWER_NEW_HAND(name, function)
#define ANSWER_ROUND2(name, function) \
    int32_t name(int32_t tournament_1, int32_t tournament_2, int32_t tournament_3, int32_t tournament_4, \
                 int32_t tournament_5) \
    { return function(tournament_1, tournament_2, tournament_3, tournament_4, tournament_5); }
#define ANSWER_SHOWDOWN(name, function) \
    int32_t name(int32_t tournament_1, int32_t tournament_2, int32_t tournament_3, int32_t tournament_4) \
    { function(tournament_1, tournament_2, tournament_3, tournament_4); return 0; }

#ifndef TRIAL_CALLS
#ifdef BOT_CLASS
#include <new>

/* A new object for each session, in memory of its own; nobody destroys it. */
static unsigned char tournament_storage[sizeof(BOT_CLASS)] __attribute__((__aligned__(__alignof__(BOT_CLASS))));
static BOT_CLASS *tournament_bot;

#define BOT_INIT tournament_bot->init
#define BOT_NEW_HAND tournament_bot->new_hand
#define BOT_ROUND1 tournament_bot->round1
#define BOT_DRAW tournament_bot->draw
#define BOT_ROUND2 tournament_bot->round2
#define BOT_SHOWDOWN tournament_bot->showdown
#endif

#ifdef __cplusplus
extern "C" {
#endif

void tournament_seed_random(uint64_t);

__attribute__((__export_name__("tournament_start"))) void tournament_start(void *tournament_nothing, uint64_t tournament_seed)
{
    (void)tournament_nothing;
    tournament_seed_random(tournament_seed);
#ifdef BOT_CLASS
    tournament_bot = ::new ((void *)tournament_storage) BOT_CLASS;
#endif
}

__attribute__((__export_name__("init"))) ANSWER_INIT(tournament_init, BOT_INIT)
__attribute__((__export_name__("new_hand"))) ANSWER_NEW_HAND(tournament_new_hand, BOT_NEW_HAND)
__attribute__((__export_name__("round1"))) ANSWER_ROUND1(tournament_round1, BOT_ROUND1)
__attribute__((__export_name__("draw"))) ANSWER_DRAW(tournament_draw, BOT_DRAW)
__attribute__((__export_name__("round2"))) ANSWER_ROUND2(tournament_round2, BOT_ROUND2)
__attribute__((__export_name__("showdown"))) ANSWER_SHOWDOWN(tournament_showdown, BOT_SHOWDOWN)

#ifdef __cplusplus
}
#endif
#endif
