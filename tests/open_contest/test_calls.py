"""What scripts may ask of an open contest: calls answer as documented, within bounds, and show no rival's secrets."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.contest_runs import CONTEST, make_contest
from tests.open_contest.support import GOOD, UNFIT, Ground
from tests.open_contest.test_server import Served, served
from tournament.config import load_config
from tournament.open_contest import answers, trials
from tournament.open_contest.authors import Author
from tournament.open_contest.jobs import CHECK, PRACTICE, REPLAY
from tournament.open_contest.mine import Mine
from tournament.open_contest.refusals import Refused
from tournament.open_contest.server import _Desk
from tournament.open_contest.trials import Wish
from tournament.store.summary_parts import FAULTS

__all__ = ["served"]


def asked(served: Served, method: str, path: str, body: bytes | None = None, who: str = "ann") -> tuple[int, Any]:
    """Status and values of an answer, which are as the call's schema says."""
    answer = served.ask(method, path, body, who, Accept="application/json")
    values = json.loads(answer.body)
    if answer.status in (200, 202, 422) and "error" not in values:
        (call,) = (call for call in answers.CALLS if call.method == method and fits(call.path, path))
        TypeAdapter(call.answer).validate_python(values, strict=True)
    else:
        TypeAdapter(answers.ErrorAnswer).validate_python(values, strict=True)
    return answer.status, values


def fits(pattern: str, path: str) -> bool:
    parts, given = pattern.split("/"), path.partition("?")[0].split("/")
    return len(parts) == len(given) and all(one == two or "{" in one for one, two in zip(parts, given))


def test_every_call_of_the_server_is_documented(served: Served) -> None:
    ground = served.ground
    desk = _Desk(ground.submissions, ground.authors_file, None, ground.folder, secure=False)  # type: ignore[arg-type]
    there = {route.path for route in desk.routes} - {"/submit", "/openapi.json", "/llms.txt"}
    assert there == {call.path for call in answers.CALLS}
    for path in there:
        known = {call.method for call in answers.CALLS if call.path == path}
        refused = served.ask("PATCH", path.format(file="x", id="x", bot="x", name="x"), who="ann")
        assert refused.status == 405 and set(refused.headers["allow"].split(", ")) == known
    document = served.ask("GET", "/openapi.json").values
    assert document == json.loads(json.dumps(answers.openapi()))
    words = served.ask("GET", "/llms.txt").body.decode()
    assert len(words.split()) < 600 and all(f"{call.method} {call.path}" in words for call in answers.CALLS)


def test_every_call_answers_as_its_schema_says(served: Served) -> None:
    (line,) = asked(served, "GET", "/contests", who="")[1]
    _, rules = asked(served, "GET", line["url"], who="")
    assert rules["state"] == "open" and rules["limits"]["submissions_per_day"] == 5
    assert [one["name"] for one in rules["decisions"]] == ["a", "b"] and "card" in rules["decisions"][0]["told"]
    assert "python" in rules["templates"]
    assert asked(served, "GET", f"{line['url']}/standings", who="")[0] == 404
    place = served.ground.folder / "published" / CONTEST
    place.mkdir()
    board = {"contest": CONTEST, "made": "now", "open": True, "leaderboard": [], "versions": {}}
    (place / "board.json").write_text(json.dumps(board))
    assert asked(served, "GET", f"{line['url']}/standings", who="")[0] == 200
    status, job = asked(served, "POST", "/check/one.c?wait=20", GOOD)
    assert (status, job["state"], job["kind"]) == (200, "fit", CHECK) and served.ground.files() == set()
    assert asked(served, "POST", "/check/one.c?wait=20", UNFIT)[0] == 422
    assert asked(served, "PUT", "/bots/one.c?wait=20", GOOD)[1]["state"] == "entered"
    assert asked(served, "PUT", "/bots/two.c?wait=20", GOOD, "bob")[1]["state"] == "entered"
    status, job = asked(served, "POST", "/practice/one?wait=20&against=two&sessions=7")
    assert (status, job["state"]) == (200, "played") and job["asks"] == {"against": ["two"], "sessions": 7}
    status, job = asked(served, "POST", "/replay/one?wait=20&opponent=two&session=1&game=2")
    assert (status, job["report"]) == (200, {"shown": ["one", "two", 1, 2]})
    assert asked(served, "GET", "/losses/one")[0] == 404  # no games yet
    assert asked(served, "GET", job["url"])[1]["id"] == job["id"]
    assert len(asked(served, "GET", "/jobs")[1]) == 5 and len(asked(served, "GET", "/mine")[1]["jobs"]) == 5
    assert asked(served, "POST", "/submit/in", served.ground.tokens["ann"].encode(), "")[1] == {"author": "ann"}
    assert asked(served, "DELETE", "/bots/one?wait=20")[1]["state"] == "withdrawn"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/practice/one.c?against=../../authors", 404),
        ("POST", "/practice/one.c?against=/etc/passwd", 404),
        ("POST", "/practice/one.c?against=--results", 404),
        ("POST", "/practice/one.c?against=one", 404),
        ("POST", "/practice/one.c?against=" + ",".join(f"b{n}" for n in range(200)), 400),
        ("POST", "/practice/one.c?sessions=-1", 400),
        ("POST", "/practice/one.c?sessions=1e9", 400),
        ("POST", "/replay/one?opponent=x", 404),
        ("GET", "/losses/one", 404),
        ("GET", "/contests/../authors.toml", 404),
        ("GET", "/contests/nothing", 404),
        ("POST", "/check/one.c?contest=nothing", 404),
    ],
)
def test_calls_with_odd_parameters_are_refused(served: Served, method: str, path: str, status: int) -> None:
    body = GOOD if "/check/" in path or "/practice/" in path else None
    found, values = asked(served, method, path, body)
    assert found == status and values["error"]


def test_replay_is_for_the_bots_author_and_names_no_odd_opponent(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    for who, opponent in (("bob", "two"), ("ann", "--seed"), ("ann", ""), ("ann", "two,three")):
        with pytest.raises(Refused):
            ground.submissions.show(ground.author(who), CONTEST, "one", {"opponent": opponent})
    job = ground.submissions.show(ground.author("ann"), CONTEST, "one", {"opponent": "two", "session": 0})
    with pytest.raises(Refused, match="another replay of yours"):
        ground.take("ann", "one.c", kind=PRACTICE)
    assert ground.submissions.try_next(0, kind=PRACTICE) and ground.state(job) == "played"


def test_only_an_authors_last_replays_are_kept(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    jobs = []
    for session in range(5):
        asks = {"opponent": "two", "session": session}
        jobs.append(ground.submissions.show(ground.author("ann"), CONTEST, "one", asks))
        assert ground.submissions.try_next(0, kind=PRACTICE)
    assert [bool(ground.submissions.current_job(job).said) for job in jobs] == [False, False, True, True, True]


def test_one_author_who_asks_much_keeps_no_page_waiting(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    asking, go_on = threading.Semaphore(0), threading.Event()

    def slow(_mine: Mine, author: Author) -> dict[str, Any]:
        asking.release()
        assert go_on.wait(60)
        return {"submissions_left": 0, "contests": [], "jobs": []}

    monkeypatch.setattr(Mine, "values", slow)
    with ThreadPoolExecutor(60) as many:
        answers_of = [many.submit(served.ask, "GET", "/mine", None, "ann") for _ in range(50)]
        assert asking.acquire(timeout=60)
        assert served.ask("GET", "/poker/").status == 200
        go_on.set()
        statuses = [one.result().status for one in answers_of]
    assert 503 in statuses and set(statuses) <= {200, 503} and served.ask("GET", "/mine", who="bob").status == 200


def test_an_author_has_so_many_seconds_a_day(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    assert 0 < ground.submissions.seconds_left(ground.author("ann")) <= 3600
    ground.submissions._owners.spend("ann", 3600.0, ground.now)
    ground.submissions._owners.write()
    for kind in (CHECK, PRACTICE):
        with pytest.raises(Refused, match="3,600 seconds of checks") as refused:
            ground.take("ann", "one.c", kind=kind)
        assert refused.value.status == 429 and refused.value.retry_after
    again = ground.started()  # as after a kill
    assert again.seconds_left(ground.author("ann")) == 0 < again.seconds_left(ground.author("bob"))


def test_a_practice_match_is_cut_to_so_many_games(ground: Ground) -> None:
    ground.enter("bob", "two.c")
    ground.enter("bob", "three.c")
    config = load_config(CONTEST, ground.settings)
    job = ground.take("ann", "one.c", kind=PRACTICE)
    assert ground.submissions._wish(job, config).sessions is None
    few = config.opening.model_copy(update={"max_games_per_call": 200})
    games = config.played.estimates.games(config.contest)
    cut = ground.submissions._wish(job, type(config)(**{**vars(config), "opening": few})).sessions
    assert cut == max(1, int(200 / (2 * games)))


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    return Ground(tmp_path, monkeypatch)


@pytest.mark.slow
def test_neither_a_match_nor_a_replay_shows_what_a_rival_printed(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold"], settings="max_faults = 1000")
    steps = "def a(bot):\n    print('SECRET')\n    return int('SECRET') if bot.card > 0.8 else 0\n\n"
    (place.entrants / "rival.py").write_text(f"{steps}def b(bot, bet):\n    print('SECRET')\n    return 1\n")
    place.play()
    rival, bold = str(place.entrants / "rival.py"), place.entrants / "bold.c"
    fit, said = trials.play_practice(
        place.config, CONTEST, bold, None, tmp_path / "built", lambda: False, Wish(CONTEST, "bold", (rival,), 5)
    )
    found = json.loads(said)
    assert fit and "SECRET" not in said and str(tmp_path) not in said and found["sessions"] == 5
    for bot, other, shown in (("bold", "rival", False), ("rival", "bold", True)):
        fit, said = trials.show_game(
            place.config, str(place.results), Wish(CONTEST, bot, opponent=other), lambda: False
        )
        assert fit and ("SECRET" in said) is shown and str(tmp_path) not in said
        assert json.loads(said)["games"]
    fit, said = trials.show_game(
        place.config, str(place.results), Wish(CONTEST, "bold", opponent="no one"), lambda: False
    )
    assert not fit and "no such match" in said and str(tmp_path) not in said
    assert REPLAY


def test_a_fault_has_the_values_that_records_have() -> None:
    assert {*answers.FaultLine.__annotations__} - {"opponent"} <= {column.name for column in FAULTS}
