// {name}: bets its pairs, and bluffs a server that folds to bets too often.
// Written by `tournament new`; make it yours.

class TwoCardDraw {
public:
    // Called once, before the first hand: what a bet costs in the first and in the second round.
    int init(int bet1, int bet2)
    {
        small_bet = bet1;
        return 0;
    }

    // A new hand. Cards are 0 to 4, card1 is never the higher one; winnings are yours so far.
    // Return 0 to check, 1 to bet.
    int new_hand(int card1, int card2, int winnings)
    {
        // Nobody tells you that the server folded: but if it hadn't, round1 or draw would have come next.
        folds += waiting;
        waiting = card1 == card2 || (bets >= 20 && folds > (bets - folds) * small_bet);
        bets += waiting;
        return waiting;
    }

    // The server has bet or raised; `count` is all bets of this round. 0 folds, 1 calls, 2 raises,
    // which after three bets is a call.
    int round1(int card1, int card2, int count)
    {
        waiting = false;
        return card1 == card2 || card2 >= 3;
    }

    // How many cards to exchange: 1 is the lower one.
    int draw(int card1, int card2, int count)
    {
        waiting = false;
        return card1 == card2 ? 0 : 1;
    }

    // With bets2 0 you open: 1 checks, 2 bets. Else you face a raise: 0 folds, 1 calls,
    // 2 raises. drew is how many cards the server exchanged.
    int round2(int card1, int card2, int bets1, int bets2, int drew)
    {
        if (card1 == card2)
            return bets2 == 0 ? 2 : 1;
        return bets2 == 0;
    }

    // Nobody folded: this is what both hold.
    int showdown(int card1, int card2, int opp1, int opp2)
    {
        return 0;
    }

private:
    // The object is new at the start of a session of 10,000 hands, in which the server always plays
    // the same strategy: what you find out about it is worth keeping.
    int small_bet = 0;
    int bets = 0, folds = 0;    // of ours to open a hand, and how often the server folded to them
    bool waiting = false;       // for the server to answer our bet
};
