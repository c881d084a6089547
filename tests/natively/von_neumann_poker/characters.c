/* gnu17: ctype.h over all bytes, and numbers read in every base */
Money a(const Bot *bot)
{
    unsigned h = (unsigned)(bot->card * 255);
    for (int c = 0; c < 256; c++)
        h = h * 3 + !!isalpha(c) + 2 * !!isdigit(c) + 4 * !!isspace(c) + 8 * !!ispunct(c) + 16 * !!isxdigit(c)
            + 32 * !!isupper(c) + 64 * !!iscntrl(c) + 128 * !!isprint(c) + 256 * !!isgraph(c) + 512 * !!isalnum(c)
            + (unsigned)toupper(c) + (unsigned)tolower(c);
    for (int base = 2; base <= 36; base++) {
        char *end;
        h = h * 7 + (unsigned)strtol("10z9", &end, base) + (unsigned)(*end);
        h ^= (unsigned)strtoull("101", NULL, base);
    }
    return h;
}

int b(const Bot *bot, const int aBet) { return isalpha('A' + aBet) && strtol("99999999999", NULL, 10) > bot->money; }
