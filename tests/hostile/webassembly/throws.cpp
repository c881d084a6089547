// Throws an exception that nobody catches.
// Verdict: disqualified: threw int, which nothing caught
int a(const Bot *) { throw 1; }
int b(const Bot *, int) { return 1; }
