// Joins a bot to the engine. BOT_MAKEDECISION names the bot's function, which was included just before. With TRIAL_CALLS
// there is only the macro, by which any function can be tried.

namespace tournament_detail {

// The chips raised; 0 is a check, -1 a fold. What the rules don't know comes out as something that they refuse.
inline int64_t number_of(const std::pair<ActionType, __typeof__(0)> &tournament_decision)
{
    switch (tournament_decision.first) {
    case ActionType::CHECK:
        return 0;
    case ActionType::FOLD:
        return -1;
    case ActionType::RAISE:
        return tournament_decision.second > 0 ? tournament_decision.second : (int64_t)tournament_decision.second - 1000;
    case ActionType::CALL:
        return -2;
    default:
        return -3;
    }
}

}  // namespace tournament_detail

#define ANSWER_MAKEDECISION(name, function) \
    int64_t name(const State *tournament_state) { return tournament_detail::number_of(function(*tournament_state)); }

#ifndef TRIAL_CALLS
extern "C" {

void tournament_seed_random(uint64_t);

__attribute__((__export_name__("makeDecision"))) ANSWER_MAKEDECISION(tournament_make_decision, BOT_MAKEDECISION)

__attribute__((__export_name__("tournament_start"))) void tournament_start(State *, uint64_t tournament_seed)
{
    tournament_seed_random(tournament_seed);
}

}
#endif
