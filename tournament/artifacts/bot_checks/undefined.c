/* What the languages leave undefined, and this machine does in its own way: the functions that the compiler's
   UndefinedBehaviorSanitizer calls. The bot plays on, as it does in a tournament. */

#include "finding.h"

#include <string.h>

enum { MOST_PLACES = 256, INTEGER = 0, SIGNED = 1 };

/* A place of the source, and a type, as the compiler describes them. */
typedef struct Place {
    const char *file;
    uint32_t line, column;
} Place;

typedef struct Type {
    uint16_t kind, about;
    char name[];
} Type;

/* What its functions get first: a place, and mostly a type. */
typedef struct Described {
    Place place;
    const Type *type, *other;
} Described;

typedef struct Access {
    Place place;
    const Type *type;
    uint8_t alignment, kind;
} Access;

/* Each place is told of once. */
static int is_told(const void *described)
{
    static const void *told[MOST_PLACES];
    unsigned at = (uintptr_t)described / 4 % MOST_PLACES;
    for (unsigned tried = 0; tried < MOST_PLACES; tried++, at = (at + 1) % MOST_PLACES) {
        if (told[at] == described)
            return 1;
        if (!told[at]) {
            told[at] = described;
            return 0;
        }
    }
    return 1;
}

/* Tell of a place in the bot's file. One in a header is where the bot's function called it, which a trap tells. */
static void tell_of(char sort, const Place *place, const Words *words)
{
    if (strstr(place->file, "bot/")) {
        tell(sort, place->line, words);
        return;
    }
    tell(sort, 0, words);
    __builtin_trap();
}

/* A number of a type: itself where it fits in an address, else there. */
static void add_value(Words *words, const Type *type, uintptr_t value)
{
    unsigned bits = 1u << (type->about >> 1), is_signed = type->about & SIGNED;
    if (type->kind != INTEGER || bits > 64)
        add_words(words, "a number");
    else if (bits == 64)
        add_number(words, *(const int64_t *)value);
    else if (is_signed)
        add_number(words, (int32_t)((uint32_t)value << (32 - bits)) >> (32 - bits));
    else
        add_number(words, (int64_t)value);
}

static void tell_simply(char sort, const Described *described, const char *what, const char *more)
{
    if (is_told(described))
        return;
    Words words = {.size = 0};
    add_words(&words, what);
    add_words(&words, more);
    tell_of(sort, &described->place, &words);
}

void __ubsan_handle_type_mismatch_v1(const Access *access, uintptr_t at)
{
    int null = at < NULL_PAGE && at < (uintptr_t)__builtin_frame_address(0);
    int misaligned = !null && at & (((uintptr_t)1 << access->alignment) - 1);
    next_is_told = !misaligned;
    if (is_told(access))
        return;
    Words words = {.size = 0};
    add_words(&words, null ? "uses a null pointer as " : misaligned ? "uses an address that isn't aligned as "
                                                                    : "uses too few bytes as ");
    add_words(&words, access->type->name);
    tell_of(misaligned ? WARNING : FINDING, &access->place, &words);
}

void __ubsan_handle_out_of_bounds(const Described *described, uintptr_t index)
{
    next_is_told = 1;
    if (is_told(described))
        return;
    Words words = {.size = 0};
    add_words(&words, "index ");
    add_value(&words, described->other, index);
    add_words(&words, " of ");
    add_words(&words, described->type->name);
    tell_of(FINDING, &described->place, &words);
}

void __ubsan_handle_shift_out_of_bounds(const Described *described, uintptr_t left, uintptr_t right)
{
    if (is_told(described))
        return;
    Words words = {.size = 0};
    add_words(&words, "shifts ");
    add_value(&words, described->type, left);
    add_words(&words, " by ");
    add_value(&words, described->other, right);
    add_words(&words, ", which ");
    add_words(&words, described->type->name);
    add_words(&words, " can't");
    tell_of(FINDING, &described->place, &words);
}

static void tell_overflow(const Described *described, uintptr_t left, const char *operation, uintptr_t right)
{
    if (is_told(described))
        return;
    Words words = {.size = 0};
    add_words(&words, "overflows ");
    add_words(&words, described->type->name);
    add_words(&words, ": ");
    add_value(&words, described->type, left);
    add_words(&words, operation);
    add_value(&words, described->type, right);
    tell_of(WARNING, &described->place, &words);
}

void __ubsan_handle_add_overflow(const Described *what, uintptr_t a, uintptr_t b) { tell_overflow(what, a, " + ", b); }
void __ubsan_handle_sub_overflow(const Described *what, uintptr_t a, uintptr_t b) { tell_overflow(what, a, " - ", b); }
void __ubsan_handle_mul_overflow(const Described *what, uintptr_t a, uintptr_t b) { tell_overflow(what, a, " * ", b); }

void __ubsan_handle_negate_overflow(const Described *what, uintptr_t value)
{
    (void)value;
    tell_simply(WARNING, what, "negates the smallest ", what->type->name);
}

void __ubsan_handle_divrem_overflow(const Described *what, uintptr_t left, uintptr_t right)
{
    (void)left, (void)right;
    tell_simply(FINDING, what, "divides by zero, or the smallest number by -1, in ", what->type->name);
}

void __ubsan_handle_load_invalid_value(const Described *what, uintptr_t value)
{
    (void)value;
    tell_simply(FINDING, what, "reads what is no value of ", what->type->name);
}

void __ubsan_handle_float_cast_overflow(const Described *what, uintptr_t value)
{
    (void)value;
    tell_simply(FINDING, what, "converts a number that is too large, or NaN, to ", what->other->name);
}

void __ubsan_handle_vla_bound_not_positive(const Described *what, uintptr_t bound)
{
    (void)bound;
    tell_simply(FINDING, what, "makes an array of no or a negative size: ", what->type->name);
}

void __ubsan_handle_missing_return(const Described *what)
{
    tell_simply(FINDING, what, "reaches the end of a function that must return a value", "");
    __builtin_trap();
}

void __ubsan_handle_builtin_unreachable(const Described *what)
{
    tell_simply(FINDING, what, "goes on where nothing does, as after a function that doesn't return", "");
    __builtin_trap();
}

/* The C++ library found that it was used wrongly, or would throw: it passes a format and the address of its values. */
__attribute__((weak, noreturn)) void __real__ZNSt3__122__libcpp_verbose_abortEPKcz(const char *, const char **values);

__attribute__((noreturn)) void __wrap__ZNSt3__122__libcpp_verbose_abortEPKcz(const char *format, const char **values)
{
    const char *failed = strcmp(format, "%s") ? NULL : strstr(values[0], "failed: ");
    if (!failed)
        __real__ZNSt3__122__libcpp_verbose_abortEPKcz(format, values);
    Words words = {.size = 0};
    add_words(&words, failed + strlen("failed: "));
    tell(FINDING, 0, &words);
    __builtin_trap();
}

void __ubsan_handle_alignment_assumption(const void *what, uintptr_t at, uintptr_t alignment, uintptr_t offset)
{
    (void)what, (void)at, (void)alignment, (void)offset; /* the library's own */
}

void __ubsan_handle_invalid_builtin(const Described *what)
{
    tell_simply(FINDING, what, "counts the zeros of 0, which has no answer", "");
}
