#include "hostile.h"

static int deeper(volatile int *number) {
    volatile int next = *number + 1;
    return deeper(&next) + next;
}
int main(void) {
    wait_for_a_question();
    volatile int number = 0;
    return deeper(&number);
}
