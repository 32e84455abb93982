"""Turns the plain text of the headers' comments into reStructuredText.

What the comments use, and what becomes of it: paragraphs; lists whose items begin with "- "; indented
lines after an empty one, which are code or a formula and stay as they stand; `names` in backquotes; names
of gnd, of NumPy and the like, and calls of them, which read as code (links.py makes links of those that
have an entry); powers such as 2^63. All else is prose, in which nothing is markup.
"""

import re

# In the order in which they are tried: what is shown as code, then powers.
CODE = re.compile(
    r"``?(?P<quoted>[^`\n]+|[^`]+)``?"
    r"|(?P<call>\b(?:gnd|GND|gndi)_\w+)"
    r"|(?P<python>\b(?:numpy|scipy|cupy|cupyx|torch|math)\.[A-Za-z_]\w*(?:\.\w+)*)"
    r"|(?P<path>\bgnd/\w+\.h\b)"
    r"|(?P<name>\b_\w+\b(?:\[\w+\])?|\b\w+_\w+\b)"
    r"|(?P<power>(?<![\w.^])(?P<base>-?\w+)\^(?P<exponent>-?\d+|[a-z]\b))")


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


def inline(text):
    """One paragraph of prose, its lines joined."""
    text = " ".join(text.split())
    parts, at = [], 0
    while match := CODE.search(text, at):
        parts.append(_escape(text[at:match.start()]))
        at = match.end()
        if match["power"]:
            parts.append(f"{_escape(match['base'])}\\ :sup:`{match['exponent']}`\\ ")
            continue
        code = match["quoted"] or match.group()
        if match["call"] and text[at:at + 1] == "(":
            end = _balanced(text, at)
            # "gnd_eig (A is destroyed)" has a space: this is a call.
            if end:
                code, at = text[match.start():end], end
        parts.append("\\ " + _literal(code) + "\\ ")
    parts.append(_escape(text[at:]))
    joined = "".join(parts)
    # The separators are only needed next to letters.
    joined = re.sub(r"(^|(?<=[\s(]))\\ (?=``|:)", "", joined)
    return re.sub(r"(?<=`)\\ (?=$|[\s.,;:!?)\-])", "", joined)


def _language(lines):
    text = "\n".join(lines)
    return "c" if re.search(r"gnd_|GND_|;\s*$|^\s*\.\w+ =|^#include", text, flags=re.M) else "text"


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
            out += [".. code-block:: " + _language(lines), ""]
            out += ["   " + line if line.strip() else "" for line in lines] + [""]
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
    return paragraph.rstrip(":")
