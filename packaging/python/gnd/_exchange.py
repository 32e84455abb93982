"""Arrays to and from others: nested lists, buffers, NumPy's and CUDA's array interfaces, DLPack, text."""

import ctypes
import struct
import sys

from . import _dtypes
from ._convert import device as device_of
from ._convert import shape as shape_of
from ._library import C, check, lib, raw, wait

# ---- from objects -------------------------------------------------------------------------------------

_wrap = raw("wrap", "gnd_array *", "void *", "gnd_shape", "const int64_t *", "gnd_dtype", "gnd_device", "callback",
            "void *")
_dense = raw("from_host", "gnd_array *", "const void *", "gnd_shape", "gnd_dtype")
_strided = raw("from_host_strided", "gnd_array *", "const void *", "gnd_shape", "const int64_t *", "gnd_dtype")
_wait_native = raw("stream_wait_native", "gnd_status", "gnd_stream *", "void *")
_to_host = raw("to_host", "gnd_status", "gnd_array *", "void *", "size_t")
_held = {}  # owners of memory that arrays are views of, by the address of the array's context
_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


def _from_host(data, sizes, strides, dtype):
    return _strided(data, sizes, strides, dtype) if strides else _dense(data, sizes, dtype)


@_Deleter
def _let_go(data, context):
    _held.pop(context, None)


def from_object(value, dtype, device, never_copy):
    """An array of what is none yet, and whether its memory is its own."""
    from ._array import wrap
    if hasattr(value, "__cuda_array_interface__"):
        return _from_cuda_interface(value, value.__cuda_array_interface__), False
    if hasattr(value, "__array_interface__"):
        if never_copy:
            return _from_interface(value, value.__array_interface__, device_of("cpu")), False
        return _from_host_interface(value.__array_interface__, wrap), True
    if hasattr(value, "__dlpack__"):
        return from_dlpack(value), False
    if isinstance(value, (bytes, bytearray, memoryview)) or type(value).__module__ == "array":
        view = memoryview(value)
        data = view.tobytes()
        return wrap(_from_host(data, shape_of(view.shape), None, _dtypes.of_typestr(_STRUCT[view.format]).code)), True
    if hasattr(value, "__array__"):
        return from_object(value.__array__(), dtype, device, never_copy)
    if never_copy:
        raise ValueError("copy=False, but numbers and lists need a copy")
    return _from_lists(value, dtype, wrap), True


_STRUCT = {"?": "|b1", "b": "|i1", "B": "|u1", "h": "<i2", "H": "<u2", "i": "<i4", "I": "<u4", "l": "<i8", "L": "<u8",
           "q": "<i8", "Q": "<u8", "e": "<f2", "f": "<f4", "d": "<f8", "Zf": "<c8", "Zd": "<c16"}


def _layout(interface):
    shape, strides = interface["shape"], interface.get("strides")
    return shape_of(shape), strides and (ctypes.c_int64 * len(strides))(*strides)


def _typestr(interface):
    return "bfloat16" if interface["typestr"] in ("|V2", "<V2") else _dtypes.of_typestr(interface["typestr"])


def _from_host_interface(interface, wrap):
    sizes, strides = _layout(interface)
    address = interface["data"][0]
    text = interface["typestr"]
    if text[0] == ">":
        raise TypeError(f"gnd has no dtype {text!r}: arrays are of the machine's byte order")
    return wrap(_from_host(address, sizes, strides or None, _dtypes.code(_typestr(interface))))


def _from_interface(owner, interface, place):
    """A view of others' memory, which it keeps alive."""
    from ._array import wrap
    sizes, strides = _layout(interface)
    key = id(interface)
    while key in _held:
        key += 1
    _held[key] = owner
    try:
        made = wrap(_wrap(interface["data"][0], sizes, strides or None, _dtypes.code(_typestr(interface)), place,
                          ctypes.cast(_let_go, ctypes.c_void_p), key))
    except BaseException:
        del _held[key]
        raise
    return made


def _from_cuda_interface(owner, interface):
    """In order behind the stream that it names, on which it may still be written; 1 is CUDA's default stream."""
    from ._devices import Device
    stream = interface.get("stream")
    with Device("gpu"):
        if stream is not None and _wait_native(None, stream):
            check()
        return _from_interface(owner, interface, device_of("gpu"))


def _shape(value):
    """The shape of nested lists; ValueError if they are ragged."""
    if hasattr(value, "shape"):
        return tuple(value.shape)
    if not isinstance(value, (list, tuple, range)):
        return ()
    shapes = {_shape(item) for item in value}
    if len(shapes) > 1:
        raise ValueError(f"lists of different lengths: {sorted(shapes)[:2]}")
    return (len(value),) + (shapes.pop() if shapes else ())


def _flatten(value, into):
    if isinstance(value, (list, tuple, range)):
        for item in value:
            _flatten(item, into)
    else:
        into.append(value)


_RANK = {bool: 0, int: 1, float: 2, complex: 3}


def _from_lists(value, dtype, wrap):
    if isinstance(value, (str, dict, set)) or value is None:
        raise TypeError(f"no array of {type(value).__name__}")
    sizes, items = _shape(value), []
    _flatten(value, items)
    if any(type(item) not in _RANK for item in items):
        if any(getattr(item, "ndim", 0) or hasattr(item, "__dlpack__") for item in items):  # lists of arrays
            from . import stack
            return _stack(value, stack)
        if any(hasattr(item, "__array_interface__") for item in items):  # numbers of NumPy's, which have dtypes
            return _from_host_interface(sys.modules["numpy"].asarray(value).__array_interface__, wrap)
        items = [item.item() if hasattr(item, "item") else item.__index__() if hasattr(item, "__index__")
                 else float(item) for item in items]
    rank = max((_RANK[type(item)] for item in items), default=2)
    if rank == 1 and dtype is not None and _dtypes.code(dtype) == C["UINT64"] or rank == 1 and max(items) >= 2**63:
        letter, name = "Q", "uint64"
    else:
        letter, name = [("?", "bool"), ("q", "int64"), ("d", "float64"), ("d", "complex128")][rank]
    if rank == 3:
        items = [part for item in map(complex, items) for part in (item.real, item.imag)]
    try:
        data = struct.pack(f"{len(items)}{letter}", *items)
    except struct.error:
        raise OverflowError(f"a number does not fit {name}") from None
    wanted = _dtypes.code(dtype)
    if wanted and name in ("int64", "uint64") and _dtypes.BY_CODE[wanted].kind in "iu":
        info = _dtypes.iinfo(_dtypes.BY_CODE[wanted])
        bad = [item for item in items if not info.min <= item <= info.max]
        if bad:
            raise OverflowError(f"{bad[0]} does not fit {info.dtype}")
    return wrap(_from_host(data, shape_of(sizes), None, _dtypes.code(name)))


def _stack(value, stack):
    return stack([_stack(item, stack) if isinstance(item, (list, tuple)) else item for item in value])


# ---- to NumPy and lists -------------------------------------------------------------------------------


def array_interface(array, data):
    if not array._on_cpu:
        raise AttributeError("an array on a GPU has no __array_interface__; get() copies it")
    return _interface(array, data)


def cuda_array_interface(array, data):
    if array._on_cpu:
        raise AttributeError("an array on the CPU has no __cuda_array_interface__")
    stream = raw("stream_native", "void *", "gnd_stream *")(None)
    return _interface(array, data) | {"stream": stream or 1}


def _interface(array, data):
    address = data(array._pointer) or 0
    check()
    wait()
    return {"shape": array.shape, "typestr": array.dtype.str, "strides": array.strides, "version": 3,
            "data": (address, array.flags["WRITEABLE"] is False)}


def to_numpy(array, dtype, copy):
    import numpy as np
    if array._on_cpu:
        class Memory:  # what NumPy keeps as the owner: the array itself has __array__, which would be called again
            __array_interface__, owner = array.__array_interface__, array
        made = np.asarray(Memory())
    elif copy is False:
        raise ValueError("an array on a GPU needs a copy to become NumPy's")
    else:
        kind = array.dtype.str
        made, copy = np.empty(array.shape, kind), None
        if _to_host(array._pointer, made.ctypes.data, made.nbytes):
            check()
    if array.dtype.name == "bfloat16":
        bits = made.view(np.uint16)
        if dtype is None and "ml_dtypes" in sys.modules:
            made = bits.view(sys.modules["ml_dtypes"].bfloat16)
        else:
            made, copy = (bits.astype(np.uint32) << 16).view(np.float32), None
    return np.array(made, dtype=dtype, copy=copy)


def to_bytes(array):
    data = ctypes.create_string_buffer(max(array.nbytes, 1))
    if _to_host(array._pointer, data, array.nbytes):
        check()
    return data.raw[:array.nbytes]


def from_bytes(data, dtype, shape):
    """An array of bytes in C order; what pickle makes arrays of."""
    from ._array import wrap
    return wrap(_from_host(data, shape_of(shape), None, _dtypes.code(dtype)))


_LETTERS = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
            "int64": "q", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d", "complex64": "f",
            "complex128": "d"}


def to_list(array):
    if array.dtype.name == "bfloat16":
        return to_list(array.astype("float32"))
    data = to_bytes(array)
    letter = _LETTERS[array.dtype.name]
    flat = struct.unpack(f"{len(data) // struct.calcsize(letter)}{letter}", data)
    if array.dtype.kind == "c":
        flat = [complex(*pair) for pair in zip(flat[::2], flat[1::2])]

    def nest(start, sizes, step):
        if not sizes:
            return flat[start]
        step //= max(sizes[0], 1)
        return [nest(start + k * step, sizes[1:], step) for k in range(sizes[0])]

    return nest(0, array.shape, array.size)


# ---- DLPack -------------------------------------------------------------------------------------------

_api = ctypes.pythonapi
_api.PyCapsule_New.restype, _api.PyCapsule_New.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                                             ctypes.c_void_p]
_api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype, _api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object,
                                                                                          ctypes.c_char_p]
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
# Where a tensor has its deleter: DLManagedTensorVersioned behind its context, DLManagedTensor at its end.
_NAMES = {b"dltensor_versioned": 16, b"dltensor": 56}
_USED = {name: b"used_" + name for name in _NAMES}  # must live as long as capsules
_valid = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_address = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _drop_capsule(capsule):
    """Calls the deleter of a tensor that nobody took."""
    for name, offset in _NAMES.items():
        if _valid(capsule, name):
            tensor = _address(capsule, name)
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.c_void_p.from_address(tensor + offset).value)(tensor)


def dlpack_device(array):
    kind, index = ctypes.c_int32(), ctypes.c_int32()
    lib.gnd_dlpack_device(ctypes.c_void_p(array._pointer), ctypes.byref(kind), ctypes.byref(index))
    check()
    return kind.value, index.value


def to_dlpack(array, stream, max_version, dl_device, copy):
    here = dlpack_device(array)
    if dl_device is not None and tuple(dl_device) != here:
        if tuple(dl_device) != (1, 0) or copy is False:
            raise BufferError(f"the array is on device {here}, not {tuple(dl_device)}")
        array, stream = array.to_device("cpu"), None
    elif copy:
        array = array.copy()
    versioned = max_version is not None and max_version[0] >= 1
    name = b"dltensor_versioned" if versioned else b"dltensor"
    function = raw("to_dlpack" if versioned else "to_dlpack_unversioned", "void *", "gnd_array *", "int64_t")
    tensor = function(array._pointer, -2 if stream is None else stream)
    if not tensor:
        check()
    return _api.PyCapsule_New(tensor, name, ctypes.cast(_drop_capsule, ctypes.c_void_p))


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of any object with __dlpack__, without a copy where that is possible."""
    from ._array import asarray, wrap
    place = x.__dlpack_device__()
    on_gpu = int(place[0]) in (2, 13)
    arguments = {}
    if on_gpu:
        arguments["stream"] = raw("dlpack_stream", "int64_t", "gnd_device")(device_of(f"gpu:{int(place[1])}"))
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:  # before DLPack 1.0
        capsule = x.__dlpack__(**arguments)
    name = next((name for name in _NAMES if _api.PyCapsule_IsValid(capsule, name)), None)
    if name is None:
        raise ValueError("from_dlpack: no capsule of a tensor that is still there")
    function = "from_dlpack" if name == b"dltensor_versioned" else "from_dlpack_unversioned"
    made = wrap(raw(function, "gnd_array *", "void *")(_api.PyCapsule_GetPointer(capsule, name)))
    _api.PyCapsule_SetName(capsule, _USED[name])
    return made if device is None and not copy else asarray(made, device=device, copy=copy)


# ---- text ---------------------------------------------------------------------------------------------


def _string(array, name):
    function = raw(name, "void *", "gnd_array *")
    address = function(array._pointer)
    if not address:
        check()
    text_ = ctypes.string_at(address).decode()
    raw("string_free", "void", "void *")(address)
    return text_


def repr(array):
    return _string(array, "to_repr")


def text(array):
    return _string(array, "to_string")
