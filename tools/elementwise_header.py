"""elementwise_header.py: what src/kernels/ops/ops.def says of the elementwise functions, as include/gnd/elementwise.h,
and special.def beside it of special functions, as include/gnd/special.h.

    elementwise_header.py            says whether the headers are what the tables make
    elementwise_header.py --write    makes them so (`./dev symbols`)

The prototypes and the macros stand in a header between two pairs of comments; the rest of it is written by hand. Of
the table it reads the sections (`// ---- title`), the documentation above each row (`///`) and the names of its
arguments, which are x, y and z unless the documentation begins with others in brackets.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = ROOT / "include" / "gnd" / "elementwise.h"
TABLES = {HEADER: "src/kernels/ops/ops.def", HEADER.with_name("special.h"): "src/kernels/ops/special.def"}
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

import headers  # noqa: E402

COLUMNS = 120
BEGIN = "/* Made of {} by ./dev symbols: {}. */\n"
END = "/* The end of what is made. */\n"


def documented(row):
    """The names of a row's arguments, results of rows with two first, and its documentation."""
    text = row.documentation
    names = re.match(r"\(([\w, ]+)\): ", text)
    if not names:
        return list("xyz"[:len(row.inputs)]), text
    return names[1].split(", "), text[names.end():]


def comment(text):
    if len(f"/** {text} */") <= COLUMNS and "\n" not in text:
        return f"/** {text} */\n"
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in text.split("\n")) + " */\n"


def prototypes(row):
    """Of both forms of a row."""
    names, text = documented(row)
    typed = [name if " " in name else f"gnd_arg {name}" for name in names]
    if len(row.outputs) == 1:
        return (comment(text) + f"GND_API gnd_array *gnd_{row.name}({', '.join(typed)});\n"
                f"GND_API gnd_status gnd_{row.name}_into({', '.join(['gnd_array *out', *typed])});\n")
    results, typed = names[:2], typed[2:]
    return (comment(text)
            + f"GND_API gnd_status gnd_{row.name}({', '.join([f'gnd_array **{r}' for r in results] + typed)});\n"
            f"GND_API gnd_status gnd_{row.name}_into({', '.join([f'gnd_array *{r}' for r in results] + typed)});\n")


def macro(name, results, arguments, numbers):
    """That converts the arguments; those behind them are numbers."""
    converted = [f"GND_ARG({argument})" for argument in arguments]
    if not numbers:
        arguments, converted[-1] = arguments[:-1], "GND_ARG(__VA_ARGS__)"
    head = f"#define {name}({', '.join([*results, *arguments, '...'])})"
    body = f"({name})({', '.join(results + converted + ['__VA_ARGS__'] * bool(numbers))})"
    if len(f"{head} {body}") <= COLUMNS:
        return f"{head} {body}\n"
    return f"{head:{COLUMNS - 1}}\\\n    {body}\n"


def macros(row):
    names, _ = documented(row)
    results, names = (["first", "second"], names[2:]) if len(row.outputs) == 2 else ([], names)
    arguments = [name for name in names if " " not in name]
    numbers = len(names) > len(arguments)
    name = f"gnd_{row.name}"
    return (macro(name, results, arguments, numbers)
            + macro(f"{name}_into", results or ["out"], arguments, numbers))


def made(table, kind, of_row, heading):
    """One of the two parts of a table's header."""
    parts, section = [BEGIN.format(table, kind)], None
    for row in headers.read_operators(ROOT / table):
        if row.section != section:
            section = row.section
            parts.append(heading(section))
        parts.append(of_row(row))
    return "".join(parts) + "\n" * (kind == "functions") + END


def header(text, path=HEADER):
    """A header's text, made anew."""
    table = TABLES[path]
    for kind, of_row, heading in (
            ("functions", prototypes, lambda title: f"\n/* ---- {title} {'-' * (91 - len(title))} */\n\n"),
            ("macros", macros, lambda title: f"/* {title} */\n")):
        pattern = re.escape(BEGIN.format(table, kind)) + ".*?" + re.escape(END)
        text, count = re.subn(pattern, lambda _: made(table, kind, of_row, heading), text, flags=re.S)
        if count != 1:
            sys.exit(f"{path}: the comments around the {kind} are not there")
    return text


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    for path, table in TABLES.items():
        now, name = path.read_text(), path.relative_to(ROOT)
        then = header(now, path)
        if sys.argv[1:]:
            path.write_text(then)
            print(f"{name}: {'as it was' if now == then else 'made anew'}")
        elif now != then:
            sys.exit(f"{name} is not what {table} makes: run `./dev symbols`")
