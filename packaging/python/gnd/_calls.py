"""The functions of the library as functions of Python, made where they are first used from _interface.py.

Operators take NumPy's `out`, `where`, `dtype` and `casting`. Parameters are those of the header by their names; `axes`
becomes axis, dtype, out, keepdims, initial and where; a struct of options becomes keyword arguments; results through
pointers are returned, behind what the function itself returns. NumPy's and SciPy's defaults are from tools/defaults.py.
"""

import ctypes
import functools
from types import SimpleNamespace

from . import _convert, _dtypes
from . import _interface as interface
from ._array import ndarray, wrap
from ._library import C, INTEGERS, check, ctype, raw, struct, wait

# ---- operators ----------------------------------------------------------------------------------------

_Apply = struct("gnd_apply_options")
_apply = raw("apply", "gnd_array *", "const char *", "int", "const gnd_arg *", "const gnd_apply_options *")
_apply_two = raw("apply_two", "gnd_status", "void *", "void *", "const char *", "int", "const gnd_arg *",
                 "const gnd_apply_options *")


def apply(name, arguments, out=None, where=None, dtype=None, casting=None):
    """Any operator by name, with NumPy's options of ufuncs."""
    given, keep = _Apply(), []
    if where is not None and where is not True:
        keep.append(where if isinstance(where, ndarray) else _convert.asarray(where))
        given.where = keep[-1]._pointer
    given.dtype = _dtypes.code(dtype)
    if casting is not None:
        given.casting = C[{"no": "NO_CASTING"}.get(casting, casting.upper())]
    two = interface.OPERATORS[name][1] == 2
    for k, place in enumerate(out if isinstance(out, tuple) else (out,)):
        if place is not None:
            if not isinstance(place, ndarray):
                raise TypeError("out is an array of gnd")
            given.out[k] = place._pointer
    keep += [_convert.number(value) for value in arguments]
    list_ = (_convert.Arg * len(arguments))(*keep[-len(arguments):])
    if two:
        made = (ctypes.c_void_p * 2)()
        if _apply_two(ctypes.addressof(made), ctypes.addressof(made) + 8, name.encode(), len(arguments), list_,
                      ctypes.addressof(given)):
            check()
        return tuple(map(wrap, made))
    made = wrap(_apply(name.encode(), len(arguments), list_, ctypes.addressof(given)))
    return out[0] if isinstance(out, tuple) and out[0] is not None else made if out is None else out


def _operator(name, inputs, outputs, checked):
    number = _convert.number
    plain = None if outputs == 2 or checked or inputs > 2 else raw(name, "gnd_array *", *["gnd_arg"] * inputs)

    def general(arguments, *options):
        made = apply(name, arguments, *options)
        first = made[0] if isinstance(made, tuple) else made
        if checked and first._on_cpu:
            wait()
        return made

    def one(x, /, out=None, *, where=None, dtype=None, casting=None):
        if plain and out is None and where is None and dtype is None and casting is None:
            return wrap(plain(number(x)))
        return general((x,), out, where, dtype, casting)

    def two(x, y, /, out=None, *, where=None, dtype=None, casting=None):
        if plain and out is None and where is None and dtype is None and casting is None:
            return wrap(plain(number(x), number(y)))
        return general((x, y), out, where, dtype, casting)

    def three(x, y, z, /, out=None, *, where=None, dtype=None, casting=None):
        return general((x, y, z), out, where, dtype, casting)

    call = (one, two, three)[inputs - 1]
    return _ufunc(call, name) if inputs == 2 and outputs == 1 else call


def _ufunc(call, name):
    """NumPy's methods of a binary operator: gnd.add.reduce(x), gnd.multiply.outer(x, y)."""
    text = name.encode()
    functions = {}

    def along(method):
        def reduction(x, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
            function = functions.setdefault(method, raw(method, "gnd_array *", "const char *", "void *", "gnd_axes"))
            return wrap(function(text, _convert.pointer(x),
                                 _convert.axes(axis, keepdims, dtype, where, initial, out)))
        return reduction

    def outer(a, b):
        number = _convert.number
        return wrap(raw("outer", "gnd_array *", "const char *", "gnd_arg", "gnd_arg")(text, number(a), number(b)))

    def reduceat(x, indices, axis=0, dtype=None, out=None):
        function = raw("reduceat", "gnd_array *", "const char *", "void *", "void *", "gnd_axes")
        return wrap(function(text, _convert.pointer(x), _convert.pointer(indices),
                             _convert.axes(axis, dtype=dtype, out=out)))

    def at(a, indices, b):
        indices = indices if isinstance(indices, tuple) else (indices,)
        keep = [_convert.number(i) for i in indices]
        function = raw("at", "gnd_status", "const char *", "void *", "int", "const gnd_arg *", "gnd_arg")
        if function(text, a._pointer, len(keep), (_convert.Arg * len(keep))(*keep), _convert.number(b)):
            check()
        if a._on_cpu:
            wait()

    call.reduce, call.accumulate, call.outer, call.reduceat, call.at = (
        along("reduce"), along("accumulate"), outer, reduceat, at)
    return call


# ---- everything else ----------------------------------------------------------------------------------


class Handle:
    """What a function made that is no array: a plan, a generator, a system. Python releases it."""

    def __init__(self, kind, pointer):
        self._kind, self._pointer = kind, pointer
        self._free = raw(interface.HANDLES[kind].removeprefix("gnd_"), "void", "void *")

    @property
    def _as_parameter_(self):
        return ctypes.c_void_p(self._pointer)

    def __del__(self):
        if self._pointer:
            self._free(self._pointer)
            self._pointer = None

    def __repr__(self):
        return f"<{self._kind}>"


def _members(value):
    """A struct as a namespace; arrays in it become ndarrays."""
    made = SimpleNamespace()
    for name, _ in value._fields_:
        kind, member = value.kinds[name], getattr(value, name)
        if name == "reserved":
            continue
        if kind == "gnd_array *":
            member = wrap(member) if member else None
        elif isinstance(member, ctypes.Structure):
            member = _result(kind, member)
        elif isinstance(member, ctypes.Array):
            member = [(_result(kind, m) if isinstance(m, (ctypes.Structure, int)) else m) for m in member]
        setattr(made, name, member.decode() if isinstance(member, bytes) else member)
    return made


def _result(kind, value):
    """What a function returned, as Python has it."""
    if kind == "const char *":
        return value and value.decode()
    if kind == "gnd_dtype":
        return _dtypes.BY_CODE.get(value)
    if kind == "gnd_shape":
        return tuple(value.dim[:value.ndim])
    if kind == "gnd_device":
        from ._devices import Device
        return Device(value)
    if isinstance(value, ctypes.Structure):
        return _members(value)
    target = kind.removeprefix("const ").removesuffix(" *")
    return Handle(target, value) if value and kind.endswith(" *") and target in interface.HANDLES else value


def _list(kind, values):
    """A C array of the values of a list."""
    kind = kind.removeprefix("const ").removesuffix(" *")
    if kind.startswith("gnd_array"):
        keep = [v if isinstance(v, ndarray) else _convert.asarray(v) for v in values]
        made = (ctypes.c_void_p * max(len(keep), 1))(*[v._pointer for v in keep])
    elif kind == "gnd_index":
        return _convert.items(tuple(values) if isinstance(values, (list, tuple)) else values)[1]
    elif kind == "gnd_arg":
        keep = [_convert.number(v) for v in values]
        made = (_convert.Arg * max(len(keep), 1))(*keep)
    else:
        keep, target = [], ctype(kind)
        made = (target * max(len(values), 1))(*[_convert.value_of(kind, v, keep, target) for v in values])
    made._keep = keep
    return made


def _rooms(arguments):
    """Room for as many arrays as a function may give."""
    longest = max([interface.MAX_DIMS + 1] + [len(a) for a in arguments if isinstance(a, (list, tuple))]
                  + [a for a in arguments if isinstance(a, int) and not isinstance(a, bool) and 0 < a < 2**20]
                  + [max(a.shape, default=0) for a in arguments if isinstance(a, ndarray)])
    return (ctypes.c_void_p * (longest + 1))()


class _Source:
    """The source of one function."""

    def __init__(self, name):
        lines = interface.FUNCTIONS[name].split("\n")
        self.name, self.result = name, lines[0]
        self.arguments = [line.split("|") for line in lines[1:]]
        for argument in self.arguments:  # words of Python's
            if argument[2] in ("from", "in", "is", "lambda", "as", "options"):
                argument[2] += "_"
        self.parameters, self.passed = [], []
        self.before, self.after, self.waits, self.returned = [], [], [], []
        self.optional = False
        self.scope = {"C": C, "convert": _convert, "ctypes": ctypes, "wrap": wrap, "check": check, "result": _result,
                      "list_of": _list, "rooms": _rooms, "code": _dtypes.code, "ndarray": ndarray, "wait": wait,
                      "members": _members, "struct": struct, "ctype": ctype, "whole": _convert.whole}

    def parameter(self, name, default=None):
        """A parameter of Python's. None: required, unless one before it is optional."""
        if default is None and self.optional:
            default = "None"
        self.optional |= default is not None
        self.parameters.append(name if default is None else f"{name}={default}")
        return name

    def add(self, kind, type_, name, count, default):
        has = default != ""
        if kind in ("array", "inout"):
            self.passed.append(f"convert.pointer({self.parameter(name, 'None' if has else None)})")
        elif kind == "number":
            self.passed.append(f"convert.number({self.parameter(name, self.default(default) if has else None)})")
        elif kind == "shape":
            name = self.parameter(name, "None" if has or name == "shape" and self.arguments[0][0] == "handle" else None)
            empty = "PARAMETERS" if self.arguments[0][0] == "handle" else "WHOLE"
            self.passed.append(f"{empty} if {name} is None else convert.shape({name})")
        elif kind == "axes":
            self.axes(name)
        elif kind == "dtype":
            self.passed.append(f"code({self.parameter(name, 'None' if name == 'dtype' else None)})")
        elif kind == "enum":
            self.passed.append(f"convert.enum({type_!r}, {self.parameter(name, self.default(default) or 'None')})")
        elif kind == "scalar":
            name = self.parameter(name, self.default(default) if has else None)
            text = f"{name}.encode()" if type_ == "char" else name
            if ctype(type_) in INTEGERS:
                text = f"whole({name}, ctype({type_!r}))"
            self.passed.append(f"{self.default(default)} if {name} is None else {text}" if has and type_ != "char"
                               else text)
        elif kind == "text":
            name = self.parameter(name)
            self.passed.append(f"convert_text({name})")
            self.scope["convert_text"] = lambda t: t if t is None or isinstance(t, bytes) else str(t).encode()
        elif kind == "count":
            listed = [a[2] for a in self.arguments if a[3].split("*")[-1] == name or a[3] == name]
            first = next((a[2] for a in self.arguments if name in a[3].split("*")), None)
            self.passed.append(f"len({listed[0] if listed else first})")
        elif kind == "list":
            name = self.parameter(name)
            self.passed.append(f"list_of({type_!r}, {name}) if {name} is not None else None")
        elif kind == "options" and not type_.endswith("_options *"):
            name, plain = self.parameter(name), type_.removeprefix("const ").removesuffix(" *")
            self.before.append(f"{name} = {name} and convert.options({plain!r}, {name})")
            self.passed.append(f"{name} and ctypes.addressof({name})")
        elif kind == "options":
            self.options = type_.removeprefix("const ").removesuffix(" *")
            self.before.append(f"given = convert.options({self.options!r}, options) if options else None")
            self.passed.append("given and ctypes.addressof(given)")
        elif kind == "struct":
            name = self.parameter(name)
            if type_ == "gnd_device":
                self.passed.append(f"convert.device({name})")
            else:
                self.passed.append(f"convert.options({type_!r}, {name} or {{}})")
        elif kind == "result":
            self.before.append(f"{name} = ctypes.c_void_p()")
            self.passed.append(f"ctypes.addressof({name})")
            self.after.append(f"{name} = wrap({name}.value) if {name}.value else None")
            self.waits.append(f"if {name} is not None and {name}._on_cpu: wait()")
            self.returned.append(name)
        elif kind == "results":
            arguments = ", ".join(p.split("=")[0] for p in self.parameters)
            self.before.append(f"{name} = rooms([{arguments}])")
            self.passed.append(name)
            self.returned.append(f"[wrap(p) for p in {name} if p]")
        elif kind == "value":
            self.before.append(f"{name} = ctype({type_.removesuffix(' *')!r})()")
            self.passed.append(f"ctypes.addressof({name})")
            self.returned.append(f"{name}.value")
        elif kind == "room":
            self.before.append(f"{name} = struct({type_.removesuffix(' *')!r})()")
            self.passed.append(f"ctypes.addressof({name})")
            self.returned.append(f"members({name})")
        else:
            self.passed.append(self.parameter(name))

    def default(self, text):
        """A default of tools/defaults.json as Python's source."""
        if not text:
            return None
        value = eval(text)
        if isinstance(value, str):
            return {"none": "None", "whole": "None"}.get(value) or (
                f"C[{value.removeprefix('GND_')!r}]" if value.startswith("GND_") else repr(value))
        return repr(value)

    def axes(self, name):
        if name != "axes":
            name = self.parameter(name)
            self.passed.append(f"convert.axes({name})")
        elif any(a[0] == "shape" for a in self.arguments):
            self.passed.append(f"convert.axes({self.parameter('axes', 'None')})")
        else:
            self.parameters += ["axis=None", "dtype=None", "out=None", "keepdims=False", "initial=None", "where=None"]
            self.passed.append("convert.axes(axis, keepdims, dtype, where, initial, out)")
            self.optional = True

    def make(self):
        for argument in self.arguments:
            self.add(*argument)
        if hasattr(self, "options"):
            self.parameters.append("**options")
        is_array = self.result == "gnd_array *"
        self.scope["function"] = raw(self.name, self.result, *[a[1] for a in self.arguments])
        parameters_shape, whole = _convert.Shape(), _convert.Shape()
        parameters_shape.ndim = -1
        self.scope |= {"PARAMETERS": parameters_shape, "WHOLE": whole}
        lines = self.before + [f"made = function({', '.join(self.passed)})"]
        if is_array:
            lines += ["made = wrap(made)", "if made is not None and made._on_cpu: wait()"]
            self.returned.insert(0, "made")
        elif self.result == "gnd_status":
            lines += ["if made: check()"] + (["wait()"] if any(a[0] == "inout" for a in self.arguments) else [])
        else:
            lines += ["check()"]
            if self.result != "void":
                self.returned.insert(0, f"result({self.result!r}, made)")
        lines += self.after + self.waits  # what raises comes when all results are owned
        names = [p.split("=")[0] for p in self.parameters]
        if is_array and "out" in names:
            self.returned[0] = "out if out is not None else made"
        if self.returned:
            lines.append(f"return {', '.join(self.returned)}")
        body = "".join(f"    {line}\n" for line in lines)
        exec(f"def call({', '.join(self.parameters)}):\n{body}", self.scope)
        return self.scope["call"]


@functools.cache
def make(name):
    """The function of Python's for a function of the library, by its name without gnd_; None if there is none."""
    name = interface.ALIASES.get(name, name)
    if name not in interface.FUNCTIONS or "\nvariadic|" in interface.FUNCTIONS[name]:
        return None
    if name in interface.OPERATORS:
        call = _operator(name, *interface.OPERATORS[name])
    else:
        call = _Source(name).make()
    call.__name__ = call.__qualname__ = name
    call.__module__ = "gnd"
    call.__doc__ = _Doc(name)
    return call


class _Doc(str):
    """The comment of the header, with a line that says which function this is."""

    def __new__(cls, name):
        return str.__new__(cls, f"gnd_{name} of the C library; gnd.doc('{name}') is its comment.")


def doc(name):
    """The comment of a function in the C headers."""
    from ._docs import DOCS
    return DOCS.get(interface.ALIASES.get(name, name))
