"""What everybody sees of an open contest: a page and a board, each written whole.

Each leg has cards of its own, so what is shown of one tells nothing of another: the page has everything but what bots
wrote, which concerns their authors. Against house players all bots meet the same hands. There the games are shown at
the end, and a final on a fresh seed should count.
"""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.entrants.new import templates, write_new_bot
from tournament.records.results import leaderboard_values, load
from tournament.reporting.face import ContestFace, front_page, small_page
from tournament.reporting.findings import Findings, Version, find
from tournament.reporting.page import render, utc
from tournament.runner.seed import read_seed
from tournament.small_files import write_whole
from tournament.standings.standings import Standings
from tournament.store.storage import join_location, open_storage

_MOST_VERSIONS = 50  # of a bot

Versions = Mapping[str, list[Version]]


def publish(folder: Path, name: str, config: Config, *, open: bool) -> None:
    """Write a contest's page and board from its records. Raises as `find` does, and OSError."""
    location = join_location(config.results, name)
    seed = None if open else read_seed(open_storage(location), load(location).setup.settings.get("seed"))
    hidden = open and config.played.house is not None
    contest, findings = find(location, with_games=not hidden, seed=seed, config_of=lambda _: config, only_sums=hidden)
    if open:
        findings = replace(findings, ranking=_without_words(findings.ranking))
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    findings = replace(findings, versions=_versions(place / "board.json", findings))
    board = {
        "contest": name,
        "made": findings.made,
        "open": open,
        "leaderboard": leaderboard_values(findings.ranking),
        "versions": findings.versions,
    }
    closes = config.opening.closes
    until = f", closes {utc(closes)}; then a final is played, which alone counts" if closes else ""
    heading = f"Open contest{until}" if open else "Final: it alone counts"
    page = render(contest, findings, live=True, options="" if open else " --final", heading=heading)
    write_whole(place / "index.html", page.encode())
    write_whole(place / "board.json", (json.dumps(board, indent=2, default=str) + "\n").encode())
    write_whole(place / "stamp", findings.made.encode())  # the last: who sees it sees the page that it is of


def publish_index(folder: Path, contests: Mapping[str, Config], over: Collection[str], *, submissions: bool) -> None:
    """Write the page that leads to the contests, and to where bots are submitted; bots to start from; and a page of
    each contest without a board. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    faces = faces_of(contests, over)
    for face in faces:
        (folder / face.name).mkdir(exist_ok=True)
        _write_templates(folder / face.name / "templates", contests[face.name].played)
        if not (folder / face.name / "board.json").exists():
            waits = small_page(face.title, "No board yet: it takes bots that can play.")
            write_whole(folder / face.name / "index.html", waits.encode())
    write_whole(folder / "index.html", front_page(faces, submissions=submissions).encode())


def faces_of(contests: Mapping[str, Config], over: Collection[str]) -> list[ContestFace]:
    """What everybody may know of each contest."""
    now = datetime.now(UTC)
    found = []
    for name, config in contests.items():
        opening, played = config.opening, config.played
        waits = opening.opens is not None and now < opening.opens
        state = "closed: the final counts" if name in over else "not open yet" if waits else "open"
        files = {language: f"my_bot{_suffix(language, path)}" for language, path in templates(played).items()}
        found.append(
            ContestFace(
                name,
                played.title,
                played.description,
                state,
                opening.opens if waits else None,
                opening.closes,
                files,
                is_over=name in over,
            )
        )
    return found


def _suffix(language: str, template: Path) -> str:
    if template.is_dir():
        return f"_{language.removeprefix('program-')}.zip"
    return ".cpp" if language == "cpp" else template.suffix


def _write_templates(folder: Path, contest: Contest) -> None:
    """Write a bot to start from in each language: a file, or an archive of a program's folder."""
    folder.mkdir(exist_ok=True)
    for language, template in templates(contest).items():
        suffix = _suffix(language, template)
        with tempfile.TemporaryDirectory() as aside:
            made = write_new_bot(contest, Path(aside), "my_bot", language)
            content = made.read_bytes() if made.is_file() else _zipped(made)
        write_whole(folder / f"my_bot{suffix}", content)


def _zipped(folder: Path) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder))
    return content.getvalue()


def is_whole(ranking: Standings) -> bool:
    """Whether every ranked bot has met all whom it is to meet."""
    ranked = ranking.ranked
    others = len(ranking.house) or len(ranked) - 1
    return bool(ranked) and all(line.matches >= others for line in ranked)


def _versions(board: Path, findings: Findings) -> Versions:
    """What became of each version of a bot: as the last board had it, with the line that it has now."""
    known: dict[str, list[Version]] = {}
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        versions = json.loads(board.read_bytes())["versions"]
        known = {bot: [Version(*version) for version in lines] for bot, lines in versions.items()}
    ranking = findings.ranking
    found: dict[str, list[Version]] = {}
    for line in ranking.entrants:
        others = [one for one in dict.fromkeys(known.get(line.name, [])) if one.sha != line.sha256[:8]]
        now = Version(line.sha256[:8], findings.made, line.score if line.matches else None, line.rank,
                      len(ranking.ranked))  # fmt: skip
        found[line.name] = [*others, now][-_MOST_VERSIONS:]
    gone = {bot: lines for bot, lines in known.items() if bot not in found}
    # Of bots that left, as many as there are now: names are chosen by strangers.
    return found | dict(list(gone.items())[: len(found)])


def _without_words(ranking: Standings) -> Standings:
    """Without what bots wrote, and where they had faults."""
    entrants = tuple(replace(line, reason=_kind(line.reason)) for line in ranking.entrants)
    return replace(ranking, entrants=entrants, faults=())


def _kind(what: str | None) -> str:
    """The first words of a reason, which are ours."""
    return re.split(r"[:;,\"'(0-9]", what or "")[0].strip()
