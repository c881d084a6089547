/* gnu17: strings, parsed and put together: strtok, strstr, strspn, sscanf, strtol, memmove */
static unsigned mix(unsigned h, const char *s) { while (*s) h = h * 31 + (unsigned char)*s++; return h; }

Money a(const Bot *bot)
{
    char text[200], copy[200], *part;
    unsigned h = 7;
    int x = 0, y = 0;
    strcpy(text, "card ");
    sprintf(text + strlen(text), "%d of %ld", (int)(bot->card * 1000), (long)bot->money);
    strcat(text, ", theirs ");
    strncat(text, "123456789", (size_t)(bot->opponentsMoney % 9));
    h = mix(h, text);
    memmove(copy, text, sizeof text);
    for (part = strtok(copy, " ,"); part; part = strtok(NULL, " ,"))
        h = mix(h, part) ^ (unsigned)strlen(part);
    if (sscanf(text, "card %d of %d", &x, &y) == 2)
        h += x * 7 + y;
    h += (unsigned)(strstr(text, "of") - text) + (unsigned)strspn(text, "acdr ") + (unsigned)strcspn(text, "0123456789");
    h ^= (unsigned)strtol("0x1f rest", &part, 0) + (unsigned)(part[1] == 'r') + (unsigned)strtoul("777", NULL, 8);
    h += (strcmp(text, "card 5") > 0) + 2 * (strncmp(text, "carx", 3) == 0) + (memcmp(text, "card", 4) == 0);
    h += strrchr(text, ' ') - strchr(text, ' ');
    h += (unsigned)atoi("-42") + (unsigned)(atof("2.5e3"));
    return h;
}

int b(const Bot *bot, const int aBet)
{
    char text[20];
    return snprintf(text, 4, "%d", aBet * 1000) > 4 && text[3] == 0 && strpbrk(text, "135") != NULL;
}
