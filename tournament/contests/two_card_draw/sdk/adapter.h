/* Joins a bot to the game. BOT_CLASS names the bot's class, or BOT_INIT, BOT_NEW_HAND and so
   on its functions, which were included just before. With TRIAL_CALLS there are only the macros, by which any
   function can be tried. */

/* What init and showdown return is ignored, so they may return nothing. */
#define ANSWER_INIT(name, function) int32_t name(int32_t bet1, int32_t bet2) { function(bet1, bet2); return 0; }
#define ANSWER_NEW_HAND(name, function) \
    int32_t name(int32_t card1, int32_t card2, int32_t winnings) { return function(card1, card2, winnings); }
#define ANSWER_ROUND1(name, function) \
    int32_t name(int32_t card1, int32_t card2, int32_t bets) { return function(card1, card2, bets); }
#define ANSWER_DRAW(name, function) ANSWER_ROUND1(name, function)
#define ANSWER_ROUND2(name, function) \
    int32_t name(int32_t card1, int32_t card2, int32_t bets1, int32_t bets2, int32_t drew) \
    { return function(card1, card2, bets1, bets2, drew); }
#define ANSWER_SHOWDOWN(name, function) \
    int32_t name(int32_t card1, int32_t card2, int32_t opp1, int32_t opp2) \
    { function(card1, card2, opp1, opp2); return 0; }

#ifndef TRIAL_CALLS
#ifdef BOT_CLASS
#include <new>

/* A new object for each session, in memory of its own; nobody destroys it. */
static unsigned char tournament_storage[sizeof(BOT_CLASS)] __attribute__((aligned(__alignof__(BOT_CLASS))));
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

void tournament_seed_random(uint64_t seed);

__attribute__((export_name("tournament_start"))) void tournament_start(void *unused, uint64_t seed)
{
    (void)unused;
    tournament_seed_random(seed);
#ifdef BOT_CLASS
    tournament_bot = new (tournament_storage) BOT_CLASS;
#endif
}

__attribute__((export_name("init"))) ANSWER_INIT(tournament_init, BOT_INIT)
__attribute__((export_name("new_hand"))) ANSWER_NEW_HAND(tournament_new_hand, BOT_NEW_HAND)
__attribute__((export_name("round1"))) ANSWER_ROUND1(tournament_round1, BOT_ROUND1)
__attribute__((export_name("draw"))) ANSWER_DRAW(tournament_draw, BOT_DRAW)
__attribute__((export_name("round2"))) ANSWER_ROUND2(tournament_round2, BOT_ROUND2)
__attribute__((export_name("showdown"))) ANSWER_SHOWDOWN(tournament_showdown, BOT_SHOWDOWN)

#ifdef __cplusplus
}
#endif
#endif
