/* A repeated matrix game: what every bot finds included before its first line.

   A bot is one file with one function, named move or after the file (copycat.c: copycatmove), static or not:

       int move(const Bot *bot);    the number of its next move, from 0 to bot->moves - 1
*/
#ifndef MATRIX_GAME_H
#define MATRIX_GAME_H

#include <stdint.h>
#ifndef TOURNAMENT_BARE    /* a bot whose own names are those of what is here builds without it */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#define MOST_TURNS 100000

typedef struct Bot {
    int turn;                   /* of this game, from 0 */
    int turns_per_game;         /* turns of a game; -1 if it may end sooner */
    int moves;                  /* how many moves there are */
    int role;                   /* 0 is paid by payoffs, 1 by column_payoffs, if the contest has these */
    int my_previous_move;       /* -1 in the first turn, as is the next */
    int opponents_previous_move;
    uint8_t my_moves[MOST_TURNS];          /* as played, for each i < turn */
    uint8_t opponents_moves[MOST_TURNS];
} Bot;

#endif
