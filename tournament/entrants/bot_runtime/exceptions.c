#include <stddef.h>

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
