read sessions
read question
echo goodbye >&2
exit 7
