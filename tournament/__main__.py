"""The command, and python -m tournament."""

import gc
import os
import sys

# Modules, and the ledger of a large field, are hundreds of thousands of objects that stay: looking through them for
# garbage again and again took a tenth of a command's time. In numpy nothing here is for its threads.
gc.set_threshold(100_000, 20, 100)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# For plugins it would read what every installed package declares.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def main() -> None:
    """Run the command; Ctrl-C while its modules are still being loaded ends it without a stack trace, too."""
    try:
        from tournament.cli import commands as cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()  # what is left goes with the process: its end need not look through it


if __name__ == "__main__":
    main()
