#!/usr/bin/env python3
"""needs.py [NAME=VERSION...] FILE...: the newest version of glibc, libstdc++ and libgcc that built files need.

Each FILE is a library or a program, or a folder of them. With GLIBC=2.31 or the like (also GLIBCXX, CXXABI, GCC), the
exit status is 1 if one needs a newer version, and its names are printed: the file would not start on a system with
that version. Debian 11 has GLIBC=2.31 GLIBCXX=3.4.28 CXXABI=1.3.12 GCC=10.0.
"""
import pathlib
import re
import subprocess
import sys

NEED = re.compile(r"\((GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)\)\s+(\S+)$")


def elf_files(paths):
    """Programs and shared libraries (ELF's types 2 and 3), not objects."""
    for path in map(pathlib.Path, paths):
        inside = (file for file in sorted(path.rglob("*")) if not file.is_symlink())
        for file in inside if path.is_dir() else [path]:
            if file.is_file():
                with file.open("rb") as opened:
                    head = opened.read(17)
                    if head[:4] == b"\x7fELF" and head[16] in (2, 3):
                        yield file


def number(version):
    return tuple(int(part) for part in version.split("."))


def needs(file):
    """{library's name: {version: [symbols]}} of what the file expects others to define."""
    found = {}
    lines = subprocess.run(["objdump", "-T", file], check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        match = NEED.search(line)
        if match and "*UND*" in line:
            found.setdefault(match[1], {}).setdefault(match[2], []).append(match[3])
    return found


def main(arguments):
    bounds = dict(argument.split("=") for argument in arguments if "=" in argument)
    files = list(elf_files(argument for argument in arguments if "=" not in argument))
    if not files or bounds.keys() - {"GLIBC", "GLIBCXX", "CXXABI", "GCC"}:
        sys.exit(__doc__)
    newer = False
    for file in files:
        found = needs(file)
        newest = [f"{name} {max(versions, key=number)}" for name, versions in sorted(found.items())]
        print(f"{file}: {', '.join(newest) or 'nothing of these'}")
        for name, bound in bounds.items():
            for version, symbols in found.get(name, {}).items():
                if number(version) > number(bound):
                    newer = True
                    print(f"    newer than {name} {bound}: {' '.join(sorted(symbols))} ({version})")
    return int(newer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
