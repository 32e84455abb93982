"""Writes the reference, docs/reference/: one page a public header, from what Doxygen read of it.

    python3 docs/site/reference.py out/doxygen/xml docs/reference

A page has the header's opening comment, a list of what it declares with the first sentence of each comment,
then each declaration with its whole comment. Declarations that stand directly below each other share the
comment of the first (gnd_add and gnd_add_into). The sections are those of the header, "/* ---- name ---- */".
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import namedtuple
from pathlib import Path

import plain_text

ROOT = Path(__file__).resolve().parents[2]

# The order and names of the topics. A header that is not here comes last, under its own name.
TOPICS = [
    ("Arrays", [
        ("array", "What an array is"), ("dtype", "Dtypes"), ("shape", "Shapes and axes"),
        ("create", "New arrays"), ("view", "Views and slices"), ("assign", "Assignment"),
        ("transfer", "To and from the host"), ("print", "Printing")]),
    ("Files and other libraries", [
        ("io", "Files of arrays"), ("textfile", "Text files"), ("image", "Pictures"), ("sound", "Sound"),
        ("samples", "Samples"), ("sigmf", "SigMF recordings"),
        ("dlpack", "DLPack")]),
    ("Running", [
        ("scope", "Scopes and release"), ("error", "Errors"), ("device", "Devices"),
        ("stream", "Streams and events"), ("memory", "Memory"), ("library", "Libraries found"),
        ("benchmark", "Timing"), ("nvtx", "Ranges for profilers"), ("base", "Version, limits, status codes"),
        ("arg", "Arguments: arrays or numbers")]),
    ("Elements", [
        ("elementwise", "Elementwise operators"), ("reduce", "Reductions"), ("statistics", "Statistics"),
        ("scan", "Running sums"), ("calculus", "Differences and integrals"), ("ufunc", "Methods of operators"),
        ("compare", "Comparison of arrays"), ("bits", "Packed bits"),
        ("callback", "Functions of your own, on the host")]),
    ("Arranging and choosing", [
        ("rearrange", "Joining and rearranging"), ("index", "Indexing"), ("mask", "Masks"),
        ("choose", "Choosing"), ("indices", "Indices of elements"), ("sort", "Sorting and searching"),
        ("sets", "Sets"), ("histogram", "Counting and histograms")]),
    ("Numerics", [
        ("linalg", "Linear algebra"), ("products", "Products of matrices"), ("einsum", "Einstein sums"),
        ("solve", "Systems of equations"), ("decompose", "Decompositions"), ("fft", "Fourier transforms"),
        ("dct", "Cosine and sine transforms"), ("signal", "Signals"),
        ("convolve", "Convolution"), ("median", "Medians and ranks"), ("filter", "Filters"),
        ("resample", "Sampling rates"),
        ("waveforms", "Waveforms"), ("wavelets", "Wavelets"), ("splines", "Splines"),
        ("transforms", "Periods, chirps, cepstra"), ("peaks", "Peaks"),
        ("radar", "Radar"), ("kalman", "Kalman filters"), ("audio", "Mel spectrograms"),
        ("labels", "Labels of pictures"), ("windows", "Windows"),
        ("filter_design", "Filter design"), ("systems", "Linear systems"), ("polynomial", "Polynomials"),
        ("random", "Random numbers"),
        ("random_distributions", "Distributions")]),
    ("Fusion and kernels", [
        ("fuse", "Fusion"), ("kernel", "Kernels of your own"), ("module", "Modules of CUDA C++")]),
]

# The page of the guide that introduces a topic.
GUIDE = {
    "arrays": "array dtype shape create view assign elementwise reduce index mask sort print",
    "errors": "scope error memory",
    "streams": "stream transfer",
    "files": "io textfile image sound samples sigmf dlpack",
    "numerics": "linalg products einsum solve decompose fft dct signal convolve median filter resample windows "
                "waveforms wavelets splines transforms peaks labels radar kalman audio filter_design systems "
                "polynomial random random_distributions",
    "fusion": "fuse kernel module",
    "performance": "benchmark nvtx",
    "environment": "library device",
}

# kind: function, macro, alias, struct, enum, type. value: of macros that are numbers. members: of structs
# and enums.
Entry = namedtuple("Entry", "kind name signature line value text members")
Member = namedtuple("Member", "name signature text")


# ---- reading Doxygen's XML -----------------------------------------------------------------------

def words(element):
    """The text of an element without its markup."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def comment(definition):
    texts = []
    for part in ("briefdescription", "detaileddescription"):
        found = definition.find(part)
        if found is not None:
            # (Verbatim blocks of several comments would each be one; text between them is layout.)
            texts += [v.text for v in found.iter("verbatim") if v.text]
    return "\n\n".join(plain_text.dedent(t) for t in texts)


def declarator(kind, name, arguments=""):
    """`type name[3]` or `type name(args)`, with the stars at the name as in the headers."""
    text = f"{kind} {name}{arguments}"
    text = re.sub(r"\s*\*\s*", " *", text)
    text = re.sub(r"\*\s+\*", "**", text)
    return re.sub(r"\( \*", "(*", text).replace(",...", ", ...")


def member_of(definition):
    name, text = definition.findtext("name"), comment(definition)
    kind = words(definition.find("type"))
    return Member(name, declarator(kind, name, words(definition.find("argsstring"))), text)


def line_of(definition):
    return int(definition.find("location").get("line"))


def read_struct(path):
    compound = ElementTree.parse(path).find("compounddef")
    name = compound.findtext("compoundname")
    members = [member_of(d) for d in compound.iter("memberdef")
               if d.get("kind") == "variable" and not d.findtext("name").startswith(("reserved", "@"))]
    return Entry("struct", name, name, line_of(compound), None, comment(compound), members)


def entry_of(definition):
    kind, name, text = definition.get("kind"), definition.findtext("name"), comment(definition)
    line, members, signature, value = line_of(definition), [], name, None
    if kind == "function":
        arguments = definition.findtext("argsstring") or "()"
        signature = declarator(words(definition.find("type")), name, arguments)
    elif kind == "define":
        kind, value = "macro", words(definition.find("initializer"))
        if re.fullmatch(r"gnd_\w*[a-z0-9]", value) and not text:
            kind, text = "alias", f"Another name of {value}."
        elif re.fullmatch(r"gnd_\w*[a-z0-9]\(.*\)", value) and not text:
            text = f"{value}, for short."
        value = value if re.fullmatch(r"-?\(?-?\d+\)?", value) else None
        parameters = [p.findtext("defname") or "" for p in definition.findall("param")]
        if definition.find("param") is not None:
            signature = f"{name}({', '.join(parameters)})"
    elif kind == "enum":
        members = [Member(v.findtext("name"), v.findtext("name"), comment(v))
                   for v in definition.findall("enumvalue")]
    elif kind == "typedef":
        kind = "type"
        signature = declarator(words(definition.find("type")), name, words(definition.find("argsstring")))
        signature = re.sub(r"^(struct|enum|union) \w+ (?=\w+$)", "", signature)
    return Entry(kind, name, signature, line, value, text, members)


def xml_of(xml, header):
    return xml / (header.stem.replace("_", "__") + "_8h.xml")


def read_header(xml, header):
    """All public declarations of a header, in its order."""
    compound = ElementTree.parse(xml_of(xml, header)).find("compounddef")
    found = {}
    for inner in compound.findall("innerclass"):
        entry = read_struct(xml / (inner.get("refid") + ".xml"))
        found[entry.name] = entry
    for definition in compound.iter("memberdef"):
        entry = entry_of(definition)
        before = found.get(entry.name)
        # A struct's typedef says nothing more; nor does the macro of a function's name.
        if before is None or (entry.kind == "function" and before.kind in ("macro", "type")):
            found[entry.name] = entry
        elif entry.text and not before.text:
            found[entry.name] = before._replace(text=entry.text)
    hidden = re.compile(r"_$|_H$|^GND_(API|PRINTF|BEGIN|END)$|^gnd_\w+_$")
    return sorted((e for e in found.values() if not hidden.search(e.name) and e.name.lower().startswith("gnd")),
                  key=lambda e: e.line)


# ---- what only the header itself says --------------------------------------------------------------

def opening_comment(source):
    match = re.match(r"/\*(.*?)\*/", source, flags=re.S)
    text = "\n".join(re.sub(r"^ \* ?", "", line) for line in match.group(1).strip("\n").split("\n"))
    text = re.sub(r"^gnd/\w+\.h:\s*", "", text.strip())
    return text[:1].upper() + text[1:]


def sections(source):
    """(line, title) of each "/* ---- title ---- */"."""
    return [(number, match.group(1).strip())
            for number, line in enumerate(source.split("\n"), 1)
            if (match := re.match(r"/\* -{2,} (.*?) -{2,}", line))]


def notes(source):
    """(line, text) of comments between declarations that belong to none: sentences about a section."""
    found = []
    for match in re.finditer(r"^/\*(?![*]| -| clang)((?:(?!\*/).)*)\*/\n(?=\n)", source, flags=re.S | re.M):
        if match.start():
            text = "\n".join(re.sub(r"^ *\*? ?", "", line) for line in match.group(1).strip().split("\n"))
            found.append((source.count("\n", 0, match.start()) + 1, text))
    return found


def said_elsewhere(entry, entries, source):
    """For a macro without a comment of its own: a comment of the header that speaks of it."""
    named = re.compile(rf"\b{entry.name}\b")
    for other in entries:
        if other.text and other.kind == "struct" and named.search(other.text):
            return f"See {other.name}."
    for match in re.finditer(r"^/\*(?![*])((?:(?!\*/).)*)\*/", source, flags=re.S | re.M):
        if match.start() and named.search(match.group(1)):
            return "\n".join(re.sub(r"^ *\*? ?", "", line) for line in match.group(1).strip().split("\n"))
    return ""


def shares_comment(source_lines, before, entry):
    """Whether an entry without a comment stands in the same block of lines as the one before it."""
    between = source_lines[before.line - 1:entry.line - 1]
    return all(line.strip() for line in between) and not any(line.startswith(("}", "GND_END")) for line in between)


def grouped(entries, source):
    """Lists of entries that share a comment; the first one has it."""
    lines, groups = source.split("\n"), []
    for entry in entries:
        if entry.kind == "alias" and groups and entry.name == groups[-1][0].name + "_into":
            groups[-1].append(entry)
            continue
        if not entry.text and groups and entry.kind in ("function", "macro") \
                and groups[-1][0].kind == entry.kind and shares_comment(lines, groups[-1][-1], entry):
            groups[-1].append(entry)
        elif entry.text or entry.kind in ("enum", "macro"):  # (A struct without a comment is the library's own.)
            groups.append([entry])
    for group in groups:
        if not group[0].text and group[0].kind == "macro":
            texts = [said_elsewhere(entry, entries, source) for entry in group]
            group[0] = group[0]._replace(text=next(filter(None, texts), ""))
    return groups


# ---- writing pages -----------------------------------------------------------------------------------

def heading(text, line):
    return [text, line * len(text), ""]


def summary(groups):
    """A table of names and first sentences."""
    out = [".. list-table::", "   :class: summary", "   :widths: 30 70", ""]
    rows = []
    for group in groups:
        names = [entry.name for entry in group]
        if rows and names == [rows[-1][0][0] + "_into"]:
            rows[-1][0].extend(names)
        else:
            rows.append((names, group[0].text))
    for names, text in rows:
        names = " ".join(f"``{name}``" for name in names)
        out.append(f"   * - {names}")
        out.append("     - " + (plain_text.inline(plain_text.first_sentence(text)) if text else ""))
    return out + [""]


def members(entry):
    """What a struct or an enum has, nested below it."""
    out, directive = [], "enumerator" if entry.kind == "enum" else "member"
    for member in entry.members:
        out += ["", f"   .. c:{directive}:: {member.signature}"]
        if member.text:
            out += ["", plain_text.restructured(member.text, "      ")]
    return out


def details(group):
    first = group[0]
    head = f".. c:{first.kind.replace('alias', 'macro')}:: "
    out = [head + first.signature]
    out += [" " * len(head) + entry.signature for entry in group[1:]]
    if first.text:
        out += ["", plain_text.restructured(first.text, "   ")]
    values = [f"   #define {entry.name} {entry.value}" for entry in group if entry.value]
    out += ["", "   .. code-block:: c", ""] + ["   " + value for value in values] if values else []
    return out + members(first) + ["", ""]


def page(name, title, header, entries):
    source = header.read_text(encoding="utf-8")
    pages = [f":doc:`/guide/{page}`" for page, names in GUIDE.items() if name in names.split()]
    introduced = f" In the guide: {', '.join(pages)}." if pages else ""
    out = heading(title, "=")
    out += [f"``#include <gnd/{header.name}>``, or ``<gnd.h>``, which has every topic.{introduced}", ""]
    out += [plain_text.restructured(opening_comment(source)), ""]
    groups, titles, remarks = grouped(entries, source), sections(source), notes(source)
    parts = [(0, "")] + titles
    cut = []
    for number, (line, part) in enumerate(parts):
        end = parts[number + 1][0] if number + 1 < len(parts) else 1 << 30
        cut.append((part, [g for g in groups if line <= g[0].line < end],
                    [text for at, text in remarks if line <= at < end and number]))
    aliases = [g for g in groups if g[0].kind == "alias"]
    cut = [(part, [g for g in inside if g not in aliases], remarks) for part, inside, remarks in cut]
    cut = [c for c in cut if c[1]] + ([("second names", aliases, [])] if aliases else [])
    if len(groups) > 3:
        out += heading("Summary", "-")
        for part, inside, _ in cut:
            out += ([f".. rubric:: {part[:1].upper() + part[1:]}", ""] if part else []) + summary(inside)
    plain = len(cut) < 2 or not cut[0][0]
    for part, inside, remarks in cut:
        title = part[:1].upper() + part[1:] if part else ("Details" if plain else "General")
        out += heading(title, "-")
        for text in remarks:
            out += [plain_text.restructured(text), ""]
        for group in inside:
            out += details(group)
    return "\n".join(out)


def index(topics, titles):
    out = heading("Reference", "=")
    out += ["One page a header. ``#include <gnd.h>`` has them all. Each page is the header's own comments; what",
            "holds for a whole topic is said at its top.", ""]
    for group, names in topics:
        out += heading(group, "-")
        out += [".. list-table::", "   :class: summary", "   :widths: 30 70", ""]
        for name in names:
            title, text = titles[name]
            out += [f"   * - :doc:`{title} <{name}>`", "     - " + text]
        out += ["", ".. toctree::", "   :hidden:", ""] + [f"   {name}" for name in names] + [""]
    out += heading("Every name", "-") + ["The :ref:`index <genindex>` lists every function, macro and type.", ""]
    return "\n".join(out)


def write(path, text):
    """Writes a page only if it has changed, so that Sphinx keeps what it has made."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(xml, output):
    xml, output = Path(xml), Path(output)
    output.mkdir(parents=True, exist_ok=True)
    headers = {p.stem: p for p in sorted((ROOT / "include" / "gnd").glob("*.h")) if xml_of(xml, p).exists()}
    plain_text.HEADERS = set(headers)
    topics = [(group, [n for n, _ in names if n in headers]) for group, names in TOPICS]
    named = {n: title for _, names in TOPICS for n, title in names}
    others = [n for n in headers if n not in named]
    topics += [("More", others)] if others else []
    titles = {}
    for name, header in headers.items():
        title = named.get(name, name.replace("_", " ").capitalize())
        entries = read_header(xml, header)
        write(output / f"{name}.rst", page(name, title, header, entries))
        text = plain_text.first_sentence(opening_comment(header.read_text(encoding="utf-8")))
        titles[name] = (title, plain_text.inline(text))
    write(output / "overview.rst", index(topics, titles))
    for path in output.glob("*.rst"):
        if path.stem not in titles and path.stem != "overview":
            path.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:3])
