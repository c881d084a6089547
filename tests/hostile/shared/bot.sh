read sessions
while read state question rest; do
    case $question in A) echo "ACTION BET 5" ;; *) echo "ACTION FOLD" ;; esac
done
