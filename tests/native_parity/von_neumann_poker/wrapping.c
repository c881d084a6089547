/* gnu17: whole numbers at their limits: overflow that wraps, shifts, conversions that cut, rounding towards zero */
Money a(const Bot *bot)
{
    volatile int x = (int)(bot->card * 16777216), big = 2147483647, least = -2147483647 - 1;
    volatile unsigned u = (unsigned)x;
    int h = big + x;
    h ^= least - x;
    h += x * 1000003;
    h += -least;
    h ^= (int)(u - 4294967290u) + (int)(u << 9) + (least >> 5) + (int)(u >> 31);
    h += -x / 7 + -x % 7 + (x - 20000000) / 3 + (x - 20000000) % 3;
    h += (signed char)x + (unsigned char)(x >> 3) + (short)(x * 3) + (unsigned short)-x;
    h ^= (int)(long long)(x * 5000000000.0) + (int)(float)(x - 8000000) + (int)-2.9 + (int)(bot->card * -999);
    h += abs(-x) + (x > -1) + (u > -1) + ((unsigned char)200 + (unsigned char)100) + ~x;
    return h;
}

int b(const Bot *bot, const int aBet) { return aBet * 100000000 + (int)bot->money > 0; }
