#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Reading a shared mapping of /dev/zero takes pages that no limit counts. */
static int is_refused(int flags, const char *file) {
    int descriptor = file ? open(file, O_RDONLY) : -1;
    char *block = mmap(0, 1L << 30, PROT_READ, flags, descriptor, 0);
    return block == MAP_FAILED;
}

int main(void) {
    char line[256], question;
    if (!is_refused(MAP_SHARED, "/dev/zero") || !is_refused(MAP_SHARED_VALIDATE, "/dev/zero") ||
        !is_refused(MAP_SHARED | MAP_ANONYMOUS, 0) || !is_refused(MAP_SHARED_VALIDATE | MAP_ANONYMOUS, 0) ||
        !is_refused(MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, 0))
        exit(9);
    fgets(line, sizeof line, stdin);
    while (fgets(line, sizeof line, stdin) && sscanf(line, "{\"decision\": \"%c", &question) == 1) {
        puts(question == 'a' ? "ACTION 5" : "ACTION 0");
        fflush(stdout);
    }
}
