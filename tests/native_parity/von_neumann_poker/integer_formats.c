/* gnu17: whole numbers printed: widths, signs, bases, sizes of types of known width */
#include <inttypes.h>
static unsigned mix(unsigned h, const char *s) { while (*s) h = h * 31 + (unsigned char)*s++; return h; }

Money a(const Bot *bot)
{
    char text[300];
    const int n = (int)(bot->card * 2e9f) - 1000000000;
    const long long wide = (long long)n * bot->money * 1000003;
    unsigned h = 5;
    sprintf(text, "%d %i %u %x %X %o %5d|%-5d|%+d|%05d|% d|%*d|%.7d|%#x|%#o", n, n, (unsigned)n, (unsigned)n, (unsigned)n,
            (unsigned)n, n % 99, n % 99, n % 99, n % 99, n % 99, 9, n % 999, n % 999, (unsigned)n, (unsigned)n);
    h = mix(h, text);
    sprintf(text, "%lld %llu %llx %hd %hu %hhd %hhu %c%%", wide, (unsigned long long)wide, (unsigned long long)wide,
            (short)n, (unsigned short)n, (signed char)n, (unsigned char)n, 'a' + (n & 15));
    h = mix(h, text);
    sprintf(text, "%" PRId64 " %" PRIu32 " %" PRIx16 " %zu %s %.3s %10s %-10s|", wide, (uint32_t)n, (uint16_t)n,
            sizeof(double), "abc", "abcdef", "right", "left");
    return mix(h, text);
}

int b(const Bot *bot, const int aBet) { return printf("%s", "") == 0 && snprintf(NULL, 0, "%d", aBet * 37) == 4; }
