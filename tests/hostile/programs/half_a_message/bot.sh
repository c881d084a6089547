read sessions
read question
printf "ACTION PA"
read more
read more
