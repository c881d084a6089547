#include "hostile.h"

static int waits(void *nothing) {
    wait_for_a_question();
    close(1);
    for (;;)
        pause();
}
int main(void) {
    go_on_as(waits);
}
