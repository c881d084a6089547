read sessions
read line
kill -STOP $$
