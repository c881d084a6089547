#include "hostile.h"

int main(void) {
    for (volatile int i = 0;; i = i + 1) {
    }
}
