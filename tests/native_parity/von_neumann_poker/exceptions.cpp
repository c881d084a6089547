// gnu++17: exceptions: caught by type, thrown again and kept, through frames with objects, in constructors, before the first decision
#include <new>
#include <stdexcept>
#include <vector>
struct Point { int x, y; };
struct Own : std::exception { const char *what() const noexcept override { return "mine"; } };
static int destroyed, in_flight, asked;
static char *volatile kept;
struct Counted { ~Counted() { destroyed++; } };
__attribute__((noinline)) static int deep(int n) { Counted c; return n ? deep(n - 1) + 1 : throw 7; }
struct Third { Counted c; static int made; Third() { if (++made == 3) throw made; } };
int Third::made;
struct Asks { ~Asks() { in_flight = std::uncaught_exceptions(); } };
static int fails_at_start() { throw 14; }
static int at_start() { try { return fails_at_start(); } catch (int n) { return n; } }
static int caught_at_start = at_start();
static int (*const cases[])(int) = {
    [](int) { try { try { throw Point{3, 4}; } catch (Point &p) { p.x = 9; throw; } } catch (const Point &p) { return p.x; } return 0; },
    [](int) { try { throw 2.5; } catch (int) { return 1; } catch (double d) { return int(d * 2); } catch (...) { return 3; } },
    [](int) { try { throw std::out_of_range("zebra"); } catch (const std::exception &e) { return int(e.what()[0]); } },
    [](int) { try { throw "words"; } catch (...) { return 7; } },
    [](int) { try { try { throw 1; } catch (int i) { throw i * 2.5; } } catch (double d) { return int(d * 2); } return 0; },
    [](int) { try { return deep(50); } catch (int n) { return n * 1000 + destroyed; } },
    [](int) { Third::made = 0; try { new Third[5]; } catch (int) { return destroyed; } return 0; },
    [](int n) { std::vector<int> v(3); try { return v.at(n + 3); } catch (const std::out_of_range &) { return 5; } },
    [](int n) { try { kept = new char[std::size_t(-1) / 2 - n]; return 1; } catch (const std::bad_alloc &) { return 6; } },
    [](int) { std::exception_ptr kept; try { throw Own(); } catch (...) { kept = std::current_exception(); }
              try { std::rethrow_exception(kept); } catch (const Own &o) { return int(o.what()[0]); } },
    [](int) { try { Asks asks; throw 1; } catch (int) { return in_flight + 10 * std::uncaught_exceptions(); } },
    [](int) { return caught_at_start; },
};

int a(const Bot *bot) { destroyed = 0; return cases[asked++ % 12](bot->money); }
int b(const Bot *bot, const int bet) { destroyed = 0; return cases[(asked++ + bet) % 12](bot->money); }
