"""interface.py: gnd's public interface, read from include/gnd and src/kernels/ops/ops.def.

Whatever follows the interface reads it here: the bindings of C++, Fortran and Python, the list of symbols, the pages,
the tests (tests/oracle/headers.py adds ctypes). The headers are plain C with one declaration a statement, so a few
regular expressions suffice: functions marked GND_API, enumerations, structs of scalars, arrays and pointers, macros
that are second names.

`arguments(function)` says what the parameters of a function are for: an array, a number, a list with its count, room
for a result. Bindings make their functions from that.
"""

import functools
import json
import re
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include" / "gnd"
DIST = INCLUDE / "dist"  # the headers of libgnd_dist
MAX_DIMS = int(re.search(r"#define GND_MAX_DIMS (\d+)", (INCLUDE / "base.h").read_text()).group(1))

Function = namedtuple("Function", "name result parameters header doc")
# `array`: it is declared with []. The type is a pointer then, as in the calling convention.
Parameter = namedtuple("Parameter", "type name array", defaults=[False])
Enum = namedtuple("Enum", "name constants header")
Struct = namedtuple("Struct", "name members header")
Member = namedtuple("Member", "type name lengths doc")
Argument = namedtuple("Argument", "kind type name count", defaults=[None])
Variable = namedtuple("Variable", "name kind least most words")
Operator = namedtuple("Operator", "family name inputs outputs loops identity flags section documentation")


def _without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def _without_directives(text):
    """Removes preprocessor lines, with their continuations, and what only C++ sees."""
    # For each open #if: is this branch C++ only, and does its condition speak of C++?
    kept, hidden, about_cplusplus = [], [], []
    for line in re.sub(r"\\\n", " ", text).split("\n"):
        directive = re.match(r"\s*#\s*(\w+)(.*)", line)
        if directive is None:
            kept.append("" if any(hidden) else line)
            continue
        word, condition = directive.groups()
        if word in ("if", "ifdef", "ifndef"):
            about_cplusplus.append("__cplusplus" in condition)
            hidden.append(about_cplusplus[-1] and word != "ifndef" and "!" not in condition)
        elif word == "else" and about_cplusplus[-1]:
            hidden[-1] = not hidden[-1]
        elif word == "endif":
            hidden.pop()
            about_cplusplus.pop()
    return "\n".join(kept)


def _parameter(text):
    text = text.strip()
    match = re.match(r"(.*?)(\w+)\s*(\[[^\]]*\])?$", text)
    kind, name, array = match.group(1).strip(), match.group(2), match.group(3)
    if not kind or re.fullmatch(r"(const\s+)?(unsigned|struct|enum)?", kind):
        kind, name = text, ""
    if array is not None:
        kind += " *"
    if kind == "gnd_array_list":  # which it is to the calling convention
        kind = "const gnd_array *const *"
    return Parameter(re.sub(r"\s+", " ", kind.replace("*", " * ")).strip(), name, array is not None)


def _split_parameters(text):
    depth, start, parts = 0, 0, []
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    return [p.strip() for p in parts]


def _doc_before(source, position):
    """The doc comment that stands directly before a declaration, or that a group shares."""
    before = source[:position]
    match = re.search(r"/\*\*((?:(?!\*/).)*)\*/\s*((?:GND_API[^;]*;\s*|#\s*define [^\n]*\n\s*)*)$",
                      before, flags=re.S)
    return match.group(1).strip() if match else None


@functools.cache
def read_functions(include=INCLUDE):
    """Every function that the public headers declare with GND_API, by name."""
    functions = {}
    for path in sorted(include.glob("*.h")):
        source = path.read_text()
        for match in re.finditer(r"^[ \t]*GND_API\s+((?:[^;{}\"]|\n)*?);", source, flags=re.M):
            declaration = " ".join(_without_comments(match.group(1)).split())
            declaration = re.sub(r"GND_PRINTF\([^)]*\)|__attribute__\s*\(\(.*?\)\)", "", declaration)
            head = re.match(r"(.*?)\(?\b(gndi?_\w+)\)?\s*\((.*)\)\s*$", declaration)
            if not head:  # a variable
                continue
            result, name, inside = head.groups()
            result = re.sub(r"\s+", " ", result.replace("*", " * ")).strip()
            parameters = []
            for part in _split_parameters(inside):
                if part in ("void", ""):
                    continue
                if part == "...":
                    parameters.append(Parameter("...", ""))
                elif "(*" in part:
                    inner = re.search(r"\(\*\s*(\w*)\)", part)
                    parameters.append(Parameter("callback", inner.group(1)))
                else:
                    parameters.append(_parameter(part))
            functions[name] = Function(name, result, tuple(parameters), path.name,
                                       _doc_before(source, match.start()))
    return functions


def read_data(include=INCLUDE):
    """The names of the variables that the public headers declare, for their own inline functions."""
    return {name for path in include.glob("*.h")
            for name in re.findall(r"^GND_API extern [^;]*?(\w+);", path.read_text(), flags=re.M)}


@functools.cache
def read_enum_types(include=INCLUDE):
    """The enumerations of the public headers, by name."""
    enums, known = {}, {}
    for path in sorted(include.glob("*.h")):
        text = _without_directives(_without_comments(path.read_text()))
        for match in re.finditer(r"enum\s*(\w*)\s*\{(.*?)\}\s*(\w*)\s*;", text, flags=re.S):
            constants, value = {}, -1
            for item in filter(None, (item.strip() for item in match.group(2).split(","))):
                name, _, given = (part.strip() for part in item.partition("="))
                value = eval(given, {}, dict(known)) if given else value + 1
                constants[name] = known[name] = value
            name = match.group(3) or match.group(1) or f"(of {min(constants)})"
            enums[name] = Enum(name, constants, path.name)
    return enums


def read_enums(include=INCLUDE):
    """Every enumeration constant of the public headers, and the names of the enum types."""
    enums = read_enum_types(include)
    constants = {name: value for enum in enums.values() for name, value in enum.constants.items()}
    return constants, {name for name in enums if name.isidentifier()}


def _members(body):
    body = re.sub(r"union\s*\{.*?\}\s*;", "uint64_t word;", body, flags=re.S)  # gnd_arg's, 8 bytes in any form
    docs = {}
    for name, doc in re.findall(r"(\w+)(?:\[\w+\])*;\s*/\*\*<\s*(.*?)\s*\*/", body, flags=re.S):
        docs[name] = " ".join(doc.split())
    found = []
    for statement in _without_comments(body).split(";"):
        statement = " ".join(statement.split())
        pointer = re.match(r".*\(\*\s*(\w+)\s*\)\s*\(.*\)$", statement)
        if pointer:
            found.append(Member("callback", pointer.group(1), (), docs.get(pointer.group(1), "")))
            continue
        if not statement:
            continue
        kind = re.match(r"((?:\w+\s+)*\w+?)\s*(?=(?:\s|\*)\s*\**\s*\w+\s*(?:\[\w+\]|,|$))", statement).group(1)
        for declarator in statement[len(kind):].split(","):
            stars, name, lengths = re.match(r"\s*((?:\*\s*(?:const\b)?\s*)*)(\w+)\s*((?:\[\w+\])*)\s*$",
                                            declarator).groups()
            this = re.sub(r"\s+", " ", (kind + stars).replace("*", " * ")).strip()
            sizes = tuple(MAX_DIMS if length == "GND_MAX_DIMS" else int(length)
                          for length in re.findall(r"\[(\w+)\]", lengths))
            found.append(Member(this, name, sizes, docs.get(name, "")))
    return tuple(found)


@functools.cache
def read_structs(include=INCLUDE):
    """The structs that the public headers define, by name, those first that others contain."""
    structs = {}
    for path in sorted(include.glob("*.h")):
        text = _without_directives(path.read_text())
        for match in re.finditer(r"typedef\s+struct\s+\w*\s*\{", text):
            depth, end = 1, match.end()
            while depth:
                depth += (text[end] == "{") - (text[end] == "}")
                end += 1
            name = re.match(r"\s*(\w+)", text[end:]).group(1)
            structs[name] = Struct(name, _members(text[match.end():end - 1]), path.name)
    ordered = {}

    def add(struct):
        for member in struct.members:
            if member.type in structs and member.type not in ordered:
                add(structs[member.type])
        ordered[struct.name] = struct

    for struct in structs.values():
        add(struct)
    return ordered


@functools.cache
def read_handles(include=INCLUDE):
    """What a program holds by a pointer and releases, by name: the function that releases it. Without gnd_array."""
    functions = read_functions(include).values()
    text = "".join(p.read_text() for p in sorted(include.glob("*.h")))
    pointers = (set(re.findall(r"^typedef struct (\w+) \1;", text, flags=re.M))
                | {f.result.removesuffix(" *") for f in functions if f.result.endswith(" *")})
    handles = {}
    for function in functions:
        kinds = [p.type.removesuffix(" *") for p in function.parameters]
        if function.result == "void" and len(kinds) == 1 and re.search(r"_(release|close|free)$", function.name):
            handles[kinds[0]] = function.name
    pointers -= {"gnd_array", "gnd_scope", "char", "void"}
    return {name: handles[name] for name in sorted(handles) if name in pointers}


@functools.cache
def read_aliases(include=INCLUDE):
    """Second names of functions: gnd_abs -> gnd_absolute."""
    text = "\n".join(p.read_text() for p in sorted(include.glob("*.h")))
    return dict(re.findall(r"^#\s*define (gnd_\w+) (gnd_\w+)$", text, flags=re.M))


@functools.cache
def read_defaults(path=ROOT / "tools" / "defaults.json"):
    """NumPy's and SciPy's defaults of arguments (tools/defaults.py), by the function's and the argument's name: a
    number, a truth value, an enumeration's constant by its name, "none" (no array or number), "whole" (an empty
    shape)."""
    rows = json.loads(path.read_text())
    return {"gnd_" + name: row for name, row in rows.items()}


def borrowed(function):
    """Whether what a function returns stays the library's."""
    return "(borrowed)" in (function.doc or "")


# ---- what parameters are for ---------------------------------------------------------------------------

SCALARS = {"bool", "char", "int", "unsigned", "unsigned int", "float", "double", "size_t", "ptrdiff_t", "long long",
           "unsigned long long", "uintptr_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t",
           "int64_t", "uint64_t"}
# Integers that count the lists behind them, and lists that another parameter is the length of.
COUNTS = ("count", "nargs", "reads", "writes", "conditions", "choices", "pieces", "rows", "columns")
FOREIGN = ("FILE", "struct DLManagedTensor", "struct DLManagedTensorVersioned")
BY_TYPE = {"gnd_array *": "inout", "const gnd_array *": "array", "gnd_arg": "number", "gnd_shape": "shape",
           "gnd_axes": "axes", "gnd_dtype": "dtype", "gnd_index": "item", "const char *": "text", "void *": "memory",
           "const void *": "memory", "callback": "callback", "...": "variadic", "gnd_array * *": "result"}


def _kind(parameter):
    kind = parameter.type
    enums, structs, handles = read_enum_types(), read_structs(), read_handles()
    target = kind.removeprefix("const ").removesuffix(" *")
    if kind == "gnd_array * *" and parameter.array:
        return "results"
    if kind in BY_TYPE:
        return BY_TYPE[kind]
    if kind in enums:
        return "enum"
    if kind in SCALARS:
        return "scalar"
    if kind in structs:
        return "struct"
    if target in handles or target in FOREIGN:
        return "handle"
    if target in structs:
        return "options" if kind.startswith("const ") else "room"
    if kind == "gnd_array * const *":
        return "list"
    if kind.endswith("* *"):
        return "address" if not kind.startswith("const gnd_array") else "list"
    if kind.startswith("const ") and kind.endswith(" *"):
        return "list"
    if target in SCALARS:
        return "value"
    return "callback"


@functools.cache
def arguments(function):
    """What the parameters of a function are for, in order, as Arguments of one of these kinds:

    array      const gnd_array *: read; NULL where the function says so
    inout      gnd_array *: written, or consumed
    number     gnd_arg: an array or a number
    shape, axes, dtype, enum, scalar, text, item (gnd_index), struct (by value)
    options    const struct *: NULL is allowed for names in _options
    handle     gnd_random * and the like, FILE *
    list       const T *: elements, whose number is the parameter `count`; without one the function knows it
    count      an integer that is the length of the lists after it, until the next count
    result     gnd_array **: a new array
    results    gnd_array *[]: new arrays, as many as the function says. A list of NULLs shows how many there were; it
               is long enough with MAX_DIMS, the sizes and counts among the arguments, and 1
    value      double * and the like: a number, or as many as the function says
    room       struct *: a struct that is filled in
    memory, address, callback, variadic
    """
    kinds = [_kind(p) for p in function.parameters]
    for k, p in enumerate(function.parameters):  # structs and numbers of which there are as many as a count says
        after = next((c.name for c in reversed(function.parameters[:k]) if c.name in COUNTS), None)
        direct = k > 0 and function.parameters[k - 1].name in COUNTS
        if after and kinds[k] == "options" and not p.type.endswith("_options *") and (direct or p.name == "lists"):
            kinds[k] = "list"
    counts, made, names = [], [], [p.name for p in function.parameters]
    for k, p in enumerate(function.parameters):
        if kinds[k] == "scalar" and p.name in COUNTS and "list" in kinds[k + 1:k + 1 + (p.name == "rows") + 1]:
            counts = ["rows", "columns"] if names[k - 1:k + 1] == ["rows", "columns"] else [p.name]
            made.append(Argument("count", p.type, p.name))
            continue
        count = "*".join(counts) if kinds[k] == "list" and counts else None
        made.append(Argument(kinds[k], p.type, p.name, count))
    return tuple(made)


def read_variables(path=ROOT / "src" / "core" / "environment.def"):
    """The variables of the environment that the library reads."""
    rows = re.findall(r'^VARIABLE\((\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*"(.*)"\)', path.read_text(), flags=re.M)
    return [Variable(*row) for row in rows]


SPECIAL = ROOT / "src" / "kernels" / "ops" / "special.def"


def read_operators(path=ROOT / "src" / "kernels" / "ops" / "ops.def", internal=False):
    """The rows of the operator table that have a public function, in order."""
    rows, section, documentation = [], None, []
    for line in path.read_text().splitlines():
        match = re.match(r"OP\((.*?)\)\s*(//.*)?$", line)
        if line.startswith("// ---- "):
            section = line.removeprefix("// ---- ")
        elif line.startswith("///"):
            documentation.append(line[4:])
        elif match:
            family, name, signature, loops, identity, flags = (
                part.strip() for part in match.group(1).split(","))
            inputs, outputs = signature.split("_")
            row = Operator(family, name, inputs, outputs, loops, identity,
                           set() if flags == "0" else {f.strip() for f in flags.split("|")},
                           section, "\n".join(documentation))
            documentation = []
            if internal or not row.flags & {"INTERNAL", "INTERNAL_CHECKED"}:
                rows.append(row)
    return rows
