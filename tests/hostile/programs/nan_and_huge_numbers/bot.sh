read sessions
turn=0
while read state question rest; do
    turn=$(((turn + 1) % 3))
    case $question$turn in
        A0) echo "ACTION BET 99999999999999999999999999999999" ;;
        A1) echo "ACTION BET -99999999999999999999999999999999" ;;
        A2) echo "ACTION BET 0000000000000000000000000000000007" ;;
        *) echo "ACTION CALL" ;;
    esac
done
