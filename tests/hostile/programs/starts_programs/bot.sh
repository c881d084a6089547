read sessions
while read line; do
    sleep 1000 &
    echo "ACTION 0"
done
