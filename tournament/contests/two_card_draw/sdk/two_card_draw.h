/* Two-card draw: what every bot finds included before its first line.

   A bot is one file: a C++ class TwoCardDraw with these six public methods, or
   these six functions, in C or C++, named so or after the file (caller.c:
   callerinit, callernew_hand, ..., or caller_init, ...), static or not:

       int init(int bet1, int bet2);
       int new_hand(int card1, int card2, int winnings);      0 checks, 1 bets
       int round1(int card1, int card2, int bets);            0 folds, 1 calls, 2 raises
       int draw(int card1, int card2, int bets);              how many cards: 0, 1 or 2
       int round2(int card1, int card2, int bets1, int bets2, int drew);
                                                              0 folds, 1 checks or calls, 2 bets or raises
       int showdown(int card1, int card2, int opp1, int opp2);
*/
#ifndef TWO_CARD_DRAW_H
#define TWO_CARD_DRAW_H

#include <stdint.h>
#ifndef TOURNAMENT_BARE    /* a bot whose own names are those of what is here builds without it */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#endif
