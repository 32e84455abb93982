"""A thin binding to libgnd.so for the tests, made from the public headers at import.

`gnd.add(x, 2)` calls gnd_add with the conversions its prototype asks for: an Array or a number for
gnd_arg (None: GND_NONE), a list of them for const gnd_arg *, of items for const gnd_index *, a tuple
for gnd_shape, an int, tuple, None or Axes for gnd_axes, a name for gnd_dtype. It returns what the function returns, an
Array for gnd_array *, and raises gnd.Error where the function reports an error. Results that come through
pointers are given room by `outputs(n)` and become Arrays by `take(...)`. The library is GND_LIBRARY,
else the newest build of this tree.
"""

import ctypes
import os
import threading

import numpy as np

import dtypes
import headers

FUNCTIONS = headers.read_functions()
CONSTANTS, ENUMS = headers.read_enums()
STRUCTS = headers.read_structs(ENUMS)
DTYPE_CODES = {name: CONSTANTS["GND_" + name.upper()] for name in dtypes.NAMES}
DTYPE_NAMES = {code: name for name, code in DTYPE_CODES.items()}
ERROR_NAMES = {v: k for k, v in CONSTANTS.items() if k == "GND_OK" or k.startswith("GND_ERROR_")}

globals().update({name.removeprefix("GND_"): value for name, value in CONSTANTS.items()
                  if name.startswith("GND_")})


def _find_library():
    if "GND_LIBRARY" in os.environ:
        return os.environ["GND_LIBRARY"]
    built = sorted(headers.ROOT.glob("build*/src/libgnd.so"), key=lambda p: p.stat().st_mtime)
    if not built:
        raise FileNotFoundError("no libgnd.so: set GND_LIBRARY, or run ./dev test")
    return str(built[-1])


LIBRARY = _find_library()
lib = ctypes.CDLL(LIBRARY)


class Error(Exception):
    """An error of gnd: its code (gnd.ERROR_...), function and sentence."""

    def __init__(self, code, message, function=None):
        super().__init__(f"{ERROR_NAMES.get(code, code)}: {message}")
        self.code, self.message, self.function = code, message, function


class Axes:
    """gnd_axes with options: Axes(0, -1, keepdims=True, dtype="float32", where=..., initial=...)."""

    def __init__(self, *axis, keepdims=False, dtype=None, where=None, initial=None, out=None,
                 none=False):
        self.axis, self.keepdims, self.dtype, self.none = axis, keepdims, dtype, none
        self.where, self.initial, self.out = where, initial, out


# ---- numbers, shapes, axes ----------------------------------------------------------------------------


def arg(value):
    """The gnd_arg for an Array or a Python number (None: no argument)."""
    result = STRUCTS["gnd_arg"]()
    if value is None:
        result.kind = CONSTANTS["GND_ARG_NONE"]
    elif isinstance(value, Array):
        result.kind, result.word = CONSTANTS["GND_ARG_ARRAY"], value.pointer or 0
    elif isinstance(value, (bool, np.bool_)):
        result.kind, result.word = CONSTANTS["GND_ARG_BOOL"], int(value)
    elif isinstance(value, (int, np.integer)):
        value = int(value)
        if value >= 2**63:
            result.kind, result.word = CONSTANTS["GND_ARG_UINT"], value
        else:
            result.kind, result.word = CONSTANTS["GND_ARG_INT"], value & (2**64 - 1)
    elif isinstance(value, (float, complex, np.inexact)):
        is_complex = isinstance(value, (complex, np.complexfloating))
        result.kind = CONSTANTS["GND_ARG_COMPLEX" if is_complex else "GND_ARG_REAL"]
        result.word = int(np.float64(value.real).view(np.uint64))
        result.im = value.imag
    else:
        raise TypeError(f"no gnd_arg of {value!r}")
    return result


def args(values):
    """A list of gnd_arg, as GND_ARGS makes it."""
    return (STRUCTS["gnd_arg"] * max(len(values), 1))(*[arg(value) for value in values])


def index_item(value):
    """A gnd_index: an Array, an int, a string in slice syntax, a slice, None (a new axis), or ..."""
    result = STRUCTS["gnd_index"]()
    result.start = result.stop = result.step = -2**63
    if isinstance(value, Array):
        result.kind, result.array = CONSTANTS["GND_INDEX_ARRAY"], value.pointer or 0
    elif isinstance(value, str):
        result.kind, result.text = CONSTANTS["GND_INDEX_TEXT"], value.encode()
    elif isinstance(value, slice):
        result.kind = CONSTANTS["GND_INDEX_RANGE"]
        for name in ("start", "stop", "step"):
            if getattr(value, name) is not None:
                setattr(result, name, getattr(value, name))
    elif value is None:
        result.kind = CONSTANTS["GND_INDEX_NEW_AXIS"]
    elif value is Ellipsis:
        result.kind = CONSTANTS["GND_INDEX_ELLIPSIS"]
    else:
        result.kind, result.start = CONSTANTS["GND_INDEX_AT"], value
    return result


def indices(values):
    """A list of gnd_index, as GND_INDICES makes it."""
    return (STRUCTS["gnd_index"] * max(len(values), 1))(*[index_item(value) for value in values])


def outputs(count):
    """Room for `count` results that a function gives through pointers."""
    return (ctypes.c_void_p * count)()


def take(room):
    """The Arrays in it; None where there is none."""
    return [Array(pointer) if pointer else None for pointer in room]


def shape(sizes):
    sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    result = STRUCTS["gnd_shape"]()
    result.ndim = len(sizes)
    for k, size in enumerate(sizes[:headers.MAX_DIMS]):
        result.dim[k] = size
    return result


def axes(given):
    if given is None:
        given = Axes()
    elif isinstance(given, int):
        given = Axes(given)
    elif isinstance(given, (tuple, list)):
        given = Axes(*given, none=len(given) == 0)
    result = STRUCTS["gnd_axes"]()
    result.count = -1 if given.none else len(given.axis)
    for k, axis in enumerate(given.axis[:headers.MAX_DIMS]):
        result.axis[k] = axis
    result.keepdims = given.keepdims
    result.dtype = dtype_code(given.dtype)
    for name in ("where", "initial", "out"):
        value = getattr(given, name)
        setattr(result, name, value.pointer if value is not None else None)
    return result


def dtype_code(value):
    if value is None:
        return 0
    if isinstance(value, str):
        return DTYPE_CODES[value]
    if isinstance(value, int):
        return value
    return DTYPE_CODES[dtypes.name_of(value)]


def apply_options(where=None, dtype=None, casting=None, out=(), params=None):
    """A gnd_apply_options."""
    result = STRUCTS["gnd_apply_options"]()
    if where is not None:
        result.where = where.pointer
    result.dtype = dtype_code(dtype)
    result.casting = CONSTANTS["GND_" + (casting or "same_kind").upper().replace(
        "NO", "NO_CASTING")] if casting else 0
    out = out if isinstance(out, (tuple, list)) else (out,)
    for k, value in enumerate(out):
        if value is not None:
            result.out[k] = value.pointer
    return result


# ---- calls --------------------------------------------------------------------------------------------

POINTERS = ("gnd_array *", "const gnd_array *")


def _ctype(kind):
    kind = kind.removeprefix("const ") if "*" not in kind else kind
    if kind in ("const char *",):
        return ctypes.c_char_p
    if "*" in kind or kind == "callback" or kind in ("gnd_error_handler",):
        return ctypes.c_void_p
    if kind in headers.SCALARS:
        return headers.SCALARS[kind]
    if kind in ENUMS:
        return ctypes.c_int
    return STRUCTS[kind]


def _convert(kind, value):
    if kind in POINTERS:
        return value.pointer if isinstance(value, Array) else value
    if kind == "gnd_arg":
        return value if isinstance(value, ctypes.Structure) else arg(value)
    if kind == "gnd_shape":
        return value if isinstance(value, ctypes.Structure) else shape(value)
    if kind == "gnd_axes":
        return value if isinstance(value, ctypes.Structure) else axes(value)
    if kind == "gnd_dtype":
        return dtype_code(value)
    if kind == "const char *":
        return value.encode() if isinstance(value, str) else value
    if kind == "const gnd_arg *" and isinstance(value, (list, tuple)):
        return args(value)
    if kind == "const gnd_index *" and isinstance(value, (list, tuple)):
        return indices(value)
    if isinstance(value, ctypes.Array):
        return value
    if isinstance(value, ctypes.Structure) and "*" in kind:
        return ctypes.addressof(value)
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    return value


def pending_error():
    """Takes this thread's error, if there is one, as an Error."""
    record = STRUCTS["gnd_error_record"]()
    if not lib.gnd_error_take(ctypes.byref(record)):
        return None
    return Error(record.code, record.message.decode(errors="replace"), record.function.decode())


def _make(function):
    variadic = any(p.type == "..." for p in function.parameters)
    kinds = [p.type for p in function.parameters if p.type != "..."]
    raw = getattr(lib, function.name)
    raw.argtypes = None if variadic else [_ctype(k) for k in kinds]
    raw.restype = None if function.result == "void" else _ctype(function.result)
    own = {"gnd_error", "gnd_error_take", "gnd_error_clear", "gnd_check"}
    is_array, is_status = function.result == "gnd_array *", function.result == "gnd_status"
    is_dtype, is_text = function.result == "gnd_dtype", function.result == "const char *"
    is_pointer = "*" in function.result and not is_text

    def call(*arguments):
        if variadic:
            fixed = [_ctype(k)(v) if not isinstance(v, ctypes.Structure) else v
                     for k, v in ((k, _convert(k, v)) for k, v in zip(kinds, arguments))]
            converted = fixed + [ctypes.c_char_p(v.encode()) if isinstance(v, str) else
                                 ctypes.c_int(v) if isinstance(v, int) else v
                                 for v in arguments[len(kinds):]]
        else:
            if len(arguments) != len(kinds):
                raise TypeError(f"{function.name} takes {len(kinds)} arguments: {kinds}")
            converted = [_convert(k, v) for k, v in zip(kinds, arguments)]
        result = raw(*converted)
        if function.name not in own:
            error = pending_error()
            if error is not None:
                if is_pointer and result:
                    raise AssertionError(f"{function.name} returned a {function.result} and an error: {error}")
                if is_status and result != error.code:
                    raise AssertionError(f"{function.name} returned {result} with {error}")
                try:
                    raise error
                finally:
                    error = None  # no cycle through the traceback: arrays die with the exception
            if is_status and result != 0:
                raise AssertionError(f"{function.name} returned {result} without an error")
            if is_array and not result:
                raise AssertionError(f"{function.name} returned NULL without an error")
        if is_array:
            return Array(result)
        if is_dtype:
            return DTYPE_NAMES.get(result, result)
        if is_text and result is not None:
            return result.decode()
        return result

    call.__name__ = function.name.removeprefix("gnd_")
    call.__doc__ = function.doc
    return call


_calls = {}


def function(name):
    """The Python call of a gnd function, by its C name."""
    if name not in _calls:
        if name not in FUNCTIONS:
            raise AttributeError(f"{name} is in no public header")
        _calls[name] = _make(FUNCTIONS[name])
    return _calls[name]


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return function("gnd_" + name)


# ---- arrays -------------------------------------------------------------------------------------------


# `made` of the calling thread, if it is there, is told of each new Array (fused.py, whose blocks own them).
watch = threading.local()


class Array:
    """An owned reference to a gnd_array."""

    __slots__ = ("pointer", "__weakref__")

    def __init__(self, pointer):
        self.pointer = pointer
        made = getattr(watch, "made", None)
        if made:
            made(self)

    def release(self):
        if self.pointer:
            pointer, self.pointer = self.pointer, None
            _release(pointer)

    def __del__(self):
        self.release()

    @property
    def ndim(self):
        return function("gnd_ndim")(self)

    @property
    def size(self):
        return function("gnd_size")(self)

    @property
    def dtype(self):
        return function("gnd_dtype_of")(self)

    @property
    def shape(self):
        sizes = function("gnd_shape_of")(self)
        return tuple(sizes.dim[:sizes.ndim])

    @property
    def strides(self):
        stride = function("gnd_stride")
        return tuple(stride(self, axis) for axis in range(self.ndim))

    @property
    def address(self):
        return function("gnd_data")(self) or 0

    def numpy(self):
        return to_numpy(self)

    def __getitem__(self, text):
        return slice_text(self, text)


def _release(pointer):
    raw = lib.gnd_release
    raw.argtypes = [ctypes.c_void_p]
    raw.restype = None
    raw(pointer)


def from_numpy(values):
    """A new C-contiguous array with a NumPy array's values."""
    values = np.asarray(values)
    dense = np.ascontiguousarray(values).reshape(values.shape)
    return function("gnd_from_host")(dense.ctypes.data, dense.shape, dtypes.name_of(dense.dtype))


def given_away(array):
    """The pointer of an array that a function of the library takes over, from a callback."""
    pointer, array.pointer = array.pointer, None
    return pointer


def borrowed(pointer, use):
    """What `use` makes of an array that stays the library's, as callbacks get them."""
    array = Array(pointer)
    try:
        return use(array)
    finally:
        array.pointer = None


def to_numpy(array):
    """A NumPy array (C-contiguous) with an array's values. Waits."""
    result = np.empty(array.shape, dtypes.DTYPES[array.dtype])
    function("gnd_to_host")(array, result.ctypes.data, result.nbytes)
    return result


def slice_text(array, text):
    """gnd_slice with a string that has no % arguments."""
    return function("gnd_slice")(array, text)


def view(base, steps):
    """The gnd view that values.apply_numpy makes of the NumPy array `base`; a real view."""
    array = from_numpy(base)
    for kind, argument in steps:
        if kind == "slice":
            array = slice_text(array, argument)
        elif kind == "permute":
            array = function("gnd_permute")(array, axes(argument))
        else:
            array = function("gnd_broadcast_to")(array, argument)
    return array
