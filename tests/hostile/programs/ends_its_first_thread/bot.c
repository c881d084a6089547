#include "hostile.h"

static int takes(void *nothing) {
    wait_for_a_question();
    for (int i = 0; i < 8; i++) {
        char *block = mmap(0, 50 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block != MAP_FAILED)
            memset(block, 1, 50 << 20);
    }
    for (;;)
        pause();
}
int main(void) {
    go_on_as(takes);
}
