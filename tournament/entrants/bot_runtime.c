/* Linked to every C and C++ bot: rand() seeded per leg, clock(), and assertions and throws that trap.
   All weak, so that a bot with functions of these names keeps its own. */

#include <stddef.h>
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

__attribute__((import_module("wasi_snapshot_preview1"), import_name("clock_time_get")))
int tournament_clock_time_get(int clock, int64_t precision, uint64_t *nanoseconds);

/* Microseconds, as headers/time.h says: the compiler's libc has no clock(). */
__attribute__((weak)) long long clock(void)
{
    uint64_t nanoseconds;
    return tournament_clock_time_get(2, 1, &nanoseconds) ? -1 : (long long)(nanoseconds / 1000);
}

/* What failed, for whoever looks at the bot's memory after the trap. */
struct { const char *volatile expression; volatile int line; } tournament_assertion;

__attribute__((weak, noreturn)) void __assert_fail(
    const char *expression, const char *file, int line, const char *function)
{
    (void)file; (void)function;
    tournament_assertion.expression = expression;
    tournament_assertion.line = line;
    __builtin_trap();
}

/* Exceptions have no unwinder here. */
__attribute__((weak)) void *__cxa_allocate_exception(size_t size) { (void)size; __builtin_trap(); }
__attribute__((weak)) void __cxa_free_exception(void *thrown) { (void)thrown; __builtin_trap(); }
__attribute__((weak)) void __cxa_throw(void *thrown, void *type, void *destructor)
{
    (void)thrown; (void)type; (void)destructor;
    __builtin_trap();
}
__attribute__((weak)) void __cxa_rethrow(void) { __builtin_trap(); }
__attribute__((weak)) void *__cxa_begin_catch(void *thrown) { (void)thrown; __builtin_trap(); }
__attribute__((weak)) void __cxa_end_catch(void) { __builtin_trap(); }
__attribute__((weak)) void *__cxa_get_exception_ptr(void *thrown) { (void)thrown; __builtin_trap(); }
