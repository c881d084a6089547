read sessions
while read line; do echo "ACTION BET nan"; done
