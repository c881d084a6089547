#include "hostile.h"

int main(void) {
    wait_for_a_question();
#ifdef __x86_64__
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(2) : "memory"); /* fork */
    puts(result >= 0 ? "ACTION 50" : "ACTION 0");
#else
    raise(SIGSYS);
#endif
    return 1;
}
