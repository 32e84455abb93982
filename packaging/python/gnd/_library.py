"""libgnd.so through ctypes: its structs and raw functions, and its errors as exceptions."""

import ctypes
import os

from . import _interface as interface

SCALARS = {
    "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "unsigned": ctypes.c_uint,
    "unsigned int": ctypes.c_uint, "float": ctypes.c_float, "double": ctypes.c_double, "size_t": ctypes.c_size_t,
    "ptrdiff_t": ctypes.c_ssize_t, "long long": ctypes.c_longlong, "unsigned long long": ctypes.c_ulonglong,
    "uintptr_t": ctypes.c_size_t, "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8, "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
}
INTEGERS = set(SCALARS.values()) - {ctypes.c_bool, ctypes.c_char, ctypes.c_float, ctypes.c_double}
C = interface.CONSTANTS


def _open():
    """GND_LIBRARY, else the library that the wheel carries, else the system's."""
    carried = os.path.join(os.path.dirname(__file__), "lib", "libgnd.so.0")
    return ctypes.CDLL(os.environ.get("GND_LIBRARY") or (carried if os.path.exists(carried) else "libgnd.so.0"))


lib = _open()


def ctype(kind):
    """The ctypes type of a C type."""
    kind = kind.removeprefix("const ") if "*" not in kind else kind
    if kind == "const char *":
        return ctypes.c_char_p
    if kind in SCALARS:
        return SCALARS[kind]
    if kind in interface.ENUMS:
        return ctypes.c_int
    return struct(kind) if kind in interface.STRUCTS else ctypes.c_void_p  # pointers, to functions too


_structs = {}


def struct(name):
    """The ctypes.Structure of a struct; `kinds` has the C types of its members."""
    if name not in _structs:
        fields, kinds = [], {}
        for line in interface.STRUCTS[name].split("\n"):
            kind, member, lengths = line.split("|")
            this, kinds[member] = ctype(kind), kind
            for length in reversed(lengths.split()):
                this = this * int(length)
            fields.append((member, this))
        _structs[name] = type(name, (ctypes.Structure,), {"_fields_": fields, "kinds": kinds})
    return _structs[name]


def raw(name, result, *kinds):
    """A function of the library with its prototype."""
    function = lib["gnd_" + name]  # an object of its own: prototypes differ in what they return
    function.argtypes = [ctype(kind) for kind in kinds]
    function.restype = None if result == "void" else ctype(result)
    return function


__version__ = raw("version", "const char *")().decode()

# ---- errors -------------------------------------------------------------------------------------------


class Error(Exception):
    """An error of gnd: its sentence, its `code` (gnd.ERROR_...) and the `function` that failed. Those that Python has
    an exception for are that, too: a bad axis is a gnd.Error, a ValueError and an IndexError."""

    code = function = None


def _derived(name, *bases):
    return type(name, (Error,) + bases, {"__module__": "gnd", "__doc__": f"{name} of gnd."})


AxisError = _derived("AxisError", ValueError, IndexError)
LinAlgError = _derived("LinAlgError", ValueError)
BoundsError = _derived("BoundsError", ValueError, OverflowError)
_KINDS = {
    C["ERROR_INVALID"]: _derived("InvalidError", ValueError), C["ERROR_SHAPE"]: _derived("ShapeError", ValueError),
    C["ERROR_DTYPE"]: _derived("DTypeError", TypeError), C["ERROR_INDEX"]: _derived("OutOfRangeError", IndexError),
    C["ERROR_VALUE"]: _derived("BadValueError", ValueError),
    C["ERROR_MEMORY"]: _derived("OutOfMemoryError", MemoryError),
    C["ERROR_IO"]: _derived("FileError", OSError), C["ERROR_AXIS"]: AxisError,
}
_BY_WORDS = {"singular": LinAlgError, "positive definite": LinAlgError,  # of GND_ERROR_VALUE
             "not converge": LinAlgError,
             "is out of bounds for": BoundsError}

OF_INDICES = _KINDS | {C["ERROR_SHAPE"]: _KINDS[C["ERROR_INDEX"]]}  # NumPy's IndexError of masks that do not fit

_Record = struct("gnd_error_record")
_take = raw("error_take", "bool", "gnd_error_record *")
_sync = raw("stream_sync", "gnd_status", "gnd_stream *")


def check(kinds=_KINDS):
    """Raises this thread's error, if there is one."""
    record = _Record()
    if not _take(ctypes.byref(record)):
        return
    message, function = record.message.decode(errors="replace"), record.function.decode()
    kind = kinds.get(record.code, Error)
    if record.code == C["ERROR_VALUE"]:
        kind = next((named for words, named in _BY_WORDS.items() if words in message), kind)
    error = kind(message)
    error.code, error.function = record.code, function
    raise error


def wait():
    """Waits for the current stream, and raises what its kernels found wrong."""
    if _sync(None):
        check()
