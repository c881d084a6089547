/* rand() seeded per leg. */

#include <stdint.h>

static uint64_t leg_seed;
static uint64_t state;

void tournament_seed_random(uint64_t seed)
{
    leg_seed = seed;
    state = seed;
}

/* SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
__attribute__((weak)) int rand(void)
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (int)((z ^ (z >> 31)) >> 33);
}

/* srand(time(0)) is a habit: legs must differ all the same, so the leg's seed stays in. */
__attribute__((weak)) void srand(unsigned seed)
{
    state = leg_seed + UINT64_C(0xD1B54A32D192ED03) * ((uint64_t)seed + 1);
}
