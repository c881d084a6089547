/* gnu17: time and clock, which go on; a date that is given, taken apart and written */
#include <time.h>
static time_t first;
static clock_t began;

Money a(const Bot *bot)
{
    time_t given = 1000000000 + (time_t)(bot->card * 1e8), now = time(NULL);
    struct tm *parts = gmtime(&given);
    char text[60];
    if (!first)
        first = now, began = clock();
    Money good = now > 0 && now >= first && difftime(now, first) >= 0 && clock() != (clock_t)-1 && clock() >= began;
    Money date = parts->tm_year * 10000 + parts->tm_yday * 20 + parts->tm_wday + parts->tm_sec;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %j", parts);
    for (const char *c = text; *c; c++)
        date = date * 3 % 1000000007 + *c;
    return good * 10000000000 + date + mktime(parts) % 3600;
}

int b(const Bot *bot, const int aBet)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 && now.tv_nsec < 1000000000 && aBet > bot->money / 5;
}
