# {name}: plays what the opponent has played most often so far.
# Written by `tournament new`; make it yours. It reads questions and writes answers, a line each. A bot starts
# no other programs: what the shell itself can do must be enough.

read -r sessions

# Turns of a game count from 0. $mine and $theirs are both moves of the turn before, -1 in the first; $rounds is
# how many turns there will be, or -1.
while read -r word turn rounds moves role mine theirs; do
    [ "$word" = STATE ] || [ "$word" = PAST ] || break # SCORE: the match is over

    if [ "$turn" -le 1 ]; then # another game
        move=0
        while [ "$move" -lt "$moves" ]; do
            eval "often_$move=0"
            move=$((move + 1))
        done
    fi
    if [ "$turn" -gt 0 ]; then
        eval "often_$theirs=\$((often_$theirs + 1))"
    fi

    if [ "$word" = PAST ]; then # a turn that was played before this program was started again
        echo "ACTION OK"
        continue
    fi
    best=0
    move=1
    while [ "$move" -lt "$moves" ]; do
        if [ $((often_$move > often_$best)) = 1 ]; then
            best=$move
        fi
        move=$((move + 1))
    done
    echo "ACTION MOVE $best"
done
