read sessions
read question
exec >&-
read more
