"""On Debian 12's own kernel, Linux 6.1 with Landlock 2, all kinds of bots are confined and play."""

from __future__ import annotations

import re
import shlex
import sys

import pytest

from tests.sandbox import old_kernel

SECONDS = 3600.0  # where each instruction is emulated
TOURNAMENT = f"{shlex.quote(sys.executable)} -m tournament"
WRITES = r"""
mkdir -p $TMPDIR/bots/program $TMPDIR/bots/made
cat > $TMPDIR/bots/quick.c <<'END'
int a(const Bot *bot) { return bot->card > 0.6f ? 20 : 0; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
END
cat > $TMPDIR/bots/plain.py <<'END'
def a(bot): return 20 if bot.card > 0.6 else 0
def b(bot, bet): return bot.card > 0.5
END
cat > $TMPDIR/bots/program/bot.toml <<'END'
command = ["sh", "bot.sh"]
END
cat > $TMPDIR/bots/program/bot.sh <<'END'
read sessions
while read kind question rest; do
    if [ "$question" = '"a",' ]; then echo "ACTION 5"; else echo "ACTION 1"; fi
done
END
cat > $TMPDIR/bots/made/bot.toml <<'END'
command = ["./bot"]
build = ["make"]
END
printf 'bot: bot.sh\n\tcp bot.sh bot\n' > $TMPDIR/bots/made/Makefile
(echo '#!/bin/sh'; cat $TMPDIR/bots/program/bot.sh) > $TMPDIR/bots/made/bot.sh
chmod +x $TMPDIR/bots/made/bot.sh
"""
CHECKS = "; ".join(
    f"{TOURNAMENT} check $TMPDIR/bots/{bot} --contest von_neumann_poker" for bot in ("quick.c", "plain.py", "program")
)
RUNS = f"""
cat > $TMPDIR/tournament.toml <<'END'
results = "/dev/shm/results"
[von_neumann_poker]
entrants = "/dev/shm/bots"
sessions = 3
END
{TOURNAMENT} run von_neumann_poker --config $TMPDIR/tournament.toml --executor local
"""
# The shipped contests, and a few of their bots, in small.
SHIPPED = f"""
cat > $TMPDIR/small.toml <<'END'
results = "/dev/shm/small"
[von_neumann_poker]
entrants = "/dev/shm/few/von_neumann_poker"
sessions = 5
[two_card_draw]
entrants = "/dev/shm/few/two_card_draw"
servers = 2
sessions = 20
[holdem_training]
entrants = "/dev/shm/few/holdem_training"
sessions = 1
hands = 50
END
mkdir -p $TMPDIR/few
for contest in von_neumann_poker two_card_draw holdem_training; do mkdir $TMPDIR/few/$contest; done
cp entrants/von_neumann_poker/blender.py entrants/von_neumann_poker/naive.c $TMPDIR/few/von_neumann_poker
cp entrants/two_card_draw/pair_bettor.py entrants/two_card_draw/sample.cpp $TMPDIR/few/two_card_draw
cp -r entrants/holdem_training/threshold_py.py entrants/holdem_training/threshold_io $TMPDIR/few/holdem_training
for contest in von_neumann_poker two_card_draw holdem_training; do
    {TOURNAMENT} run $contest --config $TMPDIR/small.toml --executor local
done
"""


def ran(command: str) -> str:
    """What a command writes there; it must succeed."""
    try:
        status, said = old_kernel.run(command, SECONDS)
    except old_kernel.Unavailable as problem:
        pytest.skip(str(problem))
    assert status == 0, said
    return said


@pytest.mark.thorough
def test_bots_of_each_kind_are_confined_and_play_on_linux_6_1() -> None:
    said = ran(f"set -e; uname -r; {TOURNAMENT} --version\n{WRITES}\n{CHECKS}\n{RUNS}")
    assert said.startswith("6.1.") and "Landlock 2\n" in said
    assert len(re.findall("sandbox +Landlock 2, system call filter", said)) == 2  # WebAssembly has none
    assert said.count("fit to enter") == 3
    for bot in ("quick", "plain", "program", "made"):
        assert re.search(rf"{bot} +│ +[+-]?\d", said.rpartition("score")[2]), said


@pytest.mark.thorough
def test_the_shipped_contests_play_on_linux_6_1() -> None:
    said = ran(f"set -e\n{SHIPPED}")
    for bot in ("blender", "naive", "pair_bettor", "sample", "threshold_py", "threshold_io"):
        assert re.search(rf"{bot} +│ +[+-]?\d", said), said


@pytest.mark.thorough
def test_hostile_bots_are_refused_all_on_linux_6_1() -> None:
    """Those that reach out, on Landlock 1 and 2."""
    hostile = "tests/sandbox/test_tiers.py tests/hostile/test_tiers.py"
    said = ran(f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider -n0 --times 60 {hostile}")
    assert " passed" in said and "failed" not in said
