// Actuary
// A program in C. Keeps tables of the cards shown behind each size of bet, and takes the price that they give.

#include <stdio.h>

enum { BANDS = 40, MOST = 50, ENOUGH = 2000 };

static double shown[MOST + 1][BANDS]; // how often a card of this band was behind a bet; old ones count for less
static double total[MOST + 1];

static int bandOf(double card)
{
    return (int)(card * BANDS);
}

static double usualLine(double bet)
{
    return (2.8 + bet) / (20 + bet);
}

// Before anything is known of a bet: cards such that the usual line is the right one to call it.
static void presume(int bet)
{
    double line = usualLine(bet), price = bet / (20.0 + 2 * bet);

    for (int band = 0; band < BANDS; band++) {
        int bluff = (band + 0.5) / BANDS < line;
        shown[bet][band] = 8.0 / BANDS * (bluff ? price / line : (1 - price) / (1 - line));
        total[bet] += shown[bet][band];
    }
}

static void note(int bet, double card)
{
    if (total[bet] > ENOUGH) {
        total[bet] /= 2;
        for (int band = 0; band < BANDS; band++)
            shown[bet][band] /= 2;
    }
    total[bet]++;
    shown[bet][bandOf(card)]++;
}

// The chance that a card beats the one behind a bet.
static double beats(double card, int bet)
{
    double lower = 0;
    int own = bandOf(card);

    for (int band = 0; band < own; band++)
        lower += shown[bet][band];
    return (lower + shown[bet][own] * (card * BANDS - own)) / total[bet];
}

static int smallest(int first, int second)
{
    return first < second ? first : second;
}

// The best cards and the worst bet all that they can; the worst are so many that a caller gains nothing.
static int betWith(double card, int money, int opponentsMoney)
{
    int most = smallest(MOST, smallest(money, opponentsMoney));
    double good = (1 + usualLine(most)) / 2;

    return card > good || card < (1 - good) * most / (20 + most) ? most : 0;
}

int main(void)
{
    char line[256], role;
    double card, previousCard;
    int money, opponentsMoney, bet, called = 0;

    for (bet = 1; bet <= MOST; bet++)
        presume(bet);
    fgets(line, sizeof line, stdin); // the number of sessions
    while (fgets(line, sizeof line, stdin)
           && sscanf(line, "STATE %c %lf %lf %d %d %d", &role, &card, &previousCard, &money, &opponentsMoney, &bet) >= 5) {
        if (role == 'A') {
            if (called)
                note(called, previousCard);
            called = 0;
            bet = betWith(card, money, opponentsMoney);
            if (bet)
                printf("ACTION BET %d\n", bet);
            else
                puts("ACTION PASS");
        } else {
            called = beats(card, bet) > bet / (20.0 + 2 * bet) ? bet : 0;
            puts(called ? "ACTION CALL" : "ACTION FOLD");
        }
        fflush(stdout);
    }
    return 0;
}
