// gnu++17: streams: formatting with setw, setprecision, hex, fixed, boolalpha; reading words, numbers and lines
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

class TwoCardDraw {
    std::ostringstream log;
    static int mix(const std::string &s) { unsigned h = 1; for (unsigned char c : s) h = h * 33 + c; return int(h); }
public:
    int init(int bet1, int bet2) { log << "bets " << bet1 << ' ' << bet2 << '\n'; return 0; }
    int new_hand(int card1, int card2, int winnings) {
        log << std::setw(4) << card1 << std::left << std::setw(5) << card2 << '|' << std::right << std::showpos << winnings << std::noshowpos << '\n';
        std::ostringstream one;
        one << std::hex << std::showbase << winnings << ' ' << std::oct << 64 << std::dec << ' ' << std::boolalpha << (card1 == card2) << ' '
            << std::setfill('0') << std::setw(6) << card2 << ' ' << std::uppercase << std::hex << 0xbeef;
        std::cout << one.str() << std::endl;
        std::cerr << card1 << "\n";
        return mix(one.str());
    }
    int round1(int card1, int card2, int bets) {
        std::ostringstream one;
        const double x = (card1 + 1) / 7.0 * (card2 + 3), values[] = {x, x * 1e8, x / 1e6, 1e20 * x, 0.1 * x, 100};
        for (double v : values)
            one << v << ' ' << std::fixed << std::setprecision(3) << v << ' ' << std::scientific << v << ' ' << std::setprecision(12)
                << v << std::defaultfloat << std::setprecision(6) << ' ';
        return mix(one.str()) + bets;
    }
    int draw(int card1, int card2, int bets) {
        std::istringstream in("12 3.5 word 0x1f -7 x9");
        int n = 0, m = 0, hex = 0; double d = 0; std::string word, rest; char c = 0;
        in >> n >> d >> word >> std::hex >> hex >> std::dec >> m >> c;
        std::getline(in, rest);
        bool fails = bool(in >> n);
        return n + int(d * 10) + int(word.size()) + hex + m + c + int(rest.size()) + fails * 1000 + in.eof() * 500 + card1;
    }
    int round2(int card1, int card2, int bets1, int bets2, int drew) {
        std::istringstream in(log.str());
        std::string line;
        int lines = 0, longest = 0;
        while (std::getline(in, line)) {
            ++lines;
            longest = std::max(longest, int(line.size()));
        }
        return lines * 100 + longest + drew + mix(log.str());
    }
    int showdown(int, int, int opp1, int opp2) { log << opp1 << "/" << opp2 << std::endl; return 0; }
};
