"""Doxygen's input filter: the headers' comments are plain text, so each becomes a verbatim block.

Without it Doxygen would read |x|, a[i] * b, <name> and indented lines as markup of its own. Lines stay
where they are: reference.py looks sections and shared comments up in the header itself.
"""

import re
import sys


def verbatim(match):
    opening, text = match.groups()
    lines = text.split("\n")
    # The column that " * " and the indentation of further lines take.
    lines = lines[:1] + [re.sub(r"^ \* ?", "   ", line) for line in lines[1:]]
    return opening + " @verbatim " + "\n".join(lines) + " @endverbatim */"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        source = file.read()
    sys.stdout.write(re.sub(r"(/\*\*<?)(?=[\s])((?:(?!\*/).)*)\*/", verbatim, source, flags=re.S))
