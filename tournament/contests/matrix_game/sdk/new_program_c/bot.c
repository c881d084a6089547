/* {name}: plays what the opponent has played most often so far.
   Written by `tournament new`; make it yours. It reads questions and writes answers, a line each: every
   match starts it anew, and what it keeps in its variables lasts as long as the match. */

#include <stdio.h>
#include <string.h>

static int often[64];

/* The next move: both players choose at the same time. */
static int next_move(int moves)
{
    int best = 0;

    for (int m = 1; m < moves; m++)
        if (often[m] > often[best])
            best = m;
    return best;
}

int main(void)
{
    char line[256], word[16];
    int sessions, turn, rounds, moves, role, mine, theirs;

    if (!fgets(line, sizeof line, stdin) || sscanf(line, "%d", &sessions) != 1)
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        /* Turns of a game count from 0. The last two numbers are both moves of the turn before, -1 in the first;
           rounds is how many turns there will be, or -1. */
        if (sscanf(line, "%15s %d %d %d %d %d %d", word, &turn, &rounds, &moves, &role, &mine, &theirs) < 7)
            break; /* SCORE: the match is over */
        if (turn <= 1)
            memset(often, 0, sizeof often); /* another game */
        if (theirs >= 0)
            often[theirs]++;
        if (strcmp(word, "PAST") == 0)
            puts("ACTION OK"); /* a turn that was played before this program was started again */
        else
            printf("ACTION MOVE %d\n", next_move(moves));
        fflush(stdout); /* or the answer would stay here, and the tournament wait for it */
    }
    return 0;
}
