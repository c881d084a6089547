/* Asks a bot of two-card draw, included before, what a file lists: a line for each question, and one for each answer.
   A question: the number of its function, in the statement's order, and five arguments, of which it takes the first. */

#ifdef BOT_CLASS
static TwoCardDraw *natively_bot;
#define NATIVELY(function) natively_bot->function
#else
#define NATIVELY(function) function
#endif

int main(int count, char **words)
{
    FILE *questions = fopen(words[1], "r"), *answers = fopen(words[2], "w");
    int kind, p, q, r, s, t, answer;
    (void)count;
#ifdef BOT_CLASS
    natively_bot = new TwoCardDraw;
#endif
    while (fscanf(questions, "%d %d %d %d %d %d", &kind, &p, &q, &r, &s, &t) == 6) {
        answer = 0;
        if (kind == 0)
            NATIVELY(init)(p, q);
        else if (kind == 1)
            answer = NATIVELY(new_hand)(p, q, r);
        else if (kind == 2)
            answer = NATIVELY(round1)(p, q, r);
        else if (kind == 3)
            answer = NATIVELY(draw)(p, q, r);
        else if (kind == 4)
            answer = NATIVELY(round2)(p, q, r, s, t);
        else
            NATIVELY(showdown)(p, q, r, s);
        fprintf(answers, "%d\n", answer);
    }
    return fclose(answers);
}
