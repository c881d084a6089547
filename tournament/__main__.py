"""python -m tournament"""

from tournament.cli import main

if __name__ == "__main__":
    main()
