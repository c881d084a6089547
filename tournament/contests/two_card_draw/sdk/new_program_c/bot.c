/* {name}: bets its pairs, and bluffs a server that folds to bets too often.
   Written by `tournament new`; make it yours. It reads questions and writes answers, a line each: every
   session starts it anew, and what it keeps in its variables lasts as long as the session, 10,000 hands
   with one server that always plays the same strategy: what you find out about it is worth keeping. */

#include <stdio.h>
#include <string.h>

static int smallBet;
static int bets, folds; /* of ours to open a hand, and how often the server folded to them */
static int waiting;     /* for the server to answer our bet */

/* A new hand: cards are 0 to 4, card1 is never the higher one. */
static const char *newHand(int card1, int card2)
{
    /* Nobody tells you that the server folded: but if it hadn't, ROUND1 or DRAW would have come next. */
    folds += waiting;
    waiting = card1 == card2 || (bets >= 20 && folds > (bets - folds) * smallBet);
    bets += waiting;
    return waiting ? "BET" : "CHECK";
}

/* The server has raised. RAISE would be a third answer; after three bets it is a call. */
static const char *round1(int card1, int card2)
{
    waiting = 0;
    return card1 == card2 || card2 >= 3 ? "CALL" : "FOLD";
}

/* How many cards to exchange, 0 to 2: DRAW 1 exchanges the lower one. */
static const char *draw(int card1, int card2)
{
    waiting = 0;
    return card1 == card2 ? "DRAW 0" : "DRAW 1";
}

/* With bets2 0 you open: CHECK or BET. Else you face a raise: FOLD, CALL or RAISE. */
static const char *round2(int card1, int card2, int bets2)
{
    if (bets2 == 0)
        return card1 == card2 ? "BET" : "CHECK";
    return card1 == card2 ? "CALL" : "FOLD";
}

int main(void)
{
    char line[256], word[16];
    const char *action;
    int n[5]; /* the question's numbers: mostly the two cards, then what the documentation tells */

    if (!fgets(line, sizeof line, stdin)) /* the number of sessions, which is 1 */
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%15s %d %d %d %d %d", word, &n[0], &n[1], &n[2], &n[3], &n[4]) < 3)
            break; /* SCORE: the session is over */
        action = "OK"; /* to INIT and to SHOWDOWN, which shows both hands when nobody folded */
        if (!strcmp(word, "INIT"))
            smallBet = n[0]; /* what a bet costs in the first round; n[1] in the second */
        else if (!strcmp(word, "NEW_HAND"))
            action = newHand(n[0], n[1]); /* n[2] is what was won so far */
        else if (!strcmp(word, "ROUND1"))
            action = round1(n[0], n[1]); /* n[2] bets so far */
        else if (!strcmp(word, "DRAW"))
            action = draw(n[0], n[1]); /* n[2] bets in round 1 */
        else if (!strcmp(word, "ROUND2"))
            action = round2(n[0], n[1], n[3]); /* n[2] bets in round 1; the server drew n[4] cards */
        printf("ACTION %s\n", action);
        fflush(stdout); /* or the answer would stay here, and the controller wait for it */
    }
    return 0;
}
