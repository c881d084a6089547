/* Failed assertions, which trap, and what the C++ library would throw where a bot is built without exceptions. */

#include <stdarg.h>
#include <string.h>

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
