/* One-card von Neumann poker: what every bot finds included before its first line.

   A bot is one file with two functions, named a and b or after the file
   (likeme.c: likemea and likemeb, or likemeA and likemeB), static or not:

       int a(const Bot *bot);                  the bet; 0 or less is a pass
       int b(const Bot *bot, const int aBet);  0 folds, anything else calls
*/
#ifndef VON_NEUMANN_POKER_H
#define VON_NEUMANN_POKER_H

#include <stdint.h>
#ifndef TOURNAMENT_BARE    /* a bot whose own names are those of what is here builds without it */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

typedef float Card;    /* 0 <= card < 1, a multiple of 2^-24 */
typedef int64_t Money; /* dollars */
typedef Money (*AProcType)(const void *bot);
typedef int (*BProcType)(const void *bot, const Money aBet);

typedef struct Bot {
    AProcType a; /* the bot's own functions */
    BProcType b;
    Card card;                  /* this game's */
    Card opponentsPreviousCard; /* negative if the last game ended with a fold */
    Money money;                /* before the ante, as is opponentsMoney */
    Money opponentsMoney;
    float f[50]; /* yours to keep; all zero at the start of a match */
} Bot;

#endif
