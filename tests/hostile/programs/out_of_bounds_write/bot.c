#include "hostile.h"

int main(void) {
    wait_for_a_question();
    *(volatile int *)8 = 1;
}
