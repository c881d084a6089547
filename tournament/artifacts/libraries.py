"""The compiler's libraries, built before a bot needs them: python -m tournament.artifacts.libraries

`make` does it while it compiles the core, without which this runs. Where it fails, a run tries it again and says why.
"""

from __future__ import annotations

import contextlib

from tournament.artifacts import compiler
from tournament.errors import TournamentError
from tournament.sandbox.outside.settings import SandboxSettings


def _say_nothing(_text: str) -> None:
    pass


if __name__ == "__main__":
    with contextlib.suppress(TournamentError):
        compiler.prepare_libraries(compiler.LANGUAGES, SandboxSettings(), _say_nothing)
