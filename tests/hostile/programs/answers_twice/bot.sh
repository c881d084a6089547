read sessions
while read line; do printf "ACTION BET 50\nACTION BET 50\n"; done
