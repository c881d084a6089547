"""Authors and their tokens: who is let in, and what a file of theirs may say."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tournament.errors import InputError
from tournament.open_contest.authors import add_author, find_author, read_authors, renew_token, revoke_token


def test_token_opens_for_its_author_alone(tmp_path: Path) -> None:
    path = tmp_path / "authors.toml"
    first, second = add_author(path, "ann"), add_author(path, "bob")
    authors = read_authors(path)
    assert find_author(first, authors) == authors["ann"] and find_author(second, authors) == authors["bob"]
    secret = first.partition(".")[2]
    assert secret not in path.read_text() and stat.S_IMODE(path.stat().st_mode) == 0o600
    for wrong in ("", ".", "ann", "ann.", f"bob.{secret}", f"eve.{secret}", f"{first}x", secret):
        assert find_author(wrong, authors) is None
    with pytest.raises(InputError, match="exists already; for another token: tournament author token ann"):
        add_author(path, "ann")
    again = renew_token(path, "ann")
    assert find_author(first, read_authors(path)) is None and find_author(again, read_authors(path))
    revoke_token(path, "ann", ban=False)
    revoke_token(path, "bob", ban=True)
    found = read_authors(path)
    assert find_author(again, found) is find_author(second, found) is find_author("ann.", found) is None
    assert find_author(renew_token(path, "bob"), read_authors(path)) is None and read_authors(path)["bob"].banned
    with pytest.raises(InputError, match="is banned; to lift that"):
        add_author(path, "bob")
    with pytest.raises(InputError, match="must not differ only in case"):
        add_author(path, "Ann")
    add_author(path, "eve", organiser=True)
    renew_token(path, "eve")
    assert [name for name, author in read_authors(path).items() if author.organiser] == ["eve"]


def test_simultaneous_changes_of_authors_keep_every_author(tmp_path: Path) -> None:
    path, names = tmp_path / "authors.toml", [f"author{number}" for number in range(12)]
    add_author(path, "bob")

    def change(name: str) -> str:
        if name == names[0]:
            revoke_token(path, "bob", ban=True)
        return add_author(path, name)

    with ThreadPoolExecutor(len(names)) as pool:
        tokens = dict(zip(names, pool.map(change, names)))
    authors = read_authors(path)
    assert {*authors} == {"bob", *names} and authors["bob"].banned
    assert all(find_author(token, authors) == authors[name] for name, token in tokens.items())


@pytest.mark.parametrize("name", ["", ".a", "a..b", "../ann", "a/b", "a\nb", "é", "x" * 33])
def test_author_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="letters a-z and A-Z, digits"):
        add_author(tmp_path / "authors.toml", name)
