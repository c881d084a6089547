// gnu++17: templates: variadic, specialised, SFINAE, folds, if constexpr, CRTP, constexpr tables, expression templates
#include "texas.h"
#include <array>
#include <tuple>
#include <type_traits>

template <class... T> constexpr auto sum(T... x) { return (x + ... + 0); }
template <int N> struct Power { enum { value = 3 * Power<N - 1>::value }; };
template <> struct Power<0> { enum { value = 1 }; };
template <class T> std::enable_if_t<std::is_integral<T>::value, int> kind(T) { return 1; }
template <class T> std::enable_if_t<std::is_floating_point<T>::value, int> kind(T) { return 2; }
template <class Derived> struct Scored { int twice() const { return 2 * static_cast<const Derived *>(this)->score(); } };
struct Pair : Scored<Pair> { int x; explicit Pair(int v) : x(v) {} int score() const { return x + 1; } };
template <class T> int size_of(const T &t) { if constexpr (std::is_array_v<T>) return int(sizeof t / sizeof *t); else return -1; }
constexpr auto primes() { std::array<int, 20> a{}; int n = 0; for (int i = 2; n < 20; ++i) { bool p = true; for (int j = 0; j < n; ++j) p = p && i % a[j]; if (p) a[n++] = i; } return a; }
static constexpr auto table = primes();
template <class Tuple, std::size_t... I> int each(const Tuple &t, std::index_sequence<I...>) { return sum(std::get<I>(t)...); }
template <template <class...> class C, class T> struct Holder { C<T, T> both; };

std::pair<ActionType, int> makeDecision(const State &state)
{
    const int v = state.alice[0].value, w = state.alice[1].value;
    auto t = std::make_tuple(v, w, 3, state.alice[0].color);
    Holder<std::pair, int> h{{v, w}};
    const int x = sum(v, w, 4) + Power<5>::value + kind(v) * 10 + kind(2.5) * 20 + Pair(v).twice() + size_of(state.community) * 1000
        + table[v + 3] + each(t, std::make_index_sequence<4>()) + h.both.second + std::get<0>(t) + std::tuple_size<decltype(t)>::value;
    static_assert(table[19] == 71, "the twentieth prime");
    return {ActionType::RAISE, x + (std::tie(v, w) < std::make_tuple(w, v))};
}
