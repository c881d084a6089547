"""Mistakes of C and C++ bots that don't show in WebAssembly: found with their line by `check` and `match`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.in_process import shown
from tournament.config import load_config
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.entrants.folder import read_submission
from tournament.runner.watcher import NobodyWatching
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.trial.check import CheckReport, check_bot
from tournament.trial.mistakes import Mistake, search
from tournament.trial.playing import build

SETTINGS = Settings(seed="5", sessions=60)

# What the compiler can't see through: a number, and an address that somebody else may use.
HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile int ten = 10;
static void *volatile shared;
static int table[10];
struct Pair { int first, second; };
"""
# Each is a function of its own: of its mistakes the bot makes another in each game, by its card.
DECIDE = """
int a(const Bot *bot) {{ switch ((int)(bot->card * {count})) {{ {cases} }} return 0; }}
int b(const Bot *bot, const int bet) {{ return bot->card > 0.5; }}
"""
# By the line that makes it: what it is, in words of the report.
PLAYS_ON = {
    "struct Pair *none = shared; return none->second;": "null pointer as 'struct Pair'",
    "struct Pair *none = shared; none->first = 1; return 0;": "null pointer as 'struct Pair'",
    "int seen[10] = {0}; shared = seen; int got = seen[ten]; shared = 0; return got & 1;": "index 10 of 'int[10]'",
    "int got = table[ten]; return got & 1;": "index 10 of 'int[10]'",
    "return (ten << (ten + 24)) & 1;": "shifts 10 by 34",
    "return (2147483647 - ten + ten * 2) & 1;": "overflows 'int': 2147483637 + 20",
    "return -(-2147483647 - ten / 10) & 1;": "negates the smallest 'int'",
    "float large = 1e20f * ten; return (int)large & 1;": "converts a number that is too large",
    "char text[8] = {0}; char *at = text + 1; int got; got = *(int *)at; return got & 1;": "isn't aligned",
    "return __builtin_clz(ten - 10) & 1;": "counts the zeros of 0",
}
STOPS = {
    "int seen[10] = {0}; shared = seen; int *at = shared; at[ten] = 1; shared = at; return 0;": (
        "writes 4 bytes beside a local variable or array"
    ),
    "shared = table; int *at = shared; shared = at + 1; return at[ten];": (
        "reads 4 bytes beside a global variable or array"
    ),
    "char *at = malloc(8); shared = at; at[ten - 2] = 1; free(at); return 0;": "writes 1 byte beside a block",
    "char *at = malloc(8); shared = at; at[ten - 11] = 1; free(at); return 0;": "writes 1 byte beside a block",
    "char *at = calloc(8, 1); shared = at; free(at); return *(char *)shared;": "reads 1 byte in a block that was freed",
    "char *at = malloc(8); shared = at; free(at); free(shared); return 0;": "frees a block that was freed before",
    "int here[4]; shared = here; free(shared); return 0;": "frees what is no block",
    "char *at = malloc(8); shared = at; at = realloc(at, 4); shared = at; return at[ten - 6];": "beside a block",
}
TEXTS = {
    'char text[8]; shared = "0123456789"; strcpy(text, shared); shared = text; return 0;': "writes 11 bytes",
    'char text[8]; sprintf(text, "%d", 1234567 * ten); shared = text; return 0;': "writes 9 bytes",
    "char text[8], more[40] = {1}; shared = more; memcpy(text, shared, ten); shared = text; return 0;": "10 bytes",
    "{ int inner[3] = {1}; shared = inner; } int *at = shared; return at[0];": "a local variable whose block was left",
    "int array[ten]; shared = array; int *at = shared; at[ten] = 1; return 0;": "beside a local variable or array",
    "shared = memset(table, 0, 4 * ten + 1); return 0;": "writes 41 bytes beside a global",
}
OF_CPP = {
    "std::vector<int> v(10); shared = &v; return v[ten];": "vector[] index out of bounds",
    "std::array<int, 10> v{}; shared = &v; return v[ten];": "out-of-bounds access in std::array",
    "std::vector<int> v; shared = &v; return v.back();": "back() called on an empty vector",
    "int *at = new int[10]; shared = at; delete[] at; return *(int *)shared;": "in a block that was freed",
    "std::unique_ptr<int[]> at(new int[10]); shared = at.get(); at[ten] = 1; return 0;": "beside a block",
    "std::vector<int> v(3); auto i = v.begin(); shared = &v; for (int n = 0; n < 99; n++) v.push_back(n); return *i;": (
        "in a block that was freed"
    ),
}
# In use of all that the checks stand for, and through it thrown across frames with arrays.
GOOD = """
static int thrown(int times) {
    int caught = 0;
    for (int n = 0; n < times; n++) {
        char before[64];
        shared = before;
        try { std::string word = "abc"; caught += std::stoi(word); } catch (std::exception &) { caught++; }
        int after[30];
        shared = after;
        for (int i = 0; i < 30; i++) after[i] = caught;
        caught = after[ten];
    }
    return caught;
}
int a(const Bot *bot) {
    std::vector<int> queue;
    std::string text;
    for (int n = 0; n < 9; n++) { text += "ab"; queue.push_back(n); if (n % 3) queue.erase(queue.begin()); }
    char *at = (char *)malloc(3), words[20];
    at = (char *)realloc(at, 90);
    memset(at, 0, 90);
    snprintf(words, sizeof words, "%d of %s", ten, "twenty");
    strncpy(at, words, 80);
    strcat(at, words);
    void *aligned = aligned_alloc(64, 128);
    int size = (int)strlen(at) + (int)((uintptr_t)aligned % 64) + thrown(9) + (int)text.size() + queue.front();
    int array[ten]; array[9] = size; shared = array;
    free(at); free(aligned); free(NULL);
    printf("%d\\n", array[9]);
    return size > 40 && bot->card > 0.5 ? 20 : 0;
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5; }
"""
# No more headers than they need: each takes the compiler long.
CPP_HEAD = "#include <array>\n#include <memory>\n#include <vector>\n" + HEAD
GOOD_HEAD = "#include <string>\n#include <vector>\n" + HEAD


def bot_of(bodies: list[str], head: str = HEAD) -> str:
    """A bot that makes one of these mistakes in each game."""
    functions = "\n".join(f"static int make{number}(void) {{ {body} }}" for number, body in enumerate(bodies))
    cases = " ".join(f"case {number}: return make{number}();" for number in range(len(bodies)))
    return f"{head}{functions}{DECIDE.format(count=len(bodies), cases=cases)}"


def check(folder: Path, name: str, source: str) -> CheckReport:
    (folder / name).write_text(source)
    return check_bot(VON_NEUMANN_POKER, SETTINGS, SandboxSettings(), folder / name, NobodyWatching())


@pytest.mark.parametrize(
    ("name", "head", "bodies"),
    [
        ("plays_on.c", HEAD, PLAYS_ON),
        ("stops.c", HEAD, STOPS),
        ("texts.c", HEAD, TEXTS),
        ("of_cpp.cpp", CPP_HEAD, OF_CPP),
    ],
    ids=["undefined", "memory", "texts", "cpp"],
)
def test_each_kind_of_mistake_is_found_at_its_line(
    tmp_path: Path, name: str, head: str, bodies: dict[str, str]
) -> None:
    (tmp_path / name).write_text(bot_of(list(bodies), head))
    tried = build(VON_NEUMANN_POKER, SETTINGS, SandboxSettings(), tmp_path / name, lambda _text: None)
    made = search(tried, read_submission(tmp_path / name))
    assert made is not None and made.grave
    found = {mistake.line: mistake for mistake in made.mistakes}
    first = head.count("\n") + 1
    for number, (body, words) in enumerate(bodies.items()):
        assert first + number in found, (body, found)
        assert words in found[first + number].what, body
    assert sorted(found) == list(range(first, first + len(bodies)))


def test_what_compilers_differ_on_is_a_warning(tmp_path: Path) -> None:
    report = check(tmp_path, "hash.c", bot_of(["int n = ten * 300000000; return n & 1;"]))
    assert report.mistakes is not None and not report.mistakes.grave
    (mistake,) = report.mistakes.mistakes
    assert mistake == Mistake(HEAD.count("\n") + 1, "overflows 'int': 10 * 300000000", mistake.when, grave=False)


def test_reading_what_was_never_set_shows_in_other_games(tmp_path: Path) -> None:
    body = "int *at = malloc(40); shared = at; int got = ((int *)shared)[3] != 0; free(at); return got ? 20 : 0;"
    report = check(tmp_path, "unset.c", bot_of([body]))
    assert report.mistakes is not None
    assert [mistake.what for mistake in report.mistakes.mistakes] == [
        "plays other games when memory that it never set holds other bytes: does it read some?"
    ]


def test_a_good_bot_has_no_mistakes(tmp_path: Path) -> None:
    report = check(tmp_path, "good.cpp", GOOD_HEAD + GOOD)
    assert report.fit and report.mistakes is not None
    assert report.mistakes.mistakes == ()
    assert report.mistakes.games > 100 and report.mistakes.questions == report.boundary_questions


def test_a_bot_that_fails_here_too_has_its_faults_not_told_twice(tmp_path: Path) -> None:
    report = check(tmp_path, "gives_up.c", bot_of(["abort();"]))
    assert report.faults and not report.fit
    assert report.mistakes is None or report.mistakes.mistakes == ()


CRASHES = """static int seen[10], games;
static struct Memory { int cards[50]; } *memory;
int a(const Bot *bot)
{
    if (memory->cards[3] > 100)
        return 1;
    return ++*(seen + games++) % 50;
}
int b(const Bot *bot, const int bet)
{
    char *text = malloc(8);
    for (int i = 0; i <= 8; i++)
        text[i] = (char)bet;
    int result = text[bet % 8];
    free(text);
    return bot->card > 0.4 && result < 1000;
}
"""


def test_the_commands_name_file_and_line_and_let_the_bot_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tournament.toml").write_text("[von_neumann_poker]\nsessions = 60\nseed = 2\n")
    Path("crashes.c").write_text("#include <stdlib.h>\n" + CRASHES)
    words = [
        r"crashes\.c:6: uses a null pointer",
        r"crashes\.c:8: \w+ 4 bytes beside a global",
        r"crashes\.c:14: writes 1 byte beside a block of malloc",
    ]
    checked = shown("check", "crashes.c")
    text = " ".join(checked.out.split())
    assert checked.code == 0, text
    assert all(re.search(word, text) for word in words), text
    assert "faults none" in text and "verdict fit to enter, but would crash or differ elsewhere" in text


SHIPPED = sorted(path for path in Path("entrants").glob("*/*") if path.suffix in (".c", ".cpp"))


@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=pytest.mark.thorough, id="/".join(path.parts[1:])) for path in SHIPPED]
)
def test_shipped_bots_have_no_mistakes(path: Path) -> None:
    config = load_config(path.parent.name, None)
    report = check_bot(config.played, config.contest, config.sandbox, path, NobodyWatching())
    assert report.mistakes is None or report.mistakes.mistakes == ()
