read sessions
read line
while :; do printf "ACTION BET 50 and more and more and more and more"; done
