"""`tournament debug`: a recorded game's decisions, put to a bot outside the sandbox, in every language and contest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tournament
from tests.cli.in_process import command
from tests.contest_runs import REPOSITORY

# Reads behind its table with a high card, as the third game of this field's seed has one.
READS_BEHIND = """int table[8] = {0, 0, 10, 20, 30, 40, 50, 50};
int a(Bot *bot)
{
    int place = (int)(bot->card * 9);
    return table[place];
}
int b(Bot *bot, int bet) { return bot->card > 0.5; }
"""
RAISES = """decisions = 0

def a(bot):
    global decisions
    decisions += 1
    if decisions == 7:
        return {}["missing"]
    return 50 if bot.card > 0.8 else 0

def b(bot, bet):
    return bot.card > 0.6
"""
# A long has four bytes in WebAssembly, and eight here.
COUNTS_BYTES = "int a(Bot *bot) { return sizeof(long); }\nint b(Bot *bot, int bet) { return 0; }\n"
# Of its two functions the contest must take the one that it took for WebAssembly, after a rand() of the leg.
DRAWS = "int a(Bot *bot) { return rand() % 51; }\nint b(Bot *bot, int bet) { return rand() % 2; }\n"
RULES = """from tournament.rules import Choice, Column, Decision, Float, Int, List, Rules, Session, Struct, Text

SAY = Decision(
    "say", "Say a word", observation={"word": Text(8), "numbers": List(Int(0, 9), 4)}, answer=Text(8), default=""
)
PUT = Decision(
    "put",
    "Choose a place",
    observation={"weight": Float(low=0, high=1)},
    answer=Struct(x=Int(0, 3), side=Choice(["left", "right"])),
)


class Words(Rules):
    name = "words"
    title = "Words and places"
    description = "Say a word, and put it somewhere."
    points_unit = "a point is a letter or a place"
    seats = 2
    decisions = (SAY, PUT)
    columns = (Column("said", "uint8", "letters said"),)

    def play(self, session: Session):
        points, letters = [0.0, 0.0], 0
        for position in range(2):
            said = yield SAY(position, word="abc"[: 1 + session.rng.randrange(3)], numbers=[1, 2, 3])
            place = yield PUT(position, weight=session.rng.random())
            points[position] = len(said) + place["x"] + (place["side"] == "right")
            letters += len(said)
        mean = sum(points) / 2
        session.record([one - mean for one in points], said=letters)
"""
C_WORDS = r"""#include <string.h>
void say(const View *view, char answer[9])
{
    strcpy(answer, view->numbers_count == 3 ? "three" : "");
}
void put(const View *view, PutAnswer *answer)
{
    answer->x = (int)(view->weight * 4);
    answer->side = view->weight > 0.5 ? RIGHT : LEFT;
}
"""
PYTHON_WORDS = """def say(bot):
    return bot.word * 2

def put(bot):
    return {"x": 3, "side": "left"}
"""


def run_contest(folder: Path, settings: str, bots: dict[str, str], name: str = "von_neumann_poker") -> Path:
    """Write a contest with these bots, and run it."""
    entrants = folder / "entrants" / name
    entrants.mkdir(parents=True, exist_ok=True)
    for file, text in bots.items():
        (entrants / file).write_text(text)
    (folder / "tournament.toml").write_text(f'executor = "local"\n[{name}]\nseed = "debug"\n{settings}')
    tournament.run(name, config=folder / "tournament.toml")
    return folder


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    naive = (REPOSITORY / "entrants" / "von_neumann_poker" / "naive.c").read_text()
    bots = {"naive.c": naive, "behind.c": READS_BEHIND, "raises.py": RAISES, "bytes.c": COUNTS_BYTES, "draws.c": DRAWS}
    return run_contest(tmp_path_factory.mktemp("debug"), "sessions = 8\n", bots)


class Debug:
    """Runs the command in a contest's folder, and reads what it and the bot's process print."""

    def __init__(self, printed: pytest.CaptureFixture[str]) -> None:
        self._printed = printed

    def __call__(self, place: Path, *words: str) -> tuple[int, str]:
        shown = command(place, "debug", *words, "--yes")
        return shown.code, "".join([shown.out, shown.err, *self._printed.readouterr()])


@pytest.fixture
def debug(capfd: pytest.CaptureFixture[str]) -> Debug:
    return Debug(capfd)


def test_sanitizers_name_the_line_of_a_read_out_of_bounds(contest: Path, debug: Debug) -> None:
    code, text = debug(contest, "behind", "--match", "behind,naive", "--session", "0")
    assert code == 1
    assert f"{contest}/entrants/von_neumann_poker/behind.c:5:17: runtime error: index 8 out of bounds" in text
    assert "ffi_call" not in text  # The driver's frames say nothing to the author.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "source"),
    [
        (
            "loops.c",
            "int a(Bot *bot) { for (volatile int n = 0;; n = !n) ; }\nint b(Bot *bot, int bet) { return 0; }\n",
        ),
        ("loops.py", "def a(bot):\n    while True:\n        pass\n\ndef b(bot, bet):\n    return 0\n"),
    ],
)
def test_loop_is_ended_and_named(file: str, source: str, tmp_path: Path, debug: Debug) -> None:
    naive = (REPOSITORY / "entrants" / "von_neumann_poker" / "naive.c").read_text()
    place = run_contest(tmp_path, "sessions = 1\nmax_faults = 0\n", {"naive.c": naive, file: source})
    code, text = debug(place, "loops")
    assert code == 1 and "no answer after 5 s of processor time: it loops or is too slow" in text
    assert file != "loops.py" or 'loops.py", line ' in text


def test_exception_of_a_python_bot_shows_its_line(contest: Path, debug: Debug) -> None:
    code, text = debug(contest, "raises")
    assert code == 1 and 'raises.py", line 7, in a' in text and "KeyError: 'missing'" in text
    assert "python_driver" not in text


def test_answer_that_differs_from_webassembly_is_named(contest: Path, debug: Debug) -> None:
    code, text = debug(contest, "bytes", "--match", "bytes,naive", "--session", "1", "--game", "0")
    assert code == 1 and "returned 8 here, 4 in the contest" in text


def test_rand_is_that_of_the_leg(contest: Path, debug: Debug) -> None:
    code, text = debug(contest, "draws", "--match", "draws,naive", "--session", "7")
    assert code == 0 and "answers are as in the contest" in text


def test_edited_bot_is_compared_with_its_recorded_answers(contest: Path, debug: Debug) -> None:
    file = contest / "entrants" / "von_neumann_poker" / "naive.c"
    text = file.read_text()
    file.write_text(text.replace("50.0 * excess", "50.0 * excess + 1"))
    try:
        code, shown = debug(contest, "naive", "--match", "draws,naive")
    finally:
        file.write_text(text)
    assert code == 1 and "naive.c has changed since" in shown and "in the contest" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings", "bots", "others"),
    [
        ("two_card_draw", "servers = 1\n", ("adaptive.cpp", "pair_bettor.py"), {}),
        ("holdem_training", "sessions = 1\nhands = 300\n", ("threshold.cpp", "threshold_py.py", "threshold_io"), {}),
        (
            "prisoners_dilemma",
            'rules = "matrix_game"\nmoves = ["c", "d"]\npayoffs = [[3, 0], [5, 1]]\nturns_per_game = 20\n',
            ("gradual.cpp", "accountant.py"),
            {},
        ),
        ("words", 'rules = "words.py"\n', (), {"c_words.c": C_WORDS, "py_words.py": PYTHON_WORDS}),
        ("von_neumann_poker", "sessions = 3\n", ("weathervane", "thompson.c"), {}),
    ],
)
def test_bots_of_every_contest_answer_as_recorded(
    name: str, settings: str, bots: tuple[str, ...], others: dict[str, str], tmp_path: Path, debug: Debug
) -> None:
    (tmp_path / "words.py").write_text(RULES)
    entrants = tmp_path / "entrants" / name
    for bot in bots:
        source = REPOSITORY / "entrants" / name / bot
        shutil.copytree(source, entrants / bot) if source.is_dir() else write(entrants / bot, source.read_text())
    run_contest(tmp_path, settings, others, name)
    matches = tournament.load(tmp_path / "results" / name).matches
    for bot in (*bots, *others):
        stem = bot.split(".")[0]
        match = str(matches[matches["bot"] == stem]["match"].iloc[0])
        code, text = debug(tmp_path, stem, "--match", match, "--session", "0", "--game", "0")
        assert code == 0 and "answers are as in the contest" in text, text


def write(path: Path, text: str) -> None:
    """Write a file in a new folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_bad_input_is_one_line(contest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    errors = {
        ("debug",): "missing BOT; give the name of a bot in the records",
        ("debug", "naive"): "naive has no recorded fault; choose a game with --match and --session",
        ("debug", "naive", "--match", "draws,behind"): "naive doesn't play in match",
        ("debug", "naive", "--match", "draws,naive", "--session", "99"): "has sessions 0 to 7",
        ("debug", "naive", "--match", "draws,naive", "--keep", str(tmp_path)): "exists; name a new folder",
        ("debug", "naive", "--match", "draws,naive"): "will run outside the sandbox, with all your rights; add --yes",
    }
    monkeypatch.setattr("sys.stdin", open("/dev/null"))
    for words, message in errors.items():
        shown = command(contest, *words)
        assert shown.code == 2 and message in shown.err, (words, shown)


def test_missing_compiler_says_what_to_install(contest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    shown = command(contest, "debug", "naive", "--match", "draws,naive", "--yes")
    assert shown.code == 2 and "debug needs gcc, which isn't installed; try: apt install gcc" in shown.err
