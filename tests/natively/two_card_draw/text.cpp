// gnu++17: std::string: found, replaced, cut, compared, turned into numbers and back
#include <string>
#include <algorithm>
#include <cctype>

class TwoCardDraw {
    std::string story;
public:
    int init(int bet1, int bet2) { story = "bets " + std::to_string(bet1) + " and " + std::to_string(bet2) + ": "; return 0; }
    int new_hand(int card1, int card2, int winnings) {
        story += std::string(1, char('a' + card1)) + char('A' + card2) + std::to_string(winnings) + ",";
        if (story.size() > 300)
            story.erase(20, 100);
        return int(story.find(',', 40)) + int(story.rfind('-')) * 7 + int(story.size()) * 1000;
    }
    int round1(int card1, int card2, int bets) {
        std::string copy = story;
        std::reverse(copy.begin(), copy.end());
        std::transform(copy.begin(), copy.end(), copy.begin(), [](unsigned char c) { return char(std::toupper(c)); });
        return copy.compare(story) < 0 ? bets : int(copy.find_first_of("ABC")) + 100 * int(copy.find_last_not_of("0123456789"));
    }
    int draw(int card1, int card2, int bets) { return std::stoi("12" + std::to_string(card1)) + int(std::stod("1.5e2")) + int(std::stoll("777", nullptr, 8)); }
    int round2(int card1, int card2, int bets1, int bets2, int drew) {
        std::string part = story.substr(story.size() / 2, 12);
        part.replace(2, 3, "xyz-").insert(1, drew, '*').push_back('!');
        unsigned h = 0;
        for (char c : part)
            h = h * 31 + (unsigned char)c;
        return int(h) + int(part.compare(0, 3, "abc") > 0) + bets2;
    }
    int showdown(int, int, int opp1, int opp2) { story.append(std::to_string(opp1 * 10 + opp2)).append(";"); return 0; }
};
