// Ten lines that become gigabytes.
// Verdict: broken: at it or took or error or memory or crashed
#define A(x) x x x x x x x x x x x x x x x x
#define C(x) A(x) A(x) A(x) A(x) A(x) A(x) A(x) A(x)
#define D(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x)
#define E(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x)
#define F(x) E(x) E(x) E(x) E(x) E(x) E(x) E(x) E(x)
#define G(x) F(x) F(x) F(x) F(x) F(x) F(x) F(x) F(x)
#define H(x) G(x) G(x) G(x) G(x) G(x) G(x) G(x) G(x)
int a(const Bot *bot) {
    int sum = 0;
    H(H(sum++;))
    return sum;
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
