"""where.py: where a public function is defined, its header and its tests. `./dev where NAME...` calls it.

A definition is found by its name and an opening parenthesis, gnd_NAME(, as `git grep` finds it. A macro that makes
functions from the rows of a table has the full names in a comment on each row; tests/oracle/project/test_structure.py
holds the sources to that.
"""

import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

import headers  # noqa: E402

SOURCES = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in (".c", ".cpp", ".cu", ".def"))


def definitions():
    """Every public function that a source defines, or makes from a row of a table: name -> ["file:line"]."""
    found = {}
    for path in SOURCES:
        for number, line in enumerate(path.read_text().split("\n"), 1):
            code, _, comment = line.partition("//")
            # A row of a table with its functions in a comment; or a definition, and not a prototype.
            if re.match(r"[A-Z_]+\(", code) or re.fullmatch(r" (gnd_\w+\(\),? ?)+", comment):
                names = re.findall(r"\b(gnd_\w+)\(", comment)
            elif re.match(r"\w", code) and not code.rstrip().endswith(";"):
                names = re.findall(r"^[^=\"(]*\b(gnd_\w+)\(", code)
            else:
                names = []
            for name in names:
                found.setdefault(name, []).append(f"{path.relative_to(ROOT)}:{number}")
    return found


def header_lines(name):
    """Where the public headers declare it: a function, an inline function, a macro or an enumeration's constant."""
    function = rf"\b{name}\(" if name.islower() or not name.isupper() else rf"\b{name}\b"
    lines = []
    for path in [*sorted(headers.INCLUDE.rglob("*.h")), ROOT / "include" / "gnd.h"]:
        for number, line in enumerate(path.read_text().split("\n"), 1):
            declared = re.match(r"GND_API\b|static inline\b", line) and re.search(function, line)
            if declared or re.match(rf"#\s*define {name}\b", line):
                lines.append(f"{path.relative_to(ROOT)}:{number}")
    return lines


def tests(name):
    """The C tests and the files of the oracle that name it, most mentions first, each with the line of the first and
    their number; and the oracle's tables that have it."""
    short = name.removeprefix("gnd_")
    pattern = re.compile(rf"\b{name}\b|\bgnd\.{short}\b")
    files = []
    for path in [*sorted((ROOT / "tests" / "c").rglob("*.c")), *sorted((ROOT / "tests" / "oracle").rglob("*.py"))]:
        text = path.read_text()
        matches = list(pattern.finditer(text))
        if matches:
            line = text.count("\n", 0, matches[0].start()) + 1
            files.append((len(matches), f"{path.relative_to(ROOT)}:{line}"))
    found = [f"{where} ({count})" for count, where in sorted(files, key=lambda pair: -pair[0])]
    base = short.removesuffix("_into")
    if base in {row.name for row in headers.read_operators()}:
        found.append("tests/oracle/elementwise/test_elementwise.py (every row of ops.def)")
    folds = (ROOT / "tests" / "oracle" / "folds.py").read_text()
    if f'"{base}"' in folds or base.startswith("nan") and f'"{base[3:]}"' in folds:
        found.append("tests/oracle/reduce/test_reduce.py, scan/test_scan.py (tables of folds.py)")
    return found


def aliases():
    """Second names of functions: gnd_abs -> gnd_absolute."""
    text = "\n".join(p.read_text() for p in headers.INCLUDE.glob("*.h"))
    return dict(re.findall(r"^#\s*define (gnd_\w+) (gnd_\w+)$", text, flags=re.M))


def main(names):
    made, second = definitions(), aliases()
    declared = set(headers.read_functions()) | set(headers.read_functions(headers.DIST))
    status = 0
    for given in names:
        name = given if given.lower().startswith("gnd") else "gnd_" + given
        function = second.get(name, name)
        lines = header_lines(name)
        if not lines and function not in declared:
            near = difflib.get_close_matches(name, sorted(declared | set(second)), 3)
            print(f"where: {name} is not public" + (f"; there is {', '.join(near)}" if near else ""), file=sys.stderr)
            status = 1
            continue
        print(name + (f" is {function}" if function != name else ""))
        for location in made.get(function, []):
            print(f"  defined   {location}")
        for location in lines + (header_lines(function) if function != name else []):
            print(f"  header    {location}")
        for location in tests(function):
            print(f"  test      {location}")
    return status


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("usage: ./dev where NAME...")
    sys.exit(main(sys.argv[1:]))
