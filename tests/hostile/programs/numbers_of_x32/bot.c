#include "hostile.h"


int main(void) {
#ifdef __x86_64__
    long calls[] = {SYS_fork, SYS_socket, SYS_ptrace, SYS_kill};
    for (int i = 0; i < 4; i++)
        if (syscall(0x40000000 | calls[i], 2, 1, 0, 0) >= 0)
            return 1;
#endif
    play();
}
