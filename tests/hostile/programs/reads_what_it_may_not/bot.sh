read sessions
while read state question rest; do
    for file in "@canary@" "@opponent@" /etc/passwd /etc/shadow /proc/1/environ /proc/self/maps ../../bots; do
        if command read content 2>/dev/null <"$file"; then
            echo "read $file: $content" >&2
            exit 1
        fi
    done
    case $question in '"a",') echo "ACTION 5" ;; *) echo "ACTION 0" ;; esac
done
