#include "hostile.h"

int main(void) {
    wait_for_a_question();
    int kinds[] = {MAP_PRIVATE | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN};
    long pages = 0;
    for (int kind = 0; kind < 3; kind++)
        for (;;) {
            char *block = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, kinds[kind], -1, 0);
            if (block == MAP_FAILED)
                break;
            for (int i = 0; i < 1 << 20; i += 4096)
                block[i] = 1;
            pages += 256;
        }
    /* Mapped for reading, then made writable. */
    for (;;) {
        char *block = mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED || mprotect(block, 1 << 20, PROT_READ | PROT_WRITE))
            break;
        block[0] = 1;
        pages += 256;
    }
    fprintf(stderr, "%ld MiB\n", pages >> 8);
    if (pages >> 8 > 400)
        puts("ACTION 50 with too much");
    exit(9);
}
