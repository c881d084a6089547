"""Makes the pictures in docs/pictures from real runs: commands' output as SVG, reports as PNG. `make docs-pictures`.

README's show the complete shipped field at a seed, which takes a minute or two. The tutorials' show a few bots, which
takes seconds, so that a test makes them again and compares the texts.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
SHIPPED = ROOT / "entrants" / "von_neumann_poker"
SEED = "pictures"
PLAYED = "--sessions 100 --replicas 10"  # README's run, as tournament.toml has it
FEW_BOTS = ("likeme.c", "naive.c", "tight_rock.c", "kuhn3.c", "maniac.c")
# No font is fetched: each machine has a monospaced one, and the letters' places are fixed.
_SVG = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "Fira Code, monospace", "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
)
_THEME = TerminalTheme(
    (22, 27, 34),
    (201, 209, 217),
    [(72, 79, 88), (255, 123, 114), (63, 185, 80), (210, 153, 34), (88, 166, 255), (188, 140, 255), (57, 197, 207),
     (177, 186, 196)],
)  # fmt: skip
_WIDE, _HIGH = 1280, 720  # size of pictures of a report


@dataclass(frozen=True)
class Terminal:
    """A picture of a command's output: its name, the words after `tournament`, and the columns of the terminal."""

    name: str
    words: str
    columns: int = 100


LEADERBOARD = Terminal("leaderboard", "leaderboard von_neumann_poker", 92)
# In this order: the second plays.
STEPS = (
    Terminal("step_check", f"check entrants/von_neumann_poker/likeme.c --seed {SEED}"),
    Terminal("step_run", f"run von_neumann_poker --sessions 100 --replicas 10 --seed {SEED}", 92),
    Terminal("step_leaderboard", "leaderboard von_neumann_poker", 92),
    Terminal("step_crosstable", "crosstable von_neumann_poker", 92),
    Terminal("step_replay", "replay von_neumann_poker --match likeme,maniac --session 2 --game 8"),
    Terminal(
        "step_baseline",
        f"match von_neumann_poker naive --baseline tight_rock --sessions 100 --replicas 10 --seed {SEED}x",
    ),
)
# README's recording: these steps one after the other, each for some seconds.
RECORDED = ("step_check", "step_run", "step_leaderboard", "step_replay", "step_baseline")
SECONDS_OF_A_STEP = 6
# Of a report, what follows its address, by the picture's name.
REPORT = {"report": ""}
REPORT_STEPS = {"step_report": "", "step_report_bot": "#bots", "step_report_games": "#games"}


def printed(words: str, folder: Path, columns: int) -> str:
    """Return a command's output on a terminal in colour."""
    environment = os.environ | {
        "FORCE_COLOR": "1", "COLUMNS": str(columns), "LINES": "60", "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)
    }  # fmt: skip
    command = [sys.executable, "-m", "tournament", *words.split()]
    output = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True
    ).stdout
    return output.replace(f"{folder}/", "")


def drawn(terminal: Terminal, output: str) -> str:
    """Return the picture of an output, as SVG."""
    console = Console(record=True, width=terminal.columns, file=open(os.devnull, "w"), color_system="truecolor")
    console.print(Text.from_ansi(output.rstrip("\n")), soft_wrap=True)
    return console.export_svg(
        title=f"tournament {terminal.words}", theme=_THEME, code_format=_SVG, unique_id=terminal.name
    )


def recording(svgs: Sequence[str]) -> str:
    """Return one SVG that shows the given ones in turn, without a script: CSS alone fades them in and out."""
    sizes = [tuple(map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())) for svg in svgs]  # type: ignore[union-attr]
    width, height = (max(side) for side in zip(*sizes))
    share = 100 / len(svgs)
    frames = [
        f'<g class="step" style="animation-delay: {number * SECONDS_OF_A_STEP}s">'
        + svg.replace("<svg ", f'<svg width="{one[0]}" height="{one[1]}" ', 1)
        + "</g>"
        for number, (svg, one) in enumerate(zip(svgs, sizes))
    ]
    style = (
        f".step {{ opacity: 0; animation: shown {len(svgs) * SECONDS_OF_A_STEP}s infinite; }}"
        f" @keyframes shown {{ 0%, {share - 0.1:.1f}% {{ opacity: 1; }} {share:.1f}%, 100% {{ opacity: 0; }} }}"
    )
    head = f'<svg viewBox="0 0 {width:g} {height:g}" xmlns="http://www.w3.org/2000/svg"><style>{style}</style>'
    return "\n".join([head, *frames, "</svg>", ""])


def lines_in(svg: str) -> list[str]:
    """Return the lines of text in such a picture, without its title and without outer spaces."""
    lines: dict[str, str] = {}
    for line, text in re.findall(r'clip-path="url\(#\w+-line-(\d+)\)"[^>]*>(.*?)</text>', svg):
        lines[line] = lines.get(line, "") + html.unescape(text).replace("\xa0", " ")
    return [" ".join(text.split()) for text in lines.values() if text.strip()]


def few_bots(folder: Path) -> None:
    """Make a folder for the tutorials' pictures: some shipped bots, no settings."""
    bots = folder / "entrants" / "von_neumann_poker"
    bots.mkdir(parents=True)
    for name in FEW_BOTS:
        shutil.copy(SHIPPED / name, bots)


def steps(folder: Path) -> Iterator[tuple[Terminal, str]]:
    """Yield the pictures of a contest's steps with the bots in a folder."""
    for terminal in STEPS:
        yield terminal, drawn(terminal, printed(terminal.words, folder, terminal.columns))


@contextmanager
def _browser() -> Iterator[webdriver.Chrome]:
    """Yield a Chromium whose window is as large as the pictures."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    with tempfile.TemporaryDirectory() as profile:
        for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"):
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        size = {"width": _WIDE, "height": _HIGH, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        try:
            yield driver
        finally:
            driver.quit()


def _reports(folder: Path, places: dict[str, str], options: str = "") -> None:
    """Pictures of the report on what was played in a folder, each scrolled to its place."""
    printed(f"report von_neumann_poker -o report.html{options}", folder, 100)
    for name, fragment in places.items():
        with _browser() as browser:
            browser.get(f"{(folder / 'report.html').as_uri()}{fragment}")
            browser.save_screenshot(str(PICTURES / f"{name}.png"))


def open_contest(folder: Path) -> None:
    """Pictures of an open contest's board and of the page where bots are handed in. The port has to be free."""
    folder.mkdir()
    few_bots(folder)
    (folder / "tournament.toml").write_text("[von_neumann_poker]\nsessions = 200\n")
    token = printed("author add alice", folder, 100).strip()
    bot = shutil.copy(SHIPPED / "newman.c", folder / "my_bot.c")
    words = ["watch", "--serve", "8080", "--submissions", "authors.toml"]
    with (
        subprocess.Popen(
            [sys.executable, "-m", "tournament", *words], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}
        ) as watching,
        _browser() as browser,
    ):
        browser.implicitly_wait(120)
        while not (folder / "published" / "c" / "von_neumann_poker" / "board.json").exists():
            time.sleep(0.5)
        browser.get("http://127.0.0.1:8080/submit")
        browser.find_element(By.ID, "token").send_keys(token, Keys.ENTER)
        browser.find_element(By.ID, "file").send_keys(str(bot))
        browser.find_element(By.CSS_SELECTOR, "#bots button").click()
        while "entered" not in browser.find_element(By.ID, "state").text:
            time.sleep(0.5)
        browser.save_screenshot(str(PICTURES / "open_submit.png"))
        board = folder / "published" / "c" / "von_neumann_poker" / "board.json"
        while "my_bot" not in (text := board.read_text()) or "not all played" in text:
            time.sleep(0.5)
        browser.get("http://127.0.0.1:8080/c/von_neumann_poker/")
        browser.save_screenshot(str(PICTURES / "open_board.png"))
        watching.terminate()


def _places(played: Path) -> str:
    return f" --config {ROOT / 'tournament.toml'} --results {played / 'results'}"


def leaderboard(played: Path) -> str:
    """Return README's picture of the shipped field's records in a folder, after playing missing games."""
    printed(f"run von_neumann_poker {PLAYED} --seed {SEED}{_places(played)}", played, 100)
    return drawn(LEADERBOARD, printed(f"{LEADERBOARD.words}{_places(played)}", played, LEADERBOARD.columns))


def main(played: Path) -> None:
    """Make all pictures. The folder keeps the shipped field's records for the next time."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        few_bots(folder)
        for terminal, svg in steps(folder):
            (PICTURES / f"{terminal.name}.svg").write_text(svg)
        frames = [(PICTURES / f"{name}.svg").read_text() for name in RECORDED]
        (PICTURES / "recording.svg").write_text(recording(frames))
        _reports(folder, REPORT_STEPS)
        open_contest(folder / "open")
    played.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{LEADERBOARD.name}.svg").write_text(leaderboard(played))
    _reports(played, REPORT, _places(played))


if __name__ == "__main__":
    main(ROOT / "build" / "pictures")
