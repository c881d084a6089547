"""The command, and python -m tournament."""

import gc
import os
import sys

# Modules and the ledger of a large field are hundreds of thousands of objects that stay: collecting garbage among
# them took a tenth of a command's time.
gc.set_threshold(100_000, 20, 100)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads are of no use here
# To look for plugins it reads the metadata of every installed package.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def main() -> None:
    """Run the command; Ctrl-C while its modules are still being loaded ends it without a stack trace, too."""
    try:
        from tournament.cli import commands as cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()  # no collection at the end: the process frees all


if __name__ == "__main__":
    main()
