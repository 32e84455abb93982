"""Arrays of gnd in Python, without a copy: handed to NumPy, PyTorch and CuPy and back, by DLPack.

    GND_LIBRARY=build/src/libgnd.so python3 examples/interop/share.py

What a C library needs for that is small: an object with __dlpack__ and __dlpack_device__ is all that
numpy.from_dlpack and the like ask for. Programs in C and C++ call gnd_to_dlpack and gnd_from_dlpack
themselves (gnd/dlpack.h).
"""

import ctypes
import importlib
import os
from ctypes import c_bool, c_char, c_char_p, c_int, c_int32, c_int64, c_void_p, py_object

lib = ctypes.CDLL(os.environ.get("GND_LIBRARY", "libgnd.so.0"))


def declare(name, result, *arguments):
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments
    return function


class Device(ctypes.Structure):
    """gnd_device: 0 is the CPU, 1 a GPU."""
    _fields_ = [("kind", c_int), ("index", c_int)]


class ErrorRecord(ctypes.Structure):
    """gnd_error_record."""
    _fields_ = [("code", c_int), ("function", c_char * 64), ("message", c_char * 1024), ("reserved", c_void_p * 4)]


gnd_to_dlpack = declare("gnd_to_dlpack", c_void_p, c_void_p, c_int64)
gnd_to_dlpack_unversioned = declare("gnd_to_dlpack_unversioned", c_void_p, c_void_p, c_int64)
gnd_from_dlpack = declare("gnd_from_dlpack", c_void_p, c_void_p)
gnd_from_dlpack_unversioned = declare("gnd_from_dlpack_unversioned", c_void_p, c_void_p)
gnd_dlpack_stream = declare("gnd_dlpack_stream", c_int64, Device)
gnd_dlpack_device = declare("gnd_dlpack_device", c_int, c_void_p, c_void_p, c_void_p)
gnd_to_repr = declare("gnd_to_repr", c_void_p, c_void_p)
gnd_string_free = declare("gnd_string_free", None, c_void_p)
gnd_release = declare("gnd_release", None, c_void_p)
gnd_error_take = declare("gnd_error_take", c_bool, c_void_p)

# ---- capsules: how Python passes a DLPack tensor on --------------------------------------------

api = ctypes.pythonapi
api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = c_void_p, [py_object, c_char_p]
api.PyCapsule_SetName.restype, api.PyCapsule_SetName.argtypes = c_int, [py_object, c_char_p]
api.PyCapsule_IsValid.restype, api.PyCapsule_IsValid.argtypes = c_int, [c_void_p, c_char_p]

# The names live as long as the module: capsules keep their addresses. A consumer renames what it took.
VERSIONED, PLAIN = b"dltensor_versioned", b"dltensor"
USED = {VERSIONED: b"used_dltensor_versioned", PLAIN: b"used_dltensor"}
# Where the deleter is in the structs: behind two 32-bit numbers and a pointer; behind 48 bytes and a pointer.
DELETER_AT = {VERSIONED: 16, PLAIN: 56}
get_pointer_raw = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", api))


@ctypes.PYFUNCTYPE(None, c_void_p)
def capsule_dies(capsule):
    """Nobody took the tensor: it is given back."""
    for name, at in DELETER_AT.items():
        if api.PyCapsule_IsValid(capsule, name):
            tensor = get_pointer_raw(capsule, name)
            deleter = c_void_p.from_address(tensor + at).value
            ctypes.CFUNCTYPE(None, c_void_p)(deleter)(tensor)


NO_STREAM = -2  # GND_DLPACK_NONE


def check():
    """Raises what gnd has to say."""
    error = ErrorRecord()
    if gnd_error_take(ctypes.addressof(error)):
        raise BufferError(error.message.decode(errors="replace"))


def capsule_of(array, stream=None, max_version=None):
    """A capsule over the memory of a gnd_array *, as __dlpack__ returns it."""
    versioned = max_version is not None and max_version[0] >= 1
    give, name = (gnd_to_dlpack, VERSIONED) if versioned else (gnd_to_dlpack_unversioned, PLAIN)
    tensor = give(array, NO_STREAM if stream is None else stream)
    check()
    return api.PyCapsule_New(tensor, name, ctypes.cast(capsule_dies, c_void_p))


def device_of(array):
    """What __dlpack_device__ returns."""
    kind, index = c_int32(), c_int32()
    gnd_dlpack_device(array, ctypes.addressof(kind), ctypes.addressof(index))
    check()
    return kind.value, index.value


def taken_from(producer):
    """A new gnd_array * over the memory of any object with __dlpack__."""
    kind, index = producer.__dlpack_device__()
    stream = gnd_dlpack_stream(Device(1, index) if kind in (2, 13) else Device(0, 0))
    check()
    stream = None if stream == NO_STREAM else stream
    try:
        capsule = producer.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # written before DLPack had versions
        capsule = producer.__dlpack__(stream=stream)
    name = VERSIONED if api.PyCapsule_IsValid(id(capsule), VERSIONED) else PLAIN
    take = gnd_from_dlpack if name is VERSIONED else gnd_from_dlpack_unversioned
    array = take(api.PyCapsule_GetPointer(capsule, name))
    check()
    api.PyCapsule_SetName(capsule, USED[name])  # gnd gives it back now
    return array


class Array:
    """An array of gnd that NumPy, PyTorch and CuPy take as it is."""

    def __init__(self, pointer):
        check()
        self.pointer = pointer

    def __del__(self):
        gnd_release(self.pointer)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("gnd hands out its own memory, and no copies")
        return capsule_of(self.pointer, stream, max_version)

    def __dlpack_device__(self):
        return device_of(self.pointer)

    def __repr__(self):
        text = gnd_to_repr(self.pointer)
        check()
        try:
            return ctypes.string_at(text).decode()
        finally:
            gnd_string_free(text)


def from_dlpack(producer):
    """The memory of an array of any library as an array of gnd."""
    return Array(taken_from(producer))


# ---- the demonstration -------------------------------------------------------------------------


def there_and_back(name, library, theirs, address):
    """An array of theirs becomes one of gnd, and that one of theirs again: the same memory all the time."""
    again = library.from_dlpack(from_dlpack(theirs))
    theirs[0] = 42
    ours = from_dlpack(again)  # handed over again after a change: that orders the streams of a GPU
    print(f"{name:8} {ours}")
    print(f"{'':8} the same memory: {address(again) == address(theirs)}, on device {ours.__dlpack_device__()}")
    assert address(again) == address(theirs) and float(again[0]) == 42 and "42" in repr(ours)


def main():
    numpy = importlib.import_module("numpy")
    there_and_back("NumPy", numpy, numpy.arange(5.0), lambda x: x.__array_interface__["data"][0])
    for name in ("torch", "cupy"):
        try:
            library = importlib.import_module(name)
        except ImportError:
            print(f"{name:8} is not installed")
            continue
        if name == "torch":
            there_and_back("PyTorch", library, library.arange(5.0), lambda x: x.data_ptr())
            if library.cuda.is_available():
                there_and_back("PyTorch", library, library.arange(5.0, device="cuda"), lambda x: x.data_ptr())
        elif library.cuda.is_available():
            there_and_back("CuPy", library, library.arange(5.0), lambda x: x.data.ptr)


if __name__ == "__main__":
    main()
