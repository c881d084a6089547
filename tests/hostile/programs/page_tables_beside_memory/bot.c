#include "hostile.h"

int main(void) {
    volatile char seen = 0;
    char *volatile block = malloc(100 << 20); // volatile: a compiler leaves out what nobody reads
    wait_for_a_question();
    memset(block, 1, 100 << 20);
    for (int i = 0; i < 60; i++) {
        unsigned long size = 1UL << 30;
        char *zeros = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (zeros == MAP_FAILED)
            break;
        madvise(zeros, size, MADV_NOHUGEPAGE);
        for (unsigned long at = 0; at < size; at += 2 << 20)
            seen += zeros[at];
    }
    for (;;)
        pause();
}
