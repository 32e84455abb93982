"""Reads gnd's public headers and operator table, so that the binding and the tests follow them.

The headers are plain C with one declaration a statement, so a few regular expressions suffice:
functions marked GND_API, enums, and structs of scalars, arrays and pointers.
"""

import ctypes
import functools
import re
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "gnd"
DIST = INCLUDE / "dist"  # the headers of libgnd_dist
MAX_DIMS = int(re.search(r"#define GND_MAX_DIMS (\d+)", (INCLUDE / "base.h").read_text()).group(1))

Function = namedtuple("Function", "name result parameters header doc")
Parameter = namedtuple("Parameter", "type name")
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
    return Parameter(re.sub(r"\s+", " ", kind.replace("*", " * ")).strip(), name)


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


def read_enums(include=INCLUDE):
    """Every enumeration constant of the public headers, and the names of the enum types."""
    constants, types = {}, set()
    for path in sorted(include.glob("*.h")):
        text = _without_directives(_without_comments(path.read_text()))
        for match in re.finditer(r"enum\s*(\w*)\s*\{(.*?)\}\s*(\w*)\s*;", text, flags=re.S):
            types.update(t for t in (match.group(1), match.group(3)) if t)
            value = -1
            for item in match.group(2).split(","):
                item = item.strip()
                if not item:
                    continue
                name, _, given = (part.strip() for part in item.partition("="))
                value = eval(given, {}, dict(constants)) if given else value + 1
                constants[name] = value
    return constants, types


SCALARS = {
    "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "unsigned": ctypes.c_uint,
    "unsigned int": ctypes.c_uint, "float": ctypes.c_float, "double": ctypes.c_double,
    "size_t": ctypes.c_size_t, "ptrdiff_t": ctypes.c_ssize_t, "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong, "uintptr_t": ctypes.c_size_t,
    "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8, "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
}


def read_structs(enum_types, include=INCLUDE):
    """The public structs as ctypes.Structure classes, by name; `kinds` has the C types of their members."""
    texts = {p.name: _without_directives(_without_comments(p.read_text()))
             for p in include.glob("*.h")}
    bodies = {}
    for text in texts.values():
        for match in re.finditer(r"typedef\s+struct\s+\w*\s*\{", text):
            depth, end = 1, match.end()
            while depth:
                depth += (text[end] == "{") - (text[end] == "}")
                end += 1
            bodies[re.match(r"\s*(\w+)", text[end:]).group(1)] = text[match.end():end - 1]
    structs = {}

    def member_type(kind):
        kind = re.sub(r"\bconst\b", "", kind).strip()
        if "*" in kind:
            return ctypes.c_char_p if kind.split("*")[0].strip() == "char" else ctypes.c_void_p
        if kind in SCALARS:
            return SCALARS[kind]
        if kind in enum_types:
            return ctypes.c_int
        return build(kind)

    def members(body):
        # The union of gnd_arg is 8 bytes in any of its forms.
        body = re.sub(r"union\s*\{.*?\}\s*;", "uint64_t word;", body, flags=re.S)
        fields, kinds = [], {}
        for statement in body.split(";"):
            statement = " ".join(statement.split())
            if not statement:
                continue
            pointer = re.match(r".*\(\*\s*(\w+)\s*\)\s*\(.*\)$", statement)
            if pointer:
                fields.append((pointer.group(1), ctypes.c_void_p))
                continue
            kind = re.match(r"((?:\w+\s+)*\w+?)\s*(?=(?:\s|\*)\s*\**\s*\w+\s*(?:\[\w+\]|,|$))",
                            statement).group(1)
            for declarator in statement[len(kind):].split(","):
                stars, name, lengths = re.match(r"\s*((?:\*\s*)*)(\w+)\s*((?:\[\w+\])*)\s*$",
                                                declarator).groups()
                this = member_type(kind + stars)
                for length in reversed(re.findall(r"\[(\w+)\]", lengths)):
                    this = this * (MAX_DIMS if length == "GND_MAX_DIMS" else int(length))
                fields.append((name, this))
                kinds[name] = re.sub(r"\s*\*", " *", kind + stars.replace(" ", "")).strip()
        return fields, kinds

    def build(name):
        if name not in structs:
            fields, kinds = members(bodies[name])
            structs[name] = type(name, (ctypes.Structure,), {"_fields_": fields, "kinds": kinds})
        return structs[name]

    for name in bodies:
        build(name)
    return structs


def read_variables(path=ROOT / "src" / "core" / "environment.def"):
    """The variables of the environment that the library reads."""
    rows = re.findall(r'^VARIABLE\((\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*"(.*)"\)', path.read_text(), flags=re.M)
    return [Variable(*row) for row in rows]


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
