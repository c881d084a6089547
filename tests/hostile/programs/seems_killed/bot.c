#include "hostile.h"

static int waits(void *nothing) {
    wait_for_a_question();
    close(1);
    for (;;)
        pause();
}
int main(void) {
    char *stack = mmap(0, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    clone(waits, stack + (1 << 20), CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, 0);
    syscall(SYS_exit, 0);
}
