"""Check that the ranking is right: `python -m benchmarks.ranking` repeats the measurements of ranking.md.

The cores play thousands of tournaments in memory, each with its own deals, and `compute_standings` ranks them as it
ranks a run. The true scores of bots without memory are known exactly. Those of others are means over all tournaments.
With `--quick` there are a twentieth of the tournaments, so figures scatter more. Parts can be named:

together     honest fields in which a pair seems to play together
coverage     intervals, and the variance that is left without luck
variance     the same of the shipped bots, from block to block and between tournaments
stopping     what stopping saves, against tournaments of a fixed length, and pairs that are called
settled      whether the order of a run until the order is settled is right
duplicate    what duplicate matches bring
matches      what the ± of matches against all covers
twins        identical bots told apart, pairs called sure, what ± covers (continues after a stop)

On one core twins takes two hours, the others six minutes. With `--quick` all take six minutes.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.exact_scores import true_scores
from benchmarks.fields import SHIPPED
from tests.oracles.von_neumann_poker import Bot
from tests.standings.test_outlier_pairs import honest, ranking_of
from tournament.arrays import Floats
from tournament.artifacts.bot import Entrant
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.contests.holdem_training.rules import BOB
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.contests.two_card_draw.servers import generated_server
from tournament.entrants.build import build_entrants
from tournament.keys import sub_key
from tournament.rules.contests import get_contest
from tournament.runner.plan import artifacts_by_sha256, make_schedule
from tournament.runner.resume import make_field
from tournament.runner.schedule.counting import reconcile
from tournament.runner.schedule.fixtures import Replicas
from tournament.runner.schedule.legs import Schedule
from tournament.runner.schedule.rounds import next_round
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.standings.outlier_pairs import outlier_pairs
from tournament.standings.rank_bounds import significantly_ahead
from tournament.standings.settled_order import Verdict, next_count, run_analysis_counts, settled_order
from tournament.standings.standard_errors import Differences, RoundRobinErrors
from tournament.standings.standings import Standings, compute_standings
from tournament.standings.stopping import MIN_REPLICAS, analysis_counts, critical_value
from tournament.store.columns import ROWS_PER_GROUP
from tournament.store.field import Batch, ContestSetup, Until
from tournament.store.legs import Legs
from tournament.worker.leg import NullSink, legs_of, play_leg

HOLDEM_TRAINING = find_contest("holdem_training")
PRISONERS_DILEMMA = find_contest("prisoners_dilemma", "matrix_game")
ROCK_PAPER_SCISSORS = find_contest("rock_paper_scissors", "matrix_game")
TWO_CARD_DRAW = find_contest("two_card_draw")
VON_NEUMANN_POKER = find_contest("von_neumann_poker")

CELLS = 20  # thresholds of the bots below are multiples of 1/CELLS


@dataclass(frozen=True)
class Plain:
    """A bot without memory: bets with cards above one threshold or below another, and calls above a third.

    With `bold` dollars or more it bets half as much again.
    """

    bet: int
    above: int
    below: int
    calls: int
    bold: int = 1000

    @property
    def source(self) -> str:
        """The strategy in C."""
        return (
            "Money a(const Bot *bot) {\n"
            f"  if (bot->card <= {self.above}.0f / {CELLS} && bot->card >= {self.below}.0f / {CELLS}) return 0;\n"
            f"  return bot->money >= {self.bold} ? {self.bet * 3 // 2} : {self.bet};\n"
            "}\n"
            f"int b(const Bot *bot, const Money aBet) {{ return bot->card > {self.calls}.0f / {CELLS}; }}\n"
        )

    def bot(self) -> Bot:
        """Return the strategy in Python."""
        return Bot(
            lambda view: (
                0
                if self.below / CELLS <= view.card <= self.above / CELLS
                else self.bet * 3 // 2
                if view.money >= self.bold
                else self.bet
            ),
            lambda view, bet: int(view.card > self.calls / CELLS),
        )


# Some are near each other, some are far apart.
PLAIN = {
    "ann": Plain(20, 16, 2, 11),
    "bob": Plain(20, 16, 2, 12),
    "cat": Plain(30, 15, 2, 11, bold=110),
    "dan": Plain(10, 14, 3, 10),
    "eve": Plain(25, 12, 0, 9),
    "fay": Plain(40, 17, 1, 13),
    "gus": Plain(15, 10, 0, 6, bold=120),
    "hal": Plain(50, 13, 4, 8),
}
# It can't play to the end of any match.
_TRAPS = "Money a(const Bot *bot) { __builtin_trap(); }\nint b(const Bot *bot, const Money aBet) { return 1; }\n"
LEARNING = ("copycat", "last_game_gambler", "stack_captain", "tell_reader", "thompson", "scholar")


@dataclass(frozen=True)
class Rehearsal:
    """A contest whose tournaments are played in memory, one for each key."""

    contest: Contest
    settings: ContestSettings
    artifacts: Mapping[str, bytes]
    field: ContestSetup

    @classmethod
    def of(
        cls, contest: Contest, entrants: Sequence[Entrant], house: Sequence[HousePlayer] = (), **settings: object
    ) -> Rehearsal:
        """Return a rehearsal with these settings, and defaults for the others."""
        chosen = contest.settings.model_validate(settings)
        contest = contest.seated(contest.seats_of(chosen.playing()) or len(entrants))
        field = make_field(contest, chosen.playing(), entrants, house, None)
        return cls(contest, chosen, artifacts_by_sha256(entrants, house), field)

    @property
    def names(self) -> list[str]:
        return [entrant.name for entrant in self.field.entrants]

    def tournament(self, number: int) -> Standings:
        """Return a ranked tournament with its own deals."""
        return self.ranked(self.played(number))

    def schedule(self, number: int, replicas: Replicas) -> Schedule:
        key = sub_key(bytes(32), "benchmark", number)
        return make_schedule(self.contest, self.settings.playing(), key, self.field, replicas)

    def played(self, number: int) -> Legs:
        """Play and return all legs of a tournament."""
        schedule = self.schedule(number, Replicas(self.settings.replicas))
        sink = NullSink.of(self.contest, ROWS_PER_GROUP)
        legs, luck = [], self.contest.luck.new(self.settings) if self.contest.luck else None
        for leg in schedule.legs():
            sink.clear()
            legs.append(play_leg(self.contest, self.settings, leg, self.artifacts, sink))
            if luck and self.contest.luck:
                assert legs[-1].games == sink.games.rows, "a leg with more games than there is room for"
                games = {name: sink.games.arrays[name][: sink.games.rows] for name in self.contest.luck.columns}
                luck.add(games, [0], [leg.plan.first_session])
        return legs_of(self.contest, legs, luck.blocks() if luck else None, schedule.legs_sharing_deals)

    def ranked(self, legs: Legs) -> Standings:
        house = self.contest.house
        return compute_standings(self.field, [Batch("", (), legs)], house.scoring if house else None)


def built(contest: Contest, sources: Mapping[str, str]) -> list[Entrant]:
    """Bots from sources by file name."""
    with tempfile.TemporaryDirectory(prefix="tournament-ranking-") as folder:
        for name, source in sources.items():
            (Path(folder) / name).write_text(source)
        return build_entrants(contest, contest.settings(), SandboxSettings(), Path(folder), _say)


def shipped(contest: Contest, names: Sequence[str] = ()) -> list[Entrant]:
    """Build the shipped bots of these names that are WebAssembly, or all."""
    folder = SHIPPED.parent / contest.name
    files = {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.suffix in (".c", ".cpp")}
    return built(contest, {name: text for name, text in files.items() if not names or Path(name).stem in names})


def plain_field() -> list[Entrant]:
    return built(VON_NEUMANN_POKER, {f"{name}.c": plain.source for name, plain in PLAIN.items()})


def _say(text: str) -> None:
    print(text, file=sys.stderr)


# Coverage


@dataclass
class Coverage:
    """The share of many tournaments in which intervals contained a score's true value."""

    covered: Floats
    errors: Floats  # mean standard errors
    deviations: Floats  # deviations of the scores themselves
    rank_bounds_held: float  # share of tournaments in which all did, NaN where no order is known

    @classmethod
    def of(cls, rankings: Sequence[Standings], truth: Mapping[str, float] | None, what: str = "") -> Coverage:
        """Return the coverage of the scores, or with the prefix `adjusted_` of those without luck."""
        names = sorted(line.name for line in rankings[0].entrants if line.rank is not None)
        lines = [{line.name: line for line in ranking.entrants} for ranking in rankings]
        scores = np.array([[getattr(by_name[name], f"{what}score") for name in names] for by_name in lines])
        values = scores.mean(axis=0) if truth is None else np.array([truth[name] for name in names])
        low, high, errors = (
            np.array([[getattr(by_name[name], f"{what}{column}") for name in names] for by_name in lines], float)
            for column in ("ci_low", "ci_high", "stderr")
        )
        rounding = 1e-9 * (1 + np.abs(values))
        held = float("nan")
        if truth is not None and not what:
            ranks = {name: 1 + sum(truth[other] > truth[name] for other in names) for name in names}
            held = float(
                np.mean(
                    [
                        all((one[n].rank_low or 1) <= ranks[n] <= (one[n].rank_high or len(names)) for n in names)
                        for one in lines
                    ]
                )
            )
        return cls(
            ((low <= values + rounding) & (values - rounding <= high)).mean(axis=0),
            errors.mean(axis=0),
            scores.std(axis=0, ddof=1),
            held,
        )

    def row(self, what: str, tournaments: int) -> str:
        ratio = (self.errors / self.deviations)[self.deviations > 0]
        held = "" if math.isnan(self.rank_bounds_held) else f"{100 * self.rank_bounds_held:.1f}%"
        return (
            f"| {what} | {tournaments} | {100 * self.covered.mean():.1f}% | {100 * self.covered.min():.1f}% | "
            f"{100 * self.covered.max():.1f}% | {ratio.mean():.3f} | {held} |"
        )


def _coverage(tournaments: int) -> Iterator[str]:
    yield "| field | tournaments | covered | least bot | most | error / deviation | all ranks within their bounds |"
    yield "|---|---|---|---|---|---|---|"
    variances: list[str] = []
    for what, rehearsal, truth in _fields():
        rankings = [rehearsal.tournament(number) for number in range(tournaments)]
        plain = Coverage.of(rankings, truth)
        yield plain.row(what, tournaments)
        if rehearsal.contest.luck:
            adjusted = Coverage.of(rankings, truth, "adjusted_")
            yield adjusted.row(f"{what}, adjusted", tournaments)
            ratio = (adjusted.deviations / plain.deviations) ** 2
            variances.append(f"| {what} | {np.median(ratio):.2f} | {ratio.max():.2f} |")
    yield from ("", "| variance left by the correction | median bot | most |", "|---|---|---|", *variances)


def _fields() -> Iterator[tuple[str, Rehearsal, dict[str, float] | None]]:
    """Yield each field: its description, its contest in memory, and the true scores if they are known."""
    plain = plain_field()
    bots = [PLAIN[name].bot() for name in sorted(PLAIN)]
    for sessions in (200, 32, 12):
        truth = dict(zip(sorted(PLAIN), true_scores(bots, sessions, CELLS)))
        yield (
            f"eight without memory, {sessions} sessions",
            Rehearsal.of(VON_NEUMANN_POKER, plain, sessions=sessions),
            truth,
        )
        if sessions == 32:
            traps = built(VON_NEUMANN_POKER, {"zed.c": _TRAPS})
            yield (
                "the same and one that is disqualified",
                Rehearsal.of(VON_NEUMANN_POKER, plain + traps, sessions=sessions),
                truth,
            )
    learning = shipped(VON_NEUMANN_POKER, LEARNING)
    for sessions in (200, 32):
        what = f"{len(learning)} that learn, {sessions} sessions"
        yield what, Rehearsal.of(VON_NEUMANN_POKER, learning, sessions=sessions), None
    draw = shipped(TWO_CARD_DRAW, ("check_caller", "pair_bettor", "sample"))
    servers = [generated_server(bytes(32), f"server_{number}") for number in (0, 2, 4)]
    yield (
        "two-card draw, 3 bots, 3 servers, 4,000 hands",
        Rehearsal.of(TWO_CARD_DRAW, draw, servers, hands=4000),
        None,
    )
    holdem = shipped(HOLDEM_TRAINING, ("always_check", "always_all_in", "threshold"))
    yield (
        "Hold'em, 3 bots, 2 sessions of 320 hands",
        Rehearsal.of(HOLDEM_TRAINING, holdem, (BOB,), hands=320, sessions=2),
        None,
    )


def _together(tournaments: int) -> Iterator[str]:
    """Simulated fields in which no one plays together, and some pair is named."""
    for what, freedom in (("normal", 1e9), ("Student's t, three degrees of freedom", 3.0)):
        chance, fields = np.random.default_rng(5), 2 * tournaments
        named = sum(bool(outlier_pairs(ranking_of(honest(chance, freedom)))) for _ in range(fields))
        yield f"{fields} honest fields, results {what}: a pair is named in {100 * named / fields:.1f}%"


def _variance(tournaments: int) -> Iterator[str]:
    """Yield the share of variance that the correction leaves in the shipped field, within legs and between scores."""
    yield (
        "| field | left within legs, median bot | most | left between tournaments | most | error / deviation, least |"
    )
    yield "|---|---|---|---|---|---|"
    for contest, house, settings in _whole_fields():
        rehearsal = Rehearsal.of(contest, shipped(contest), house, **settings)
        columns: dict[str, list[list[float]]] = {}
        count = max(10, tournaments // 25)
        for number in range(count):
            lines = sorted(rehearsal.tournament(number).entrants, key=lambda line: line.name)
            for column in ("score", "stderr", "adjusted_score", "adjusted_stderr"):
                columns.setdefault(column, []).append([getattr(line, column) for line in lines])
        values = {column: np.array(rows) for column, rows in columns.items()}
        within = (values["adjusted_stderr"] ** 2).mean(axis=0) / (values["stderr"] ** 2).mean(axis=0)
        deviation = values["score"].std(axis=0, ddof=1)
        between = (values["adjusted_score"].std(axis=0, ddof=1) / deviation) ** 2
        honest = values["stderr"].mean(axis=0) / deviation
        yield (
            f"| {contest.name}, {len(rehearsal.names)} bots, {settings}, {count} tournaments "
            f"| {np.median(within):.2f} | {within.max():.2f} "
            f"| {np.median(between):.2f} | {between.max():.2f} "
            f"| {honest.min():.2f} ({sorted(rehearsal.names)[int(honest.argmin())]}) |"
        )


def _stopping(tournaments: int) -> Iterator[str]:
    """Sequential tournaments against those of a fixed length that settle all neighbours at the same error rate.

    Replicas of the plain field are drawn with replacement from a pool that the cores played: playing each would take
    hours. Pairs are settled as in a run, by scores without luck, and all bots play the same number. It is
    repeated with plain scores, as in a contest without a correction.
    """
    sessions, pool_size, most = 50, max(200, tournaments), 400
    names = sorted(PLAIN)
    rehearsal = Rehearsal.of(VON_NEUMANN_POKER, plain_field(), sessions=sessions)
    # What the row's bot won from the column's: with luck, and without.
    pool, lucky = np.zeros((2, pool_size, len(names), len(names)))
    for number in range(pool_size):
        legs = rehearsal.played(number)
        won = legs.seat_columns(0)
        for (x, y), points, own in zip(legs.seated, won.points.tolist(), (won.points - won.luck).tolist()):
            row, column = names.index(x), names.index(y)
            pool[number, row, column], pool[number, column, row] = points, -points
            lucky[number, row, column], lucky[number, column, row] = own, -own
    means = pool.mean(axis=(0, 2)) * len(names)  # replicas are drawn from the pool, so its means are the true ones
    lucky += pool.mean(axis=0) - lucky.mean(axis=0)  # both measures of luck
    truth = [names[place] for place in np.argsort(-means)]
    chance = np.random.default_rng(1)
    yield f"{len(names)} bots, {sessions} sessions a replica, true scores of one {np.round(np.sort(-means) * -1, 1)}"
    yield (
        "| judged by | stated | order right | a settled pair wrong | open pairs | matches "
        "| of a fixed length | of one judged alike |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    indices = [names.index(name) for name in truth]
    trials = max(20, tournaments // 5)
    pairs = len(names) * (len(names) - 1) // 2
    for confidence in (0.9, 0.95):
        plain = _fixed_length(pool, indices, confidence, chance)
        for what, judged_by in (("score without luck", lucky), ("score", pool)):
            right = wrong = undecided = played = 0
            for _ in range(trials):
                chosen = chance.integers(0, pool_size, most)
                order, found, count = _sequential(pool[chosen], judged_by[chosen], names, confidence, most)
                right += order == truth
                wrong += any(
                    verdict == "settled" and truth.index(ahead) > truth.index(behind)
                    for (ahead, behind), verdict in zip(itertools.pairwise(order), found)
                )
                undecided += found.count("open")
                played += count * pairs
            alike = plain if judged_by is pool else _fixed_length(judged_by, indices, confidence, chance)
            yield (
                f"| {what} | {confidence} | {right / trials:.3f} | {wrong / trials:.3f} | {undecided / trials:.2f} "
                f"| {played / trials:.0f} | {plain * pairs} ({plain} replicas): {played / trials / plain / pairs:.2f} "
                f"| {alike * pairs}: {played / trials / alike / pairs:.2f} |"
            )
    yield from ("", *_pairs(20 * tournaments))


def _pairs(pairs: int) -> Iterator[str]:
    """Pairs whose differences in replicas are normal, judged after each round as in a run."""
    yield "| true difference, in deviations of a replica | called | the wrong way round | seem apart by |"
    yield "|---|---|---|---|"
    chance, counts = np.random.default_rng(2), analysis_counts(MIN_REPLICAS, 64)
    for apart in (0.0, 0.05, 0.1, 0.2, 0.4):
        values = chance.normal(apart, 1, (pairs, counts[-1]))
        shown = np.zeros(pairs)  # when they were called
        for look, count in enumerate(counts):
            wide = critical_value(counts, look, 0.05, count - 1)
            mean, error = values[:, :count].mean(axis=1), values[:, :count].std(axis=1, ddof=1) / math.sqrt(count)
            now = (shown == 0) & (np.abs(mean) > wide * error)
            shown[now] = mean[now]
        yield (
            f"| {apart} | {100 * (shown != 0).mean():.1f}% | {100 * (shown < 0).mean():.1f}% "
            f"| {shown[shown != 0].mean():.2f} |"
        )


def _settled(tournaments: int) -> Iterator[str]:
    """Runs until the order is settled, as the runner plays them: how often a settled order is wrong.

    The exact scores are known. Some bots come twice, so that pairs are equal in truth.
    """
    runs = max(10, tournaments // 5)
    yield "| field | runs | a settled order wrong | twins told apart | neighbours settled | close | open | replicas |"
    yield "|---|---|---|---|---|---|---|---|"
    for field_of_bots, twice, sessions in ((" ".join(PLAIN), "ann gus", 100), ("ann bob dan", "bob", 200)):
        counts = {name: 1 + (name in twice.split()) for name in field_of_bots.split()}
        plain = {f"{name}_{twin}": PLAIN[name] for name, count in counts.items() for twin in range(1, count + 1)}
        bots = sorted(plain)
        exact = true_scores([plain[name].bot() for name in bots], sessions, CELLS)
        truth = dict(zip(bots, exact))
        until = Until(0.95, MIN_REPLICAS, 24)
        rehearsal = Rehearsal.of(
            VON_NEUMANN_POKER,
            built(VON_NEUMANN_POKER, {f"{name}.c": one.source for name, one in plain.items()}),
            sessions=sessions,
            replicas=until.max_replicas,
        )
        field = replace(rehearsal.field, until=until)
        wrong = told = 0
        verdicts: list[Verdict] = []
        played = 0.0
        for number in range(runs):
            batches = [Batch("", (), rehearsal.played(number))]
            last = next_round(field, None, partial(rehearsal.schedule, number), batches)
            counted = reconcile(batches, rehearsal.schedule(number, last.replicas))
            legs = batches[0].legs
            legs = legs.take(np.flatnonzero(counted.counts(legs)))
            ranking = compute_standings(field, [Batch("", (), legs)])
            ahead = [(line.name, behind) for line in ranking.ranked for behind in line.significantly_ahead_of]
            twins = [x[:-1] == y[:-1] for x, y in ahead]
            wrong += any(same or truth[x] <= truth[y] for same, (x, y) in zip(twins, ahead))
            told += any(twins)
            verdicts += last.verdicts
            played += len(legs) / math.comb(len(bots), 2) / runs
        share = [f"{verdicts.count(verdict) / len(verdicts):.2f}" for verdict in ("settled", "too_close", "open")]
        yield (
            f"| {field_of_bots}; twice {twice}; {sessions} sessions | {runs} | {100 * wrong / runs:.1f}% "
            f"| {100 * told / runs:.1f}% | {' | '.join(share)} | {played:.1f} of {until.max_replicas} |"
        )


def _differences(values: Floats) -> Differences:
    """Return the differences of the means over replicas of each row's bot's gains from each column's."""
    replicas, count, _ = values.shape
    x, y = np.triu_indices(count, 1)
    each = values[:, x, y]
    v = each.var(axis=0, ddof=1) / replicas
    met = RoundRobinErrors(
        np.stack([x, y], axis=1),
        v[:, np.newaxis, np.newaxis] * np.array([[1, -1], [-1, 1]]),
        np.full(len(x), replicas - 1),
        count,
        replicas > 1,
    )
    scores = values.mean(axis=0).sum(axis=1)
    return Differences(scores[:, np.newaxis] - scores, *met.difference_variances(np.arange(count)))


def _sequential(
    draws: Floats, judged_by: Floats, names: Sequence[str], confidence: float, most: int
) -> tuple[list[str], list[Verdict], int]:
    """Play a tournament in rounds over these replicas, and return its order, settled neighbours and length."""
    until = Until(confidence, MIN_REPLICAS, most)
    counts = run_analysis_counts(until)
    for number, count in enumerate(counts, 1):
        whole = draws[:count].mean(axis=0).sum(axis=1)
        order = np.argsort(-whole, kind="stable")
        seen = [_differences(judged_by[:look][:, order][:, :, order]) for look in counts[:number]]
        found = settled_order(seen, until, len(names)).verdicts
        if next_count(found, count, counts) == count:
            break
    return [names[place] for place in order], found, count


def _fixed_length(pool: Floats, truth: Sequence[int], confidence: float, chance: np.random.Generator) -> int:
    """Return the fewest replicas with which nine in ten tournaments settle all neighbours at this level."""
    values = pool[:, truth][:, :, truth]
    count = 2
    while True:
        settled = 0
        for _ in range(200):
            ahead = significantly_ahead(_differences(values[chance.integers(0, len(pool), count)]), 1 - confidence)
            settled += bool(np.diagonal(ahead, 1).all())
        if settled >= 180:
            return count
        count = math.ceil(1.05 * count)


def _whole_fields() -> Iterator[tuple[Contest, Sequence[HousePlayer], dict[str, object]]]:
    yield VON_NEUMANN_POKER, (), {"sessions": 2000}
    yield VON_NEUMANN_POKER, (), {"sessions": 200}
    yield HOLDEM_TRAINING, (BOB,), {"hands": 10_000, "sessions": 1}


def _duplicate(tournaments: int) -> Iterator[str]:
    """Legs with the same deals and rotated positions, against as many legs with independent deals.

    What ± covers is judged by the mean of all other tournaments, whose own error is added.
    """
    yield (
        "| field | variance of scores, by duplicate of that without: median bot | least | most | the same, adjusted "
        "| covered by the ± of one replica | least |"
    )
    yield "|---|---|---|---|---|---|---|"
    for what, contest, entrants, settings in _swapping_fields():
        seats = contest.seats_of(contest.settings.model_validate(settings).playing()) or len(entrants)
        spreads: dict[str, list[Floats]] = {}
        for more in ({"replicas": seats}, {"duplicate": True}):
            rehearsal = Rehearsal.of(contest, entrants, (), **(settings | more))
            rankings = [rehearsal.tournament(number) for number in range(max(20, tournaments))]
            for column in ("score", "adjusted_score", "ci_low", "ci_high", "stderr"):
                scores = [
                    [getattr(line, column) for line in sorted(one.entrants, key=lambda line: line.name)]
                    for one in rankings
                ]
                # A score of two is the mean of replicas, but the sum of a duplicate match's legs.
                scale = 2 if "duplicate" in more and not rankings[0].has_means else 1
                spreads.setdefault(column, []).append(np.array(scores, float) / scale)
        kept = spreads["score"][1].std(axis=0) > 0
        ratios = {}
        for column in ("score", "adjusted_score"):
            of = [np.var(one, axis=0, ddof=1)[kept] for one in spreads[column]]
            ratios[column] = of[1] / of[0]
        ratio, adjusted = ratios["score"], ratios["adjusted_score"]
        corrected = f"{np.median(adjusted):.2f}" if contest.luck else "as before"
        score, low, high = (spreads[column][1][:, kept] for column in ("score", "ci_low", "ci_high"))
        covered = ((low <= score.mean(axis=0)) & (score.mean(axis=0) <= high)).mean(axis=0)
        yield (
            f"| {what}, {len(rankings)} tournaments | {np.median(ratio):.2f} | {ratio.min():.2f} | {ratio.max():.2f} "
            f"| {corrected} | {100 * covered.mean():.1f}% | {100 * covered.min():.1f}% |"
        )


def _swapping_fields() -> Iterator[tuple[str, Contest, list[Entrant], dict[str, object]]]:
    """Contests whose seats can be swapped, each with a field."""
    yield ("von Neumann poker, eight without memory, 50 sessions", VON_NEUMANN_POKER, plain_field(), {"sessions": 50})
    learning = shipped(VON_NEUMANN_POKER, LEARNING)
    yield f"the same, {len(learning)} that learn, 200 sessions", VON_NEUMANN_POKER, learning, {"sessions": 200}
    for contest in (ROCK_PAPER_SCISSORS, PRISONERS_DILEMMA):
        settings = {key: value for key, value in contest.preset.items() if key != "rules"}
        yield (
            contest.title,
            contest,
            shipped(contest),
            settings | {"sessions": 10, "turns_per_game": 200, "noise": 0.05},
        )
    yield from _dealt_in_python()


def _dealt_in_python() -> Iterator[tuple[str, Contest, list[Entrant], dict[str, object]]]:
    """Liar's dice and the auction of examples/: rules in Python, with dice and values as luck."""
    contest = example("liars_dice", "LiarsDice")
    source = (_EXAMPLES / "liars_dice" / "entrants" / "liars_dice" / "own_hand.c").read_text()
    files = {f"own_hand_{more}.c": source.replace("+ 1] + 2)", f"+ 1] + {more})") for more in range(1, 5)}
    yield "liar's dice, four that doubt sooner or later", contest, built(contest, files), {"sessions": 40}
    contest = example("auction", "Auction")
    bids = {f"bids_{share}.c": f"int bid(const View *v) {{ return v->value * {share} / 8; }}" for share in (4, 5, 6)}
    yield "auction of three", contest, built(contest, bids), {"sessions": 48}


_EXAMPLES = Path(__file__).parents[1] / "examples"


def example(folder: str, name: str) -> Contest:
    """Return a contest of examples/ by its folder and the name of its class."""
    sys.path.insert(0, str(_EXAMPLES / folder))
    try:
        return get_contest(getattr(importlib.import_module(folder), name))
    finally:
        sys.path.pop(0)


def _twins(tournaments: int, field: str = "") -> Iterator[str]:
    """Identical bots, told apart or not."""
    from benchmarks import ranking_twins

    return ranking_twins.table(tournaments, field)


def _matches(tournaments: int) -> Iterator[str]:
    """Figures of one bot against others, and of two versions."""
    from benchmarks import ranking_matches

    return ranking_matches.table(max(20, tournaments // 5))


PARTS: dict[str, Callable[[int], Iterator[str]]] = {
    "together": _together,
    "coverage": _coverage,
    "variance": _variance,
    "stopping": _stopping,
    "settled": _settled,
    "duplicate": _duplicate,
    "matches": _matches,
    "twins": _twins,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS], help="default all")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the tournaments")
    parser.add_argument("--field", default="", metavar="WORDS", help="of twins, those alone whose name has these words")
    options = parser.parse_args()
    tournaments = 50 if options.quick else 1000
    for part in options.parts or PARTS:
        print(f"\n## {part}\n", flush=True)
        for line in _twins(tournaments, options.field) if part == "twins" else PARTS[part](tournaments):
            print(line, flush=True)


if __name__ == "__main__":
    main()
