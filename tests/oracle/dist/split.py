"""A binding to libgnd_dist.so for ranks.py: arrays that are split over a mesh, beside gnd.py's Array."""

import ctypes
import os
from pathlib import Path

import numpy as np

import dtypes
import gnd

WHOLE = -1000
lib = ctypes.CDLL(str(Path(gnd.LIBRARY).resolve().parent / "libgnd_dist.so"))
mpi = ctypes.CDLL(os.environ["GND_ORACLE_MPI"], mode=ctypes.RTLD_GLOBAL)


class CLayout(ctypes.Structure):
    _fields_ = [("axis", ctypes.c_int * 2), ("count", ctypes.c_int * 2), ("cuts", ctypes.POINTER(ctypes.c_int64) * 2),
                ("reserved", ctypes.c_void_p * 2)]


class CArg(ctypes.Structure):
    _fields_ = [("dist", ctypes.c_void_p), ("arg", gnd.STRUCTS["gnd_arg"]), ("is_dist", ctypes.c_bool)]


class ApplyOptions(ctypes.Structure):
    _fields_ = [("where", ctypes.c_void_p), ("dtype", ctypes.c_int), ("casting", ctypes.c_int),
                ("reserved", ctypes.c_void_p * 4)]


class ReduceOptions(ctypes.Structure):
    _fields_ = [("where", ctypes.c_void_p), ("ddof", ctypes.c_double), ("order", ctypes.c_double),
                ("reserved", ctypes.c_void_p * 4)]


class Layout:
    """The axes of the array that are split along each axis of the mesh, and cuts: Layout(0), Layout(0, 1), Layout()."""

    def __init__(self, *axis, cuts=None):
        self.axis = [*axis, WHOLE, WHOLE][:2]
        self.cuts = cuts

    def c(self):
        made = CLayout((ctypes.c_int * 2)(*self.axis))
        if self.cuts is not None:
            self.room = (ctypes.c_int64 * len(self.cuts))(*self.cuts)
            made.count[0], made.cuts[0] = len(self.cuts), self.room
        return made

    def __repr__(self):
        return f"Layout{tuple(self.axis)}" + (f" cut at {list(self.cuts)}" if self.cuts is not None else "")


COPIES = Layout()


def call(name, *arguments, result=ctypes.c_void_p):
    """A function of the library; raises gnd.Error where it reports an error."""
    raw = getattr(lib, name)
    raw.restype = result
    answer = raw(*arguments)
    error = gnd.pending_error()
    if error is not None:
        raise error
    return answer


def pointer(x):
    return ctypes.c_void_p(x.pointer if x is not None else None)


class Mesh:
    def __init__(self, address):
        assert address, gnd.pending_error()
        self.pointer = address
        self.size, self.rank = self._int("gnd_mesh_size"), self._int("gnd_mesh_rank")

    def _int(self, name, *arguments):
        return call(name, pointer(self), *arguments, result=ctypes.c_int)

    def extent(self, axis):
        return self._int("gnd_mesh_extent", axis)

    def place(self, axis):
        return self._int("gnd_mesh_place", axis)

    def grid(self, *sizes):
        return Mesh(call("gnd_mesh_grid", pointer(self), gnd.shape(sizes)))

    def barrier(self):
        call("gnd_mesh_barrier", pointer(self), result=ctypes.c_int)

    def set_timeout(self, seconds):
        call("gnd_mesh_set_timeout", pointer(self), ctypes.c_double(seconds), result=ctypes.c_int)

    def release(self):
        call("gnd_mesh_release", pointer(self), result=None)


def world():
    mpi.oracle_mesh.restype = ctypes.c_void_p
    return Mesh(mpi.oracle_mesh())


class Split:
    """An owned gnd_dist."""

    def __init__(self, address):
        assert address, "NULL without an error"
        self.pointer = address

    def __del__(self):
        call("gnd_dist_release", pointer(self), result=None)

    @property
    def shape(self):
        raw = lib.gnd_dist_shape_of
        raw.restype = type(gnd.shape(()))
        sizes = raw(pointer(self))
        return tuple(sizes.dim[:sizes.ndim])

    @property
    def dtype(self):
        return gnd.DTYPE_NAMES[call("gnd_dist_dtype_of", pointer(self), result=ctypes.c_int)]

    def local(self):
        return gnd.Array(call("gnd_dist_local", pointer(self)))

    def part(self, rank):
        start, count = (ctypes.c_int64 * 64)(), (ctypes.c_int64 * 64)()
        call("gnd_dist_part", pointer(self), rank, start, count, result=ctypes.c_int)
        n = len(self.shape)
        return tuple(slice(s, s + c) for s, c in zip(start[:n], count[:n]))

    def gather(self, root=-1):
        """The whole array on rank `root`, or on all; None elsewhere."""
        address = call("gnd_dist_gather", pointer(self), root)
        return gnd.Array(address) if address else None

    def redistribute(self, layout):
        return Split(call("gnd_dist_redistribute", pointer(self), layout.c()))

    def slice(self, text):
        return Split(call("gnd_dist_slice", pointer(self), text.encode()))

    def permute(self, *axes):
        return Split(call("gnd_dist_permute", pointer(self), gnd.axes(axes)))

    def reshape(self, shape):
        return Split(call("gnd_dist_reshape", pointer(self), gnd.shape(shape)))

    def astype(self, dtype):
        return Split(call("gnd_dist_astype", pointer(self), gnd.dtype_code(dtype)))

    def halo(self, before, after, wrap):
        n = len(before)
        return gnd.Array(call("gnd_dist_halo", pointer(self), (ctypes.c_int64 * n)(*before),
                              (ctypes.c_int64 * n)(*after), int(wrap)))

    def reduce(self, name, axes, layout, where=None, ddof=0.0, order=0.0):
        options = ReduceOptions(where.pointer if where else None, ddof, order)
        return Split(call("gnd_dist_reduce", name.encode(), pointer(self), gnd.axes(axes), layout.c(),
                          ctypes.byref(options)))

    def matmul(self, other, layout):
        return Split(call("gnd_dist_matmul", pointer(self), pointer(other), layout.c()))

    def transform(self, name, sizes, axes, norm, layout):
        """fftn, ifftn, rfftn or irfftn."""
        sizes = gnd.shape(sizes or ())
        return Split(call("gnd_dist_" + name, pointer(self), sizes, gnd.axes(axes), norm, layout.c()))

    def solve(self, name, other, layout):
        """solve, cholesky_solve, lstsq; cholesky without another."""
        others = [pointer(other)] if other is not None else []
        return Split(call("gnd_dist_" + name, pointer(self), *others, layout.c()))

    def conjugate_gradients(self, operator):
        """x with operator(x) = self, where `operator` takes and returns addresses."""
        function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(lambda _, x: operator(x))
        return Split(call("gnd_dist_cg", function, None, pointer(self), None, None))

    def item(self, kind="double"):
        return call("gnd_dist_item_" + kind, pointer(self),
                    result=ctypes.c_double if kind == "double" else ctypes.c_int64)


def scatter(mesh, values, layout, root=0):
    """A NumPy array of rank `root`, split."""
    whole = gnd.from_numpy(values) if mesh.rank == root else None
    return Split(call("gnd_dist_scatter", pointer(mesh), pointer(whole), root, layout.c()))


def from_local(mesh, block, layout):
    local = gnd.from_numpy(block)
    return Split(call("gnd_dist_from_local", pointer(mesh), pointer(local), layout.c()))


def full(mesh, shape, value, dtype, layout):
    return Split(call("gnd_dist_full", pointer(mesh), gnd.shape(shape), gnd.arg(value), gnd.dtype_code(dtype),
                      layout.c()))


def arange(mesh, start, stop, step, dtype, layout):
    return Split(call("gnd_dist_arange", pointer(mesh), gnd.arg(start), gnd.arg(stop), gnd.arg(step),
                      gnd.dtype_code(dtype), layout.c()))


def arg(value):
    if isinstance(value, Split):
        return CArg(value.pointer, gnd.arg(None), True)
    return CArg(None, gnd.arg(value), False)


def apply(name, *operands, where=None, dtype=None):
    """An operator by its name, on Splits, Arrays and numbers."""
    list_ = (CArg * len(operands))(*map(arg, operands))
    options = ApplyOptions(where.pointer if where else None, gnd.dtype_code(dtype))
    return Split(call("gnd_dist_apply", name.encode(), len(operands), list_, ctypes.byref(options)))


def apply_two(name, *operands):
    first, second = ctypes.c_void_p(), ctypes.c_void_p()
    list_ = (CArg * len(operands))(*map(arg, operands))
    call("gnd_dist_apply_two", ctypes.byref(first), ctypes.byref(second), name.encode(), len(operands), list_, None,
         result=ctypes.c_int)
    return [Split(first.value), Split(second.value)]


def numpy_of(x):
    """The whole of a Split on every rank, as NumPy has it."""
    return np.asarray(x.gather().numpy(), dtypes.DTYPES[x.dtype])
