/* A fixed rule of thumb: bets its pairs, draws sensibly, and folds hands that can hardly win. */

int init(int bet1, int bet2)
{
    return 0;
}

int new_hand(int card1, int card2, int winnings)
{
    return card1 == card2;
}

int round1(int card1, int card2, int bets)
{
    if (card1 == card2 && card1 >= 3)
        return 2;
    return card1 == card2 || card2 >= 3 || bets > 1;
}

int draw(int card1, int card2, int bets)
{
    if (card1 == card2)
        return 0;
    return card2 >= 2 ? 1 : 2;
}

int round2(int card1, int card2, int bets1, int bets2, int drew)
{
    int pair = card1 == card2;
    if (bets2 == 0)
        return pair && card1 >= 2 ? 2 : 1;
    if (pair && card1 == 4)
        return 2;
    return pair || (card2 == 4 && drew > 0);
}

int showdown(int card1, int card2, int opp1, int opp2)
{
    return 0;
}
