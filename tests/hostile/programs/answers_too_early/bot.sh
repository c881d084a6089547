i=0
while [ $i -lt 100 ]; do echo "ACTION 0"; i=$((i + 1)); done
while read line; do :; done
