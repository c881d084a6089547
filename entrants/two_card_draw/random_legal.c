/* Does anything legal, each as likely. */

int init(int bet1, int bet2)
{
    return 0;
}

int new_hand(int card1, int card2, int winnings)
{
    return rand() % 2;
}

int round1(int card1, int card2, int bets)
{
    return rand() % (bets < 3 ? 3 : 2);
}

int draw(int card1, int card2, int bets)
{
    return rand() % 3;
}

int round2(int card1, int card2, int bets1, int bets2, int drew)
{
    if (bets2 == 0)
        return 1 + rand() % 2;
    return rand() % (bets2 < 3 ? 3 : 2);
}

int showdown(int card1, int card2, int opp1, int opp2)
{
    return 0;
}
