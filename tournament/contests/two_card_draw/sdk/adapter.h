/* Joins a bot to the game. BOT_CLASS names the bot's class, or BOT_INIT, BOT_NEW_HAND and so
   on its functions, which were included just before. */

#ifdef BOT_CLASS
#include <new>

/* A new object for each session, in memory of its own; nobody destroys it. */
alignas(BOT_CLASS) static unsigned char tournament_storage[sizeof(BOT_CLASS)];
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

/* What init and showdown return is ignored, so they may return nothing. */
__attribute__((export_name("init"))) int32_t tournament_init(int32_t bet1, int32_t bet2)
{
    BOT_INIT(bet1, bet2);
    return 0;
}

__attribute__((export_name("new_hand"))) int32_t tournament_new_hand(int32_t card1, int32_t card2, int32_t winnings)
{
    return BOT_NEW_HAND(card1, card2, winnings);
}

__attribute__((export_name("round1"))) int32_t tournament_round1(int32_t card1, int32_t card2, int32_t bets)
{
    return BOT_ROUND1(card1, card2, bets);
}

__attribute__((export_name("draw"))) int32_t tournament_draw(int32_t card1, int32_t card2, int32_t bets)
{
    return BOT_DRAW(card1, card2, bets);
}

__attribute__((export_name("round2"))) int32_t tournament_round2(
    int32_t card1, int32_t card2, int32_t bets1, int32_t bets2, int32_t drew)
{
    return BOT_ROUND2(card1, card2, bets1, bets2, drew);
}

__attribute__((export_name("showdown"))) int32_t tournament_showdown(
    int32_t card1, int32_t card2, int32_t opp1, int32_t opp2)
{
    BOT_SHOWDOWN(card1, card2, opp1, opp2);
    return 0;
}

#ifdef __cplusplus
}
#endif
