"""Games of every contest in readable form, as tests/golden/ keeps them: played by a run, read from its records.

To write the files again after a change that is meant:

    python -m tests.golden_traces
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tournament

REPOSITORY = Path(__file__).parent.parent
GOLDEN = Path(__file__).parent / "golden"
SEED = 20_200_819

Row = Any  # of pandas' itertuples


@dataclass(frozen=True)
class Trace:
    """What a contest's golden games are: bots, settings, and a game and a session as a line each.

    The bots are shipped ones; those of another contest are given with its name.
    """

    bots: tuple[str, ...]
    settings: dict[str, float]
    legend: str
    game: Callable[[Row], str]
    session: Callable[[Row], str]


def _poker_game(row: Row) -> str:
    a, b = (row.bot_0, row.bot_1) if row.seat_0_is_a else (row.bot_1, row.bot_0)
    play = f"{a} bets {row.bet}, {b} {'folds' if row.folded else 'calls'}" if row.bet else f"{a} passes"
    cards = " ".join(f"{int(card * 2**24):8d}" for card in (row.a_card, row.b_card))
    return f"{cards} | {row.a_money:3d} : {row.b_money:3d} | {play} | {row.a_gain:+d} for {a}"


def _poker_session(row: Row) -> str:
    return f"{row.games} games | {row.gain_0:+d} for {row.bot_0} | {row.points_0:+.12f} points"


def _draw_game(row: Row) -> str:
    first = f"{row.dealt_0:02d} : {row.house_dealt:02d} | {_bets(row.bets1, row.opened1_0)}"
    second = f"draw {row.drew_0} : {row.house_drew} | {row.held_0:02d} : {row.house_held:02d} | "
    second += _bets(row.bets2, row.opened2_0)
    end = ("showdown", f"{row.bot_0} folds", "the server folds")[row.folded_by]
    rounds = [first, second][: row.rounds]
    return " | ".join([*rounds, f"{end}, pot {row.pot}", f"{row.gain_0:+d} for {row.bot_0}"])


def _bets(count: int, x_opened: bool) -> str:
    return f"{count} bet{'s' * (count > 1)}, {'bot' if x_opened else 'server'} first" if count else "no bets"


def _draw_session(row: Row) -> str:
    return f"{row.games} hands | {row.gain_0:+d} for {row.bot_0} | score {row.score_0}"


def _holdem_game(row: Row) -> str:
    board = [(row.flop_1, row.flop_2, row.flop_3), (row.turn,), (row.river,)]
    words = [_hand(row.alice_card_1, row.alice_card_2) + " : " + _hand(row.bob_card_1, row.bob_card_2)]
    for number, cards in enumerate([(), *board], 1):
        raised, answer = getattr(row, f"raise_{number}"), getattr(row, f"bob_answer_{number}")
        folded = row.folded_by == 1 and not answer
        action = "folds" if folded else f"raises {raised}" if raised else "checks"
        reply = ("", ", Bob checks", ", Bob calls", ", Bob folds")[answer]
        words.append(f"{_hand(*cards)}: {action}{reply}" if cards else f"{action}{reply}")
        if folded or (row.folded_by == 2 and answer == 3):
            break
    return " | ".join([*words, f"{row.profit:+d} for {row.bot_0}"])


def _hand(*cards: int) -> str:
    """Cards as value and suit, the suit as the statement numbers it."""
    return " ".join(f"{'23456789TJQKA'[card % 13]}{card // 13}" for card in cards)


def _holdem_session(row: Row) -> str:
    return f"{row.games} hands | {row.profit:+d} for {row.bot_0} | {row.mean_profit:+.6f} a hand"


def _matrix_game(row: Row) -> str:
    slips = [
        f", {name} slipped"
        for name, slipped in ((row.bot_0, row.move_replaced_0), (row.bot_1, row.move_replaced_1))
        if slipped
    ]
    return f"turn {row.turn} | {row.move_0} : {row.move_1}{''.join(slips)}"


def _matrix_session(row: Row) -> str:
    return f"{row.games} turns | {row.points_0:g} : {row.points_1:g}"


TRACES = {
    "von_neumann_poker": Trace(
        ("likeme.c", "naive.c"),
        {"sessions": 3},
        "A's card and B's in units of 1/2**24 | their stacks | play | gain",
        _poker_game,
        _poker_session,
    ),
    "two_card_draw": Trace(
        ("pair_bettor.py", "random_legal.c"),
        {"servers": 2, "hands": 40},
        "bot's hand : server's, round 1 | cards drawn, hands, round 2 | end | gain",
        _draw_game,
        _draw_session,
    ),
    "holdem_training": Trace(
        ("sampling_all_in.cpp", "threshold.cpp"),
        {"sessions": 2, "hands": 40},
        "Alice's hand : Bob's, round 1 | flop: round 2 | turn: round 3 | river: round 4 | gain",
        _holdem_game,
        _holdem_session,
    ),
    "matrix_game": Trace(
        ("rock_paper_scissors/markov.c", "rock_paper_scissors/stay_or_shift.c"),
        {"sessions": 2, "turns_per_game": 12, "games_per_session": 2, "noise": 0.15, "end_probability": 0.1},
        "moves of either | what both were paid",
        _matrix_game,
        _matrix_session,
    ),
}


def trace(contest: str, folder: Path) -> str:
    """Play the contest's golden games in a folder of one's own, and write them down."""
    chosen = TRACES[contest]
    (folder / "bots").mkdir()
    for name in chosen.bots:
        shutil.copy(REPOSITORY / "entrants" / (name if "/" in name else f"{contest}/{name}"), folder / "bots")
    keys = {"seed": SEED} | chosen.settings
    settings = [f"[{contest}]", 'entrants = "bots"', *[f"{name} = {value}" for name, value in keys.items()]]
    (folder / "tournament.toml").write_text("\n".join(settings))
    played = tournament.run(contest, config=folder / "tournament.toml", executor="local", workers=1)
    shown = ", ".join(f"{name} = {value}" for name, value in keys.items())
    lines = [f"# {shown}. Written by python -m tests.golden_traces.", f"# {chosen.legend}"]
    games = played.games.groupby(["match", "session"], sort=False, observed=True)
    for session in _rows(played.sessions):
        lines.append(f"# {session.bot_0} against {session.house if hasattr(session, 'house') else session.bot_1}")
        place = f"session {session.session}"
        for row in _rows(games.get_group((session.match, session.session))):
            lines.append(f"{place} game {row.game:2d} | {chosen.game(row)}")
        lines.append(f"{place} | {chosen.session(session)}")
    return "\n".join(lines) + "\n"


def _rows(frame: Any) -> Iterator[Row]:
    return frame.itertuples(index=False)  # type: ignore[no-any-return]


def main() -> None:
    """Write the golden files again."""
    for contest in TRACES:
        with tempfile.TemporaryDirectory() as scratch:
            (GOLDEN / f"{contest}.txt").write_text(trace(contest, Path(scratch)))


if __name__ == "__main__":
    main()
