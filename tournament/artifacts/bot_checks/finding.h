/* What the checked build of a bot finds, told on standard error: a line for each finding, for `tournament.artifacts.
   bot_checks` to read. It begins with FINDING or WARNING and the line of the bot's source, 0 where the trap that follows
   tells the place. */

#include <stddef.h>
#include <stdint.h>

enum {
    FINDING = '!',
    WARNING = '?',
    NULL_PAGE = 1 << 16, /* the far end of the stack, which no bot that doesn't overflow it reaches */
};

typedef struct Words {
    char text[240];
    unsigned size;
} Words;

/* Words behind those that are there, as many as there is room for. */
void add_words(Words *words, const char *more);
void add_number(Words *words, int64_t number);
/* Tell a finding, with a line's end behind it. */
void tell(char sort, uint32_t line, const Words *words);

/* Tell and trap if bytes that are to be read or written lie where the bot may not. */
void check_bytes(const void *at, size_t size, int writes);
/* The next such bytes have been told of, with their line: the bot plays on, as it does in a tournament. */
extern int next_is_told;

/* How bytes of the memory are marked, eight by a byte: 0 all may be used, 1 to 7 the first so many. The others are the
   compiler's, but for the heap's. */
enum { FREED = 0xfd, BESIDE_BLOCK = 0xfa };
void mark(uintptr_t at, size_t size, uint8_t with);
/* The first bytes may be used; those behind, up to a multiple of eight, are marked. */
void mark_usable(uintptr_t at, size_t size);
