#include "hostile.h"

static int forever(void *nothing) {
    for (;;)
        pause();
}
int main(void) {
    int count = 0;
    for (int i = 0; i < 5000; i++) {
        char *stack = mmap(0, 16384, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED)
            break;
        int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
        if (clone(forever, stack + 16384, flags, 0) > 0)
            count++;
    }
    fprintf(stderr, "%d threads\n", count);
    for (;;)
        pause();
}
