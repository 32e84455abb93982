"""fortran.py: gnd.f90, the Fortran form of gnd's interface: gnd.f90.in with what the C headers say.

    fortran.py TEMPLATE RESULT

For every struct a type that is interoperable with it, for every constant a parameter, and for every function the
interface of C's and a procedure around it, which converts its arguments, calls and checks. interface.py says what the
arguments are for; the rules of the translation are at the top of gnd.f90.in.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import interface  # noqa: E402

ENUMS, STRUCTS = interface.read_enum_types(), interface.read_structs()
DEFAULTS = interface.read_defaults()
# What the module has itself. The first it calls.
CALLED = ("gnd_retain", "gnd_release", "gnd_scope_open", "gnd_scope_close", "gnd_error_take", "gnd_string_free",
          "gnd_fuse_open", "gnd_fuse_close")
LEFT_OUT = {*CALLED, *("gnd_" + name for name in (
    "error error_clear check_at keep assign stream_guard_begin_ device_guard_begin_ stream_guard_end_ slice "
    "fuse_explain_text scope_own scope_keep scope_move").split())}
ALL = interface.read_functions()
SCOPES = ("gnd_scope *", "gnd_fuse_block *")
LEFT_OUT |= {f.name for f in ALL.values() if any(p.type in SCOPES for p in f.parameters)}
FUNCTIONS = {n: f for n, f in ALL.items() if n not in LEFT_OUT and "..." not in [p.type for p in f.parameters]}
KINDS = {"bool": "logical(c_bool)", "char": "character(kind=c_char)", "int": "integer(c_int)",
         "unsigned": "integer(c_int)", "unsigned int": "integer(c_int)", "float": "real(c_float)",
         "double": "real(c_double)", "size_t": "integer(c_size_t)", "ptrdiff_t": "integer(c_size_t)",
         "long long": "integer(c_long_long)", "unsigned long long": "integer(c_long_long)",
         "uintptr_t": "integer(c_size_t)", "int8_t": "integer(c_int8_t)", "uint8_t": "integer(c_int8_t)",
         "int16_t": "integer(c_int16_t)", "uint16_t": "integer(c_int16_t)", "int32_t": "integer(c_int32_t)",
         "uint32_t": "integer(c_int32_t)", "int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)"}
LIST_VALUES = ("wn", "extent")  # results that are several numbers
# Fortran's types that a view can be made of, with the dtype.
ELEMENTS = [("integer(c_int8_t)", "GND_INT8"), ("integer(c_int16_t)", "GND_INT16"), ("integer(c_int32_t)", "GND_INT32"),
            ("integer(c_int64_t)", "GND_INT64"), ("real(c_float)", "GND_FLOAT32"), ("real(c_double)", "GND_FLOAT64"),
            ("complex(c_float)", "GND_COMPLEX64"), ("complex(c_double)", "GND_COMPLEX128"),
            ("logical(c_bool)", "GND_BOOL")]
RANKS = 7
OPERATORS = [("+", "add"), ("-", "subtract"), ("*", "multiply"), ("/", "divide"), ("**", "power"), ("==", "equal"),
             ("/=", "not_equal"), ("<", "less"), ("<=", "less_equal"), (">", "greater"), (">=", "greater_equal"),
             (".and.", "logical_and"), (".or.", "logical_or")]
UNARY = [("-", "negative"), (".not.", "logical_not")]
NUMBERS = ["integer(c_int)", "integer(c_int64_t)", "real(c_float)", "real(c_double)", "complex(c_float)",
           "complex(c_double)"]


def target(kind):
    return kind.removeprefix("const ").removeprefix("struct ").split(" *")[0]


def wrapped(line, indent):
    """A line of at most 120 columns, continued at its commas."""
    out, left = [], " " * indent + line
    while len(left) > 118:
        cut = left.rfind(", ", 0, 116) + 1
        if cut <= indent + 4:
            break
        out.append(left[:cut] + " &")
        left = " " * (indent + 4) + left[cut:].strip()
    return "\n".join([*out, left]) + "\n"


NAMES = {n.lower() for n in [*ALL, *STRUCTS, *interface.read_aliases()]}


def constant(name):
    """The name of a constant: Fortran has no cases, so that it must not be a function's."""
    return name + "_" if name.lower() in NAMES else name


# ---- constants and types -----------------------------------------------------------------------------------


def number(value):
    """An int of C's, the lowest and unsigned ones, too."""
    value = (value + 2**31) % 2**32 - 2**31
    return str(value) if value > -2**31 else "-huge(0_c_int) - 1"


def constants():
    lines = []
    for enum in ENUMS.values():
        for name, value in enum.constants.items():
            lines.append(f"  integer(c_int), parameter, public :: {constant(name)} = {number(value)}\n")
    return "".join(lines)


def member(m):
    lengths = "(" + ", ".join(str(n) for n in reversed(m.lengths)) + ")" if m.lengths else ""
    if m.type == "callback" or m.type.endswith("_function *"):
        return f"type(c_funptr) :: {m.name} = c_null_funptr"
    if "*" in m.type:
        return f"type(c_ptr) :: {m.name}{lengths} = c_null_ptr"
    if m.type in STRUCTS:
        return f"type({m.type}) :: {m.name}{lengths}"
    kind = "integer(c_int)" if m.type in ENUMS else KINDS[m.type]
    zero = {"logical": ".false._c_bool", "character": "c_null_char", "real": "0"}.get(kind.split("(")[0], "0")
    return f"{kind} :: {m.name}{lengths} = {zero}"


def types():
    parts = []
    for struct in STRUCTS.values():
        parts.append(f"  type, bind(c), public :: {struct.name}\n"
                     + "".join(f"    {member(m)}\n" for m in struct.members) + "  end type\n")
    return "".join(parts)


# ---- C's interfaces ---------------------------------------------------------------------------------------


def value_is_list(a):
    return a.name in LIST_VALUES


def interface_type(a):
    """How C takes an argument: a declaration with the name to come."""
    base = target(a.type)
    if base in ("gnd_scope", "gnd_fuse_block"):
        return "type(c_ptr), value ::", ""
    if a.kind in ("number", "shape", "axes", "struct", "item"):
        return f"type({base}), value ::", ""
    if a.kind in ("dtype", "enum"):
        return "integer(c_int), value ::", ""
    if a.kind in ("scalar", "count"):
        return f"{KINDS[a.type]}, value ::", ""
    if a.kind == "text":
        return "character(kind=c_char), intent(in) ::", "(*)"
    if a.kind == "options":
        return f"type({base}), intent(in), optional ::", ""
    if a.kind == "room":
        return f"type({base}), intent(inout) ::", ""
    if a.kind == "list":
        if base == "gnd_array":
            return "type(c_ptr), intent(in) ::", "(*)"
        if base in STRUCTS:
            return f"type({base}), intent(in) ::", "(*)"
        if base in ENUMS:
            return "integer(c_int), intent(in) ::", "(*)"
        return "type(c_ptr), value ::", ""
    if a.kind == "value" and a.type != "char *":
        return f"{KINDS[base]}, intent(inout) ::", "(*)" if value_is_list(a) else ""
    if a.kind == "callback":
        return "type(c_funptr), value ::", ""
    return "type(c_ptr), value ::", ""


def result_type(kind):
    if kind == "gnd_status" or kind in ENUMS:
        return "integer(c_int)"
    if "*" in kind:
        return "type(c_ptr)"
    return f"type({kind})" if kind in STRUCTS else KINDS[kind]


def interfaces():
    parts = ["  interface\n    function c_strlen(text) bind(c, name='strlen') result(n)\n      import\n"
             "      type(c_ptr), value :: text\n      integer(c_size_t) :: n\n    end function\n"]
    for name in [*CALLED, *FUNCTIONS]:
        function = ALL[name]
        arguments = interface.arguments(function)
        names = ", ".join(f"a{k}" for k in range(len(arguments)))
        word = "subroutine" if function.result == "void" else "function"
        tail = "" if function.result == "void" else " result(r)"
        parts.append(wrapped(f"{word} c_{name}({names}) bind(c, name='{name}'){tail}", 4) + "      import\n")
        for k, a in enumerate(arguments):
            declaration, lengths = interface_type(a)
            parts.append(f"      {declaration} a{k}{lengths}\n")
        if function.result != "void":
            parts.append(f"      {result_type(function.result)} :: r\n")
        parts.append(f"    end {word}\n")
    return "".join(parts) + "  end interface\n"


# ---- procedures -------------------------------------------------------------------------------------------


class Wrapper:
    """The procedure around one function."""

    def __init__(self, function):
        self.function, self.arguments = function, interface.arguments(function)
        self.names, self.declared, self.locals, self.before, self.passed, self.after = [], [], [], [], [], []
        # Structs whose arrays C writes hold references of their own: no scope may release them.
        self.scoped = not any(a.kind == "room" or a.kind == "options" and any(
            m.type == "gnd_array * *" for m in STRUCTS[target(a.type)].members) for a in self.arguments)
        for a in self.arguments:
            self.add(a)

    def default(self, a):
        """Fortran's form of a default; None: the argument is not optional."""
        given = DEFAULTS.get(self.function.name, {}).get(a.name)
        if given is None and a.kind in ("dtype", "enum") and a is not self.arguments[0]:
            return "0" if a.kind == "dtype" or 0 in ENUMS[a.type].constants.values() else None
        if isinstance(given, bool):
            return f".{str(given).lower()}."
        if a.kind == "enum" and given is not None:
            return constant(given)
        if given is not None and (a.type == "double" or a.kind == "number" and isinstance(given, float)):
            return repr(float(given)) + "_c_double"
        return None if given is None else str(given)

    def dummy(self, a, kind, passed, optional=False, lengths="", intent="in"):
        name = a.name + "_" if a.name.lower() in ("res", "stat") else a.name
        mode = f", intent({intent})" + (", optional" if optional else "")
        self.names.append(name)
        self.declared.append(f"{kind}{mode} :: {name}{lengths}")
        self.passed.append(passed.replace("@", name))

    def add(self, a):
        default, base = self.default(a), target(a.type)
        has = default is not None
        last = f", {default}" if has and default != "none" else ""
        if a.kind in ("array", "inout"):
            self.dummy(a, "type(gnd_array)", "f_ptr(@)", has)
        elif a.kind == "number":
            self.dummy(a, "class(*)", f"gnd_number(@{last})", has)
        elif a.kind == "shape":
            self.dummy(a, "class(*)", "f_shape(@)", has, "(:)")
        elif a.kind == "axes":
            self.dummy(a, "class(*)", "f_axes(@)", a is not self.arguments[0])
        elif a.kind == "item":
            self.dummy(a, "class(*)", "f_item(@)")
        elif a.kind in ("dtype", "enum"):
            self.dummy(a, "integer(c_int)", f"f_int(@{last})" if has else "@", has)
        elif a.kind == "scalar":
            self.add_scalar(a, last, has)
        elif a.kind == "text":
            self.dummy(a, "character(len=*)", "trim(@)//c_null_char")
        elif a.kind == "options":
            self.dummy(a, f"type({base})", "@", a is not self.arguments[0] or base.endswith("_options"))
        elif a.kind == "struct" and base.endswith("_options"):
            self.locals.append(f"type({base}) :: {a.name}_c")
            self.before.append(f"if (present({a.name})) {a.name}_c = {a.name}")
            self.dummy(a, f"type({base})", f"{a.name}_c", True)
        elif a.kind == "struct":
            self.dummy(a, f"type({base})", "@")
        elif a.kind == "room":
            self.dummy(a, f"type({base})", "@", intent="inout")
        elif a.kind == "count":
            self.add_count(a)
        elif a.kind == "list":
            self.add_list(a, base)
        elif a.kind in ("result", "results"):
            self.add_result(a)
        elif a.kind == "value" and a.type != "char *":
            self.dummy(a, KINDS[base], "@", lengths="(*)" if value_is_list(a) else "", intent="inout")
        elif a.kind == "callback":
            self.dummy(a, "type(c_funptr)", "@")
        else:
            self.dummy(a, "type(c_ptr)", "@")

    def add_scalar(self, a, last, has):
        kind = KINDS[a.type]
        if a.type == "bool":
            self.dummy(a, "logical", f"f_truth(@{last or ', .false.'})", has)
        elif a.type == "char":
            self.dummy(a, "character(len=1)", f"f_letter(@{last})" if has else "@", has)
        elif a.type == "int":
            self.dummy(a, "integer(c_int)", f"f_int(@{last})" if has else "@", has)
        elif a.type in ("double", "float"):
            self.dummy(a, "class(*)", f"real(f_real(@{last}), {kind[5:-1]})", has)
        else:
            self.dummy(a, "class(*)", f"int(f_whole(@{last}), {kind[8:-1]})", has)

    def add_count(self, a):
        lists = [b for b in self.arguments if b.kind == "list" and b.count == a.name]
        if not lists:  # rows and columns
            self.dummy(a, "integer(c_int)", "@")
            return
        first = lists[0]
        base = target(first.type)
        count = (f"{first.name}%count" if base in ("gnd_array", "gnd_arg", "gnd_index")
                 else f"f_count({first.name})" if base in KINDS else f"size({first.name})")
        self.passed.append(f"int({count}, {KINDS[a.type][8:-1]})")

    def add_list(self, a, base):
        if base in ("gnd_array", "gnd_arg", "gnd_index"):
            passed = {"gnd_array": "@%pointers", "gnd_arg": "@%args", "gnd_index": "f_items(@)"}[base]
            self.dummy(a, "type(gnd_list_type)", passed)
        elif base in STRUCTS:
            self.dummy(a, f"type({base})", "@", lengths="(:)")
        elif base in ENUMS:
            self.dummy(a, "integer(c_int)", "@", lengths="(:)")
        else:
            optional = a.name in ("weight", "state", "taps", "strides")  # which may be NULL
            local = f"{a.name}_c"
            self.locals.append(f"{KINDS[base]}, allocatable, target :: {local}(:)")
            made = f"f_reals({a.name})" if base == "double" else f"f_wholes({a.name})"
            self.before.append(f"{local} = {made}" if base != "int8_t" else f"{local} = int({made}, c_int8_t)")
            self.dummy(a, "class(*)", f"f_address({local}, ubound({local}, 1))", optional, "(:)")

    def add_result(self, a):
        optional, local = self.function.result != "gnd_status", f"{a.name}_c"
        wanted = f"present({a.name})" if optional else ".true."
        if a.kind == "result":
            self.locals.append(f"type(c_ptr), target :: {local}")
            self.before.append(f"{local} = c_null_ptr")
            self.dummy(a, "type(gnd_array)", f"f_place({local}, {wanted})", optional, intent="inout")
            self.after.append(f"call f_put({a.name}, {local})")
            return
        sizes = [f"f_most({b.name})" for b in self.arguments if b.kind == "array"]
        sizes += [f"{b.name}%sections, {b.name}%count + 1" for b in self.arguments if b.type == "gnd_cuts"]
        self.locals.append(f"type(c_ptr), allocatable, target :: {local}(:)")
        self.before.append(f"allocate ({local}(max(64_c_int64_t, {', '.join(['64_c_int64_t', *sizes])})))")
        self.before.append(f"{local} = c_null_ptr")
        self.dummy(a, "type(gnd_array), allocatable", f"f_place({local}(1), {wanted})", optional, "(:)", "inout")
        self.after.append(f"call f_put_list({a.name}, {local})")

    def text(self):
        f = self.function
        call = f"c_{f.name}({', '.join(self.passed)})"
        body, declared = [*self.before], [*self.declared, "integer(c_int), intent(out), optional :: stat"]
        subroutine = f.result in ("gnd_status", "void")
        if f.result == "gnd_array *":
            declared.append("type(gnd_array) :: res")
        elif "char *" in f.result:
            declared.append("character(len=:), allocatable :: res")
        elif not subroutine:
            kind = "logical" if f.result == "bool" else result_type(f.result)
            declared.append(f"{kind} :: res")
        if f.result in ("gnd_array *", "const char *", "char *"):
            self.locals.append("type(c_ptr) :: res_c")
        if self.scoped:
            self.locals.append("type(gnd_scope), target :: res_scope")
            body.append("call f_enter(res_scope)")
        if f.result == "void":
            body.append(f"call {call}")
        elif f.result == "gnd_status":
            self.locals.append("integer(c_int) :: res_status")
            body.append(f"res_status = {call}")
        elif f.result in ("gnd_array *", "const char *", "char *"):
            body.append(f"res_c = {call}")
        else:
            body.append(f"res = {call}")
        body += self.after
        if f.result == "gnd_array *":
            body.append("call f_take(res, res_c, res_scope)" if self.scoped else "call f_hold(res, res_c)")
        elif "char *" in f.result:
            body.append(f"res = f_text(res_c, {'.false.' if 'const' in f.result else '.true.'})")
        if self.scoped and f.result != "gnd_array *":
            body.append("call c_gnd_scope_close(c_loc(res_scope))")
        body.append("call f_check(stat)")
        word = "subroutine" if subroutine else "function"
        head = f"{word} {f.name}({', '.join([*self.names, 'stat'])})" + ("" if subroutine else " result(res)")
        return (wrapped(head, 2) + "".join(wrapped(line, 4) for line in [*declared, *self.locals, *body])
                + f"  end {word}\n\n")


def functions():
    parts, header = [operator_functions()], None
    for function in sorted(FUNCTIONS.values(), key=lambda f: f.header):
        if function.header != header:
            header = function.header
            parts.append(f"  ! gnd/{header}\n\n")
        parts.append(Wrapper(function).text())
    return "".join(parts)


def short_kind(kind):
    return kind[0] + kind[kind.index("_") + 1:-1].replace("_", "")


def operator_functions():
    """A procedure for an operator and each pair of types: arrays, and an array and a number."""
    parts = []
    for _, name in OPERATORS:
        pairs = [("a", "a"), *((side, k) for k in NUMBERS for side in ("a", "n"))]
        for k, (side, kind) in enumerate(pairs):
            x, y = ("type(gnd_array)",) * 2 if kind == "a" else (
                ("type(gnd_array)", kind) if side == "a" else (kind, "type(gnd_array)"))
            parts.append(f"  function op_{name}_{k}(x, y) result(res)\n    {x}, intent(in) :: x\n"
                         f"    {y}, intent(in) :: y\n    type(gnd_array) :: res\n    res = gnd_{name}(x, y)\n"
                         "  end function\n\n")
    for _, name in UNARY:
        parts.append(f"  function op_{name}(x) result(res)\n    type(gnd_array), intent(in) :: x\n"
                     f"    type(gnd_array) :: res\n    res = gnd_{name}(x)\n  end function\n\n")
    return "".join(parts)


def generics():
    parts = []
    for sign, name in OPERATORS:
        names = ", ".join(f"op_{name}_{k}" for k in range(2 * len(NUMBERS) + 1))
        parts.append(f"  interface operator({sign})\n" + wrapped(f"module procedure {names}", 4) + "  end interface\n")
    for sign, name in UNARY:
        parts.append(f"  interface operator({sign})\n    module procedure op_{name}\n  end interface\n")
    for alias, name in sorted(interface.read_aliases().items()):
        if name in FUNCTIONS:
            parts.append(f"  interface {alias}\n    module procedure {name}\n  end interface\n  public :: {alias}\n")
    return "".join(parts)


def views():
    """gnd_from and gnd_to for each type: for each rank the sizes and the distances of neighbours."""
    parts = []
    for k, (kind, dtype) in enumerate(ELEMENTS):
        for word, name in (("function", "from"), ("subroutine", "to")):
            head = (f"  function from_{k}(a, stat) result(res)\n" if name == "from" else
                    f"  subroutine to_{k}(x, a, stat)\n    type(gnd_array), intent(in) :: x\n")
            intent = "in" if name == "from" else "inout"
            parts.append(head + f"    {kind}, intent({intent}), target :: a(..)\n"
                         "    integer(c_int), intent(out), optional :: stat\n"
                         + ("    type(gnd_array) :: res\n" if name == "from" else "")
                         + "    type(c_ptr) :: p, q(7)\n    integer(c_int64_t) :: strides(7)\n    integer :: k, n\n"
                         "    p = c_null_ptr\n    n = rank(a)\n    select rank (a)\n"
                         "    rank (0)\n      p = c_loc(a)\n")
            for r in range(1, RANKS + 1):
                low = [f"lbound(a, {j + 1})" for j in range(r)]  # gfortran 12 has 0 for temporary arrays
                first = ", ".join(low)
                lines = [f"    rank ({r})\n", "      if (size(a) > 0) then\n", f"        p = c_loc(a({first}))\n"]
                for axis in range(r):
                    other = ", ".join(low[:axis] + [f"min({low[axis]} + 1, ubound(a, {axis + 1}))"] + low[axis + 1:])
                    lines.append(wrapped(f"q({axis + 1}) = c_loc(a({other}))", 8))
                parts.append("".join(lines) + "      end if\n")
            parts.append("    rank default\n      error stop 'gnd: a Fortran array of more than 7 dimensions'\n"
                         "    end select\n    strides = 0\n    if (size(a) > 0) then\n      do k = 1, n\n"
                         "        strides(k) = f_distance(p, q(k))\n      end do\n    end if\n")
            parts.append(f"    res = f_view(p, shape(a), strides(1:n), {dtype}, stat)\n" if name == "from" else
                         f"    call f_store(x, p, shape(a), strides(1:n), {dtype}, stat)\n")
            parts.append(f"  end {word}\n\n")
        parts.append(f"  function copy_{k}(a, stat) result(res)\n    {kind}, intent(in), target :: a(..)\n"
                     "    integer(c_int), intent(out), optional :: stat\n    type(gnd_array) :: res\n"
                     f"    res = gnd_copy(from_{k}(a, stat), stat)\n  end function\n\n")
    return "".join(parts)


def public():
    return "".join(f"  public :: {name}\n" for name in FUNCTIONS)


def main(template, result):
    text = Path(template).read_text()
    text = text.replace("@FROMS@", ", ".join(f"from_{k}" for k in range(len(ELEMENTS))))
    text = text.replace("@COPIES@", ", ".join(f"copy_{k}" for k in range(len(ELEMENTS))))
    text = text.replace("@TOS@", ", ".join(f"to_{k}" for k in range(len(ELEMENTS))))
    for name, made in (("PUBLIC", public), ("CONSTANTS", constants), ("TYPES", types), ("INTERFACES", interfaces),
                       ("GENERICS", generics), ("VIEWS", views), ("FUNCTIONS", functions)):
        text = text.replace(f"@{name}@\n", made().rstrip("\n") + "\n", 1)
    Path(result).write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
