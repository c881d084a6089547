#!/usr/bin/env python3
"""Link Von Neumann poker bots and the plain controller into one native program.

    build.py OUTPUT [--fast-random] [--build-dir DIR] BOT [BOT ...]

A BOT is a .c or .cpp file. It defines the functions a and b, or <name>a and <name>b, or <name>A and <name>B.
Each bot is included in a small wrapper, which is compiled to an object file of its own. Then all but the wrapper's
two functions are made local, so that bots may use the same global names.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPTIMISE = ["-O3"]


def strip_comments(text: str) -> str:
    """Return the text without comments and string literals, so that only code is searched."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.S)


def entry_points(path: Path) -> tuple[str, str]:
    """Return the names of the bot's two functions."""
    code = strip_comments(path.read_text(encoding="utf-8"))
    parameter = r"\s*\(\s*(?:const\s+)?(?:struct\s+)?(?:Bot|void)\b"
    defined = set(re.findall(r"\b([A-Za-z_]\w*)" + parameter, code))
    stem = re.sub(r"\W", "_", path.stem)
    for a, b in [("a", "b"), (stem + "a", stem + "b"), (stem + "A", stem + "B")]:
        if a in defined and b in defined:
            return a, b
    pairs = sorted((n, n[:-1] + chr(ord(n[-1]) + 1)) for n in defined if n[-1] in "aA")
    pairs = [p for p in pairs if p[1] in defined]
    if len(pairs) == 1:
        return pairs[0]
    sys.exit(f"build.py: {path}: cannot tell which functions are the bot's a and b")


def wrapper(path: Path, number: int) -> str:
    """Source text that includes the bot and gives it two names that no other bot has.

    The answer of b is compared with 0 here, at the width that the bot declares for it.
    """
    a, b = entry_points(path)
    head = f'#include "bot.h"\n#include "{path}"\n\n'
    if path.suffix == ".cpp":
        to_bot = "(Bot *)const_cast<void *>(bot)"
        linkage = 'extern "C" '
    else:
        to_bot = "(Bot *)bot"
        linkage = ""
    return (
        head
        + f"{linkage}Money bot{number}_a(const void *bot)\n{{\n    return {a}({to_bot});\n}}\n\n"
        + f"{linkage}int bot{number}_b(const void *bot, const Money aBet)\n"
        + f"{{\n    return {b}({to_bot}, aBet) != 0;\n}}\n"
    )


def table(paths: list[Path]) -> str:
    """Source text of the list of all linked bots."""
    lines = ['#include "bot.h"\n']
    for i in range(len(paths)):
        lines.append(f"Money bot{i}_a(const void *bot);\nint bot{i}_b(const void *bot, const Money aBet);")
    lines.append("\nconst Contestant field[] = {")
    lines += [f'    {{"{p.stem}", bot{i}_a, bot{i}_b}},' for i, p in enumerate(paths)]
    lines.append(f"}};\nconst int field_size = {len(paths)};\n")
    return "\n".join(lines)


def run(*command: str | Path) -> None:
    done = subprocess.run([str(part) for part in command])
    if done.returncode:
        sys.exit(f"build.py: failed: {' '.join(map(str, command))}")


def build(output: Path, bots: list[Path], fast_random: bool, folder: Path) -> None:
    objects: list[Path] = []
    for i, path in enumerate(bots):
        cpp = path.suffix == ".cpp"
        source = folder / f"bot{i}{path.suffix}"
        source.write_text(wrapper(path, i), encoding="utf-8")
        raw, whole, local = (folder / f"bot{i}.{part}.o" for part in ("raw", "whole", "local"))
        language = ["g++", "-std=c++17", "-fno-exceptions"] if cpp else ["gcc"]
        run(*language, *OPTIMISE, "-I", HERE, "-c", source, "-o", raw)
        # Dissolve groups of shared template code first: two bots may instantiate the same template.
        run("ld", "-r", "--force-group-allocation", raw, "-o", whole)
        run("objcopy", f"--keep-global-symbol=bot{i}_a", f"--keep-global-symbol=bot{i}_b", whole, local)
        objects.append(local)
    (folder / "field.c").write_text(table(bots), encoding="utf-8")
    link = "g++" if any(p.suffix == ".cpp" for p in bots) else "gcc"
    flags = ["-DFAST_RANDOM"] if fast_random else []
    for name, place, extra in [("plain_controller", HERE, flags), ("field", folder, [])]:
        run("gcc", *OPTIMISE, *extra, "-I", HERE, "-c", place / f"{name}.c", "-o", folder / f"{name}.o")
        objects.append(folder / f"{name}.o")
    run(link, "-o", output, *objects, "-lm")


def main() -> None:
    parser = argparse.ArgumentParser(description="Link bots and the plain controller into one program.")
    parser.add_argument("output", type=Path)
    parser.add_argument("bots", type=Path, nargs="+", metavar="BOT")
    parser.add_argument("--fast-random", action="store_true", help="deal from an inline generator, not from rand()")
    parser.add_argument("--build-dir", type=Path, help="keep the generated files here")
    options = parser.parse_args()

    bots = sorted((p.resolve() for p in options.bots), key=lambda p: p.stem)
    if len({p.stem for p in bots}) < len(bots):
        parser.error("two bots have the same name")
    for path in bots:
        if path.suffix not in (".c", ".cpp"):
            parser.error(f"not a .c or .cpp file: {path}")
    if options.build_dir:
        options.build_dir.mkdir(parents=True, exist_ok=True)
        build(options.output, bots, options.fast_random, options.build_dir.resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            build(options.output, bots, options.fast_random, Path(folder))


if __name__ == "__main__":
    main()
