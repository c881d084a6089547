# Abacus
# A shell script. Does with whole numbers what it takes to bluff as often as a bet deserves, and to call as often.

read -r sessions

while read -r word role card previous money others bet; do
    [ "$word" = STATE ] || exit

    # The card in thousandths.
    case $card in
        *e-*) card=0 ;;
        *)
            digits=${card#0.}000
            card=$((1${digits%"${digits#???}"} - 1000)) ;;
    esac

    if [ "$role" = B ]; then
        if [ "$card" -gt $(((2800 + 1000 * bet) / (20 + bet))) ]; then
            echo "ACTION CALL"
        else
            echo "ACTION FOLD"
        fi
        continue
    fi

    # The most that can be bet, and the lowest card that should call it: with cards above the middle of those a bet is good.
    most=50
    [ "$money" -lt "$most" ] && most=$money
    [ "$others" -lt "$most" ] && most=$others
    line=$(((2800 + 1000 * most) / (20 + most)))
    good=$(((1000 + line) / 2))
    if [ "$card" -gt "$good" ] || [ "$card" -lt $(((1000 - good) * most / (20 + most))) ]; then
        echo "ACTION BET $most"
    else
        echo "ACTION PASS"
    fi
done
