// gnu++11: names of the program's own that C++17 gave to the library: data, size, byte, and those that C++11 had not
#include <iostream>
#include <string>
#include <vector>
using namespace std;

typedef unsigned char byte;
int data[25], size = 3;
vector<byte> bytes;

class TwoCardDraw {
public:
    int init(int bet1, int bet2) { data[0] = bet1; data[1] = bet2; return 0; }
    int new_hand(int card1, int card2, int winnings) { data[card1 * 5 + card2]++; size = (size + winnings) % 97; bytes.push_back((byte)size); return data[card1] + size; }
    int round1(int card1, int card2, int bets) { byte b = (byte)(data[card2] * 90 + bets); return b; }
    int draw(int card1, int card2, int bets) { return (int)bytes[bytes.size() / 2] + size; }
    int round2(int card1, int card2, int bets1, int bets2, int drew) { return data[(card1 + bets1) % 25] * size + bets2 + drew; }
    int showdown(int card1, int card2, int opp1, int opp2) { data[opp1 * 5 + opp2] += 2; return 0; }
};
