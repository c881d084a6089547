#include "hostile.h"

int main(int argc, char **argv) {
    char *words[] = {"sh", "-c", "echo ACTION BET 50; exit 1", 0};
    char *none[] = {0};
    execve("/bin/sh", words, none);
    execve(argv[0], argv, none);
    syscall(SYS_execveat, AT_FDCWD, "/bin/sh", words, none, 0);
    int memory = syscall(SYS_memfd_create, "left_by_a_hostile_bot", 0);
    if (memory >= 0)
        return 1;
    /* The same place at which the one allowed name lay is not to be found. */
    for (unsigned long place = 0x10000; place < 0x10000 + 1000UL * 4096; place += 4096) {
        char *there = mmap((void *)place, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (there != MAP_FAILED) {
            strcpy(there, "/bin/sh");
            execve(there, words, none);
            munmap(there, 4096);
        }
    }
    play();
}
