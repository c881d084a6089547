read sessions
exec <&-
kill -STOP $$
