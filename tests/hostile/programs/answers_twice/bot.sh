read sessions
while read line; do printf "ACTION 50\nACTION 50\n"; done
