"""From submissions to entrants: compile, cache by content, check that each bot fits and starts."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tournament import runtime
from tournament.contests.contest import Contest, ContestSettings, Interface
from tournament.entrants import c_functions, compiler
from tournament.entrants.bot import Entrant, Submission
from tournament.entrants.c_functions import choose_functions, defined_functions
from tournament.entrants.folder import find_submissions
from tournament.problems import BadInput

_CALLS_CLOCK = re.compile(rb"\b(time|clock)\s*\(")
_RUNTIME_SOURCE = Path(__file__).with_name("bot_runtime.c")


def build_entrants(
    contest: Contest, settings: ContestSettings, folder: Path, say: Callable[[str], None]
) -> list[Entrant]:
    """Every bot of a folder, sorted by name; those that can't play carry their problem.

    Raises BadInput when there is no such folder.
    """
    submissions, refused = find_submissions(folder)
    workers = os.cpu_count() or 1
    uncached = [s for s in submissions if s.kind != "wasm" and not _cached(s, contest.interface).exists()]
    for kind in sorted({s.kind for s in uncached}):
        compiler.prepare_libraries(kind, say)
    if uncached:
        say(f"Compiling {len(uncached)} bot{'s' if len(uncached) > 1 else ''}…")
    with ThreadPoolExecutor(workers) as pool:
        built = list(pool.map(lambda s: build_entrant(s, contest.interface, settings), submissions))
    return sorted([*built, *refused], key=lambda e: e.name)


def build_entrant(submission: Submission, interface: Interface, settings: ContestSettings) -> Entrant:
    """Build one bot and start it once; what fails becomes the entrant's problem."""
    artifact: bytes | None = None
    problem: str | None = None
    try:
        artifact = submission.source if submission.kind == "wasm" else _compiled(submission, interface)
        bot = runtime.load_bot(artifact, interface, submission.name)
        runtime.try_start(bot, fuel=settings.fuel_per_decision, memory_megabytes=settings.memory_megabytes)
    except (compiler.CompilerRefused, runtime.BotUnfit) as error:
        artifact, problem = None, str(error)
    return Entrant(submission.name, submission.kind, submission.sha256, artifact, problem)


def playable(entrants: Iterable[Entrant], least: int) -> list[Entrant]:
    """Those that can play. Raises BadInput when there are fewer than `least`."""
    fit = [entrant for entrant in entrants if entrant.artifact is not None]
    if len(fit) < least:
        needed = "two bots" if least == 2 else "a bot"
        raise BadInput(
            f"a tournament needs {needed} that can play; there {'is' if len(fit) == 1 else 'are'} {len(fit)}"
        )
    return fit


def _cached(submission: Submission, interface: Interface) -> Path:
    digest = hashlib.sha256()
    kit = sorted(interface.kit.rglob("*.h"))
    how = [Path(__file__), Path(c_functions.__file__)]
    for part in (
        compiler.version().encode(),
        submission.name.encode(),
        submission.kind.encode(),
        submission.source,
        *[path.read_bytes() for path in [*kit, *how, _RUNTIME_SOURCE]],
    ):
        digest.update(len(part).to_bytes(8, "little") + part)
    return compiler.cache_folder() / "bots" / f"{digest.hexdigest()}.wasm"


def _compiled(submission: Submission, interface: Interface) -> bytes:
    """The bot's WebAssembly, from the cache or the compiler. Raises CompilerRefused."""
    cached = _cached(submission, interface)
    if cached.exists():
        return cached.read_bytes()
    with tempfile.TemporaryDirectory(prefix="tournament-") as folder_name:
        folder = Path(folder_name)
        suffix = ".c" if submission.kind == "c" else ".cpp"
        bot = folder / f"{submission.name}{suffix}"
        bot.write_bytes(submission.source)
        unit = folder / f"tournament_unit{suffix}"
        # A call of time() without its header would be taken for one that returns int.
        clock = "#include <time.h>\n" if _CALLS_CLOCK.search(submission.source) else ""
        include = f'#include "{interface.header}"\n{clock}#include "{bot.name}"\n'
        unit.write_text(include)
        defined = defined_functions(compiler.preprocess(unit, submission.kind, interface.kit), bot.name)
        chosen = choose_functions(defined, submission.name, [q.name for q in interface.questions])
        if isinstance(chosen, str):
            compiler.check_syntax(unit, submission.kind, interface.kit)
            raise compiler.CompilerRefused(chosen)
        unit.write_text(include + _definitions(interface, chosen) + '#include "adapter.h"\n')
        helpers = folder / "tournament_runtime.c"
        helpers.write_bytes(_RUNTIME_SOURCE.read_bytes())
        output = folder / "tournament_output.wasm"
        compiler.compile_unit([unit, helpers], submission.kind, interface.kit, output)
        artifact = output.read_bytes()
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=cached.parent, delete=False) as aside:
        aside.write(artifact)
    os.replace(aside.name, cached)
    return artifact


def _definitions(interface: Interface, chosen: list[str]) -> str:
    """Tells the adapter the bot's names."""
    return "".join(f"#define BOT_{q.name.upper()} {name}\n" for q, name in zip(interface.questions, chosen))
