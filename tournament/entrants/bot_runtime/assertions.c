/* Failed assertions, which trap. */

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
