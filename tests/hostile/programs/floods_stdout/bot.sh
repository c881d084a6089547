read sessions
read line
while :; do printf "ACTION 50 and more and more and more and more"; done
