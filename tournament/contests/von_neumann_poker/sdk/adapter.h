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

static ANSWER_A(tournament_a, BOT_A)
static ANSWER_B(tournament_b, BOT_B)

static Money tournament_own_a(const void *tournament_bot)
{
    return tournament_a((Bot *)tournament_bot);
}

static int32_t tournament_own_b(const void *tournament_bot, const Money tournament_bet)
{
    return tournament_b((Bot *)tournament_bot, tournament_bet);
}

/* What the controller shows: both cards, both stacks, and the bet. */
struct tournament_view { float tournament_cards[2]; int32_t tournament_money[2]; int32_t tournament_bet; };

static Bot tournament_bot = {tournament_own_a, tournament_own_b};

/* The bot's struct with what is shown. Its members lie behind the two functions: their names may be macros here. */
static Bot *tournament_shown(const struct tournament_view *tournament_p)
{
    char *tournament_members = (char *)&tournament_bot + 2 * sizeof(AProcType);
    int64_t *tournament_stacks = (int64_t *)(tournament_members + sizeof tournament_p->tournament_cards);
    __builtin_memcpy(tournament_members, tournament_p->tournament_cards, sizeof tournament_p->tournament_cards);
    tournament_stacks[0] = tournament_p->tournament_money[0];
    tournament_stacks[1] = tournament_p->tournament_money[1];
    return &tournament_bot;
}

__attribute__((__export_name__("a"))) int64_t tournament_asked_a(const struct tournament_view *tournament_p)
{
    return tournament_a(tournament_shown(tournament_p));
}

__attribute__((__export_name__("b"))) int32_t tournament_asked_b(const struct tournament_view *tournament_p)
{
    return tournament_b(tournament_shown(tournament_p), tournament_p->tournament_bet);
}

__attribute__((__export_name__("tournament_start"))) void tournament_start(void *tournament_p, uint64_t tournament_seed)
{
    (void)tournament_p;
    tournament_seed_random(tournament_seed);
}

#ifdef __cplusplus
}
#endif
#endif
