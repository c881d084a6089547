/* {name}: bets its best cards for value and its worst as bluffs; calls when the price is right.
   Written by `tournament new`; make it yours. It reads questions and writes answers, a line each: every
   match starts it anew, and what it keeps in its variables lasts as long as the match. */

#include <stdio.h>

/* As A: how many dollars to bet; 0 is a pass. The controller cuts a bet to $50 and to either stack. */
static int betWith(double card, int money, int opponentsMoney)
{
    (void)money;
    (void)opponentsMoney;
    if (card > 0.7 || card < 0.1)
        return 50;
    return 0;
}

/* As B: whether to call a bet of so many dollars. */
static int callsWith(double card, int bet)
{
    /* Calling costs the bet to win the pot: $20 of antes and A's bet. */
    double price = bet / (20.0 + 2 * bet);

    return card > 0.4 + price / 2;
}

int main(void)
{
    char line[256], role;
    double card, opponentsPreviousCard; /* the latter is negative if the game before ended with a fold */
    int sessions, money, opponentsMoney, bet;

    if (!fgets(line, sizeof line, stdin) || sscanf(line, "%d", &sessions) != 1)
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "STATE %c %lf %lf %d %d %d",
                   &role, &card, &opponentsPreviousCard, &money, &opponentsMoney, &bet) < 5)
            break; /* SCORE: the match is over */
        if (role == 'B')
            puts(callsWith(card, bet) ? "ACTION CALL" : "ACTION FOLD");
        else if ((bet = betWith(card, money, opponentsMoney)) > 0)
            printf("ACTION BET %d\n", bet);
        else
            puts("ACTION PASS");
        fflush(stdout); /* or the answer would stay here, and the controller wait for it */
    }
    return 0;
}
