"""Makes docs/guide/dictionary.md, the page that says for each name of NumPy's and CuPy's what gnd has, of
docs/dictionary.toml, where it is written down how:  python3 docs/dictionary.py
"""

import re
import sys
from collections import namedtuple
from pathlib import Path

import tomllib

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests" / "oracle"))

import headers  # noqa: E402  (the tests' reader of the public headers)

DATA = DOCS / "dictionary.toml"
PAGE = DOCS / "guide" / "dictionary.md"

# `gnd`: names of gnd's, of which there may be none; `kind`: "there", "none" (yet), "-" (no need).
Entry = namedtuple("Entry", "name kind gnd remark")
Topic = namedtuple("Topic", "title of intro entries")

HEAD = """# The dictionary

Every public name of NumPy's arrays, functions and modules, and what CuPy, cuSignal and scipy.signal have beside them:
{there} have a function, macro or constant of gnd, {none} have none yet, and {needless} are specific to Python and not
needed in C. The reason, or what else does the job, stands beside the name.
[From NumPy and CuPy](numpy.md) has what is different in general.

<!-- Made by docs/dictionary.py of docs/dictionary.toml; edit that one. -->
"""


def read(path=DATA):
    """The topics, in order. A function of numpy that had none is there once a header declares one by its name."""
    topics, declared = [], set(headers.read_functions())
    for topic in tomllib.loads(path.read_text())["topic"]:
        prefix = topic.get("prefix", "gnd_")
        entries = [Entry(name, "there", [prefix + name], "") for name in topic.get("same", "").split()]
        groups = topic.get("groups", {}).items()
        answers = {name: answer for answer, names in groups for name in names.split()}
        for name, answer in (topic.get("names", {}) | answers).items():
            said, _, remark = (part.strip() for part in answer.partition("|"))
            if said == "none" and topic["of"] == "numpy" and prefix + name in declared:
                entries.append(Entry(name, "there", [prefix + name], ""))
            elif said in ("none", "-"):
                entries.append(Entry(name, said, [], remark))
            else:
                entries.append(Entry(name, "there", [word.strip() for word in said.split(",")], remark))
        topics.append(Topic(topic["title"], topic["of"], topic.get("intro", ""), entries))
    return topics


# A name of gnd's, with its arguments if it has some (brackets within brackets, three deep).
_ARGUMENTS = r"\((?:[^()`]|\((?:[^()`]|\([^()`]*\))*\))*\)"
_CODE = re.compile(rf"`[^`]*`|\b(?:gnd|GND)_\w+(?:{_ARGUMENTS})?(?:=\w+)?")


def as_code(text):
    """The same with gnd's names between backticks."""
    return _CODE.sub(lambda m: m.group() if m.group().startswith("`") else f"`{m.group()}`", text)


def answer(entry):
    if entry.kind == "there":
        return ", ".join(f"`{name}`" for name in entry.gnd)
    return "none yet" if entry.kind == "none" else "no need"


def page(topics):
    entries = [entry for topic in topics for entry in topic.entries]
    count = {kind: sum(entry.kind == kind for entry in entries) for kind in ("there", "none", "-")}
    parts = [HEAD.format(there=count["there"], none=count["none"], needless=count["-"])]
    for topic in topics:
        parts.append(f"\n## {topic.title}\n")
        if topic.intro:
            parts.append(f"\n{topic.intro}\n")
        parts.append(f"\n| {topic.of} | gnd | |\n|---|---|---|\n")
        parts += [f"| `{e.name}` | {answer(e)} | {as_code(e.remark)} |\n" for e in topic.entries]
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(f"{PAGE}\n")
    PAGE.write_text(page(read()))
