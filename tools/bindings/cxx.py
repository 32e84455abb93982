"""cxx.py: gnd.hpp, the C++ form of gnd's interface: gnd.hpp.in with what the C headers say.

    cxx.py TEMPLATE RESULT

For every struct that has options or arrays a struct of C++ members, for every handle its owner, and for every function
an inline function of namespace gnd, which converts its arguments, calls and checks. interface.py says what the
arguments are for; the rules of the translation are at the top of gnd.hpp.in.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import interface  # noqa: E402

# What C++ has itself: ownership, errors, blocks, and a variable number of arguments.
LEFT_OUT = {"gnd_" + name for name in (
    "error error_take error_clear check_at keep assign retain release scope_open scope_close fuse_open fuse_close "
    "stream_guard_begin_ device_guard_begin_ stream_guard_end_ string_free slice "
    "scope_own scope_keep scope_move").split()}
KEYWORDS = {"delete", "new", "default", "operator", "register", "union", "and", "or", "not", "xor", "switch", "export"}
OPERATORS = [("+", "add"), ("-", "subtract"), ("*", "multiply"), ("/", "divide"), ("%", "remainder"),
             ("&", "bitwise_and"), ("|", "bitwise_or"), ("^", "bitwise_xor"), ("<<", "left_shift"),
             (">>", "right_shift"), ("==", "equal"), ("!=", "not_equal"), ("<", "less"), ("<=", "less_equal"),
             (">", "greater"), (">=", "greater_equal")]
UNARY = [("-", "negative"), ("+", "positive"), ("~", "invert"), ("!", "logical_not")]
LISTS = {"gnd_array": "array_list", "gnd_arg": "arg_list", "gnd_index": "index_list",
         "gnd_shape": "detail::list<gnd::shape, gnd_shape>", "gnd_axes": "detail::list<gnd::axes, gnd_axes>"}

ENUMS, STRUCTS, HANDLES = interface.read_enum_types(), interface.read_structs(), interface.read_handles()
FUNCTIONS = {n: f for n, f in interface.read_functions().items() if n not in LEFT_OUT}
DEFAULTS = interface.read_defaults()
RELEASES = {f.parameters[0].type.removesuffix(" *"): f.name for f in interface.read_functions().values()
            if re.search(r"_(release|close|free)$", f.name) and f.result == "void" and len(f.parameters) == 1}


def short(name):
    name = name.removeprefix("gnd_")
    return name + "_" if name in KEYWORDS else name


def type_name(name):
    """Of a type in namespace gnd, which functions may have as well."""
    return short(name) + ("_type" if name in FUNCTIONS else "")


def c_type(kind):
    """A C type, to be followed by a name."""
    kind = kind.replace(" * *", " **")
    return kind if kind.endswith("*") else kind + " "


def target(kind):
    return kind.removeprefix("const ").removeprefix("struct ").split(" *")[0]


def members_with_arrays(struct):
    return any(target(m.type) in ("gnd_array", "gnd_arg") or target(m.type) in MIRRORED for m in struct.members)


# The structs that gnd.hpp.in has classes for, and those that get a C++ form. (One that refers to itself gets none.)
CLASSES = {"gnd_" + name for name in "axes arg shape index scope fuse_block stream_guard error_record".split()}
MIRRORED = {}
for _struct in STRUCTS.values():
    _recursive = any(target(m.type) == _struct.name for m in _struct.members)
    _needed = _struct.name.endswith("_options") or members_with_arrays(_struct)
    if _needed and _struct.name not in CLASSES and not _recursive:
        MIRRORED[_struct.name] = _struct
OWNED = set(STRUCTS) & set(RELEASES) - set(MIRRORED) - set(HANDLES) - CLASSES
TYPES = {type_name(n) for n in [*STRUCTS, *HANDLES]}


# ---- structs ---------------------------------------------------------------------------------------------


def member(m):
    """A member in C++, how it becomes C's, and how it comes from C's (None: it never does)."""
    base, name, lengths = target(m.type), m.name, "".join(f"[{n}]" for n in m.lengths)
    if base == "gnd_array" and m.type.endswith("* *"):
        return f"gnd::array *{name} = nullptr;", f"v.{name} = f.out({name});", None
    if base == "gnd_array":
        return (f"gnd::array {name}{lengths} = {{}};", f"detail::put(v.{name}, {name});",
                None if lengths else f"if (v.{name}) {name} = gnd::array::share(v.{name});")
    if m.type == "gnd_arg":
        return f"gnd::arg {name}{lengths} = {{}};", f"detail::put(v.{name}, {name});", None
    if m.type in MIRRORED:
        return f"{type_name(m.type)} {name} = {{}};", f"v.{name} = {name}.to_c(f);", None
    if base in MIRRORED:
        return (f"const {type_name(base)} *{name} = nullptr;", f"if ({name}) v.{name} = f.keep({name}->to_c(f));", None)
    if m.type == "callback":
        return f"decltype(@struct@::{name}) {name} = nullptr;", f"v.{name} = {name};", None
    return (f"{c_type(m.type)}{name}{lengths} = {{}};", f"detail::put(v.{name}, {name});",
            f"detail::put({name}, v.{name});")


def mirrored(struct):
    rows = [member(m) for m in struct.members if m.name != "reserved"]
    lines = [f"/** {struct.name} of gnd/{struct.header}. */", f"struct {type_name(struct.name)} {{"]
    lines += ["    " + row[0].replace("@struct@", struct.name) for row in rows]
    lines += ["", f"    {struct.name} to_c(detail::call &f) const {{", "        (void)f;",
              f"        {struct.name} v{{}};", *("        " + row[1] for row in rows), "        return v;", "    }"]
    if all(row[2] for row in rows):
        lines += [f"    void from(const {struct.name} &v) {{", *("        " + row[2] for row in rows), "    }"]
    return "\n".join([*lines, "};"]) + "\n"


def types():
    parts = []
    for name, release in HANDLES.items():
        parts.append(f"using {type_name(name)} = handle<{name}, (::{release})>;\n")
    for name in sorted(OWNED):
        parts.append(f"using {type_name(name)} = released<{name}, (::{RELEASES[name]})>;\n")
    for name in sorted(set(STRUCTS) - set(MIRRORED) - OWNED - set(HANDLES)):
        if name not in CLASSES:
            parts.append(f"using {type_name(name)} = {name};\n")
    for struct in STRUCTS.values():
        if struct.name in MIRRORED:
            parts.append("\n" + mirrored(struct))
    return "".join(parts)


# ---- functions -------------------------------------------------------------------------------------------


def default(function, argument):
    """The default of an argument as C++, or None."""
    given = DEFAULTS.get(function.name, {}).get(argument.name)
    kind = argument.kind
    if given is not None:
        return "{}" if given == "whole" else str(given).lower() if isinstance(given, bool) else str(given)
    if kind == "dtype":
        return "GND_DTYPE_NONE"
    if kind == "axes":
        return "{}"
    if kind == "enum":
        return next((c for c, v in ENUMS[argument.type].constants.items() if v == 0), None)
    if kind == "options" and target(argument.type) == "gnd_axes":
        return "{}"
    if kind == "options" or kind == "struct" and argument.type.endswith("_options"):
        base = target(argument.type)
        return f"defaults<{type_name(base) if base in MIRRORED else base}>"
    if kind in ("result", "results"):
        return "nullptr"
    return None


def returned_struct(arguments):
    """The struct that a function fills in and C++ returns: the first argument."""
    return arguments[0].kind == "room" if arguments else False


class Wrapper:
    """One function: its parameters, what is passed to C, and what it returns."""

    def __init__(self, function, name=None):
        self.name = short(name or function.name)
        self.function, self.parameters, self.passed, self.before = function, [], [], []
        self.arguments = interface.arguments(function)
        self.templates, self.results = [], []
        self.room = None
        outs = [a for a in self.arguments if a.kind in ("result", "results")]
        self.returns_outs = bool(outs) and function.result == "gnd_status"
        if function.result == "gnd_status":
            rooms = [a for a in self.arguments if a.kind == "room"]
            self.room = rooms[0] if len(rooms) == 1 and not outs else None
        for argument in self.arguments:
            self.add(argument)
        self.set_defaults()

    @staticmethod
    def called(argument):
        """The name of a parameter: not that of a type, which it would hide, or of a variable here."""
        name = argument.name
        return name + "_" if name in TYPES | {"f", "result", "room"} | KEYWORDS else name

    def parameter(self, argument, kind, passed):
        self.parameters.append((argument, kind, self.called(argument)))
        self.passed.append(passed)

    def add(self, a):
        name, base = self.called(a), target(a.type)
        if a.kind == "array" or a.kind == "inout":
            self.parameter(a, "const array &", f"{name}.c()")
        elif a.kind == "number":
            self.parameter(a, "const arg &", f"{name}.c()")
        elif a.kind == "shape":
            self.parameter(a, "const gnd::shape &", f"{name}.c()")
        elif a.kind == "axes":
            self.parameter(a, "const gnd::axes &", f"{name}.c()")
        elif a.kind == "item":
            self.parameter(a, "const index_item &", f"{name}.c()")
        elif a.kind == "text":
            self.parameter(a, "const detail::text &", f"{name}.c()")
        elif a.kind == "options" and base == "gnd_axes":
            self.parameter(a, "const gnd::axes &", f"&{name}.c()")
        elif a.kind == "options":
            kind = type_name(base) if base in MIRRORED else base
            self.parameter(a, f"const {kind} &", f"f.options({name})")
        elif a.kind == "struct" and base in MIRRORED:
            self.parameter(a, f"const {type_name(base)} &", f"{name}.to_c(f)")
        elif a.kind == "room" and a is self.room:
            if base in MIRRORED:
                self.before.append(f"{base} room{{}};")
                self.passed.append("&room")
            else:
                self.before.append(f"{type_name(base) if base in OWNED else base} room{{}};")
                self.passed.append("&room")
        elif a.kind == "count":
            lists = [self.called(b) for b in self.arguments if b.kind == "list" and b.count == a.name]
            if lists:
                self.passed.append(f'detail::count_of<{a.type}>("{self.function.name}", {", ".join(lists)})')
            else:  # rows and columns
                self.parameter(a, f"{a.type} ", name)
        elif a.kind == "list":
            kind = LISTS.get(base) or f"detail::list<{base}>"
            if base in MIRRORED:
                kind = f"detail::list<{type_name(base)}, {base}>"
                self.before.append(f"detail::structs<{type_name(base)}, {base}> {name}_(f, {name});")
                self.parameter(a, f"const std::vector<{type_name(base)}> &", f"{name}_.data()")
            else:
                written = a.type == "gnd_array * const *"
                passed = f"const_cast<gnd_array *const *>({name}.data())" if written else f"{name}.data()"
                self.parameter(a, f"const {kind} &", passed)
        elif a.kind in ("result", "results"):
            kind = "array" if a.kind == "result" else "std::vector<array>"
            room = "" if a.kind == "result" else f", f.most({', '.join(self.sizes())})"
            if self.returns_outs:
                self.results.append((kind, a.name))
                self.passed.append(f"f.out(&@{a.name}{room})")
            else:
                self.parameter(a, f"{kind} *", f"f.out({name}{room})")
        elif a.kind == "callback" and a.type == "callback":
            self.templates.append("F")
            self.parameter(a, "F ", name)
        else:
            self.parameter(a, c_type(a.type), name)

    def sizes(self):
        return [self.called(a) for a in self.arguments if a.kind in ("array", "list") or a.type == "gnd_cuts"]

    def set_defaults(self):
        self.given = []
        for argument, kind, name in reversed(self.parameters):
            value = default(self.function, argument)
            if value is None or argument is self.arguments[0] and not argument.type.endswith("_options *"):
                break
            self.given.append(value)
        self.given.reverse()

    def text(self):
        f, results = self.function, self.results
        first = len(self.parameters) - len(self.given)
        declared = ", ".join(f"{kind}{name}" + (f" = {self.given[k - first]}" if k >= first else "")
                             for k, (_, kind, name) in enumerate(self.parameters))
        passed = ", ".join(self.passed)
        struct, name = "", self.name
        lead = [*self.before]
        if self.returns_outs:
            if len(results) == 1:
                result = results[0][0]
                passed = passed.replace(f"@{results[0][1]}", "result")
            else:
                result = f"{name}_result"
                struct = f"struct {result} {{\n" + "".join(f"    {k} {n};\n" for k, n in results) + "};\n"
                for _, n in results:
                    passed = re.sub(rf"@{n}\b", f"result.{n}", passed)
            lead += [f"{result} result;", f"f.done((::{f.name})({passed}));", "return result;"]
        elif self.room:
            base = target(self.room.type)
            if base in MIRRORED:
                result = type_name(base)
                lead += [f"f.done((::{f.name})({passed}));", f"{result} result;", "result.from(room);",
                         "return result;"]
            else:
                result = type_name(base) if base in OWNED else base
                lead += [f"f.done((::{f.name})({passed}));", "return room;"]
        elif f.result == "gnd_array *":
            result = "array"
            lead += [f"return f.take((::{f.name})({passed}));"]
        elif f.result == "gnd_status":
            result = "void"
            lead += [f"f.done((::{f.name})({passed}));"]
        elif f.result == "void":
            result = "void"
            lead += [f"(::{f.name})({passed});", "f.done_with(0);"]
        elif f.result == "gnd_shape":
            result = "gnd::shape"
            lead += [f"return f.done_with((::{f.name})({passed}));"]
        elif target(f.result) in HANDLES and f.result.endswith(" *") and not interface.borrowed(f):
            result = type_name(target(f.result))
            lead += [f"return {result}(f.done_with((::{f.name})({passed})));"]
        elif f.result == "char *":
            result = "std::string"
            lead += [f"char *text = f.done_with((::{f.name})({passed}));", "std::string result = text;",
                     "(::gnd_string_free)(text);", "return result;"]
        elif f.result in MIRRORED:
            result = type_name(f.result)
            lead += [f"{result} result;", f"result.from(f.done_with((::{f.name})({passed})));", "return result;"]
        else:
            result = f.result
            lead += [f"return f.done_with((::{f.name})({passed}));"]
        template = "template <class F> " if self.templates else ""
        space = "" if result.endswith("*") else " "
        body = "".join(f"    {line}\n" for line in ["detail::call f;", *lead])
        return f"{struct}{template}inline {result}{space}{name}({declared}) {{\n{body}}}\n"


def is_release(function):
    return function.name in set(HANDLES.values()) | set(RELEASES.values())


def functions():
    parts, header = [], None
    for function in sorted(FUNCTIONS.values(), key=lambda f: f.header):
        if is_release(function) and function.parameters[0].type != "void *":
            continue
        if function.header != header:
            header = function.header
            parts.append(f"/* gnd/{header} */\n\n")
        parts.append(Wrapper(function).text())
    parts.append("\n")
    for alias, name in sorted(interface.read_aliases().items()):
        if name in FUNCTIONS:
            parts.append(Wrapper(FUNCTIONS[name], alias).text())
    return "".join(parts)


def operators():
    parts = []
    for sign, name in UNARY:
        parts.append(f"inline array operator{sign}(const array &x) {{ return {name}(x); }}\n"
                     f"inline array operator{sign}(const selection &x) {{ return {name}(x); }}\n")
    for sign, name in OPERATORS:
        parts.append(f"template <class A, class B, class = detail::operands<A, B>> array operator{sign}"
                     f"(const A &x, const B &y) {{\n    return {name}(x, y);\n}}\n")
    return "".join(parts)


def dtypes():
    lines = []
    for constant, value in ENUMS["gnd_dtype"].constants.items():
        if value:
            name = constant.removeprefix("GND_").lower()
            lines.append(f"inline constexpr gnd_dtype {name + '_' * (name == 'bool')} = {constant};")
    return "\n".join(lines)


def main(template, result):
    text = Path(template).read_text()
    for name, made in (("DTYPES", dtypes), ("TYPES", types), ("FUNCTIONS", functions), ("OPERATORS", operators)):
        text = text.replace(f"@{name}@\n", made().rstrip("\n") + "\n", 1)
    Path(result).write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
