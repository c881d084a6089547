"""Failures of object stores alone: writers without locks, half an upload, lost answers, records that move."""

from __future__ import annotations

import contextlib
import itertools
import re
import threading
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import cast

import obstore
import obstore.store
import pytest

import tournament
from tests.contest_runs import CONTEST, THRESHOLDS, Listener, bot_source, make_contest
from tests.object_store import BUCKET, MemoryStore, ServedStore, new_location
from tests.store.test_records import (
    CHANGES,
    FIELD,
    Crash,
    commit_few,
    counting,
    leg,
    reopened,
    stage_batch,
)
from tournament.errors import InputError, RunError
from tournament.store import object_client
from tournament.store.leg_result import Fault
from tournament.store.reading import read_records
from tournament.store.storage import Storage, open_storage
from tournament.store.writer import open_for_writing

LOCATION = "s3://bucket/results/von_neumann_poker"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    """Return a store in this process."""
    return MemoryStore(monkeypatch)


@pytest.fixture
def storage(served_store: ServedStore) -> Iterator[Storage]:
    """Yield a prefix of the served store."""
    storage = open_storage(new_location(served_store.options))
    yield storage
    storage.release()


# Writers.


def paused(memory: MemoryStore, at: int, action: Callable[[], object], meanwhile: Callable[[], object]) -> str | None:
    """Do something that stops at one of its requests until something else is done.

    Returns:
        The message if it failed, "" if it didn't, None if there are fewer requests.
    """
    halted, go_on, came = threading.Event(), threading.Event(), itertools.count(1)
    waits = False

    def gate(request: str) -> None:
        nonlocal waits
        if next(came) == at and not halted.is_set():
            waits = True
            halted.set()
            assert go_on.wait(60)

    def act() -> str:
        try:
            action()
        except RunError as failure:
            return str(failure)
        finally:
            halted.set()
        return ""

    memory.gate = gate
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(act)
        assert halted.wait(60)
        meanwhile()
        go_on.set()
    memory.gate = lambda request: None
    return said.result() if waits else None


STOPS = f"another process now writes to {LOCATION}; this one stops"


@pytest.mark.parametrize("what", CHANGES)
def test_paused_writer_that_wakes_changes_nothing(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Pause a writer at each request of a change, while another opens and commits."""
    (change, after), said = CHANGES[what], cast(str | None, "")
    request = 0
    while said is not None:
        request += 1
        memory = MemoryStore(monkeypatch)
        first = open_for_writing(open_storage(LOCATION))
        first.set_field(FIELD)
        first.commit([known := stage_batch(first.storage, leg(0), leg(3))])
        before: dict[str, bytes] = {}

        def take_over() -> None:
            second = open_for_writing(open_storage(LOCATION))
            second.commit(without=dict(second.lost))
            second.commit([stage_batch(second.storage, leg(5))])
            before.update(memory.objects())  # noqa: B023

        said = paused(memory, request, lambda: change(first, known), take_over)  # noqa: B023
        if said is None:
            break
        staged = f"{LOCATION.partition('bucket/')[2]}/staging/"  # A writer that stops can leave files there.
        there = {name: text for name, text in memory.objects().items() if not name.startswith(staged)}
        assert there == {name: text for name, text in before.items() if not name.startswith(staged)}, request
        assert said in ("", STOPS) or "is missing" in said
        with pytest.raises(RunError, match=STOPS):
            first.commit([stage_batch(first.storage, leg(4))])
        found = [[one.match for one in legs] for legs in counting(first.storage)]
        assert found in [[*state, [5]] for state in ([[0, 3]], *after)]
    assert request > 5


def test_writer_killed_at_any_request_leaves_whole_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the next writer finishes or drops each change."""
    expected = [[[0, 1], [2]], [[0, 1], [2], [3]], [[1], [2], [3]], [[1], [3]], [[1], [3], [4]], [[1, 4], [3]]]
    killed_at, done = 0, False
    while not done:
        killed_at += 1
        memory = MemoryStore(monkeypatch)
        writer = open_for_writing(storage := open_storage(LOCATION))
        writer.set_field(FIELD)
        writer.commit([first := stage_batch(storage, leg(0), leg(1)), second := stage_batch(storage, leg(2))])
        writer.close()
        came = itertools.count(1)

        def gate(request: str) -> None:
            if next(came) >= killed_at:  # noqa: B023
                raise Crash

        memory.gate = gate
        with contextlib.suppress(Crash):
            killed = open_for_writing(open_storage(LOCATION))
            killed.commit([stage_batch(killed.storage, leg(3))])
            killed.commit([stage_batch(killed.storage, leg(1), name=first.name)])
            killed.commit(without=[second.name])
            commit_few(killed, leg(4))
            killed.close()
            done = True
        memory.gate = lambda request: None
        seen = [[one.match for one in legs] for legs in counting(storage)]
        after = [[one.match for one in legs] for legs in reopened(storage)]
        assert seen in expected and after in expected[expected.index(seen) :], killed_at
    assert killed_at > 40 and seen == expected[-1]


def test_store_that_ignores_conditions_is_refused(served_store: ServedStore, storage: Storage) -> None:
    with served_store.behaving(deaf=True), pytest.raises(RunError, match="use one with conditional puts"):
        storage.acquire()


@pytest.mark.parametrize(("how", "status", "number"), [("gate", "500", 1), ("losing", "503", 2)])
def test_store_that_stumbles_during_trial_is_accepted(
    served_store: ServedStore, storage: Storage, how: str, status: str, number: int
) -> None:
    """Requests fail before or after they were carried out."""
    puts = itertools.count(1)
    stumbles = {how: lambda request: status if request.startswith("PUT") and next(puts) == number else None}
    with served_store.behaving(**stumbles):
        assert not storage.acquire()
    assert storage.still_held()


# Requests.


def test_reading_and_committing_take_few_requests(memory: MemoryStore) -> None:
    writer = open_for_writing(open_storage(LOCATION))
    writer.set_field(FIELD)
    for number in range(50):
        fault = Fault(0, number, 0, "b", "oh")
        writer.commit([stage_batch(writer.storage, replace(leg(0, number), faults=(fault,)))])
    batch = stage_batch(writer.storage, leg(1))
    requests: list[str] = []
    memory.gate = requests.append
    writer.commit([batch])
    assert 0 < len(requests) <= 14, requests
    writer.close()
    requests.clear()
    assert len(read_records(open_storage(LOCATION)).batches) == 51
    assert 0 < len(requests) <= 51 + 8


# Uploads.


def unfinished_uploads(served_store: ServedStore) -> int:
    with urllib.request.urlopen(f"http://{served_store.address}/{BUCKET}?uploads") as answer:
        return bytes(answer.read()).count(b"<UploadId>")


def test_failed_upload_is_removed(served_store: ServedStore, storage: Storage) -> None:
    stream = storage.open_staged("staging/part")
    storage.list("staging")
    with (
        served_store.behaving(gate=lambda request: "403" if "uploadId" in request and "PUT" in request else None),
        pytest.raises(RunError, match="refuses these credentials"),
    ):
        for _ in range(20):
            stream.write(b"x" * 5_000_000)
        storage.finish_staged(stream)
    stream.close()
    assert storage.list("staging") == {}
    assert unfinished_uploads(served_store) == 0


# Trouble.


def trouble(location: str) -> str:
    """Return the one line that is said of a store that can't be used."""
    with pytest.raises((RunError, InputError)) as refused:
        open_storage(location).list("sessions")
    (line,) = str(refused.value).splitlines()
    return line


def test_urls_and_variables_configure_clients_of_other_clouds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_KEY", "a2V5")
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "http://127.0.0.1:9")
    azure, google = (
        object_client.ObjectClient(url)._store((0, 0, 1))
        for url in ("az://box/a/b?account=ann&endpoint_override=127.0.0.1:9&scheme=http", "gs://box/a")
    )
    assert isinstance(azure, obstore.store.AzureStore) and isinstance(google, obstore.store.GCSStore)
    told = {"account_name": "ann", "account_key": "a2V5", "endpoint": "http://127.0.0.1:9", "container_name": "box"}
    assert azure.config == told
    assert google.config == {"bearer_token": "none", "bucket": "box", "base_url": "http://127.0.0.1:9"}


def test_missing_credentials_are_one_line(served_store: ServedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nowhere")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with served_store.behaving() as requests:
        line = trouble(f"s3://{BUCKET}/place?{served_store.options}")
    assert line == (
        "s3://bucket/place needs credentials, but none were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )
    assert requests == []


def test_failing_store_is_asked_again_a_few_times(served_store: ServedStore) -> None:
    storage = open_storage(new_location(served_store.options))
    stumbles = iter(["503", "500"])
    with served_store.behaving(gate=lambda request: next(stumbles, None)):
        assert storage.list("sessions") == {}
    with served_store.behaving(gate=lambda request: "503") as requests:
        line = trouble(new_location(served_store.options))
    assert re.fullmatch(
        r"s3://bucket/\w+: the store at http://.* fails \(.*503.*\); check its address, .*run again to continue", line
    )
    assert len(requests) == 3


def test_copied_records_continue_in_store(served_store: ServedStore, tmp_path: Path) -> None:
    """Copy from a folder to a store, as docs/how_to/object_store.md has it."""
    url = new_location(served_store.options)
    prefix = url.removeprefix(f"s3://{BUCKET}/").partition("?")[0]
    store = obstore.store.S3Store(
        BUCKET, endpoint=f"http://{served_store.address}", region="us-east-1", client_options={"allow_http": True}
    )
    place = make_contest(tmp_path, ["bold", "calm"])
    place.play()

    folder = place.results.parent
    for path in filter(Path.is_file, folder.rglob("*")):
        obstore.put(store, f"{prefix}/{path.relative_to(folder).as_posix()}", path.read_bytes())
    assert not tournament.verify(CONTEST, config=place.config, results=url).problems
    place.write_bot("dull", bot_source(*THRESHOLDS["dull"]))
    listener = Listener()
    place.play(listener=listener, results=url)
    there = tournament.load(f"s3://{BUCKET}/{prefix}/{CONTEST}?{served_store.options}")
    assert len(there.matches) == 6
    known = tournament.load(str(place.results)).matches
    assert listener.games == there.matches[there.matches.seat == 0].games.sum() - known[known.seat == 0].games.sum()
    assert not tournament.verify(CONTEST, config=place.config, results=url, replay=2).problems
