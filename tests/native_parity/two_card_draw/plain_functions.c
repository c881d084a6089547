/* gnu17: the six functions in C, which keep what they saw in static tables */
static int bets_of[2], seen[5][5], hands, lost;

int init(int bet1, int bet2) { bets_of[0] = bet1; bets_of[1] = bet2; return 0; }
int new_hand(int card1, int card2, int winnings) { hands++; lost += winnings < 0; return card1 == card2 ? hands * 3 : hands + lost; }
int round1(int card1, int card2, int bets) { return seen[card1][card2] * bets + bets_of[0]; }
int draw(int card1, int card2, int bets) { return card1 == card2 ? 0 : card2 == 4 ? 1 : bets + 2; }
int round2(int card1, int card2, int bets1, int bets2, int drew) { return seen[card2][card2] + (bets2 << bets1) + drew * bets_of[1]; }
int showdown(int card1, int card2, int opp1, int opp2) { return ++seen[opp1][opp2]; }
