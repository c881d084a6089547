/* Asks a bot of a matrix game, included before, what a file lists: a line for each turn, and one for each answer.
   A question: turn, turns_per_game, moves, role, and both moves of the turn before. */

#ifdef __cplusplus
#define NATIVELY(function) ::function /* whatever names it uses */
#else
#define NATIVELY(function) function
#endif

static Bot natively_bot;

int main(int count, char **words)
{
    FILE *questions = fopen(words[1], "r"), *answers = fopen(words[2], "w");
    Bot *bot = &natively_bot;
    (void)count;
    while (fscanf(questions, "%d %d %d %d %d %d", &bot->turn, &bot->turns_per_game, &bot->moves, &bot->role,
                  &bot->my_previous_move, &bot->opponents_previous_move) == 6)
        fprintf(answers, "%d\n", NATIVELY(move)(bot));
    return fclose(answers);
}
