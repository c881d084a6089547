read sessions
turn=0
while read state question rest; do
    turn=$(((turn + 1) % 3))
    case $question$turn in
        '"a",0') echo "ACTION 99999999999999999999999999999999" ;;
        '"a",1') echo "ACTION -99999999999999999999999999999999" ;;
        '"a",2') echo "ACTION 7" ;;
        *) echo "ACTION 1" ;;
    esac
done
