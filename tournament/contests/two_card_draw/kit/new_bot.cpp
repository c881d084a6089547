// {name}: bets its pairs, draws sensibly, and folds hands that can hardly win.
// Written by `tournament new`; make it yours. C++17, exceptions end a bot's hand.

class TwoCardDraw {
public:
    // Called once, before the first hand: what a bet costs in the first and in the second round.
    int init(int bet1, int bet2)
    {
        small_bet = bet1;
        big_bet = bet2;
        return 0;
    }

    // A new hand. Cards are 0 to 4, card1 is never the higher one; winnings are yours so far.
    // Return 0 to check, 1 to bet.
    int new_hand(int card1, int card2, int winnings)
    {
        return card1 == card2;
    }

    // The server has bet or raised; bets counts all bets of this round. 0 folds, 1 calls,
    // 2 raises, which after three bets is a call.
    int round1(int card1, int card2, int bets)
    {
        if (card1 == card2 && card1 >= 3)
            return 2;
        return card1 == card2 || card2 >= 3 || bets > 1;
    }

    // How many cards to exchange: 1 is the lower one.
    int draw(int card1, int card2, int bets)
    {
        if (card1 == card2)
            return 0;
        return card2 >= 2 ? 1 : 2;
    }

    // With bets2 0 you open: 1 checks, 2 bets. Else you face a raise: 0 folds, 1 calls,
    // 2 raises. drew is how many cards the server exchanged.
    int round2(int card1, int card2, int bets1, int bets2, int drew)
    {
        const bool pair = card1 == card2;
        if (bets2 == 0)
            return pair && card1 >= 2 ? 2 : 1;
        if (pair && card1 == 4)
            return 2;
        return pair || (card2 == 4 && drew > 0);
    }

    // Nobody folded: this is what both hold.
    int showdown(int card1, int card2, int opp1, int opp2)
    {
        if (opp1 == opp2 && card1 != card2)
            ++showdowns_lost;
        return 0;
    }

private:
    // The object is new at the start of a session of 10,000 hands, in which the server always
    // plays the same strategy: learn it.
    int small_bet = 0, big_bet = 0;
    int showdowns_lost = 0;
};
