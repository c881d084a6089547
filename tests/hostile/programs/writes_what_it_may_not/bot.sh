read sessions
while read state question rest; do
    for folder in . /tmp /var/tmp /dev/shm /run "${HOME:-/root}"; do
        if command : 2>/dev/null >"$folder/left_by_a_hostile_bot"; then exit 1; fi
    done
    case $question in '"a",') echo "ACTION 5" ;; *) echo "ACTION 0" ;; esac
done
