/* Linked to every C and C++ bot: rand() seeded per leg, and assertions that trap.
   All weak, so that a bot with functions of these names keeps its own. */

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

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

/* What failed, for whoever looks at the bot's memory after the trap: an assertion, or, where `thrown` has a type's name
   in it, an exception that nothing caught, whose words are the expression. */
struct { const char *volatile expression; volatile int line; const char *volatile thrown; } tournament_assertion;

__attribute__((weak, noreturn)) void __assert_fail(
    const char *expression, const char *file, int line, const char *function)
{
    (void)file; (void)function;
    tournament_assertion.expression = expression;
    tournament_assertion.line = line;
    __builtin_trap();
}

/* Where a bot neither throws nor catches, the C++ library comes here instead of throwing: the format begins with the
   exception's name, and what it takes, if anything, are the exception's words. */
__attribute__((weak, noreturn)) void tournament_would_throw(const char *format, ...)
    __asm__("_ZNSt3__122__libcpp_verbose_abortEPKcz");
void tournament_would_throw(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tournament_assertion.thrown = format;
    tournament_assertion.expression = strstr(format, "%i") ? 0 : strstr(format, "%s") ? va_arg(values, const char *) : 0;
    va_end(values);
    __builtin_trap();
}
