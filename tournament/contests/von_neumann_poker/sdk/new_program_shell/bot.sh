# {name}: bets its best cards for value and its worst as bluffs; calls when the price is right.
# Written by `tournament new`; make it yours. It reads questions and writes answers, a line each. A bot starts
# no other programs: what the shell itself can do must be enough.

read -r sessions

while read -r word role card opponents_previous_card money opponents_money bet; do
    [ "$word" = STATE ] || break # SCORE: the match is over

    # The shell counts in whole numbers: the card in ten-thousandths, from 0 to 9999.
    case $card in
        *e-*) card=0 ;; # almost nothing, such as 5.96046448e-08
        *)
            digits=${card#0.}0000
            digits=${digits%"${digits#????}"}
            card=$((1$digits - 10000)) ;;
    esac

    if [ "$role" = A ]; then
        # As A: bet some dollars or pass. The controller cuts a bet to $50, to $money and to $opponents_money.
        if [ "$card" -ge 7000 ] || [ "$card" -lt 1000 ]; then
            echo "ACTION BET 50"
        else
            echo "ACTION PASS"
        fi
    else
        # As B: calling costs $bet to win the pot, which is $20 of antes and A's bet.
        price=$((10000 * bet / (20 + 2 * bet)))
        if [ "$card" -gt $((4000 + price / 2)) ]; then
            echo "ACTION CALL"
        else
            echo "ACTION FOLD"
        fi
    fi
done
