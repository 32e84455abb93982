"""Turns the plain text of the headers' comments into reStructuredText.

What the comments use, and what becomes of it: paragraphs; lists whose items begin with "- "; indented
lines after an empty one, which are code or a formula and stay as they stand; `names` in backquotes; names
of gnd, of NumPy and the like, calls and indices, which read as code (links.py makes links of those that
have an entry); powers such as 2^63. All else is prose, in which nothing is markup.
"""

import re

# The headers that have a page, which reference.py knows.
HEADERS = set()

# In the order in which they are tried. A call or an index, x.size() or _ind[k], is code with all that its
# brackets hold; "element(s)" is none. A string is code if it has no space, or a sign of code.
CODE = re.compile(
    r"``?(?P<quoted>[^`]+)``?"
    r"|(?P<string>\"(?:[^\"\s]+|[^\"]*[_<>():%;=][^\"]*)\")(?!\w)"
    r"|(?P<path>\bgnd/(?P<header>\w+)\.h\b)"
    r"|(?P<python>\b(?:numpy|scipy|cupy|cupyx|torch|math)\.[A-Za-z_]\w*(?:\.\w+)*)"
    r"|(?P<setting>\b[A-Z]+_[A-Z_]+=[\w,:.]+|\$[A-Z_]+[\w/.]*\w|~/[\w/.]*\w)"
    r"|(?P<call>&?(?<![\w.^])[A-Za-z_]\w*(?:(?:\.|->|::)\w+)*(?=[(\[])(?!(?<=[a-z])\(e?s\)))"
    r"|(?P<type>\b\w+(?:::\w+)*(?:::)?<[\w:, ]+>)"
    r"|(?P<name>\b(?:gnd|GND)_\w+|\b(?:[a-z]\w*\.)*\w*_\w+\b(?:\.\w+)*|\b\w+::\w[\w:]*\b)"
    r"|(?P<power>(?<![\w.^|])(?P<base>-?\w+|\|\w+\||[)\]])\^(?P<exponent>-?\d+|[a-z]\b))")


def _balanced(text, start):
    """The end of the brackets that open at `start`, on the same sentence; None if they do not close."""
    depth = 0
    for position in range(start, min(len(text), start + 200)):
        depth += (text[position] in "([{") - (text[position] in ")]}")
        if depth == 0:
            return position + 1
    return None


def _escape(text):
    return re.sub(r"([*`|_\\<>])", r"\\\1", text)


def _literal(text):
    return "``" + " ".join(text.split()) + "``"


def _code_end(text, at):
    """Where a call or an index ends, whose name ends at `at`: behind its brackets, and what is chained on."""
    while text[at:at + 1] in ("(", "["):
        end = _balanced(text, at)
        if end is None:
            return at
        at = end
        chained = re.match(r"(?:\.|->|::)\w+(?=[(\[])", text[at:])
        at += chained.end() if chained else 0
    return at


def inline(text):
    """One paragraph of prose, its lines joined."""
    text = " ".join(text.split())
    parts, at = [], 0
    while match := CODE.search(text, at):
        parts.append(_escape(text[at:match.start()]))
        at = match.end()
        if match["power"]:
            parts.append(f"{_escape(match['base'])}\\ :sup:`{match['exponent']}`\\ ")
        elif match["path"] and match["header"] in HEADERS:
            parts.append(f"\\ :doc:`{match['path']} </reference/{match['header']}>`\\ ")
        else:
            if match["call"] or match["python"] or match["name"]:
                at = _code_end(text, at)
            code = match["quoted"] or text[match.start():at]
            parts.append("\\ " + _literal(code) + "\\ ")
    parts.append(_escape(text[at:]))
    joined = "".join(parts)
    # The separators are only needed next to letters.
    joined = re.sub(r"(^|(?<=[\s(]))\\ (?=``|:)", "", joined)
    return re.sub(r"(?<=`)\\ (?=$|[\s.,;:!?)\-])", "", joined)


def _language(lines):
    text = "\n".join(lines)
    return "c" if re.search(r"gnd_|GND_|;\s*$|^\s*\.\w+ =|^#include", text, flags=re.M) else "text"


def _remarked(line):
    """What stands beside code, some spaces apart, as a comment of C."""
    return re.sub(r"^(.*\S)( {3,})(?=\w)(?!.*(?:gnd_|GND_|[;\"]))", r"\1\2// ", line)


def _indent(line):
    return len(line) - len(line.lstrip(" "))


def blocks(lines):
    """Cuts lines into ("text" | "item" | "code", lines)."""
    found, at = [], 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        start = at
        if _indent(lines[at]) >= 3:
            at += 1
            while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) >= 3):
                at += 1
            code = lines[start:at]
            while not code[-1].strip():
                code.pop()
            cut = min(_indent(line) for line in code if line.strip())
            found.append(("code", [line[cut:] for line in code]))
        elif lines[at].startswith("- "):
            at += 1
            while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) >= 2):
                at += 1
            item = [lines[start][2:]] + [line[2:] for line in lines[start + 1:at]]
            found.append(("item", item))
        else:
            at += 1
            while at < len(lines) and lines[at].strip() and not lines[at].startswith("- "):
                at += 1
            found.append(("text", lines[start:at]))
    return found


def restructured(text, indent=""):
    """The whole comment as reStructuredText, each line behind `indent`."""
    out = []
    for kind, lines in blocks(dedent(text).split("\n")):
        if kind == "text":
            out += [inline("\n".join(lines)), ""]
        elif kind == "item":
            inner = restructured("\n".join(lines)).split("\n")
            out += ["- " + inner[0]] + ["  " + line if line else "" for line in inner[1:]] + [""]
        else:
            language = _language(lines)
            out += [".. code-block:: " + language, ""]
            out += ["   " + (_remarked(line) if language == "c" else line) if line.strip() else ""
                    for line in lines] + [""]
    while out and not out[-1]:
        out.pop()
    return "\n".join(indent + line if line else "" for line in out)


def dedent(text):
    """Removes the indentation that all lines but the first share."""
    first, *rest = text.strip().expandtabs().split("\n")
    cut = min((_indent(line) for line in rest if line.strip()), default=0)
    return "\n".join([first] + [line[cut:] if line.strip() else "" for line in rest])


def first_sentence(text):
    """The first sentence of a comment, or what stands in front of a list or code."""
    kind, lines = blocks(dedent(text).split("\n"))[0]
    paragraph = " ".join(" ".join(lines).split())
    depth, quoted = 0, False
    for at, character in enumerate(paragraph):
        if character == "`":
            quoted = not quoted
        depth += (character in "([{") - (character in ")]}")
        if quoted or depth > 0:
            continue
        if character == "." and re.match(r"\. +[A-Z`(\d\"]|\.$", paragraph[at:]) \
                and not re.search(r"\b(e\.g|i\.e|vs|resp)$", paragraph[:at]):
            return paragraph[:at + 1]
    return paragraph.rstrip(":.") + "."
