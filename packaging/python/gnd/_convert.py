"""Arguments of Python as C takes them: arrays and numbers, shapes, axes, indices, structs of options."""

import ctypes

from . import _dtypes
from ._interface import ENUMS, MAX_DIMS, STRUCTS
from ._library import INTEGERS, BoundsError, C, ctype, struct

Arg, Axes, Shape, Index, Device = map(struct, ("gnd_arg", "gnd_axes", "gnd_shape", "gnd_index", "gnd_device"))
_double, _word = ctypes.c_double, ctypes.c_uint64
_NONE, _ARRAY, _BOOL, _INT, _UINT, _REAL, _COMPLEX = (
    C[f"ARG_{kind}"] for kind in ("NONE", "ARRAY", "BOOL", "INT", "UINT", "REAL", "COMPLEX"))
_OPEN = -2**63
ndarray = asarray = None  # of _array.py, which sets them


def number(value):
    """The gnd_arg of an array or a number (weak, as NEP 50 has it), and of what makes an array. Keep `value` until
    the call is done; what is made here keeps itself."""
    kind = type(value)
    if kind is ndarray:
        return value._arg or value._make_arg()
    result = Arg()
    if kind is float:
        result.kind, result.word = _REAL, _word.from_buffer(_double(value)).value
    elif kind is bool:
        result.kind, result.word = _BOOL, value
    elif kind is int:
        if not -2**63 <= value < 2**64:
            raise OverflowError(f"{value} does not fit an integer of 64 bits")
        result.kind, result.word = (_UINT, value) if value >= 2**63 else (_INT, value & (2**64 - 1))
    elif kind is complex:
        result.kind, result.word = _COMPLEX, _word.from_buffer(_double(value.real)).value
        result.im = value.imag
    elif value is not None:
        made = asarray(value)
        result = made._make_arg()
        result.made = made
    return result


def whole(value, kind=ctypes.c_int64):
    """An integer of C; ctypes alone would drop the bits that do not fit."""
    made = kind(value)
    if made.value != value:
        raise BoundsError(f"the integer {value} does not fit {8 * ctypes.sizeof(kind)} bits of C")
    return made


def pointer(value):
    """The gnd_array * of an array, or of what makes one; NULL for None."""
    if value is None:
        return None
    return value._pointer if isinstance(value, ndarray) else asarray(value)


def shape(sizes):
    result = Shape()
    sizes = (sizes,) if hasattr(sizes, "__index__") and not isinstance(sizes, (tuple, list)) else tuple(sizes)
    if len(sizes) > MAX_DIMS:
        raise ValueError(f"an array has at most {MAX_DIMS} dimensions, not {len(sizes)}")
    result.ndim = len(sizes)
    for k, size in enumerate(sizes):
        result.dim[k] = whole(size.__index__())
    return result


def axes(axis=None, keepdims=False, dtype=None, where=None, initial=None, out=None):
    """A gnd_axes: None is every axis, () none of them."""
    result = Axes()
    if axis is not None:
        if isinstance(axis, (tuple, list)):
            result.count = len(axis) or -1
            for k, a in enumerate(axis):
                result.axis[k] = whole(a.__index__(), ctypes.c_int)
        else:
            result.count, result.axis[0] = 1, whole(axis.__index__(), ctypes.c_int)
    if keepdims:
        result.keepdims = True
    if dtype is not None:
        result.dtype = _dtypes.code(dtype)
    for name, value in (("where", where), ("initial", initial), ("out", out)):
        if value is not None and not (name == "where" and value is True):
            value = value if isinstance(value, ndarray) else asarray(value)
            setattr(result, name, value._pointer)
            setattr(result, "_" + name, value)
    return result


def items(key):
    """The gnd_index list of x[key], and its length."""
    key = key if isinstance(key, tuple) else (key,)
    result = (Index * max(len(key), 1))()
    for item, value in zip(result, key):
        item.start = item.stop = item.step = _OPEN
        if isinstance(value, slice):
            item.kind = C["INDEX_RANGE"]
            for name in ("start", "stop", "step"):
                bound = getattr(value, name)
                if bound is not None:
                    setattr(item, name, max(min(bound.__index__(), 2**63 - 1), 1 - 2**63))
        elif value is None:
            item.kind = C["INDEX_NEW_AXIS"]
        elif value is Ellipsis:
            item.kind = C["INDEX_ELLIPSIS"]
        elif not isinstance(value, (bool, ndarray)) and hasattr(value, "__index__") and not getattr(value, "ndim", 0):
            item.kind, item.start = C["INDEX_AT"], max(min(value.__index__(), 2**63 - 1), 1 - 2**63)
        else:
            value = value if isinstance(value, ndarray) else asarray(value)
            if value.size == 0 and value.dtype.kind == "f":  # x[[]]
                value = asarray(value, dtype="int64")
            item.kind, item.array, item._value = C["INDEX_ARRAY"], value._pointer, value
            result._keep = getattr(result, "_keep", []) + [value]
    return len(key), result


def device(value):
    """A gnd_device of "cpu", "gpu", "gpu:1", a Device, or NumPy's and CuPy's ways to say it."""
    if isinstance(value, Device):
        return value
    result = Device()
    kind, _, index = str(value).partition(":")
    if kind not in ("cpu", "gpu", "cuda") or index and not index.isdigit():
        raise ValueError(f"no device {value!r}: 'cpu', 'gpu' or 'gpu:N'")
    result.kind, result.index = C["CPU" if kind == "cpu" else "GPU"], int(index or 0)
    return result


def enum(kind, value):
    """A constant of an enumeration, by its number or by the end of its name: "valid" is GND_VALID."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, str):
        return int(value)
    names = ENUMS[kind.removeprefix("const ")].split()
    asked = value.upper().replace("-", "_").replace(" ", "_")
    found = [name for name in names if name == asked] or [name for name in names if name.endswith("_" + asked)]
    if not found:
        raise ValueError(f"no {kind} {value!r}: {', '.join(name.lower() for name in names)}")
    return C[min(found, key=len)]


def options(kind, members):
    """A struct of keyword arguments, as functions with options take them; a window also of "hann", ("kaiser", 8.6)."""
    if isinstance(members, ctypes.Structure):
        return members
    if kind == "gnd_window" and not isinstance(members, dict):
        name, *params = members if isinstance(members, tuple) else (members,)
        name, params = (name, params) if isinstance(name, str) else (None, [name])
        members = {"name": name, "count": len(params), "params": params}
    result = struct(kind)()
    result._keep = []
    for name, value in members.items():
        if name not in result.kinds:
            known = ", ".join(m for m in result.kinds if m != "reserved")
            raise TypeError(f"no option {name!r}; there are {known}")
        setattr(result, name, value_of(result.kinds[name], value, result._keep,
                                       dict(result._fields_)[name]))
    return result


def value_of(kind, value, keep, field):
    """A value of Python's as a member of a struct; `keep` gets what must live as long."""
    plain = kind.removeprefix("const ")
    if kind in ("gnd_array *", "const gnd_array *"):
        value = None if value is None else value if isinstance(value, ndarray) else asarray(value)
        keep.append(value)
        return value and value._pointer if value is not None else None
    if isinstance(value, (tuple, list)) and issubclass(field, ctypes.Array):
        return field(*[value_of(kind, v, keep, field._type_) for v in value])
    if isinstance(value, (tuple, list)) and "*" in kind and plain != "gnd_window *":
        target = ctype(plain.removesuffix(" *")) if plain != "gnd_array * *" else ctypes.c_void_p
        made = (target * max(len(value), 1))(*[value_of(plain.removesuffix(" *"), v, keep, target) for v in value])
        keep.append(made)
        return ctypes.addressof(made)
    if plain == "gnd_arg":
        keep.append(number(value))
        return keep[-1]
    if plain == "gnd_dtype":
        return _dtypes.code(value)
    if plain in ("gnd_shape", "gnd_axes", "gnd_device"):
        return {"gnd_shape": shape, "gnd_axes": axes, "gnd_device": device}[plain](value)
    if plain.removesuffix(" *") in STRUCTS and isinstance(value, (dict, str, tuple)):
        keep.append(options(plain.removesuffix(" *"), value))
        return ctypes.addressof(keep[-1]) if plain.endswith(" *") else keep[-1]
    if plain in ENUMS:
        return enum(plain, value)
    if plain == "gnd_device *":
        keep.append(device(value))
        return ctypes.addressof(keep[-1])
    if field in INTEGERS:
        return whole(value, field)
    return value.encode() if isinstance(value, str) else value
