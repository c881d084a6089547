/* Never bets and never folds. It draws well, though: keeps pairs, else its higher card unless that is low. */

int init(int bet1, int bet2)
{
    return 0;
}

int new_hand(int card1, int card2, int winnings)
{
    return 0;
}

int round1(int card1, int card2, int bets)
{
    return 1;
}

int draw(int card1, int card2, int bets)
{
    if (card1 == card2)
        return 0;
    return card2 >= 2 ? 1 : 2;
}

int round2(int card1, int card2, int bets1, int bets2, int drew)
{
    return 1;
}

int showdown(int card1, int card2, int opp1, int opp2)
{
    return 0;
}
