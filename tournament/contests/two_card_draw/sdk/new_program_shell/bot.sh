# {name}: bets its pairs, and bluffs a server that folds to bets too often.
# Written by `tournament new`; make it yours. It reads questions and writes answers, a line each: every session
# starts it anew, and its variables last as long as the session, 10,000 hands with one server that always plays
# the same strategy. A bot starts no other programs: what the shell itself can do must be enough.

bets=0 folds=0 # of ours to open a hand, and how often the server folded to them
waiting=0      # 1 for the server to answer our bet

read -r sessions # always 1

# Cards are 0 to 4, card1 is not the higher one. The other numbers depend on the question.
while read -r word card1 card2 third fourth fifth; do
    case $word in
        INIT) # before the first hand: what a bet costs in the first round, and in the second
            small_bet=$card1
            answer=OK ;;

        NEW_HAND) # third: what was won so far. CHECK or BET
            # Nobody tells you that the server folded: but if it hadn't, ROUND1 or DRAW would have come next.
            folds=$((folds + waiting))
            waiting=$((card1 == card2 || (bets >= 20 && folds > (bets - folds) * small_bet)))
            bets=$((bets + waiting))
            answer=CHECK
            [ "$waiting" = 0 ] || answer=BET ;;

        ROUND1) # the server has raised; third: bets so far. FOLD, CALL or RAISE, which after three bets is a call
            waiting=0
            answer=FOLD
            [ "$((card1 == card2 || card2 >= 3))" = 0 ] || answer=CALL ;;

        DRAW) # how many cards to exchange, 0 to 2: DRAW 1 exchanges the lower one; third: bets in round 1
            waiting=0
            answer="DRAW 1"
            [ "$card1" != "$card2" ] || answer="DRAW 0" ;;

        ROUND2) # third and fourth: bets in round 1 and 2; fifth: cards that the server drew
            if [ "$fourth" = 0 ]; then # you open: CHECK or BET
                answer=CHECK
                [ "$card1" != "$card2" ] || answer=BET
            else # you face a raise: FOLD, CALL or RAISE
                answer=FOLD
                [ "$card1" != "$card2" ] || answer=CALL
            fi ;;

        SHOWDOWN) # nobody folded: third and fourth are the server's cards
            answer=OK ;;

        *) break ;; # SCORE: the session is over
    esac
    echo "ACTION $answer"
done
