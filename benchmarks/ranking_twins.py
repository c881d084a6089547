"""Identical bots, each entered twice: how often a ranking tells two of them apart, which is wrong whatever is true.

Every tournament has deals of its own: none shares a replica with another one of its row. Replicas are kept in
`build/ranking`, so that a benchmark which was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import math
import pickle
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

import tournament
from benchmarks.fields import ROOT, SHIPPED
from benchmarks.ranking import Rehearsal, built
from tournament.arrays import Floats
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.contests.holdem_training.rules import BOB
from tournament.contests.scoring import HousePlayer
from tournament.contests.two_card_draw.servers import generated_server
from tournament.leg import legs_per_replica
from tournament.rules import Decision, Int, Questions, Rules, Session
from tournament.rules.contests import get_contest
from tournament.standings.rank_bounds import transitive_closure
from tournament.standings.standings import Standings, compute_standings
from tournament.store.field import Batch, ContestSetup
from tournament.store.legs import Legs

HOLDEM_TRAINING = find_contest("holdem_training")
PRISONERS_DILEMMA = find_contest("prisoners_dilemma", "matrix_game")
ROCK_PAPER_SCISSORS = find_contest("rock_paper_scissors", "matrix_game")
TWO_CARD_DRAW = find_contest("two_card_draw")
VON_NEUMANN_POKER = find_contest("von_neumann_poker")

REPLICAS = (1, 2, 4, 10)
_KEPT = ROOT / "build" / "ranking"
_LEARNERS = ("copycat", "thompson", "scholar", "last_game_gambler")
_ONCE = ("stack_captain", "tell_reader", "plan_switcher")  # single bots of the field with fourteen twins
# It plays the whole leg by what its first card was, as no leg shows of another one.
STICKS = """static float first = -1;
static float seen(const Bot *bot) { return first = first < 0 ? bot->card : first; }
Money a(const Bot *bot) { return bot->card > 1 - seen(bot) ? 40 : 0; }
int b(const Bot *bot, const Money aBet) { (void)aBet; return bot->card > 1 - seen(bot); }
"""


# Learners at tables: what each says follows from what has won in this leg, or from its own first draw.
_AT_TABLES = {
    "leader": "if (view->won) { wins[view->won]++; if (wins[view->won] > wins[best]) best = view->won; } return best;",
    "rare": "if (view->won) wins[view->won]++; for (int n = 1; n <= 7; n++) if (wins[n] < wins[best]) best = n;"
    " return best;",
    "stays": "if (!best || (view->own && view->won != view->own)) best = 1 + rand() % 7; return best;",
    "follows": "if (view->won) best = view->won; return best && rand() % 4 ? best : 1 + rand() % 7;",
    "sticks": "if (!best) best = 1 + rand() % 7; return best;",
}


class LowestAlone(Rules):
    """All choose a number at the same time, and the lowest that no one else chose wins."""

    name = "lowest_alone"
    seats = range(3, 7)
    decisions: ClassVar = (
        Decision("say", "Say a number", observation={"won": Int(0, 7), "own": Int(0, 7)}, answer=Int(1, 7)),
    )

    def play(self, session: Session) -> Questions:
        (say,) = self.decisions
        won, own = 0, [0] * session.seats
        for _ in range(10):
            said = yield [say(seat, won=won, own=own[seat]) for seat in range(session.seats)]
            own = list(said.values())
            won = min((number for number in own if own.count(number) == 1), default=0)
            session.record([session.seats - 1 if number == won else -1 if won else 0 for number in own])


def at_tables(seats: int) -> Play:
    """Five learners, each twice, at tables of a given size."""
    contest = get_contest(LowestAlone).seated(seats)
    head = "static int wins[8], best{first};\n\nint say(const View *view)\n{{\n    {body}\n}}\n"
    sources = {
        f"{name}_{number}.c": head.format(body=body, first=" = 1" if name in ("leader", "rare") else "")
        for name, body in _AT_TABLES.items()
        for number in (1, 2)
    }
    return in_memory(Rehearsal.of(contest, built(contest, sources), seats=seats, sessions=4))


@dataclass(frozen=True)
class Play:
    """A field and its replicas, of which each number has its own deals."""

    contest: Contest
    field: ContestSetup
    replica: Callable[[int], Legs]

    @property
    def names(self) -> list[str]:
        return [entrant.name for entrant in self.field.entrants]

    def tournament(self, number: int, replicas: int) -> Legs:
        """Return the legs of a tournament of this many replicas, different ones for each number."""
        several = [self.replica(place) for place in range(number * replicas, (number + 1) * replicas)]
        legs_of_one = int(several[0].number.max()) + 1
        found = []
        for place, legs in enumerate(several):
            counts = legs.counts.copy(order="F")
            counts[:, 1] += place * legs_of_one  # their numbers
            found.append(replace(legs, counts=counts))
        return Legs.joined(found)

    def scores(self, ranking: Standings) -> Floats:
        """Return the scores in the order of the names."""
        scores = {line.name: line.score for line in ranking.entrants}
        return np.array([scores[name] for name in self.names])

    def ranked(self, legs: Legs) -> Standings:
        house = self.contest.house
        return compute_standings(self.field, [Batch("", (), legs)], house.scoring if house else None)


def table(tournaments: int, only: str = "") -> Iterator[str]:
    """Yield a row for each field, of these words if any are given, and number of replicas."""
    yield (
        "| field | replicas | tournaments | told twins apart, of 20 at most 1 | chance of this many, were it 5% "
        "| other pairs wrong | pairs called sure | ± covers | worst bot |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for what, play, counts in _fields(tournaments):
        if only in what:
            yield from rows(what, play(), counts)


def _fields(tournaments: int) -> Iterator[tuple[str, Callable[[], Play], Sequence[int]]]:
    """Yield each field, how it is played, and the tournaments of each number of replicas, fewer if one takes long."""

    def some(*counts: int) -> list[int]:
        return [count and max(1, count * tournaments // 1000) for count in counts]

    def of(contest: Contest, doubled: Sequence[str] = (), *, house: Sequence[HousePlayer] = (), left_out: str = "",
           more: Mapping[str, str] = MappingProxyType({}), **settings: Any) -> Callable[[], Play]:  # fmt: skip
        return lambda: in_memory(twins(contest, doubled, house, left_out, more, **settings))

    many = some(200, 200, 200, 200)
    poker = SHIPPED.parent / VON_NEUMANN_POKER.name
    fourteen = sorted(path.stem for path in poker.glob("*.c") if path.stem not in _ONCE)
    yield "poker, 200 sessions, 17 bots, 14 of them twice", of(VON_NEUMANN_POKER, fourteen, sessions=200), many
    sticks = {f"sticks_{number}.c": STICKS for number in (1, 2)}
    for sessions in (64, 1000):
        yield f"poker, {sessions} sessions", of(VON_NEUMANN_POKER, sessions=sessions), many
        what = f"poker, {sessions} sessions, only {len(_LEARNERS)} learners twice"
        yield what, of(VON_NEUMANN_POKER, _LEARNERS, sessions=sessions), many
        what = f"poker, {sessions} sessions, only a bot twice that sticks to its first card"
        yield what, of(VON_NEUMANN_POKER, ["sticks"], more=sticks, sessions=sessions), many
    yield "prisoner's dilemma", of(PRISONERS_DILEMMA, **_preset(PRISONERS_DILEMMA)), many
    yield "rock-paper-scissors", of(ROCK_PAPER_SCISSORS, **_preset(ROCK_PAPER_SCISSORS)), many
    servers = [generated_server(bytes(32), f"server_{number}") for number in range(16)]
    yield "two-card draw without the slow adaptive", of(TWO_CARD_DRAW, house=servers, left_out="adaptive"), many
    yield "two-card draw", of(TWO_CARD_DRAW, house=servers), some(20, 0, 0, 0)
    yield "Hold'em training, 320 hands", of(HOLDEM_TRAINING, house=(BOB,), hands=320), many
    yield "Hold'em training", of(HOLDEM_TRAINING, house=(BOB,)), some(200, 100, 50, 20)
    for seats in (3, 4, 6):
        yield f"tables of {seats}, five learners twice", partial(at_tables, seats), many
    for contest, sessions in ((PRISONERS_DILEMMA, 20), (ROCK_PAPER_SCISSORS, 20), (VON_NEUMANN_POKER, 64)):
        counts = some(200, 100, 50, 20)
        made = partial(by_a_run, contest, sessions, max(n * count for n, count in zip(REPLICAS, counts)))
        yield f"{contest.title}, {sessions} sessions, with Python bots and programs", made, counts


def _preset(contest: Contest) -> dict[str, Any]:
    return {key: value for key, value in contest.preset.items() if key != "rules"}


def _twice(folder: Path, doubled: Sequence[str], left_out: str) -> Iterator[tuple[Path, str, str]]:
    """Bots of a folder, all or these twice: where each lies, its name there and its own."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "__")) or path.stem == left_out:
            continue
        for number in (1, 2) if not doubled or path.stem in doubled else (1,):
            yield path, path.stem, f"{path.stem}_{number}"


def twins(
    contest: Contest,
    doubled: Sequence[str],
    house: Sequence[HousePlayer],
    left_out: str = "",
    more: Mapping[str, str] = MappingProxyType({}),
    only: Sequence[str] = (),
    **settings: object,
) -> Rehearsal:
    """Return a rehearsal of the shipped compiled bots, or of some, all or those `doubled` twice, and of more bots."""
    sources = {
        f"{name}{path.suffix}": _renamed(path.read_text(), stem, name)
        for path, stem, name in _twice(SHIPPED.parent / contest.name, doubled, left_out)
        if path.suffix in (".c", ".cpp") and (not only or stem in only)
    }
    return Rehearsal.of(contest, built(contest, {**sources, **more}), house, **settings)


def _renamed(source: str, stem: str, name: str) -> str:
    """Return a bot's source under another name, which its functions can have."""
    return re.sub(rf"\b{stem}(?=[abAB]?\b)", name, source)


def in_memory(rehearsal: Rehearsal) -> Play:
    """Replicas that are played when they are asked for first, and kept."""
    told = repr((rehearsal.field, rehearsal.settings)).encode()
    folder = _KEPT / hashlib.sha256(told).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)

    def replica(number: int) -> Legs:
        kept = folder / f"{number}.pickle"
        if not kept.exists():
            part = kept.with_suffix(".part")
            part.write_bytes(pickle.dumps(rehearsal.played(number)))
            part.rename(kept)
        legs: Legs = pickle.loads(kept.read_bytes())
        return legs

    return Play(rehearsal.contest, rehearsal.field, replica)


def by_a_run(contest: Contest, sessions: int, replicas: int) -> Play:
    """Return a run with all shipped bots twice, including Python bots and programs, which resumes if stopped."""
    folder = _KEPT / f"{contest.name}_{sessions}"
    bots = folder / "bots"
    if not bots.exists():
        part = folder / "part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for path, stem, name in _twice(SHIPPED.parent / contest.name, (), ""):
            if path.is_dir():
                shutil.copytree(path, part / name)
            else:
                (part / f"{name}{path.suffix}").write_text(_renamed(path.read_text(), stem, name))
        part.rename(bots)
    settings = folder / "tournament.toml"
    chosen = {**contest.preset, "seed": 1, "sessions": sessions, "replicas": replicas}
    lines = [f"{key} = {json.dumps(value)}" for key, value in chosen.items()]
    settings.write_text("\n".join([f"[{contest.name}]", *lines, ""]))
    results = tournament.run(contest.name, config=settings, entrants=bots, results=folder / "results")
    legs = Legs.joined(batch.legs for batch in results.batches)
    replica_of = legs.number // legs_per_replica(results.setup.settings)
    of_replica = [np.flatnonzero(replica_of == number) for number in range(replicas)]

    def replica(number: int) -> Legs:
        own = legs.take(of_replica[number])
        counts = own.counts.copy(order="F")
        counts[:, 1] -= counts[:, 1].min()
        return replace(own, counts=counts)

    return Play(contest, results.setup, replica)


def rows(what: str, play: Play, counts: Sequence[int]) -> Iterator[str]:
    """Yield a row for each number of replicas, with this many tournaments."""
    numbers = range(max(replicas * count for replicas, count in zip(REPLICAS, counts)))
    truth = np.mean([play.scores(play.ranked(play.replica(number))) for number in numbers], axis=0)
    for replicas, count in zip(REPLICAS, counts):
        if not count:
            continue
        rankings = (play.ranked(play.tournament(number, replicas)) for number in range(count))
        yield f"| {what} | {replicas} | {count} | {figures_of(rankings, play.names, truth).cells} |"


@dataclass(frozen=True)
class Figures:
    """Counts of tournaments, those with twins told apart or another error, and shares of sure pairs and coverage."""

    count: int
    told: int
    wrong: int
    sure: float
    covered: Floats

    @property
    def cells(self) -> str:
        """The end of a row."""
        return (
            f"{100 * self.told / self.count:.1f}% | {_at_least(self.told, self.count):.2f} "
            f"| {100 * self.wrong / self.count:.1f}% | {100 * self.sure:.0f}% "
            f"| {100 * self.covered.mean():.1f}% | {100 * self.covered.min():.0f}%"
        )


def figures_of(rankings: Iterable[Standings], names: Sequence[str], truth: Floats) -> Figures:
    """Return the figures of tournaments whose true scores are known."""
    count = told = wrong = with_interval = 0
    sure, covered, is_twin = 0.0, np.zeros(len(names)), _are_twins(names)
    rounding = 1e-9 * (1 + np.abs(truth))
    for ranking in rankings:
        count += 1
        ahead = _ahead(ranking, names)
        told += bool((ahead & is_twin).any())
        wrong += bool((ahead & ~is_twin & (truth[:, np.newaxis] < truth)).any())
        sure += float(ahead.sum()) / (len(names) * (len(names) - 1) / 2)
        lines = {line.name: line for line in ranking.entrants}
        if all(lines[name].ci_low is not None for name in names):
            with_interval += 1
            low, high = np.array([(lines[name].ci_low, lines[name].ci_high) for name in names], float).T
            covered += (low <= truth + rounding) & (truth - rounding <= high)
    return Figures(count, told, wrong, sure / count, covered / max(1, with_interval))


def _ahead(ranking: Standings, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return whether each bot, by row, is significantly ahead of each other one, by column."""
    place = {name: number for number, name in enumerate(names)}
    ahead = np.zeros((len(names), len(names)), bool)
    for line in ranking.ranked:
        for behind in line.significantly_ahead_of:
            ahead[place[line.name], place[behind]] = True
    return transitive_closure(ahead)


def _are_twins(names: Sequence[str]) -> npt.NDArray[np.bool_]:
    stems = np.array([name.rpartition("_")[0] for name in names])
    return np.asarray((stems[:, np.newaxis] == stems) & ~np.eye(len(names), dtype=bool))


def _at_least(successes: int, trials: int, chance: float = 0.05) -> float:
    """Return the chance of this many or more successes."""
    return 1 - sum(math.comb(trials, n) * chance**n * (1 - chance) ** (trials - n) for n in range(successes))
