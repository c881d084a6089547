/* gnu17: structs with bit fields, unions of numbers and bytes, structs passed and returned by value */
struct packed { unsigned low : 3; int signed_part : 5; unsigned wide : 24; unsigned flag : 1; };
union pun { float f; uint32_t u; unsigned char bytes[4]; };
struct pair { short x; char c; double d; int more[5]; };

static struct pair shifted(struct pair p, int by)
{
    p.x += by;
    p.d *= 1.5;
    for (int i = 0; i < 5; i++)
        p.more[i] = p.more[(i + 1) % 5] + by;
    return p;
}

Money a(const Bot *bot)
{
    union pun pun = {bot->card};
    struct packed packed = {0};
    packed.low = pun.u;
    packed.signed_part = (int)pun.u >> 3;
    packed.wide = pun.u >> 2;
    packed.flag = pun.bytes[2] & 1;
    struct pair p = {(short)pun.u, (char)pun.bytes[1], bot->card, {1, 2, 3, 4, 5}}, q = shifted(shifted(p, 300), -7);
    uint32_t h = pun.u ^ packed.wide * 3 + packed.low + (uint32_t)packed.signed_part * 5 + packed.flag;
    h = h * 31 + (uint32_t)q.x + (uint32_t)q.c * 7 + (uint32_t)(q.d * 1000) + (uint32_t)q.more[3];
    return h + sizeof(struct packed) + sizeof(struct pair) + pun.bytes[0] * 256;
}

int b(const Bot *bot, const int aBet)
{
    union pun pun = {.f = bot->card};
    return (pun.u >> 23 & 0xFF) > 125 || aBet == pun.bytes[0];
}
