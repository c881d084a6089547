"""Bad input of commands, settings and rules: one line with file, line and what to do, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import command, run_cli
from tests.contest_runs import CONTEST, bot_source, call
from tournament.config import load_config, load_contests
from tournament.contests import rules_loader
from tournament.errors import InputError

RULES = '''from tournament.rules import Column, Decision, Int, Rules

NAME = Decision("name", "Name a number", observation={"limit": Int(1, 9, "the most")}, answer=Int(1, 9, "a number"))


class HigherNumber(Rules):
    """Whoever names the higher number wins."""

    name = "higher_number"
    seats = 2
    decisions = (NAME,)
    columns = (Column("x_named", "int8", "MEANING"),)

    def play(self, session):
        x, y = (yield [NAME(seat, limit=9) for seat in range(2)]).values()
        won = (x > y) - (x < y)
        session.record([won, -won], x_named=x)
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a played contest of two bots and a broken one, beside files of the same names."""
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


# By command, what it says.
COMMANDS = {
    "run bridge": "no contest is called bridge",
    "run von_neumann_poker --sessions 0": "--sessions 0",
    "run von_neumann_poker --executor dask": "--executor dask",
    "run von_neumann_poker --progress xml --dry-run": "--progress xml: there is json",
    "run von_neumann_poker --cores 8": "--cores only estimates; add --dry-run",
    "leaderboard --results nowhere": "has no results yet; play with `tournament run`",
    "leaderboard two_card_draw --results results/von_neumann_poker": "has results of von_neumann_poker",
    "compare results/von_neumann_poker nowhere": "nowhere has no results yet; play with `tournament run`",
    "compare results results --csv --json": "--csv, --json: choose one of the two",
    "losses stedy": "stedy: the records have no such bot, did you mean",
    "check nowhere.c": "not found: say the path of the bot's file",
    "check steady": "not found; did you mean entrants/von_neumann_poker/steady.c?",
    "replay von_neumann_poker --match loose,steedy --session 0": "they have no steedy, did you mean",
    "check tournament.toml": "bots are files ending in",
    "match von_neumann_poker steady loos": "loos: not found among files, entrants and shipped bots, did you",
    "match steady loose --until-settled 95": "between 0.5 and 1, such as 0.95",
    "replay von_neumann_poker --match a --session 0": "--match a: expected the match's number",
    "new von_neumann_poker a/b": "a bot's name has",
    "new von_neumann_poker steady --language python": "steady.c already exists",
    "judge von_neumann_poker -- true": "von_neumann_poker has no judge for programs",
    "judge holdem_training --hands 5 --decks x -- true": "omit one of",
    "judge holdem_training --transcript /dev/full -- yes RATE": "--transcript /dev/full: can't be written: No space",
    "judge holdem_training -- no_such_program": "no_such_program is not installed on this machine",
    "strategy generate --bet1 0 --bet2 1 -o x": "--bet1 0: must be 1 to 5",
    "strategy generate --bet1 2 --bet2 7 -o x": "--bet2 7: must be 2 to 6, from bet1 to three times bet1",
    "init /dev/null/below": "/dev/null/below can't be written",
    "init x --rules two_card_draw": "is none of",
    "init x --rules x --shape round": "expected one of: simultaneous",
    "leaderboard --rating best": "expected one of: elo",
    "leaderboard --history steedy": "no such bot, did you mean steady?",
    "debug von_neumann_poker steedy": "the records have no bot steedy; did you mean steady?",
    "watch --config nowhere.toml": "nowhere.toml does not exist; create it with: tournament init",
    "check rules.py --seed 1": "--seed and --submission-limits are for bots",
    "check wrong.py": "unknown column type int; expected one of: bool",
    "report --folder pages -o page.html": "--folder: can't be combined with -o",
    "watch --serve 0.0.0.0:0": "Put a reverse proxy",
    "watch --serve 0 --public-url contest.example.org": "as https://contest.example.org",
    "watch --serve 0 --public-url http://[::1": "as https://contest.example.org",
    "watch --serve 0 --submissions nothing.toml": "tournament author add",
    "match von_neumann_poker": "missing BOT",
    "match von_neumann_poker steady other/steady.c": "both bots are called steady",
    "match von_neumann_poker steady loose --baseline loose": "both bots are called loose",
    "match von_neumann_poker steady --until-settled 0.9": "--until-settled requires --baseline, or one OTHER",
    "match von_neumann_poker steady --session 0": "--session requires one OTHER",
    "match von_neumann_poker steady loose --game 1": "--game requires --session",
    "match steady --baseline loose --results kept": "--results: can't keep the records of two versions",
    "match von_neumann_poker torn steady": "torn can't play",
    "match two_card_draw check_caller Alice": "has no such house player; expected one of",
    "leaderboard --results s3://": "is not a place for results",
    "run von_neumann_poker --results ftp://host/a": "is not a place for results",
    "verify --results s3://b?x=y": "is not a place for results",
    "debug": "missing BOT; give the name of a bot in the records",
    "debug steady": "steady has no recorded fault; choose a game with --match and --session",
    "debug steady --match loose,steady --session 99": "has sessions 0 to 19",
    "debug steady --match loose,steady --keep other": "exists; name a new folder",
}


@pytest.mark.parametrize("words", COMMANDS)
def test_bad_input_is_one_line_and_exit_2(folder: Path, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", open("/dev/null"))
    before = {*folder.rglob("*")}
    told = command(folder, *words.split(), columns=300)
    news = [line for line in told.err.splitlines() if not line.startswith("tournament: ")]
    first, *more = [line for line in told.err.splitlines() if line not in news]
    assert told.code == 2 and COMMANDS[words] in first and (words.startswith("match") or not news)
    assert not more or "can't play" in first  # what the compiler said follows
    assert "Traceback" not in told.err and "tournament-scratch" not in told.err
    assert {*folder.rglob("*")} == before


def test_broken_contest_is_named_by_what_it_breaks(tmp_path: Path) -> None:
    (tmp_path / "higher.py").write_text(RULES.replace("MEANING", "").replace("won, -won", "won, won"))
    told = command(tmp_path, "check", "higher.py", columns=200)
    assert told.code == 1 and "x_named of games has no meaning" in told.out and "Traceback" not in told.err
    assert "a game of a zero-sum contest is worth" in told.out and "not fit to be played" in told.out


OUTPUTS = {
    "descriptor = os.open('/dev/full', os.O_WRONLY)": "the output: No space left on device",
    "there, descriptor = os.pipe(); os.close(there)": "the output was closed before all of it was written",
}


@pytest.mark.parametrize("setup", OUTPUTS)
def test_closed_or_full_output_is_one_line(setup: str) -> None:
    done = call(["--version"], f"import os; {setup}; os.dup2(descriptor, 1)")
    assert (done.code, done.err) == (1, f"tournament: {OUTPUTS[setup]}\n")


TABLE = f"[{CONTEST}]\n"
MINE = '[mine]\nrules = "matrix_game"\n'
SPIEL = '[mine]\nrules = "open_spiel"\nopen_spiel_game = '
DATE = "must be a date, a time and an offset"
SETTINGS = [
    ("workers = -1", 1, "workers = -1: must be at least 0"),
    ('executor = "slurm"', 1, "executor = 'slurm': must be 'auto', 'local' or 'ray'"),
    ("# first\nworker = 3", 2, "unknown key worker; expected one of: results, executor, workers, ray_address"),
    (f"\n{TABLE}sesions = 5", 3, "unknown key sesions; expected one of: rules, entrants, house, house_seats, authors"),
    (
        f"{TABLE}sessions = 20_000\nreplicas = 60_000",
        3,
        "replicas = 60000: multiplied by the sessions of a leg, it exceeds",
    ),
    (f"{TABLE}seed = -1", 2, "seed = -1: must be 0 to 2²⁵⁶ − 1"),
    (f"[{CONTEST}.bet_cap]\nx = 1", 1, "bet_cap = {'x': 1}: must be 'before_ante' or 'after_ante'"),
    (f'{TABLE}deals = "common"', 2, "deals is no longer a setting, because each leg has its own"),
    (f"\n{CONTEST} = 3", 2, f"{CONTEST} must be a table, written [{CONTEST}]"),
    ("results = elsewhere", 1, "invalid value: a text needs quotes"),
    (f"\n{TABLE}workers = 2", 3, f"workers isn't a key of [{CONTEST}]; put it before the first table"),
    ("sessions = 2", 1, f"sessions is a contest's key; put it below the contest's table, as [{CONTEST}]"),
    ("results = '''open\nand open", 2, "Expected \"'''\""),
    ('results = "a\\u0000b"', 1, "results: must not contain the character NUL"),
    (f"[{CONTEST}]\n\n[{CONTEST}]", 3, f"[{CONTEST}] is there twice; rename one"),
    ("[von_neuman_poker]", 1, "did you mean von_neumann_poker?"),
    (f"{TABLE}max_faults = 2\nsesions = 3", 3, "did you mean sessions?"),
    ('[a]\nrules = "two_card_drew"', 2, "did you mean two_card_draw?"),
    (f'[two_card_draw]\nrules = "{CONTEST}"', 2, "two_card_draw has rules of its own; give a contest of "),
    (f'["../a"]\nrules = "{CONTEST}"', 1, "[../a]: a contest's name has letters a-z and A-Z, digits and _ only"),
    (f'{MINE}moves = ["a"]', 3, "there must be 2 to 64 moves"),
    (f'{MINE}moves = ["a", "b\\n"]', 3, "a move's name has 1 to 40 printable characters"),
    (f"{MINE}payoffs = [[1, 2], [3, 4]]", 3, "must be 3 lists of 3 numbers each, for the moves rock, paper, scissors"),
    (f"{MINE}payoffs = [[1, 2, 3], [4, 5, inf], [7, 8, 9]]", 3, "a payoff must be at least -1000000 and at most"),
    (f'{SPIEL}"leduc_pokr"', 3, "; did you mean leduc_poker?"),
    (f'{SPIEL}"crazy_eights(players=12)"', 3, "it has 12 players; contests need 2 to 10"),
    (f'{SPIEL}"leduc_poker(cards=2)"', 3, "it is refused by OpenSpiel: Unknown parameter 'cards'"),
    (f'{SPIEL}""', 3, 'missing game; set one, such as open_spiel_game = "leduc_poker"'),
    ("[watch]\ncloses = 2026-06-02T15:00:00", 2, f"closes = 2026-06-02T15:00:00: has no offset; {DATE}"),
    ('[watch]\ncloses = "soon"', 2, f"closes = 'soon': {DATE}"),
    ("[watch]\ncloses = 2026-06-02T15:00:00Z\nopens = 2026-06-02T15:00:00Z", 2, "must be after opens = 2026-06-02T15"),
    ('[mine]\nrules = "matrix_game"\nadapter = "no.py"', 3, "adapter = 'no.py': no such file"),
    ('[watch]\nrenamed = {new = "old"}', 2, "unknown table renamed"),
    ("[watch]\nmax_games_per_call = 5", 2, "max_games_per_call is no key any more: a practice match has at most about"),
]


def mistakes_of(folder: Path, text: str) -> list[str]:
    """Return the lines by which a settings file is refused, without the file's name."""
    path = folder / "tournament.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_config("mine" if "[mine]" in text else CONTEST, path)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{path}, line ") for line in lines)
    return [line.removeprefix(f"{path}, line ") for line in lines]


@pytest.mark.parametrize(("text", "line", "words"), SETTINGS)
def test_wrong_setting_is_one_line_with_file_and_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    (mistake,) = mistakes_of(tmp_path, text)
    assert mistake.startswith(f"{line}: ") and words in mistake


def test_several_wrong_settings_are_a_line_each(tmp_path: Path) -> None:
    mistakes = mistakes_of(tmp_path, f"{TABLE}seed = -1\nsessions = 0\nodd = 1")
    assert [mistake[:2] for mistake in mistakes] == ["3:", "2:", "4:"]


AUCTION = """\
from tournament.rules import Decision, Int, Rules, Text

BID = Decision("bid", "Bid", observation={"prize": Int(1, 9, "the prize")}, answer=Int(0, 9, "your bid"))


class Auction(Rules):
    name = "auction"
    seats = range(3, 7)
    decisions = (BID,)

    def play(self, session):
        bids = yield [BID(seat, prize=1) for seat in range(session.seats)]
        session.record([0] * session.seats)
"""
PLAYED = '[auction]\nrules = "auction.py"\nentrants = "bots"\nsessions = 2\nseats = 4\n'
SEATS, ALL, END = "seats = range(3, 7)", AUCTION, "* session.seats)\n"
# What is changed, in the rules or the settings, and how.
RULES_AND_SETTINGS = [
    (SEATS, "", "line 6: Auction: ValueError: it has no seats: expected seats = 2"),
    ('answer=Int(0, 9, "your bid")', "answer=int", "line 3: ValueError: bid: the answer is <class 'int'>"),
    ("[0] * session.seats", "[1, 0, 0, 0]", "is worth 1.0, 0.0, 0.0, 0.0 (auction.py, line 13)"),
    ("BID(seat, prize=1)", 'BID(seat, prize="x")', "(auction.py, line 12)"),
    ("seats = 4\n", "seats = 7\n", "tournament.toml, line 5: seats = 7: "),
    ("seats = 4\n", "seats = 5\n", "needs 5 bots, one for each seat, that can play; there are 4"),
    ("seats = 4\n", "seats = 4\nduplicate = 3\n", "tournament.toml, line 6: duplicate = 3: "),
    ('"auction.py"', '"none.py"', "none.py can't be read: No such file"),
    ('"auction.py"', '"auction.py:Other"', 'no subclass Other of Rules; there are Auction; name one: rules = "auct'),
    (ALL, "x = (", "auction.py, line 1: SyntaxError: '(' was never closed"),
    (ALL, "", "has no subclass of Rules"),
    (END, END + "class Two(Auction): pass\n", "has Auction, Two; name one"),
    ('"auction"\n    seats', '"two_card_draw"\n    seats', "as others are called"),
    (END, END + "import random\ndef f():\n    random.shuffle([])\n", "random.shuffle draws from"),
    (END, END + "import secrets\nx = secrets.randbelow(3)\n", "line 15: secrets.randbelow draws"),
    ("bids = yield", "one, *others = yield", "simultaneous answers are a dict by position; use answers[posit"),
]


@pytest.mark.parametrize(("old", "new", "message"), RULES_AND_SETTINGS, ids=[row[2] for row in RULES_AND_SETTINGS])
def test_wrong_rules_or_settings_are_one_line(
    old: str, new: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("auction.py").write_text(AUCTION.replace(old, new))
    Path("tournament.toml").write_text(f"{PLAYED.replace(old, new)}[{CONTEST}]\n")
    Path("bots").mkdir()
    for number in range(4):
        Path("bots", f"bot_{number}.c").write_text(f"int bid(const View *view) {{ return {number}; }}\n")
    rules_loader.forget()
    told = run_cli("run", "auction", "--executor", "local", "--workers", "1", columns=600)
    (line,) = (line for line in told.err.splitlines() if message in line)
    assert told.code in (1, 2) and told.err.splitlines()[-1] == line and "Traceback" not in told.err, told.err
    assert "one for each seat" in line or "auction.py" in line or "tournament.toml, line " in line
    load_contests().find(CONTEST)  # doesn't stop another contest
