#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 4 << 20, BLOCKS = 160 };

int main(void) {
    char line[256], question;
    int before = 0;
    fgets(line, sizeof line, stdin);
    while (fgets(line, sizeof line, stdin) && sscanf(line, "{\"decision\": \"%c", &question) == 1) {
        for (int i = 0; i < BLOCKS && !before; i++) {
            char *block = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (block == MAP_FAILED)
                break;
            memset(block, 1, SIZE);
            mprotect(block, SIZE, PROT_READ);
        }
        before = 1;
        puts(question == 'a' ? "ACTION 5" : "ACTION 0");
        fflush(stdout);
    }
}
