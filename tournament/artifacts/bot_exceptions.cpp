/* Linked to C++ bots that throw or catch: how their exceptions unwind, and what is told of one that nothing caught.
   The rest is the compiler's own runtime of C++. */

#include <exception>
#include <typeinfo>

#include "config.h"
#include "cxa_exception.h"
#include "private_typeinfo.h"

/* The tag that all exceptions of C++ have in WebAssembly; its value is the exception's address. */
__asm__(".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n");

static _Unwind_Exception *last_raised;

/* The compiler's unwinder, which leaves all but the choice of a handler to WebAssembly's. */
extern "C" {
#define _Unwind_RaiseException raise_by_webassembly
#include "Unwind-wasm.c"
#undef _Unwind_RaiseException

_Unwind_Reason_Code _Unwind_RaiseException(_Unwind_Exception *raised)
{
    last_raised = raised;
    return raise_by_webassembly(raised);
}

extern struct Failure { const char *volatile expression; volatile int line; const char *volatile thrown; } tournament_assertion;
}

/* Note the type of what was thrown last, and its words if it is one of the standard's exceptions.
   Called after an exception has left the bot's function. */
extern "C" __attribute__((export_name("tournament_uncaught"))) void tournament_uncaught()
{
    using namespace __cxxabiv1;
    auto header = reinterpret_cast<__cxa_exception *>(last_raised + 1) - 1;
    void *thrown = header + 1;
    if (__getExceptionClass(last_raised) == kOurDependentExceptionClass)
        thrown = reinterpret_cast<__cxa_dependent_exception *>(header)->primaryException;
    tournament_assertion.thrown = header->exceptionType->name();
    auto standard = static_cast<const __shim_type_info *>(&typeid(std::exception));
    if (standard->can_catch(static_cast<const __shim_type_info *>(header->exceptionType), thrown))
        tournament_assertion.expression = static_cast<std::exception *>(thrown)->what();
}

/* An exception met a noexcept, or another one on its way. */
[[noreturn]] static void end_by_exception()
{
    if (std::uncaught_exceptions())
        tournament_uncaught();
    __builtin_trap();
}

/* Before the bot's own, which may set another. */
__attribute__((init_priority(101))) static struct Start {
    Start() { std::set_terminate(end_by_exception); }
} start;

/* What the runtime of C++ would say, had it somebody to say it to. */
extern "C" [[noreturn]] void __abort_message(const char *, ...) { __builtin_trap(); }
