"""Writing a bot to start from."""

from __future__ import annotations

from pathlib import Path

from tournament.contests.contest import Contest
from tournament.entrants.folder import KINDS
from tournament.errors import InputError
from tournament.names import NAME_RULE, valid_name

_FILE, _FOLDER = "new_bot", "new_program_"


def templates(contest: Contest) -> dict[str, Path]:
    """The contest's commented bots by language: a file of the bot's kind, or a program's folder."""
    sdk = contest.interface.sdk
    files = {KINDS[path.suffix]: path for path in sorted(sdk.glob(f"{_FILE}.*"))}
    if "c" in files:
        files.setdefault("cpp", files["c"])  # it is both
    return files | {f"program-{path.name.removeprefix(_FOLDER)}": path for path in sorted(sdk.glob(f"{_FOLDER}*"))}


def write_new_bot(contest: Contest, folder: Path, name: str, language: str | None) -> Path:
    """Write the contest's commented bot in a language, by default its first; returns its path, a file's or a folder's.
    Raises InputError for a language without one, a bad name, or a bot that is there."""
    known = templates(contest)
    language = language or next(iter(known))
    if language not in known:
        raise InputError(f"--language {language}: {contest.name} has {', '.join(known)}")
    if not valid_name(name):
        raise InputError(f"{name}: {NAME_RULE}")
    template = known[language]
    for twin in (folder / f"{name}{suffix}" for suffix in ("", *KINDS)):
        if twin.exists():
            raise InputError(f"{twin} is there already; choose another name")
    path = folder / f"{name}{template.suffix if language != 'cpp' else '.cpp'}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if template.is_dir():
            path.mkdir()
            for source in sorted(template.iterdir()):
                _write(source, path / source.name, name)
        else:
            _write(template, path, name)
    except FileExistsError:
        raise InputError(f"{path} is there already; choose another name") from None
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}") from None
    return path


def _write(template: Path, path: Path, name: str) -> None:
    """Write a template's file with the bot's name in it, executable if the template is."""
    with open(path, "x", encoding="utf-8") as file:
        file.write(template.read_text(encoding="utf-8").replace("{name}", name))
    if template.stat().st_mode & 0o100:
        path.chmod(path.stat().st_mode | 0o111)
