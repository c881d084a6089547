// gnu++11: unique_ptr, shared_ptr, weak_ptr, deleters, moves, a tree that owns its branches
#include "texas.h"
#include <map>
#include <memory>
#include <string>
#include <vector>
using namespace std;

static int freed;
struct Node {
    int value;
    unique_ptr<Node> left, right;
    explicit Node(int v) : value(v) {}
    ~Node() { ++freed; }
};
static void insert(unique_ptr<Node> &at, int v) { if (!at) at.reset(new Node(v)); else insert(v < at->value ? at->left : at->right, v); }
static int depth(const unique_ptr<Node> &at) { return at ? 1 + max(depth(at->left), depth(at->right)) : 0; }
static unique_ptr<Node> root;
static vector<weak_ptr<string>> seen;
static shared_ptr<string> last;

struct Moved { vector<int> v; Moved() = default; Moved(Moved &&o) : v(move(o.v)) { v.push_back(1); } Moved &operator=(Moved &&o) { v = move(o.v); return *this; } };

pair<ActionType, int> makeDecision(const State &state)
{
    for (const Card &c : state.alice)
        insert(root, c.value * 100 + c.color * 7 + freed);
    auto text = make_shared<string>(to_string(state.alice[0].value));
    seen.push_back(text);
    if (state.alice[1].color == 2)
        last = text;
    int alive = 0;
    for (const auto &w : seen)
        if (auto p = w.lock())
            alive += int(p->size());
    if (depth(root) > 12)
        root = move(root->left);
    Moved m, n;
    m.v = {1, 2, state.alice[0].value};
    n = Moved(move(m));
    shared_ptr<int> counted(new int(5), [](int *p) { freed += *p; delete p; });
    return {ActionType::RAISE, 1 + alive * 1000 + depth(root) * 10 + freed + int(n.v.size()) + int(counted.use_count())};
}
