"""What somebody may claim in a results folder that wasn't played: each forgery edits a copy of finished records.

Whatever the forger touches he seals, hashes and sums up as a run would; he may know the seed.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from engine.kernel.game_core import BLOCK_COUNT
from tests.contest_runs import CONTEST, Place
from tests.runner.test_poisoned_results import entry_at, poison, put, replace_part
from tournament.contests import find_contest
from tournament.records.results import load, write_summaries
from tournament.runner.schedule.legs import Competitor, RoundRobin
from tournament.standings.without_luck import read_luck, write_luck
from tournament.store.ledger import batch_name, pack
from tournament.store.ledger_reading import read_state
from tournament.store.storage import open_storage

Finder = Literal["reading", "verify", "verify --replay"]
Entry = dict[str, Any]
Leg = dict[str, Any]
SESSIONS = 33  # of a leg


@dataclass(frozen=True)
class Forgery:
    """A claim, who must find it, and how it is made."""

    claim: str
    found_by: Finder
    make: Callable[[Place], object]


def batch_of(entry: Entry) -> dict[str, Any]:
    batch: dict[str, Any] = entry["batches"][0]
    return batch


def legs_of(entry: Entry) -> list[Leg]:
    legs: list[Leg] = batch_of(entry)["legs"]
    return legs


def in_field(change: Callable[[dict[str, Any]], object]) -> Callable[[Place], object]:
    return lambda place: poison(place, 1, lambda entry: change(entry["field"]))


def in_batch(change: Callable[[dict[str, Any]], object]) -> Callable[[Place], object]:
    return lambda place: poison(place, 2, lambda entry: change(batch_of(entry)))


def in_legs(change: Callable[[list[Leg]], object]) -> Callable[[Place], object]:
    def make(place: Place) -> None:
        poison(place, 2, lambda entry: change(legs_of(entry)))
        rename(place)

    return make


def entrant(field: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in field["entrants"] if one["name"] == name)
    return found


def rename(place: Place) -> None:
    """Give the batch the name that its legs' digests make, and its parts' files with it."""

    def change(entry: Entry) -> None:
        batch, legs = batch_of(entry), legs_of(entry)
        name = batch_name(legs[0]["match"], legs[0]["number"], [leg["digest"] for leg in legs])
        for part in batch["parts"]:
            (place.results / part["table"] / part["name"]).rename(place.results / part["table"] / f"{name}.parquet")
            part["name"] = f"{name}.parquet"
        batch["name"] = name

    poison(place, 2, change)


def redigest(place: Place) -> None:
    """Give all legs the digests of the field as it is written now."""
    field = entry_at(place, 1)["field"]
    players = {e["name"]: Competitor(e["number"], e["name"], "wasm", e["artifact"]) for e in field["entrants"]}
    settings = {key: value for key, value in field["settings"].items() if key != "seed"}
    digests = RoundRobin(
        CONTEST, settings, b"", (), version=field["engine"], fingerprint=field["settings"]["seed"]
    ).digests()

    def change(legs: list[Leg]) -> None:
        for leg in legs:
            leg["digest"] = digests.of(players[leg["x"]], players[leg["y"]], leg["number"]).hex()

    in_legs(change)(place)


def summarise(place: Place) -> None:
    write_summaries(open_storage(str(place.results)), load(str(place.results)).ranking)


def part_path(place: Place, table: str) -> Path:
    (path,) = (place.results / table).iterdir()
    return path


def with_column(table: pa.Table, name: str, change: Callable[[np.ndarray[Any, Any]], None]) -> pa.Table:
    values = table[name].to_numpy().copy()
    change(values)
    number = table.schema.get_field_index(name)
    return table.set_column(number, table.schema.field(number), pa.array(values, table.schema.field(number).type))


def in_column(table: str, name: str, change: Callable[[np.ndarray[Any, Any]], None]) -> Callable[[Place], None]:
    return lambda place: replace_part(place, table, lambda rows: with_column(rows, name, change))


def at(place: Any, value: Any) -> Callable[[np.ndarray[Any, Any]], None]:
    def change(values: np.ndarray[Any, Any]) -> None:
        values[place] = value(values[place]) if callable(value) else value

    return change


def all_of(new: Any) -> Callable[[np.ndarray[Any, Any]], None]:
    return lambda values: values.__setitem__(slice(None), new)


def sum_up(place: Place) -> None:
    """Work out the ledger's sums from the sessions, and the sessions' points from their gains, as a run would."""

    def pointed(table: pa.Table) -> pa.Table:
        points = table["x_gain"].to_numpy() / np.sqrt(table["games"].to_numpy().astype(np.float64))
        for name, values in (("x_points", points), ("y_points", 0.0 - points)):
            table = with_column(table, name, all_of(values))
        return table

    replace_part(place, "sessions", pointed)
    sessions = pq.read_table(part_path(place, "sessions")).to_pydict()
    games = pq.read_table(part_path(place, "games"), columns=["match", "session"]).to_pydict()
    played: dict[tuple[int, int], int] = {}
    for match, session in zip(games["match"], games["session"]):
        played[match, session // SESSIONS] = played.get((match, session // SESSIONS), 0) + 1

    def change(legs: list[Leg]) -> None:
        for leg in legs:
            leg.update(points=0.0, squared_points=0.0, blocks=[0.0] * BLOCK_COUNT, sessions=0)
            leg["games"] = played[leg["match"], leg["number"]]
        by_place = {(leg["match"], leg["number"]): leg for leg in legs}
        for match, session, points in zip(sessions["match"], sessions["session"], sessions["x_points"]):
            leg = by_place[match, session // SESSIONS]
            leg["sessions"] += 1
            leg["points"] += points
            leg["squared_points"] += points * points
            leg["blocks"][session % SESSIONS * BLOCK_COUNT // SESSIONS] += points

    poison(place, 2, lambda entry: change(legs_of(entry)))
    summarise(place)


def without_rows(place: Place, is_gone: Callable[[Mapping[str, Any]], Any]) -> None:
    """Take rows out of both tables, and legs without any out of the ledger."""
    for table in ("games", "sessions"):
        replace_part(
            place,
            table,
            lambda rows: rows.filter(
                pa.array(~is_gone({name: rows[name].to_numpy() for name in ("match", "session")}))
            ),
        )
    left = pq.read_table(part_path(place, "games"), columns=["match", "session"]).to_pydict()
    there = {(match, session // SESSIONS) for match, session in zip(left["match"], left["session"])}
    in_legs(lambda legs: legs.__setitem__(slice(None), [
        leg for leg in legs if (leg["match"], leg["number"]) in there
    ]))(place)  # fmt: skip
    sum_up(place)


def swap_names(place: Place) -> None:
    """Whoever was best is now called otherwise."""
    other = {"bold": "calm", "calm": "bold"}

    def change(entry: Entry) -> None:
        for leg in legs_of(entry):
            leg.update(x=other.get(leg["x"], leg["x"]), y=other.get(leg["y"], leg["y"]))

    poison(place, 2, change)


def make_broken(place: Place) -> None:
    """calm is said not to compile, and all its legs are gone."""

    def change(field: dict[str, Any]) -> None:
        entrant(field, "calm").update(artifact=None, problem="error: expected ';'")

    lose(place, "calm")
    in_field(change)(place)
    summarise(place)


def lose(place: Place, name: str) -> None:
    matches = [leg["match"] for leg in legs_of(entry_at(place, 2)) if name in (leg["x"], leg["y"])]
    without_rows(place, lambda rows: np.isin(rows["match"], matches))


def leave_out(place: Place) -> None:
    """calm was never there."""
    lose(place, "calm")
    in_field(lambda field: field.update(entrants=[e for e in field["entrants"] if e["name"] != "calm"]))(place)
    summarise(place)


def forge_luck(place: Place) -> None:
    storage, contest = open_storage(str(place.results)), find_contest(CONTEST)
    luck = {digest: points + 100.0 for digest, points in read_luck(storage, contest).items()}
    assert luck
    write_luck(storage, contest, luck)


def forge_fold(place: Place, *, change: Callable[[Any], Any]) -> None:
    state = read_state(open_storage(str(place.results)))
    change(state)
    put(place, state.entries + 1, pack(state.folded()))


def first_leg_wins(state: Any) -> None:
    (batch,) = (versions[-1] for versions in state.batches.values())
    sums = batch.legs.sums.copy()
    sums[0] += 1000.0
    state.batches[batch.name] = [replace(batch, legs=replace(batch.legs, sums=sums))]


def without_first(state: Any) -> None:
    state.field = replace(state.field, entrants=state.field.entrants[1:])


def summary(name: str, column: str, change: Callable[[np.ndarray[Any, Any]], None]) -> Callable[[Place], None]:
    def make(place: Place) -> None:
        path = place.results / f"{name}.parquet"
        table = pq.read_table(path)
        values = np.array(table[column].to_pylist(), dtype=object)
        change(values)
        number = table.schema.get_field_index(column)
        column_type = table.schema.field(number).type
        pq.write_table(table.set_column(number, table.schema.field(number), pa.array(list(values), column_type)), path)

    return make


def faulty(entry_legs: list[Leg], who: str = "even") -> Leg:
    return next(leg for leg in entry_legs if who in (leg["x"], leg["y"]) and leg.get("faults"))


def in_fault(who: str = "even", **changes: Any) -> Callable[[Place], object]:
    def change(legs: list[Leg]) -> None:
        leg = faulty(legs, who)
        leg["faults"][0].update(changes)

    def make(place: Place) -> None:
        in_legs(change)(place)
        summarise(place)

    return make


def fault_of(leg: Leg, seat: int) -> dict[str, Any]:
    return {"seat": seat, "session": leg["number"] * SESSIONS, "game": 0, "question": "a", "what": "divided by zero"}


def disqualify(legs: list[Leg]) -> None:
    leg = next(leg for leg in legs if {leg["x"], leg["y"]} == {"bold", "calm"})
    seat = (leg["x"], leg["y"]).index("calm")  # that has no other leg, which wouldn't count
    leg.update(faults=[fault_of(leg, seat)] * 4, ended_by=seat)


def then_summarise(make: Callable[[Place], object]) -> Callable[[Place], None]:
    def both(place: Place) -> None:
        make(place)
        summarise(place)

    return both


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[3] ^= 1
    path.write_bytes(bytes(content))


def secrets_of(place: Place) -> list[Path]:
    return sorted((place.results / "secret").iterdir())


def another_seed(place: Place) -> None:
    for path in secrets_of(place):
        path.write_text("the seed of somebody else")


def move(leg: Leg, other: Leg, name: str) -> None:
    leg[name] += 1
    other[name] -= 1


def exchange(legs: list[Leg], name: str) -> None:
    legs[0][name], legs[1][name] = legs[1][name], legs[0][name]


def with_settings(place: Place, **settings: Any) -> None:
    in_field(lambda field: field["settings"].update(settings))(place)
    redigest(place)


def another_artifact(place: Place) -> None:
    in_field(lambda field: entrant(field, "bold").update(artifact="0" * 64))(place)
    redigest(place)


def of_version(place: Place) -> None:
    def relabelled(table: pa.Table) -> pa.Table:
        return table.replace_schema_metadata({**(table.schema.metadata or {}), b"engine_version": b"9.9"})

    replace_part(place, "games", relabelled)


def shorten(place: Place) -> None:
    """The last session of the first leg never was."""
    leg = legs_of(entry_at(place, 2))[0]
    last = (leg["number"] + 1) * SESSIONS - 1
    without_rows(place, lambda rows: (rows["match"] == leg["match"]) & (rows["session"] == last))


def rename_entrant(field: dict[str, Any]) -> None:
    entrant(field, "bold")["name"] = "best"
    field["numbers"]["best"] = field["numbers"].pop("bold")


def other_sessions_points(place: Place) -> None:
    """More points than its gain gives, with the ledger's sums to match."""
    in_column("sessions", "x_points", at(0, lambda points: points + 4.0))(place)
    in_column("sessions", "y_points", at(0, lambda points: points - 4.0))(place)

    def change(legs: list[Leg]) -> None:
        points: list[Any] = pq.read_table(part_path(place, "sessions"))["x_points"].to_pylist()[: legs[0]["sessions"]]
        legs[0].update(points=sum(points), squared_points=sum(one * one for one in points))
        legs[0]["blocks"][0] += 4.0

    poison(place, 2, lambda entry: change(legs_of(entry)))
    summarise(place)


def swap_games_of_sessions(place: Place) -> None:
    """Of two sessions of a leg with the same gain one has a game more, the other one less."""
    in_column("sessions", "games", at(0, lambda games: games + 1))(place)
    in_column("sessions", "games", at(1, lambda games: games - 1))(place)
    sum_up(place)


FORGERIES = (
    # The ledger's legs.
    Forgery("two bots' names exchanged in all legs", "reading", swap_names),
    Forgery("x and y exchanged", "reading", in_legs(lambda legs: legs[0].update(x=legs[0]["y"], y=legs[0]["x"]))),
    Forgery("a leg of somebody who never was", "reading", in_legs(lambda legs: legs[0].update(x="aaron"))),
    Forgery("a leg's match", "reading", in_legs(lambda legs: legs[-1].update(match=legs[-1]["match"] + 1))),
    Forgery("a leg left out, its rows kept", "reading", in_batch(lambda batch: batch["legs"].pop())),
    Forgery("a leg's digest, and with it the batch's name", "verify", in_legs(
        lambda legs: legs[0].update(digest=hashlib.sha256(b"another").hexdigest()))),
    Forgery("two legs' digests exchanged", "verify", in_legs(lambda legs: exchange(legs, "digest"))),
    Forgery("points", "verify", then_summarise(
        in_legs(lambda legs: legs[0].update(points=math.nextafter(legs[0]["points"], math.inf))))),
    Forgery("squared points", "verify", then_summarise(
        in_legs(lambda legs: legs[0].update(squared_points=legs[0]["squared_points"] * 2)))),
    Forgery("blocks", "verify", then_summarise(
        in_legs(lambda legs: legs[0].update(blocks=legs[0]["blocks"][::-1])))),
    Forgery("y's points", "verify", then_summarise(
        in_legs(lambda legs: [leg.update(y_sums=[5.0] * (2 + BLOCK_COUNT)) for leg in legs]))),
    Forgery("games moved to another leg", "verify", then_summarise(
        in_legs(lambda legs: move(legs[0], legs[1], "games")))),
    Forgery("sessions moved to another leg", "verify", then_summarise(
        in_legs(lambda legs: move(legs[0], legs[1], "sessions")))),
    Forgery("the last session of a leg cut off, with its rows", "verify", shorten),
    Forgery("all legs of a bot dropped, with their rows", "verify", lambda place: lose(place, "calm")),
    Forgery("what confined processes, left out", "verify", in_batch(lambda batch: batch.update(sandbox=""))),
    Forgery("what confined processes, another text", "verify --replay", in_batch(
        lambda batch: batch.update(sandbox="a better sandbox"))),
    # Faults.
    Forgery("a leg ended by nobody's fault", "reading", in_legs(lambda legs: legs[0].update(ended_by=0))),
    Forgery("a fault of a third player", "reading", in_legs(lambda legs: faulty(legs)["faults"][0].update(seat=2))),
    Forgery("a fault in a session of another leg", "verify", in_fault(session=1000)),
    Forgery("more faults than are allowed", "verify", then_summarise(
        in_legs(lambda legs: legs[0].update(faults_left_out=[9, 0], faults=[fault_of(legs[0], 0)])))),
    Forgery("what a fault was", "verify --replay", in_fault(what="looked at the sun")),
    Forgery("at which question it was", "verify --replay", in_fault(question="b")),
    Forgery("what was asked", "verify --replay", in_fault(asked="a card=0.5")),
    Forgery("in which game it was", "verify --replay", in_fault(game=49)),
    Forgery("whose fault it was", "verify --replay", then_summarise(in_legs(
        lambda legs: [faulty(legs)["faults"].insert(0, fault_of(faulty(legs), seat)) for seat in (0, 1)]))),
    Forgery("a fault that is left out", "verify --replay", then_summarise(
        in_legs(lambda legs: faulty(legs, "path")["faults"].pop(0)))),
    Forgery("how many faults were left out", "verify --replay", then_summarise(
        in_legs(lambda legs: faulty(legs, "path").update(faults_left_out=[1, 1])))),
    Forgery("a disqualification", "verify --replay", then_summarise(in_legs(disqualify))),
    Forgery("what a process complained of", "verify --replay", in_fault("path", complaints="all is well")),
    # The field.
    Forgery("two bots' numbers exchanged", "reading", in_field(lambda field: [
        entrant(field, "bold").update(number=field["numbers"]["calm"]),
        entrant(field, "calm").update(number=field["numbers"]["bold"]),
        field["numbers"].update(bold=field["numbers"]["calm"], calm=field["numbers"]["bold"])])),
    Forgery("a bot's name", "reading", in_field(rename_entrant)),
    Forgery("a bot that plays and can't", "reading", in_field(
        lambda field: entrant(field, "bold").update(problem="error: expected ';'"))),
    Forgery("a bot that can't play, for no reason", "reading", in_field(
        lambda field: entrant(field, "dull").update(problem=None))),
    Forgery("settings", "verify", in_field(lambda field: field["settings"].update(faults_allowed=7))),
    Forgery("fewer sessions, with the digests to match", "verify", lambda place: with_settings(place, sessions=11)),
    Forgery("the rules of a setting, with the digests to match", "verify --replay",
            lambda place: with_settings(place, bet_cap="after_ante")),
    Forgery("the seed's fingerprint", "verify", in_field(lambda field: field["settings"].update(seed="0" * 32))),
    Forgery("the engine's version", "verify", in_field(lambda field: field.update(engine="9.9"))),
    Forgery("what plays", "verify", in_field(lambda field: entrant(field, "bold").update(artifact="0" * 64))),
    Forgery("what plays, with the digests to match", "verify --replay", another_artifact),
    Forgery("a bot's hash", "verify --replay", then_summarise(
        in_field(lambda field: entrant(field, "bold").update(sha256="0" * 64)))),
    Forgery("a bot's language", "verify --replay", then_summarise(
        in_field(lambda field: entrant(field, "bold").update(kind="cpp")))),
    Forgery("why a bot can't play", "verify --replay", then_summarise(
        in_field(lambda field: entrant(field, "dull").update(problem="its author gave up")))),
    Forgery("a bot broken, its legs dropped", "verify --replay", make_broken),
    Forgery("a bot that was never there, its legs dropped", "verify --replay", leave_out),
    # The parts.
    Forgery("a session's points, and all sums of them", "verify", other_sessions_points),
    Forgery("a session's points of y", "verify", in_column("sessions", "y_points", at(0, 0.5))),
    Forgery("a session's gain", "verify", in_column("sessions", "x_gain", at(0, lambda gain: gain + 10))),
    Forgery("a session's games", "verify", swap_games_of_sessions),
    Forgery("a game's gain", "verify", in_column("games", "a_gain", at(0, lambda gain: gain + 1))),
    Forgery("a game's session", "verify", in_column("games", "session", at(0, 1))),
    Forgery("a card that there is none of", "verify", in_column("games", "a_card", at(0, 2.0))),
    Forgery("the version that played a part", "verify", of_version),
    Forgery("a game's cards", "verify --replay", in_column("games", "b_card", at(5, lambda card: card * 0.9999))),
    Forgery("a game's bet", "verify --replay", in_column("games", "bet", at(5, 49))),
    Forgery("who folded", "verify --replay", in_column("games", "folded", at(5, lambda folded: not folded))),
    # Notes and summaries.
    Forgery("luck", "verify", forge_luck),
    Forgery("an entrant left out of a fold", "verify", lambda place: forge_fold(place, change=without_first)),
    Forgery("points in a fold", "verify", lambda place: forge_fold(place, change=first_leg_wins)),
    Forgery("points in matches.parquet", "verify", summary("matches", "x_points", at(0, 1e6))),
    Forgery("a status in entrants.parquet", "verify", summary("entrants", "status", at(0, "broken"))),
    Forgery("a bot in faults.parquet", "verify", summary("faults", "bot", at(0, "bold"))),
    # The seed.
    Forgery("a bit of the seed", "verify", lambda place: flip(secrets_of(place)[0])),
    Forgery("a bit of the seed's copy", "verify", lambda place: flip(secrets_of(place)[1])),
    Forgery("another seed", "verify", another_seed),
)  # fmt: skip


def house_player(field: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = field["house"][0]
    return found


FORGERIES_OF_HOUSE = (
    Forgery("what a perfect opponent wins from a house player", "verify",
            in_field(lambda field: house_player(field)["facts"].update(achievable=0.001))),
    Forgery("what a house player plays by", "verify",
            in_field(lambda field: house_player(field).update(sha256="0" * 64))),
    Forgery("a house player's name", "reading", in_field(lambda field: house_player(field).update(name="server_9"))),
    Forgery("a house player's file", "verify",
            lambda place: (place.results / "house" / "server_01.txt").write_text("another server")),
    Forgery("an example of house players", "verify",
            lambda place: (place.results / "house" / "example_0.txt").write_text("another example")),
    Forgery("a session's score", "verify", in_column("sessions", "x_score", at(0, lambda score: score + 1))),
    Forgery("a session's profit", "verify", in_column("sessions", "x_gain", at(0, lambda gain: gain + 1))),
)  # fmt: skip
