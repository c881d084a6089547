"""Commands whose output another program reads: wide, without colours, and loaded before the first of them runs.

The server of an open contest forks its trials from a process that has imported this module.
"""

from __future__ import annotations

import importlib
import os

# Consoles read these when they are made.
os.environ.update(COLUMNS="400", NO_COLOR="1")

# What the commands import only when they need it: a trial then begins at once.
for _name in (
    "tournament.cli.commands", "tournament.cli.trial", "tournament.cli.match", "tournament.cli.audit",
    "tournament.runner.prepare", "tournament.runner.executors.local", "tournament.worker.processes.lanes",
    "tournament.contests.von_neumann_poker.rules", "tournament.contests.matrix_game.rules",
    "tournament.rules.rules",
):  # fmt: skip
    importlib.import_module(_name)
