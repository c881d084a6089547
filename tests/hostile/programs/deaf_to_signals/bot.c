#include "hostile.h"

int main(void) {
    for (int number = 1; number < 65; number++)
        signal(number, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, 0);
    setsid();
    wait_for_a_question();
    for (;;)
        pause();
}
