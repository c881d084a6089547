read sessions
read line
while :; do echo "complaint $line" >&2; done
