// Throws an exception that nobody catches.
// Verdict: disqualified: gave up
int a(const Bot *) { throw 1; }
int b(const Bot *, int) { return 1; }
