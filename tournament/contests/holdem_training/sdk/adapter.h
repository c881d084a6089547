// Joins a bot to the engine. BOT_MAKEDECISION names the bot's function, which was included just before.

extern "C" {

void tournament_seed_random(uint64_t seed);

// The chips raised; 0 is a check, -1 a fold. What the rules don't know comes out as something that they refuse.
__attribute__((export_name("makeDecision"))) int64_t tournament_make_decision(const State *state)
{
    const std::pair<ActionType, int> decision = BOT_MAKEDECISION(*state);
    switch (decision.first) {
    case ActionType::CHECK:
        return 0;
    case ActionType::FOLD:
        return -1;
    case ActionType::RAISE:
        return decision.second > 0 ? decision.second : (int64_t)decision.second - 1000;
    case ActionType::CALL:
        return -2;
    default:
        return -3;
    }
}

__attribute__((export_name("tournament_start"))) void tournament_start(State *, uint64_t seed)
{
    tournament_seed_random(seed);
}

}
