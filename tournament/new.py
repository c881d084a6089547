"""Writing a bot to start from."""

from __future__ import annotations

from pathlib import Path

from tournament.contests.contest import Contest
from tournament.entrants.folder import KINDS, valid_name
from tournament.problems import BadInput


def write_new_bot(contest: Contest, folder: Path, name: str, language: str | None) -> Path:
    """Write the contest's commented bot in a language, by default its first, and return its path.

    Raises BadInput for a language without one, a bad name, or a file that is there.
    """
    templates = {path.suffix.removeprefix("."): path for path in sorted(contest.interface.kit.glob("new_bot.*"))}
    language = language or next(iter(templates))
    if language not in templates:
        raise BadInput(f"--language {language}: {contest.name} has {', '.join(templates)}")
    if not valid_name(name):
        raise BadInput(f"{name}: a bot's name has letters, digits and _ . + - only, 64 at most")
    path = folder / f"{name}.{language}"
    for twin in (folder / f"{name}{suffix}" for suffix in KINDS):
        if twin.exists():
            raise BadInput(f"{twin} is there already; choose another name")
    text = templates[language].read_text().replace("{name}", name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(path, "x") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(f"{path} is there already; choose another name") from None
    except OSError as error:
        raise BadInput(f"{path} can't be written: {error.strerror}") from None
    return path
