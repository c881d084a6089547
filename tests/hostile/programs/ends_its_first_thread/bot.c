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
    char *stack = mmap(0, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    clone(takes, stack + (1 << 20), CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, 0);
    syscall(SYS_exit, 0);
}
