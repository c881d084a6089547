i=0
while [ $i -lt 100 ]; do echo "ACTION PASS"; i=$((i + 1)); done
while read line; do :; done
