read sessions
read line
kill -STOP $$
echo "ACTION PASS"
