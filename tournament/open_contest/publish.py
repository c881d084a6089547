"""Publishing an open contest: a public page and a board, below `c/<contest>/`, each written as a whole.

Each leg has its own cards, so a shown game reveals nothing about another. The page has everything except the bots' own
output, which concerns only their authors. Against house players all bots meet the same hands, so their games are shown
after the final.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.entrants.new import templates, write_new_bot
from tournament.errors import join_names
from tournament.records.results import below_final, load
from tournament.records.values import leaderboard_values
from tournament.reporting.face import ContestFace, front_page, small_page
from tournament.reporting.findings import Findings, Version, find
from tournament.reporting.page import render
from tournament.runner.seed import read_seed
from tournament.small_files import write_atomically
from tournament.standings.standings import Standing, Standings
from tournament.store.storage import join_location, open_storage

# Maximum versions of a bot on a board.
_MAX_VERSIONS = 50
# Public descriptions of faults by kind. They contain nothing that a bot wrote.
_PUBLIC = {
    "fuel": "took too long", "time": "took too long", "silence": "did not answer", "start": "did not start",
    "line": "broke the protocol", "other": "failed",
}  # fmt: skip

# Folders of the contests and of finals' preliminaries, so that no contest collides with another address.
PLACE, PRELIMINARY = "c", "preliminary"
Versions = Mapping[str, list[Version]]


def publish(
    folder: Path,
    name: str,
    config: Config,
    heading: str,
    *,
    open: bool,
    unready: Callable[[Standings], Set[str]] | None = None,
    subfolder: str = PLACE,
) -> None:
    """Write a contest's page and board from its records.

    Args:
        folder: The published folder.
        name: Name of the contest.
        config: Settings of the contest.
        heading: Heading of the page.
        open: Whether cards are secret, so that the board shows neither the seed nor the bots' output.
        unready: Called with the standings; returns the names of bots that stay below the line. None: no bot does.
        subfolder: Folder of the contests' pages in the published one.

    Raises:
        InputError: There are no records, or they change too fast.
        RunError: The records are damaged.
        OSError: The folder can't be written.
    """
    location = join_location(config.results, name)
    seed = None if open else read_seed(open_storage(location), load(location).setup.settings.get("seed"))
    hidden = open and config.played.house is not None
    contest, findings = find(
        location, with_games=not hidden, seed=seed, read_config=lambda _: config, only_sums=hidden, unready=unready
    )
    ranking = _without_output(findings.ranking) if open else findings.ranking
    target = folder / subfolder / name
    target.mkdir(parents=True, exist_ok=True)
    findings = replace(findings, ranking=ranking, versions=_versions(target / "board.json", findings))
    failed = sorted({leg.title for leg in ranking.failed_legs})
    below = below_final(location, ranking)
    board = {
        "contest": name,
        "made": findings.created,
        "open": open,
        "leaderboard": leaderboard_values(ranking, below=below.entrants if below else ()),
        "failed_matches": failed,
        "versions": findings.versions,
    }
    heading += f"; the rules failed in {join_names(failed[:3])}" if failed else ""
    # Two boards may be made within a second.
    findings = replace(findings, stamp=hashlib.sha256(json.dumps(board, default=str).encode()).hexdigest()[:16])
    page = render(contest, findings, live=True, options="" if open else " --final", heading=heading)
    for file, text in (("index.html", page), ("board.json", json.dumps(board, indent=2, default=str) + "\n")):
        # Browsers that accept compressed files get these.
        write_atomically(target / f"{file}.gz", gzip.compress(text.encode(), 6))
        write_atomically(target / file, text.encode())
    # Written last, so that its readers find the page with this stamp.
    write_atomically(target / "stamp", findings.stamp.encode())


def publish_index(folder: Path, contests: Mapping[str, Config], closed: Collection[str], *, submissions: bool) -> None:
    """Write the page that leads to the contests, templates of bots, and a page of each contest without a board.

    Args:
        folder: The published folder.
        contests: Settings of the contests by name.
        closed: Names of the contests that have closed.
        submissions: Whether the page leads to the form for bots.

    Raises:
        OSError: The folder can't be written.
        InputError: A template can't be written.
    """
    faces = list_faces(contests, closed, folder)
    for face in faces:
        target = folder / PLACE / face.name
        target.mkdir(parents=True, exist_ok=True)
        _write_templates(target / "templates", contests[face.name].played)
        if not (target / "board.json").exists():
            waits = small_page(face.title, "No board yet: it takes bots that can play.")
            write_atomically(target / "index.html", waits.encode())
    write_atomically(folder / "index.html", front_page(faces, submissions=submissions).encode())


def list_faces(
    contests: Mapping[str, Config], closed: Collection[str], folder: Path | None = None
) -> list[ContestFace]:
    """Return the public facts about each contest, in their order.

    Args:
        contests: Settings of the contests by name.
        closed: Names of the contests that have closed.
        folder: The published folder, which shows which contests had a preliminary. None: none is shown.
    """
    now = datetime.now(UTC)
    faces = []
    for name, config in contests.items():
        opening, played = config.opening, config.played
        waits = opening.opens is not None and now < opening.opens
        state = "closed: the final counts" if name in closed else "not open yet" if waits else "open"
        files = {language: f"my_bot{_suffix(language, path)}" for language, path in templates(played).items()}
        faces.append(
            ContestFace(
                name,
                played.title,
                played.description,
                state,
                opening.opens if waits else None,
                opening.closes,
                files,
                is_over=name in closed,
                preliminary=(folder / PRELIMINARY / name / "index.html").exists() if folder else False,
            )
        )
    return faces


def rules_values(
    contests: Mapping[str, Config], closed: Collection[str], name: str, *, short: bool = False
) -> dict[str, Any]:
    """Return a contest's rules, settings, limits and templates for scripts.

    Args:
        contests: Settings of the contests by name.
        closed: Names of the contests that have closed.
        name: Name of the contest, one of `contests`.
        short: Whether to return only its name, title, state, dates and address.

    Returns:
        Values for JSON. Dates are text in ISO format or None: "opens" has one only before it, and "closes" if
        submissions end. Limits are per author.
    """
    config = contests[name]
    (face,) = list_faces({name: config}, closed)
    line = {
        "name": name,
        "title": face.title,
        "state": face.state,
        "opens": face.opens and face.opens.isoformat(),
        "closes": face.closes and face.closes.isoformat(),
        "url": f"/{PLACE}/{name}/rules",
    }
    if short:
        return line
    opening, played = config.opening, config.played
    return line | {
        "description": face.description,
        "unit": played.points_unit,
        "house": played.house is not None,
        "decisions": [
            {
                "name": question.python_name,
                "arguments": [*played.interface.parameters.get(question.name, ())],
                "told": [*played.interface.observed(question)],
                "description": question.description,
                "answers": question.answers,
            }
            for question in played.interface.answered
        ],
        "settings": config.contest.playing(),
        "limits": {
            "bots": opening.max_bots_per_author,
            "submissions_per_day": opening.max_submissions_per_day,
            "seconds_per_day": opening.max_seconds_per_day,
            "bytes_per_file": opening.max_file_bytes,
        },
        "standings": f"/{PLACE}/{name}/board.json",
        "templates": {language: f"/{PLACE}/{name}/templates/{file}" for language, file in face.templates.items()},
    }


def _suffix(language: str, template: Path) -> str:
    """Return the ending of the published template of a language, such as ".c", or "_go.zip" for a program's folder."""
    if template.is_dir():
        return f"_{language.removeprefix('program-')}.zip"
    return ".cpp" if language == "cpp" else template.suffix


def _write_templates(folder: Path, contest: Contest) -> None:
    """Write a bot to start from in each language: a file, or an archive of a program's folder.

    Raises:
        OSError: The folder can't be written.
        InputError: A template can't be written.
    """
    folder.mkdir(exist_ok=True)
    for language, template in templates(contest).items():
        suffix = _suffix(language, template)
        with tempfile.TemporaryDirectory() as aside:
            path = write_new_bot(contest, Path(aside), "my_bot", language)
            content = path.read_bytes() if path.is_file() else _zipped(path)
        write_atomically(folder / f"my_bot{suffix}", content)


def _zipped(folder: Path) -> bytes:
    """Return a ZIP archive of the files in a folder, in order of their paths.

    Raises:
        OSError: A file can't be read.
    """
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder))
    return content.getvalue()


def unready(ranking: Standings) -> Set[str]:
    """Return the names of ranked bots that have to leave so that all remaining ranked bots have met each other.

    The bot that has met the fewest leaves first, and of several the one with the better rank. In a contest with house
    players, bots leave that haven't met all of these. A match in which the rules failed counts as played.
    """
    names = [line.name for line in ranking.ranked]
    if ranking.house:
        met = Counter({line.name: line.matches for line in ranking.ranked})
        met.update({leg.bots[0] for leg in ranking.failed_legs})
        return {name for name in names if met[name] < len(ranking.house)}
    number = {name: place for place, name in enumerate(names)}
    met_by = np.eye(len(names), dtype=bool)
    failed = [(number.get(x, -1), number.get(y, -1)) for leg in ranking.failed_legs for x in leg.bots for y in leg.bots]
    pairs = np.concatenate([ranking.matches.numbered(number), np.array(failed, np.int64).reshape(-1, 2)])
    pairs = pairs[(pairs >= 0).all(axis=1)]
    met_by[pairs[:, 0], pairs[:, 1]] = met_by[pairs[:, 1], pairs[:, 0]] = True
    remaining = np.arange(len(names))
    while len(remaining):
        counts = met_by[np.ix_(remaining, remaining)].sum(axis=1)
        if counts.min() == len(remaining):
            break
        remaining = np.delete(remaining, np.argmin(counts))
    return {*names}.difference(names[place] for place in remaining)


def _versions(board: Path, findings: Findings) -> Versions:
    """Return each bot's last 50 versions, the oldest first: those of the last board, and the present one.

    As many bots that have left are kept as there are bots now. A board that can't be read counts as none.
    """
    previous: dict[str, list[Version]] = {}
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        versions = json.loads(board.read_bytes())["versions"]
        previous = {bot: [Version(*version) for version in lines] for bot, lines in versions.items()}
    ranking = findings.ranking
    versions_by_bot: dict[str, list[Version]] = {}
    for line in ranking.entrants:
        earlier = [one for one in dict.fromkeys(previous.get(line.name, [])) if one.sha != line.sha256[:8]]
        now = Version(line.sha256[:8], findings.created, line.score if line.matches else None, line.rank,
                      len(ranking.ranked))  # fmt: skip
        versions_by_bot[line.name] = [*earlier, now][-_MAX_VERSIONS:]
    departed = {bot: lines for bot, lines in previous.items() if bot not in versions_by_bot}
    # Authors choose names, so of bots that left as many stay as there are bots now.
    return versions_by_bot | dict(list(departed.items())[: len(versions_by_bot)])


def _without_output(ranking: Standings) -> Standings:
    """Return standings without the faults, and with public reasons in place of those that have a bot's output.

    The reason of a disqualified bot is the most frequent kind of its faults.
    """
    kinds: dict[str, Counter[str]] = {}
    for leg, fault in ranking.faults:
        kinds.setdefault(leg.seats[fault.seat], Counter())[_PUBLIC[fault.kind]] += 1

    def reason(line: Standing) -> str | None:
        """Return the public reason why a bot has no place, or None if it has one."""
        if line.reason is None:
            return None
        if line.name in kinds:
            return kinds[line.name].most_common(1)[0][0]
        return "not all played" if line.reason.startswith("not all played") else "failed"

    entrants = tuple(replace(line, reason=reason(line)) for line in ranking.entrants)
    return replace(ranking, entrants=entrants, faults=())
