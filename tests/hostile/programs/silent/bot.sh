while read line; do :; done
