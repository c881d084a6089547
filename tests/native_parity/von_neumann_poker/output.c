/* gnu17: what is printed: puts, putchar, fprintf, fwrite, fflush, and what these return */
static int said;

int a(const Bot *bot)
{
    said += printf("card %.4f\n", bot->card);
    said += puts("a line") >= 0;
    said += putchar('x') == 'x';
    said += fprintf(stderr, "%s %d\n", "asked", said);
    said += (int)fwrite("bytes", 1, 5, stdout);
    said += fputs("more\n", stdout) >= 0;
    said += fflush(stdout) == 0;
    return said;
}

int b(const Bot *bot, const int aBet) { return printf("%d\n", aBet) + said > bot->money % 3; }
