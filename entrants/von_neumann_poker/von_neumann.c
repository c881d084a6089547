// Von Neumann
// Good cards and bluffs bet one size, the rest pass: the equilibrium after von Neumann and Morgenstern (1944, chapter 19), fitted to this pot and to the stacks.

// Cards are uniform on [0, 1), the pot holds P = two antes, and a pass means a showdown at once.
// A bets B with x < low (bluffs) and with x > high; B calls with y > call. Each edge is a point of indifference:
//   A at low:  call * P - (1 - call) * B = low * P            (a bluff is worth as much as a pass)
//   A at high: high - call = 1 - high                         (a bet is called by as many worse as better cards)
//   B at call: low * (P + B) = (1 - high) * B                 (a call wins from bluffs what it loses to good cards)
// With D = (2P + B)(P + 2B) the solution is
//   low = P * B / D      high = 1 - P * (P + B) / D      call = 1 - 2 * P * (P + B) / D
// For P = 20 and B = 50: low 0.093, high 0.870, call 0.741.

static const double pot = 20;

static double scale(double bet)
{
    return (2 * pot + bet) * (pot + 2 * bet);
}

static double lowEdge(double bet)
{
    return pot * bet / scale(bet);
}

static double highEdge(double bet)
{
    return 1 - pot * (pot + bet) / scale(bet);
}

static double callEdge(double bet)
{
    return 1 - 2 * pot * (pot + bet) / scale(bet);
}

Money a(const Bot *bot)
{
    Money bet = 50;

    if (bet > bot->money)
        bet = bot->money;
    if (bet > bot->opponentsMoney)
        bet = bot->opponentsMoney;
    return bot->card < lowEdge(bet) || bot->card > highEdge(bet) ? bet : 0;
}

int b(const Bot *bot, const Money aBet)
{
    return bot->card > callEdge(aBet);
}
