"""A machine plays along only with the driver's versions and the driver's results folder."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tournament.errors import RunError
from tournament.store.folder_storage import FolderStorage
from tournament.worker import node
from tournament.worker.node import Versions, accept, invite, versions_here


@pytest.fixture
def storage(tmp_path: Path) -> FolderStorage:
    storage = FolderStorage(str(tmp_path / "results"))
    storage.prepare()
    return storage


@pytest.mark.parametrize("name", ["tournament", "wasmtime", "sources"])
def test_other_version_is_refused_with_both_versions(storage: FolderStorage, name: str) -> None:
    here = dict(versions_here().by_name)
    other = Versions(tuple((here | {name: "0.0.1"}).items()))
    with pytest.raises(RunError, match=rf"{name} {here[name]} \(there 0\.0\.1\): install the same on every node"):
        accept(replace(invite(storage), versions=other))


def test_other_results_folder_is_refused(storage: FolderStorage) -> None:
    """Nodes can have another disk at the same path."""
    invitation = invite(storage)
    shutil.rmtree(storage.location)
    with pytest.raises(RunError, match="results must lie in a folder that all nodes share"):
        accept(invitation)
    storage.prepare()
    storage.replace(invitation.name, b"another run's")
    with pytest.raises(RunError, match="results must lie in a folder that all nodes share"):
        accept(invitation)
    accept(invite(storage))


def test_changed_package_file_changes_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = node._sources_digest()
    (tmp_path / "rules.py").write_text("ANTE = 11\n")
    found = [*node._source_files(), ("tournament/rules.py", tmp_path / "rules.py")]
    monkeypatch.setattr(node, "_source_files", lambda: iter(found))
    assert node._sources_digest() != before
