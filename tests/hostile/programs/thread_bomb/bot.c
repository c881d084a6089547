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
