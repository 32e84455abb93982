"""python.py: the tables that the Python package `gnd` makes its functions from:  python.py DIRECTORY

Writes DIRECTORY/_interface.py (functions, structs, constants, operators, NumPy's names) and _docs.py (the comments of
the headers). Everything is read from the headers (tools/interface.py) and from docs/dictionary.toml, so that a function
that a header declares is in the package without an edit. The tables are text, parsed where a function is first used:
`import gnd` reads one file and parses nothing.
"""

import pprint
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import interface  # noqa: E402

# Modules of the package, and the topics of docs/dictionary.toml whose names they have.
MODULES = {"linalg": ["numpy.linalg", "cupyx.scipy.linalg"], "fft": ["numpy.fft", "cupyx.scipy.fft"],
           "random": ["numpy.random", "numpy.random.Generator"],
           "signal": ["scipy.signal", "scipy.signal.windows", "cupyx.scipy.signal", "cusignal", "cupyx.signal"],
           "": ["numpy", "cupy"]}


def functions():
    """name: `result`, then a line `kind|type|name|count|default` for each parameter."""
    table, defaults = {}, interface.read_defaults()
    for name, function in interface.read_functions().items():
        given = defaults.get(name, {})
        lines = [function.result] + [
            f"{a.kind}|{a.type}|{a.name}|{a.count or ''}|{given[a.name]!r}" if a.name in given
            else f"{a.kind}|{a.type}|{a.name}|{a.count or ''}|" for a in interface.arguments(function)]
        table[name.removeprefix("gnd_")] = "\n".join(lines)
    return table


def structs():
    """name: a line `type|name|lengths` for each member."""
    return {name: "\n".join(f"{m.type}|{m.name}|{' '.join(map(str, m.lengths))}" for m in struct.members)
            for name, struct in interface.read_structs().items()}


def names():
    """Of each module, what its names are called in the headers, where that is another name."""
    known = interface.read_functions().keys() | interface.read_aliases().keys()
    tables = {}
    for module, topics in MODULES.items():
        table = tables[module] = {}
        for topic in tomllib.loads((ROOT / "docs" / "dictionary.toml").read_text())["topic"]:
            if topic["of"] not in topics:
                continue
            prefix = topic.get("prefix", "gnd_")
            answers = {name: prefix + name for name in topic.get("same", "").split()} | topic.get("names", {})
            for group, grouped in topic.get("groups", {}).items():
                answers |= {name: group for name in grouped.split()}
            for name, answer in answers.items():
                function = re.split(r"[|,]", answer)[0].strip()
                if function in known and not (module == "" and function == "gnd_" + name):
                    table.setdefault(name, function.removeprefix("gnd_"))
    return tables


def write(directory):
    """Writes both files, unless they are there with the same content."""
    enums = interface.read_enum_types()
    tables = {
        "FUNCTIONS": functions(), "STRUCTS": structs(), "NAMES": names(), "HANDLES": interface.read_handles(),
        "CONSTANTS": {k.removeprefix("GND_"): v for k, v in interface.read_enums()[0].items()},
        "ENUMS": {name: " ".join(c.removeprefix("GND_") for c in enum.constants) for name, enum in enums.items()},
        "ALIASES": {k.removeprefix("gnd_"): v.removeprefix("gnd_") for k, v in interface.read_aliases().items()},
        "OPERATORS": {o.name: (len(o.inputs), len(o.outputs), "CHECKED" in o.flags)
                      for o in interface.read_operators() if "PARAMS" not in o.flags},
        "MAX_DIMS": interface.MAX_DIMS,
    }
    head = '"""Made by tools/bindings/python.py of the headers."""\n\n'
    docs = {name.removeprefix("gnd_"): f.doc for name, f in interface.read_functions().items() if f.doc}
    files = {"_interface.py": "".join(f"{name} = {pprint.pformat(table, width=120, sort_dicts=False)}\n"
                                      for name, table in tables.items()),
             "_docs.py": f"DOCS = {pprint.pformat(docs, width=120, sort_dicts=False)}\n"}
    for name, text in files.items():
        path = Path(directory) / name
        if not path.exists() or path.read_text() != head + text:
            path.write_text(head + text)


if __name__ == "__main__":
    write(sys.argv[1])
