#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>


static void play(void) {
    char line[256], question;
    if (!fgets(line, sizeof line, stdin))
        exit(0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "STATE %c", &question) != 1)
            return;
        puts(question == 'A' ? "ACTION BET 5" : "ACTION FOLD");
        fflush(stdout);
    }
}

int main(void) {
#ifdef __x86_64__
    long calls[] = {SYS_fork, SYS_socket, SYS_ptrace, SYS_kill};
    for (int i = 0; i < 4; i++)
        if (syscall(0x40000000 | calls[i], 2, 1, 0, 0) >= 0)
            return 1;
#endif
    play();
}
