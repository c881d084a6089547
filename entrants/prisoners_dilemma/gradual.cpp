// Answers the nth defection with n of its own and two cooperations, in which it is not to be provoked.

namespace {

int defections = 0, to_punish = 0, to_calm = 0;

}

int move(const Bot *bot)
{
    if (bot->turn == 0)
        defections = to_punish = to_calm = 0;
    else if (bot->opponents_moves[bot->turn - 1] == 1) {
        ++defections;
        if (to_punish == 0 && to_calm == 0) {
            to_punish = defections;
            to_calm = 2;
        }
    }
    if (to_punish > 0) {
        --to_punish;
        return 1;
    }
    if (to_calm > 0)
        --to_calm;
    return 0;
}
