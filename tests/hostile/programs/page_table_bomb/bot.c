#include "hostile.h"

int main(void) {
    unsigned long size = 200UL << 30;
    char *block = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block != MAP_FAILED)
        return 1;
    play();
}
