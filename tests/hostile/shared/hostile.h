/* What hostile programs in C have in common. */
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

static char line[256], question;

static void wait_for_a_question(void) {
    fgets(line, sizeof line, stdin);
    fgets(line, sizeof line, stdin);
}

/* Start a thread, and end the first one alone. */
static inline void go_on_as(int (*thread)(void *)) {
    char *stack = mmap(0, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    clone(thread, stack + (1 << 20), CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, 0);
    syscall(SYS_exit, 0);
}

/* Play on as honest ones do. */
static void play(void) {
    if (!fgets(line, sizeof line, stdin))
        exit(0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "{\"decision\": \"%c", &question) != 1)
            return;
        puts(question == 'a' ? "ACTION 5" : "ACTION 0");
        fflush(stdout);
    }
}
