mkfifo pipe || exit 1
