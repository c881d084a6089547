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

/* Play on as honest ones do. */
static void play(void) {
    if (!fgets(line, sizeof line, stdin))
        exit(0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "STATE %c", &question) != 1)
            return;
        puts(question == 'A' ? "ACTION BET 5" : "ACTION FOLD");
        fflush(stdout);
    }
}
