"""The command, and python -m tournament."""

import contextlib
import gc
import os
import sys

# Modules and the legs of a large field are hundreds of thousands of lasting objects: searching them for garbage
# took a tenth of a command's time.
gc.set_threshold(200_000, 20, 100)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads are of no use here
# Otherwise pydantic reads the metadata of every installed package, looking for plugins.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def main() -> None:
    """Run the command. Ctrl-C ends it without a stack trace, even while modules are being loaded.

    Raises:
        SystemExit: The command has ended.
    """
    fix_hash_seed()
    try:
        from tournament.cli import commands as cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)
    except SystemExit as ending:
        if "ray" in sys.modules and isinstance(ending.code, int):
            os._exit(ending.code)  # all is written; what Ray does at an end may crash
        raise
    finally:
        gc.freeze()  # no collection at the end: the process frees all


def fix_hash_seed() -> None:
    """Start this command again with a fixed hash seed if its own is random.

    So rules iterate over sets of texts in one order.
    """
    if sys.flags.hash_randomization and not sys.flags.ignore_environment and sys.orig_argv:
        os.environ["PYTHONHASHSEED"] = "0"
        with contextlib.suppress(OSError):  # sets then have an order of this process alone
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def _drop_current_folder() -> None:
    """Let `python -m tournament` import what `tournament` does, even if the current folder has an engine.py."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not sys.flags.safe_path and os.path.abspath(sys.path[0]) != package:
        del sys.path[0]


if __name__ == "__main__":
    _drop_current_folder()
    main()
