// Its constructor never ends.
// Verdict: broken: can't start: ran out of fuel
struct Endless {
    Endless() {
        for (volatile int i = 0;; i = i + 1) {
        }
    }
} endless;
int a(const Bot *) { return 1; }
int b(const Bot *, int) { return 1; }
