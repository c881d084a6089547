// The statement's own sample: bets and raises with a pair of fours, checks and calls with all else.

class TwoCardDraw {
    static bool best(int card1, int card2)
    {
        return card1 == 4 && card2 == 4;
    }

public:
    int init(int, int)
    {
        return 0;
    }

    int new_hand(int card1, int card2, int)
    {
        return best(card1, card2);
    }

    int round1(int card1, int card2, int)
    {
        return best(card1, card2) ? 2 : 1;
    }

    int draw(int card1, int card2, int)
    {
        if (card1 == card2)
            return 0;
        return card2 == 4 ? 1 : 2;
    }

    int round2(int card1, int card2, int, int, int)
    {
        return best(card1, card2) ? 2 : 1;
    }

    int showdown(int, int, int, int)
    {
        return 0;
    }
};
