"""The compiler's libraries, built before a bot needs them: python -m tournament.entrants.libraries

`make` does it while it compiles the core, without which this runs. Where it fails, a run tries it again and says why.
"""

from __future__ import annotations

from tournament.entrants import compiler
from tournament.errors import TournamentError
from tournament.sandbox.confinement import probe_sandbox
from tournament.sandbox.settings import SandboxSettings


def _say_nothing(_text: str) -> None:
    pass


if __name__ == "__main__":
    try:
        settings = SandboxSettings()
        probe_sandbox(settings.mode)
        for language in reversed(compiler.LANGUAGES):  # that of C++ brings most of C's with it
            compiler.prepare_libraries(language, settings, _say_nothing)
    except TournamentError:
        pass
