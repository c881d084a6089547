#include "hostile.h"

int main(int argc, char **argv) {
    char *words[] = {"sh", "-c", "echo ACTION 50; exit 1", 0};
    char *none[] = {0};
    execve("/bin/sh", words, none);
    syscall(SYS_execveat, AT_FDCWD, "/bin/sh", words, none, 0);
    int memory = syscall(SYS_memfd_create, "left_by_a_hostile_bot", 0);
    if (memory >= 0)
        return 1;
    /* Itself may be executed: under the same filter, domain and limits. */
    if (argc == 1) {
        char *again[] = {argv[0], "again", 0};
        execve(argv[0], again, none);
        return 2;
    }
    if (syscall(SYS_fork) != -1 || open("/etc/passwd", O_RDONLY) != -1)
        return 3;
    play();
}
