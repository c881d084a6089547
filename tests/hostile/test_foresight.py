"""A bot that hears all that its other legs saw knows no card to come: each leg has deals of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

import tournament
from tests.contest_runs import CONTEST
from tournament.artifacts import python_artifact

# It tells whose cards met, and bets 50 only where it knows what the other one holds.
LISTENER = """
{channel}
last = None
def other(bot):
    global last
    if last is not None:
        tell(last, bot.opponents_previous_card)
    last = bot.card
    return hear(bot.card)
def a(bot):
    there = other(bot)
    if there is None:
        return 20 if bot.card > 0.5 else 0
    return 50 if bot.card > there else 0
def b(bot, bet):
    there = other(bot)
    return bot.card > 0.4 if there is None else bot.card >= there
"""
# Where nothing confines bots: links from card to card for those with a process each, the interpreter for those that
# share.
FILES = """
import os
def tell(*cards):
    for one, two in (cards, cards[::-1]):
        try:
            os.symlink(repr(two), f"{place}/{{one!r}}")
        except FileExistsError:
            pass
def hear(card):
    try:
        return float(os.readlink(f"{place}/{{card!r}}"))
    except FileNotFoundError:
        return None
"""
INTERPRETER = """
import gc
known = gc.__dict__.setdefault("known", {})
def tell(one, two): known.update({one: two, two: one})
def hear(card): return known.get(card)
"""
DEAF = "def tell(*cards): pass\ndef hear(card): pass\n"
# It always shows its card, and has the other asked in every game.
CALLER = "int a(const Bot *bot) { return 10; }\nint b(const Bot *bot, const int bet) { return 1; }\n"


@pytest.mark.slow
@pytest.mark.parametrize("share", [False, True], ids=["a process each", "shared processes"])
def test_a_bot_that_hears_its_other_legs_gains_nothing_over_its_twin(
    share: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a duplicate match it knows cards, where nothing confines it: so it is no bad listener."""
    pack = python_artifact.pack

    def packed(*words: object, **options: object) -> bytes:
        return pack(*words, **{**options, "legs_may_share": share})  # type: ignore[arg-type]

    monkeypatch.setattr(python_artifact, "pack", packed)
    foreseen, gains = {}, {}
    for duplicate in (False, True):
        folder = tmp_path / f"{duplicate}"
        (folder / "bots").mkdir(parents=True)
        (folder / "heard").mkdir()
        channel = INTERPRETER if share else FILES.format(place=folder / "heard")
        for name, words in (("listener", channel), ("twin", DEAF)):
            (folder / "bots" / f"{name}.py").write_text(LISTENER.format(channel=words))
        (folder / "bots" / "caller.c").write_text(CALLER)
        config = folder / "tournament.toml"
        table = f'[{CONTEST}]\nentrants = "bots"\nsessions = 5\nreplicas = 6\nseed = "overheard"\n'
        config.write_text(f'sandbox = "off"\n{table}duplicate = {str(duplicate).lower()}\n')
        played = tournament.run(CONTEST, config=config, executor="local", workers=1)
        assert not len(played.faults)
        games, sessions = played.games, played.sessions
        bettors = games.bot_0.where(games.seat_0_is_a, games.bot_1)
        foreseen[duplicate] = int(((games.bet == 50) & (bettors == "listener")).sum())
        against_caller = sessions[sessions.bot_0 == "caller"]
        listener, twin = (against_caller[against_caller.bot_1 == name].points_1 for name in ("listener", "twin"))
        error = (listener.var() / len(listener) + twin.var() / len(twin)) ** 0.5
        gains[duplicate] = (listener.mean() - twin.mean()) / error
    # Cards have 24 bits: among thousands two are equal by chance now and then.
    assert foreseen[False] <= 3 and abs(gains[False]) < 3
    # Later legs share no process with earlier ones.
    assert foreseen[True] == 0 if share else foreseen[True] > 20
