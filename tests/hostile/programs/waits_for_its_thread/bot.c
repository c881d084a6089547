#include "hostile.h"

static int forever(void *nothing) {
    for (;;)
        pause();
}
int main(void) {
    wait_for_a_question();
    char *stack = mmap(0, 16384, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_VFORK;
    clone(forever, stack + 16384, flags, 0);
    play();
}
