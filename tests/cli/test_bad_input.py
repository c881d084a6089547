"""Bad input of every command: one line that says what to do, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.in_process import run_cli
from tests.cli.test_check_rules import RULES
from tests.contest_runs import bot_source


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A played contest of two bots and a broken one, beside rules of others and files of the same names."""
    place = tmp_path_factory.mktemp("contest")
    for name, source in (("steady", bot_source(6, 5)), ("loose", bot_source(1, 1)), ("torn", "int a(")):
        for bots in (place / "entrants" / "von_neumann_poker", place / "other"):
            bots.mkdir(parents=True, exist_ok=True)
            (bots / f"{name}.c").write_text(source)
    (place / "rules.py").write_text(RULES)
    (place / "wrong.py").write_text(RULES.replace('"int8"', '"int"'))
    (place / "tournament.toml").write_text('[von_neumann_poker]\nsessions = 20\nseed = "bad input"\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert run_cli("run", "von_neumann_poker", "--executor", "local").code == 0
    return place


BAD_INPUT = [
    (["run", "bridge"], "no contest is called bridge"),
    (["run", "von_neumann_poker", "--sessions", "0"], "--sessions 0"),
    (["run", "von_neumann_poker", "--executor", "dask"], "--executor dask"),
    (["run", "von_neumann_poker", "--progress", "xml", "--dry-run"], "--progress xml: there is json"),
    (["run", "von_neumann_poker", "--cores", "8"], "--cores only estimates; add --dry-run"),
    (["run", "von_neumann_poker", "--entrants", "nowhere"], "nowhere does not exist"),
    (["run", "von_neumann_poker", "--config", "nowhere.toml"], "nowhere.toml can't be read"),
    (["leaderboard", "--results", "nowhere"], "has no results yet; play with `tournament run`"),
    (["leaderboard", "two_card_draw", "--results", "results/von_neumann_poker"], "has results of von_neumann_poker"),
    (["report", "two_card_draw", "--results", "results"], "two_card_draw has no results"),
    (["verify", "two_card_draw", "--results", "results/von_neumann_poker"], "not of two_card_draw"),
    (["compare", "results/von_neumann_poker", "nowhere"], "nowhere has no results yet; play with `tournament run`"),
    (["compare", "results", "results", "--csv", "--json"], "--csv, --json: choose one of the two"),
    (["cite", "--bibtex", "--json"], "--bibtex, --json: choose one of the two"),
    (["check", "nowhere.c"], "not found: say the path of the bot's file"),
    (["check", "steady"], "not found; did you mean entrants/von_neumann_poker/steady.c?"),
    (["faults", "--bot", "stedy"], "--bot stedy: the records have no such bot, did you mean steady?"),
    (["replay", "von_neumann_poker", "--match", "loose,steedy", "--session", "0"], "they have no steedy, did you mean"),
    (["check", "stray.c", "--config", "other.toml"], "other.toml can't be read"),
    (["check", "tournament.toml"], "bots are files ending in"),
    (
        ["match", "von_neumann_poker", "steady", "loos"],
        "loos: not found among files, entrants and shipped bots, did you",
    ),
    (["match", "steady", "loose", "--until-settled", "95"], "between 0.5 and 1, such as 0.95"),
    (["replay", "von_neumann_poker", "--match", "a", "--session", "0"], "--match a: expected the match's number"),
    (["new", "von_neumann_poker", "a/b"], "a bot's name has"),
    (["new", "von_neumann_poker", "x", "--language", "cobol"], "--language cobol"),
    (["new", "von_neumann_poker", "steady", "--language", "python"], "steady.c already exists"),
    *(
        (["judge", *words.split()], message)
        for words, message in (
            ("von_neumann_poker -- true", "von_neumann_poker has no judge for programs"),
            ("holdem_training --hands 5 --decks x -- true", "omit one of"),
            ("holdem_training --decks x -- true", "x can't be read"),
            ("holdem_training --transcript a/b -- true", "can't be written"),
            (
                "holdem_training --transcript /dev/full -- yes RATE",
                "--transcript /dev/full: can't be written: No space",
            ),
            ("holdem_training -- no_such_program", "no_such_program is not installed on this machine"),
        )
    ),
    *(
        (["strategy", *words.split()], f"tournament: {message}")
        for words, message in (
            ("generate --bet1 0 --bet2 1 -o x", "--bet1 0: must be 1 to 5"),
            ("generate --bet1 2 --bet2 7 -o x", "--bet2 7: must be 2 to 6, from bet1 to three times bet1"),
            ("generate --bet1 2 --bet2 1 -o x", "--bet2 1: must be 2 to 6, from bet1 to three times bet1"),
            ("generate --bet1 1 --bet2 1 --seed -1 -o x", "--seed -1: must be 0 to 2⁶³ − 1"),
            ("evaluate nowhere.txt", "nowhere.txt can't be read: No such file or directory"),
            ("generate --bet1 1 --bet2 1 -o /proc/x/y", "/proc/x/y can't be written"),
        )
    ),
    (["init", "/dev/null/below"], "/dev/null/below can't be written"),
    (["init", "nothing", "--contest", "bridge"], "no contest is called bridge"),
    (["init", "x", "--rules", "two_card_draw"], "is none of"),
    (["init", "x", "--rules", "../x"], "is none of"),
    (["init", "x", "--rules", "x", "--shape", "round"], "expected one of: simultaneous"),
    (["init", "x", "--rules", "x", "--no-bots"], "can't be combined"),
    (["leaderboard", "--rating", "best"], "expected one of: elo"),
    (["leaderboard", "--csv", "--json"], "--csv"),
    (["leaderboard", "--history", "steedy"], "no such bot, did you mean steady?"),
    (["leaderboard", "--history", "steady", "--csv"], "choose one"),
    (["check", "rules.py", "--seed", "1"], "--seed and --submission-limits are for bots"),
    (["check", "wrong.py"], "unknown column type int; expected one of: bool"),
    (["report", "--folder", "pages", "-o", "page.html"], "--folder: can't be combined with -o"),
    (["watch", "--serve", "0.0.0.0:0"], "Put a reverse proxy"),
    (["watch", "--serve", "0", "--public-url", "contest.example.org"], "as https://contest.example.org"),
    (["watch", "--submissions", "authors.toml"], "add --serve"),
    (["watch", "--serve", "0", "--submissions", "nothing.toml"], "tournament author add"),
    *(
        (["match", "von_neumann_poker", *words.split()], message)
        for words, message in (
            ("", "missing BOT"),
            ("nothing", "not found among files, entrants and shipped bots"),
            ("steady loose nothing", "not found among files, entrants and shipped bots"),
            ("steady --baseline gone.c", "not found among files, entrants and shipped bots"),
            ("steady other/steady.c", "both bots are called steady"),
            ("steady loose other/loose.c", "both bots are called loose"),
            ("steady steady steady", "both bots are called steady_copy"),
            ("steady loose --baseline loose", "both bots are called loose"),
            ("steady --until-settled 0.9", "--until-settled requires --baseline, or one OTHER"),
            ("steady --session 0", "--session requires one OTHER"),
            ("steady loose --game 1", "--game requires --session"),
            ("steady --baseline loose --results kept", "--results: can't keep the records of two versions"),
            ("torn steady", "torn can't play"),
            ("steady torn", "torn can't play"),
        )
    ),
    (["match", "two_card_draw", "check_caller", "Alice"], "has no such house player; expected one of"),
]


@pytest.mark.parametrize(("words", "message"), BAD_INPUT, ids=[" ".join(words) for words, _ in BAD_INPUT])
def test_bad_input_is_one_line_and_exit_2(
    folder: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = {*folder.rglob("*")}
    told = run_cli(*words, columns=300)
    news = [line for line in told.err.splitlines() if not line.startswith("tournament: ")]
    first, *more = [line for line in told.err.splitlines() if line not in news]
    assert told.code == 2 and message in first and (words[0] == "match" or not news)
    assert not more or "can't play" in message  # what the compiler said follows
    assert "Traceback" not in told.err and "tournament-scratch" not in told.err
    assert {*folder.rglob("*")} == before
