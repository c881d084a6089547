/* gnu89: the six functions with K&R definitions, one without a type, one that returns nothing */
static bets, table[32];

void init(bet1, bet2) { bets = bet1 * 16 + bet2; }
new_hand(card1, card2, winnings) { return table[card1 * 5 + card2]++ + bets + winnings % 5; }
int round1(card1, card2, placed) int card1, card2, placed; { return raised(card1, card2) + placed; }
raised(x, y) { return x > y ? x - y : table[y]; }
draw(card1, card2, placed) { return (card1 == card2) * placed; }
int round2(card1, card2, bets1, bets2, drew) int card1; int card2; int bets1; int bets2; int drew;
{ return raised(card1 + bets1, card2 + bets2) * 10 + drew; }
showdown(card1, card2, opp1, opp2) { table[opp1 * 5 + opp2] += 3; }
