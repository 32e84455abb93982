"""src/gnd.symbols: the functions that libgnd.so exports, each with the version it came in.

    symbols.py            say what the list and the public headers do not agree on
    symbols.py --write    make the list follow the headers (`./dev symbols`)

The list is what programs that are already compiled rely on, so it is committed, and a change of it is
seen when it is read: a function that goes needs a new soname, unless it was never released. Functions
that are new get the version that include/gnd/base.h has. tests/oracle/project/test_release.py holds the list, the
headers and the library to each other; the Debian package's symbols file is made from it.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "src" / "gnd.symbols"
DIST_LIST = ROOT / "src" / "dist" / "gnd_dist.symbols"  # the same of libgnd_dist.so
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

import headers  # noqa: E402  (the tests' reader of the public headers)

HEAD = """\
# The functions that LIBRARY exports, and the version each came in. `./dev symbols` makes this list follow
# the headers; a line that goes breaks programs that are already compiled.
"""


def version():
    """The version as the headers have it."""
    text = (headers.INCLUDE / "base.h").read_text()
    return ".".join(re.search(rf"#define GND_VERSION_{part} (\d+)", text).group(1)
                    for part in ("MAJOR", "MINOR", "PATCH"))


def declared():
    """The functions, and the few variables, that the headers declare."""
    return set(headers.read_functions()) | headers.read_data()


def listed(path=LIST):
    """The list: the version of each function."""
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def differences(names, where):
    """Sentences about functions that are in `names` and not in the list, or in it alone."""
    known = set(listed())
    return ([f"{name} is {where} and not in src/gnd.symbols: run `./dev symbols` and commit the list"
             for name in sorted(names - known)]
            + [f"{name} is in src/gnd.symbols and not {where}: programs that call it would no longer run; "
               "if that is meant, run `./dev symbols` and commit the list"
               for name in sorted(known - names)])


def write(path=LIST, names=None, library="libgnd.so"):
    old, names, now = listed(path), declared() if names is None else names, version()
    lines = [f"{name} {old.get(name, now)}\n" for name in sorted(names)]
    path.write_text(HEAD.replace("LIBRARY", library) + "".join(lines))
    print(f"{path.relative_to(ROOT)}: {len(names)} functions, {len(names - set(old))} new, "
          f"{len(set(old) - names)} gone")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
        write(DIST_LIST, set(headers.read_functions(headers.DIST)), "libgnd_dist.so")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        found = differences(declared(), "in the headers")
        print("\n".join(found))
        sys.exit(bool(found))
