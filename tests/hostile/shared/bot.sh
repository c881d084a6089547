read sessions
while read state question rest; do
    case $question in '"a",') echo "ACTION 5" ;; *) echo "ACTION 0" ;; esac
done
