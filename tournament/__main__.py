"""The command, and python -m tournament."""

import sys


def main() -> None:
    """Run the command; Ctrl-C while its modules are still being loaded ends it without a stack trace, too."""
    try:
        from tournament.cli import commands as cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
