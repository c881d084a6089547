/* Reads and writes where a bot may not: the functions that the compiler's AddressSanitizer calls.

   A shadow byte marks eight bytes of the memory (Serebryany, Bruening, Potapenko and Vyukov, "AddressSanitizer: A Fast
   Address Sanity Checker", USENIX ATC 2012). The compiler marks the gaps between local and between global variables,
   heap.c those between blocks. Where nothing is marked, and beyond what the shadow covers, all may be used. */

#include "finding.h"

#include <string.h>

enum {
    GRAIN = 8,
    COVERED = 128 << 20,
    STACK_TOP = 8 << 20, /* the stack lies first: BOT_STACK of limits.py */
    ALLOCA_GAP = 32,
};

int next_is_told;
static uint8_t shadow[COVERED / GRAIN];
uint8_t *__asan_shadow_memory_dynamic_address = shadow;

void mark(uintptr_t at, size_t size, uint8_t with)
{
    if (at < COVERED)
        memset(shadow + at / GRAIN, with, (size < COVERED - at ? size : COVERED - at) / GRAIN);
}

void mark_usable(uintptr_t at, size_t size)
{
    mark(at, size, 0);
    if (size % GRAIN && at + size < COVERED)
        shadow[(at + size) / GRAIN] = size % GRAIN;
}

/* The mark of the first byte that may not be used, 0 if all may. */
static uint8_t first_mark(uintptr_t at, size_t size)
{
    uintptr_t end = at + size;
    if (end > COVERED || end < at)
        return 0;
    for (uintptr_t grain = at / GRAIN; grain * GRAIN < end; grain++) {
        uint8_t marked = shadow[grain];
        if (marked && (marked > GRAIN || end - grain * GRAIN > marked))
            return marked > GRAIN ? marked : shadow[grain + 1];
    }
    return 0;
}

static const char *place_of(uint8_t marked)
{
    switch (marked) {
    case 0xf1: case 0xf2: case 0xf3: case 0xca: case 0xcb: return " beside a local variable or array";
    case 0xf5: case 0xf8: return " in a local variable whose block was left";
    case 0xf9: return " beside a global variable or array";
    case BESIDE_BLOCK: return " beside a block of malloc or new";
    case FREED: return " in a block that was freed";
    default: return " where nothing is";
    }
}

void check_bytes(const void *given, size_t size, int writes)
{
    uintptr_t at = (uintptr_t)given;
    if (!size)
        return;
    int through_null = at < NULL_PAGE && at < (uintptr_t)__builtin_frame_address(0);
    uint8_t marked = through_null ? 0 : first_mark(at, size);
    if (!through_null && !marked)
        return;
    if (next_is_told) {
        next_is_told = 0;
        return;
    }
    Words words = {.size = 0};
    add_words(&words, writes ? "writes " : "reads ");
    if (through_null) {
        add_words(&words, "through a null pointer");
    } else {
        add_number(&words, (int64_t)size);
        add_words(&words, size == 1 ? " byte" : " bytes");
        add_words(&words, place_of(marked));
    }
    tell(FINDING, 0, &words);
    __builtin_trap();
}

#define OF_SIZE(size)                                                         \
    void __asan_load##size(const void *at) { check_bytes(at, size, 0); }      \
    void __asan_store##size(const void *at) { check_bytes(at, size, 1); }
OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(16)
void __asan_loadN(const void *at, size_t size) { check_bytes(at, size, 0); }
void __asan_storeN(const void *at, size_t size) { check_bytes(at, size, 1); }

#define MARKED_AS(mark_in_hex) \
    void __asan_set_shadow_##mark_in_hex(uint8_t *at, size_t size) { memset(at, 0x##mark_in_hex, size); }
MARKED_AS(00)
MARKED_AS(01)
MARKED_AS(02)
MARKED_AS(03)
MARKED_AS(04)
MARKED_AS(05)
MARKED_AS(06)
MARKED_AS(07)
MARKED_AS(f1)
MARKED_AS(f2)
MARKED_AS(f3)
MARKED_AS(f5)
MARKED_AS(f8)
void __asan_poison_stack_memory(uintptr_t at, size_t size) { mark(at, size + GRAIN - 1, 0xf8); }
void __asan_unpoison_stack_memory(uintptr_t at, size_t size) { mark_usable(at, size); }

void __asan_alloca_poison(uintptr_t at, size_t size)
{
    uintptr_t end = (at + size + ALLOCA_GAP - 1) & ~(uintptr_t)(ALLOCA_GAP - 1);
    mark(at - ALLOCA_GAP, ALLOCA_GAP, 0xca);
    mark(at, end + ALLOCA_GAP - at, 0xcb);
    mark_usable(at, size);
}

void __asan_allocas_unpoison(uintptr_t top, uintptr_t bottom)
{
    if (top && top < bottom)
        mark(top, bottom - top, 0);
}

/* Frames are left without their own code: all of the stack may be used again. */
void __asan_handle_no_return(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)(GRAIN - 1);
    if (here < STACK_TOP)
        mark(here, STACK_TOP - here, 0);
}

/* The libraries' functions throw, too, and are not compiled to call this. */
__attribute__((weak, noreturn)) void __real___cxa_throw(void *thrown, void *type, void *destructor);

__attribute__((noreturn)) void __wrap___cxa_throw(void *thrown, void *type, void *destructor)
{
    __asan_handle_no_return();
    __real___cxa_throw(thrown, type, destructor);
}

/* A global variable, as the compiler describes it; its gap lies behind it. */
typedef struct Global {
    uintptr_t at;
    size_t size, size_with_gap;
    const void *name, *module;
    uintptr_t is_initialised_at_start, place, indicator;
} Global;

void __asan_register_globals(const Global *globals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t usable = (globals[i].size + GRAIN - 1) & ~(size_t)(GRAIN - 1);
        mark(globals[i].at + usable, globals[i].size_with_gap - usable, 0xf9);
        mark_usable(globals[i].at, globals[i].size);
    }
}

void *__asan_memcpy(void *to, const void *from, size_t size)
{
    check_bytes(from, size, 0);
    check_bytes(to, size, 1);
    return memmove(to, from, size);
}

void *__asan_memmove(void *to, const void *from, size_t size) { return __asan_memcpy(to, from, size); }

void *__asan_memset(void *to, int value, size_t size)
{
    check_bytes(to, size, 1);
    return memset(to, value, size);
}

/* What else the compiler calls, of no use here. */
void __asan_init(void) {}
void __asan_version_mismatch_check_v8(void) {}
void __asan_unregister_globals(const Global *globals, size_t count) { (void)globals, (void)count; }
void __asan_before_dynamic_init(const char *module) { (void)module; }
void __asan_after_dynamic_init(void) {}
void __sanitizer_annotate_contiguous_container(const void *a, const void *b, const void *c, const void *d)
{
    (void)a, (void)b, (void)c, (void)d;
}
void __sanitizer_annotate_double_ended_contiguous_container(
    const void *a, const void *b, const void *c, const void *d, const void *e, const void *f)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
}
