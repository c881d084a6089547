// Templates that end after the sun.
// Verdict: broken: at it or took or error or memory
template <int depth, int side> struct Tree {
    enum { value = Tree<depth - 1, 2 * side>::value + Tree<depth - 1, 2 * side + 1>::value };
};
template <int side> struct Tree<0, side> {
    enum { value = side };
};
int a(const Bot *) { return Tree<29, 1>::value; }
int b(const Bot *, int) { return 1; }
