// gnu++11: iterators: one of its own, reversed, of streams, inserting, moving; ranges of begin and end
#include "texas.h"
#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

struct Counter {
    int at;
    typedef std::forward_iterator_tag iterator_category;
    typedef int value_type;
    typedef std::ptrdiff_t difference_type;
    typedef const int *pointer;
    typedef const int &reference;
    const int &operator*() const { return at; }
    Counter &operator++() { at += 3; return *this; }
    Counter operator++(int) { Counter old = *this; at += 3; return old; }
    bool operator==(const Counter &o) const { return at == o.at; }
    bool operator!=(const Counter &o) const { return at != o.at; }
};
struct Range { int from, to; Counter begin() const { return Counter{from}; } Counter end() const { return Counter{to}; } };

std::pair<ActionType, int> makeDecision(const State &state)
{
    const int v = state.alice[0].value;
    std::vector<int> numbers;
    for (int x : Range{v, v + 30})
        numbers.push_back(x);
    std::copy(Counter{0}, Counter{12}, std::inserter(numbers, numbers.begin() + 2));
    std::ostringstream out;
    std::copy(numbers.rbegin(), numbers.rend(), std::ostream_iterator<int>(out, " "));
    std::istringstream in(out.str());
    std::vector<int> back((std::istream_iterator<int>(in)), std::istream_iterator<int>());
    std::vector<int> moved(std::make_move_iterator(back.begin()), std::make_move_iterator(back.end()));
    int h = int(std::distance(std::begin(moved), std::find(std::begin(moved), std::end(moved), v)));
    for (int x : moved)
        h = (h * 7 + x) % 1000003;
    return {ActionType::RAISE, 1 + h};
}
