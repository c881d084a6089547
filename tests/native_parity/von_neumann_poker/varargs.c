/* gnu17: functions of any number of arguments, lists of them handed on, and copied */
#include <stdarg.h>

static double total(const char *kinds, ...)
{
    va_list list, again;
    double sum = 0;
    va_start(list, kinds);
    va_copy(again, list);
    for (; *kinds; kinds++)
        sum += *kinds == 'i' ? va_arg(list, int) : *kinds == 'd' ? va_arg(list, double)
            : *kinds == 'l' ? (double)va_arg(list, long long) : (double)strlen(va_arg(list, char *));
    sum += 1000 * va_arg(again, int);
    va_end(again);
    va_end(list);
    return sum;
}

static int told(char *text, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, size, format, list);
    va_end(list);
    return length;
}

Money a(const Bot *bot)
{
    char text[80];
    int length = told(text, sizeof text, "%s %d %.3f %lld", "bet", (int)bot->money, bot->card, (long long)1 << 40);
    return (Money)(1000 * total("idls", length, (double)bot->card, (long long)bot->money << 33, text));
}

int b(const Bot *bot, const int aBet) { return total("iid", aBet, 3, (double)bot->card) > 25000; }
