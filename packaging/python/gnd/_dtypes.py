"""Dtypes: objects that equal their names and NumPy's dtypes, without NumPy."""

import builtins
import ctypes

from ._library import C, check, lib, raw

_size, _kind, _name_of = raw("dtype_size", "size_t", "gnd_dtype"), lib.gnd_dtype_kind, lib.gnd_dtype_name
_kind.restype = ctypes.c_char
_name_of.restype = ctypes.c_char_p


class dtype:
    """A dtype of gnd: `name`, `kind` (NumPy's letter), `itemsize`, `code` (gnd.FLOAT32). `gnd.dtype(x)` is the dtype
    that x names: a name, a type of Python's (int is int64), a NumPy dtype or scalar type."""

    __slots__ = ("code", "name", "kind", "itemsize")

    def __new__(cls, value):
        return BY_CODE[code(value)]

    @property
    def str(self):
        """NumPy's typestr, as `__array_interface__` has it; bfloat16 is two bytes of no kind NumPy has."""
        order = "|" if self.itemsize == 1 else "<"
        return "<V2" if self.name == "bfloat16" else f"{order}{self.kind}{self.itemsize}"

    @property
    def type(self):
        return self

    def __call__(self, value=0):
        from ._array import asarray
        return asarray(value, dtype=self, copy=True)

    def __eq__(self, other):
        if isinstance(other, dtype):
            return self is other
        try:
            return other is not None and code(other) == self.code
        except TypeError:
            return False

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"gnd.{self.name}"

    def __str__(self):
        return self.name

    def __reduce__(self):
        return dtype, (self.name,)


BY_CODE = {}
for _code in range(1, C["COMPLEX128"] + 1):
    _made = object.__new__(dtype)
    _made.code, _made.name = _code, _name_of(_code).decode()
    _made.kind, _made.itemsize = _kind(_code).decode(), _size(_code)
    BY_CODE[_code] = globals()[_made.name] = _made
BY_NAME = {d.name: d for d in BY_CODE.values()}
bool_, half, single, double = BY_NAME["bool"], BY_NAME["float16"], BY_NAME["float32"], BY_NAME["float64"]
_PYTHON = {builtins.bool: "bool", int: "int64", float: "float64", complex: "complex128"}
_BY_TYPESTR = {d.str: d for d in BY_CODE.values() if d.name != "bfloat16"}


def code(value):
    """The gnd_dtype of what names a dtype; 0 for None."""
    if type(value) is dtype:
        return value.code
    if value is None:
        return 0
    if type(value) is int and value in BY_CODE:
        return value
    if isinstance(value, type) and value in _PYTHON:
        return BY_NAME[_PYTHON[value]].code
    name = value if isinstance(value, str) else getattr(value, "name", None) or getattr(value, "__name__", None)
    name = {"bool_": "bool"}.get(name, name)
    found = BY_NAME.get(name) or _BY_TYPESTR.get(name) or _BY_TYPESTR.get(f"<{name}") or _BY_TYPESTR.get(f"|{name}")
    if found is None:
        raise TypeError(f"gnd has no dtype {value!r}")
    return found.code


def of_typestr(text):
    """The dtype of a typestr of `__array_interface__`."""
    if text.startswith("="):
        text = "<" + text[1:]
    if text not in _BY_TYPESTR:
        raise TypeError(f"gnd has no dtype {text!r}")
    return _BY_TYPESTR[text]


# ---- what they promise --------------------------------------------------------------------------------


class _Info:
    def __init__(self, of, members):
        self.__dict__.update(members, dtype=of)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in self.__dict__.items())})"


class finfo(_Info):
    """numpy.finfo of a floating-point or complex dtype, or of an array."""

    def __init__(self, type):
        of = BY_CODE[code(getattr(type, "dtype", type))]
        if of.kind not in "fc":
            raise ValueError(f"finfo: {of} is no floating-point dtype")
        found = raw("finfo", "gnd_float_info", "gnd_dtype")(of.code)
        check()
        super().__init__(of, {name: getattr(found, name) for name, _ in found._fields_ if name != "dtype"})
        self.dtype, self.tiny = BY_CODE[found.dtype], self.smallest_normal


class iinfo(_Info):
    """numpy.iinfo of an integer dtype, or of an array."""

    def __init__(self, type):
        of = BY_CODE[code(getattr(type, "dtype", type))]
        if of.kind not in "iu":
            raise ValueError(f"iinfo: {of} is no integer dtype")
        found = raw("iinfo", "gnd_integer_info", "gnd_dtype")(of.code)
        check()
        super().__init__(of, {name: getattr(found, name) for name, _ in found._fields_ if name != "dtype"})


KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
         "complex floating": "c", "numeric": "iufc"}


def isdtype(dtype, kind):
    """Whether a dtype is of a kind: a dtype, a name of the array API standard, or a tuple of those."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str) and kind in KINDS:
        return BY_CODE[code(dtype)].kind in KINDS[kind]
    return code(dtype) == code(kind)
