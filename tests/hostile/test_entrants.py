"""Attacks by entries of the entrants folder: names, links, sizes and bot.toml files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.contest_runs import call
from tests.hostile.field import CONTEST, GOOD, HERE, Ground, assert_good_ones_are_untouched, nothing_survives
from tournament.records.results import Results

FEW = {name: GOOD[name] for name in ("steady.c", "plain")}
RECIPES: dict[str, tuple[str | bytes, str]] = {
    "giant_recipe": ("command = [" + '"x", ' * 30_000 + "]", "larger than 4 KiB"),
    "dotted_recipe": ("a" + ".a" * 32_000 + " = 1", "larger than 4 KiB"),
    "deep_recipe": ("command = " + "[" * 4000, "bot.toml"),
    "unknown_key": ('command = ["sh"]\n"\\u001b[2J[/red]" = 1', "unknown key"),
    "command_above": ('command = ["../steady.c"]', "not in its folder"),
    "command_nowhere": ('command = ["\\u001b[2J"]', "not installed"),
    "no_text": (b"\xff\xfe\0", "not UTF-8"),
}
DEEP = {
    "deep_brackets.py": "x = " + "(" * 100_000,
    "deep_attributes.py": "x = a" + ".a" * 200_000,
    "deep_braces.c": "int x = " + "(" * 100_000 + ";",
    "nul.py": "x = 1\0",
    "coding.py": "# coding: rot13\n",
    "sixteen_megabytes.py": "#" * ((16 << 20) - 1),
    "too_large.py": "#" * ((16 << 20) + 1),
}


@pytest.mark.slow
def test_hostile_folder_disturbs_no_bot(tmp_path: Path, scratch: Path, alone: Results) -> None:
    ground = Ground(tmp_path)
    ground.prepare([], FEW)
    for name, (text, _) in RECIPES.items():
        (ground.entrants / name).mkdir()
        (ground.entrants / name / "bot.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
        (ground.entrants / name / "bot.sh").write_text("exit 1\n")
    for name, source in DEEP.items():
        (ground.entrants / name).write_text(source)
    (ground.entrants / "link.c").symlink_to(ground.canary)
    (ground.entrants / "circle.py").symlink_to("circle.py")
    (ground.entrants / "folder_link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "bot.toml").write_text('command = ["sh"]')
    os.mkfifo(ground.entrants / "pipe.py")
    (ground.entrants / "folder.c").mkdir()
    sparse = ground.entrants / "sparse"
    sparse.mkdir()
    (sparse / "bot.toml").write_text('command = ["sh"]')
    with (sparse / "data").open("wb") as file:
        file.truncate(1 << 40)
    for odd in (b"\xff\xfe.py", b"\x1b[2J.c", "\N{RIGHT-TO-LEFT OVERRIDE}.py".encode(), b"-rf.py", b"a b.c", b"..py"):
        Path(os.fsdecode(bytes(ground.entrants) + b"/" + odd)).write_text("x")
    with nothing_survives(scratch):
        results = ground.play()
    assert_good_ones_are_untouched(results, alone, FEW)
    ground.assert_secret_is_kept(results)
    lines = results.entrants.set_index("name")
    assert set(lines[lines.status == "ok"].index) == {"steady", "plain"}
    for name, (_, words) in RECIPES.items():
        assert words in lines.loc[name].reason, (name, lines.loc[name].reason)
    for name, word in (
        ("link.c", "link"),
        ("circle.py", "link"),
        ("folder_link", "link"),
        ("pipe.py", "isn't a plain file"),
    ):
        assert word in lines.loc[name].reason
    assert "larger than" in lines.loc["sparse"].reason
    for line in lines.reset_index().itertuples():
        assert all(c.isprintable() or c in "\n\t" for c in f"{line.name}{line.reason}"), line.name


@pytest.mark.slow
def test_text_of_bots_is_harmless_on_terminals(tmp_path: Path, scratch: Path) -> None:
    ground = Ground(tmp_path)
    paint = 'printf "\\033[2J[/red]\\n"'
    painter = f"{paint} >&2\nread line\nwhile read line; do {paint}; done"
    bots = {"painter": {"bot.toml": 'command = ["sh", "bot.sh"]', "bot.sh": painter}}
    ground.prepare([HERE / "python" / f"paints_{name}.py" for name in ("the_terminal", "at_start")], {**FEW, **bots})
    done = call(["run", CONTEST, "--config", str(ground.config()), *ground.folders, "--executor", "local"])
    assert done.code == 0, done.err
    checked = call(["check", str(ground.entrants / "paints_at_start.py"), "--contest", "von_neumann_poker"])
    assert checked.code in (1, 2) and "Traceback" not in checked.err, checked.err
    for text in (done.said, checked.said):
        assert "\x1b" not in text and "\x07" not in text and "\N{RIGHT-TO-LEFT OVERRIDE}" not in text
        assert "[/" in text
