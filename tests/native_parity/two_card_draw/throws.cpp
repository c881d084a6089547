// gnu++17: exceptions thrown and caught within a decision: of its own, of the library, through frames with destructors
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static int alive;
struct Guard { Guard() { ++alive; } ~Guard() { --alive; } };
struct Own : std::runtime_error { int code; Own(int c) : std::runtime_error("own " + std::to_string(c)), code(c) {} };
static int deep(int n, int what) {
    Guard guard;
    if (n == 0) {
        if (what == 0) throw Own(what + 5);
        if (what == 1) throw what;
        if (what == 2) return std::vector<int>(3).at(7);
        if (what == 3) return std::stoi("no number");
        if (what == 4) return std::map<int, int>().at(5);
        return what;
    }
    return deep(n - 1, what) + 1;
}

class TwoCardDraw {
public:
    int init(int, int) { return 0; }
    int new_hand(int card1, int card2, int winnings) {
        try {
            return deep(card2 + 3, card1) + winnings;
        } catch (const Own &own) {
            return own.code * 100 + own.what()[4];
        } catch (int code) {
            return -code;
        } catch (const std::out_of_range &) {
            return 3000 + alive;
        } catch (const std::exception &) {
            return 4000 + alive;
        }
    }
    int round1(int card1, int card2, int bets) {
        int done = 0;
        try {
            try {
                deep(bets, card2 % 3);
            } catch (...) {
                done = 10;
                throw;
            }
        } catch (const std::exception &e) {
            done += int(std::string(e.what()).size() > 0);
        } catch (int) {
            done += 2;
        }
        return done + alive;
    }
    int draw(int, int, int) { return alive; }
    int round2(int, int, int, int bets2, int) { try { throw std::string(bets2 + 1, 'x'); } catch (std::string &s) { return int(s.size()); } }
    int showdown(int, int, int, int) { return 0; }
};
