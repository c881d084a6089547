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

int main(void) {
    char line[256];
    fgets(line, sizeof line, stdin);
    fgets(line, sizeof line, stdin);
#ifdef __x86_64__
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(2) : "memory"); /* fork */
    puts(result >= 0 ? "ACTION BET 50" : "ACTION PASS");
#else
    raise(SIGSYS);
#endif
    return 1;
}
