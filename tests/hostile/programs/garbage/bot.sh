read sessions
while read line; do printf "\377\376\033[2J\001\n"; done
