read sessions
while read state question rest; do
    kill -9 $$ 2>/dev/null
    kill -9 0 2>/dev/null
    kill -9 -1 2>/dev/null
    kill -XCPU $$ 2>/dev/null
    case $question in '"a",') echo "ACTION 5" ;; *) echo "ACTION 0" ;; esac
done
