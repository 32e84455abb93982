"""The array: NumPy's operators, indexing, methods and protocols over an owned reference to a gnd_array."""

import ctypes
import sys

from . import _convert, _dtypes, _exchange
from ._convert import Arg, axes, items, number
from ._interface import OPERATORS
from ._library import C, OF_INDICES, check, raw, wait

_A, _S = "gnd_array *", "gnd_status"
_release = raw("release", "void", _A)
_ndim, _size = raw("ndim", "int", _A), raw("size", "int64_t", _A)
_dim, _stride = raw("dim", "int64_t", _A, "int"), raw("stride", "int64_t", _A, "int")
_dtype_of, _device_of = raw("dtype_of", "int", _A), raw("device_of", "gnd_device", _A)
_data, _c, _f = raw("data", "void *", _A), raw("is_c_contiguous", "bool", _A), raw("is_f_contiguous", "bool", _A)
_readonly, _is_view = raw("is_readonly", "bool", _A), raw("is_view", "bool", _A)
_get = raw("get", _A, _A, "int", "const gnd_index *")
_set = raw("set", _S, _A, "int", "const gnd_index *", "gnd_arg")
_parts = raw("item_parts", _S, _A, "double *", "double *")
_item_int, _item_uint = raw("item_int", "int64_t", _A), raw("item_uint", "uint64_t", _A)
_item_bool = raw("item_bool", "bool", _A)
_asarray = raw("asarray", _A, _A, "const gnd_asarray_options *")
_CPU = C["CPU"]


def wrap(pointer):
    """The ndarray that owns what a function returned; its error if that is NULL."""
    if not pointer:
        check()
        return None
    made = new(ndarray)
    made._pointer, made._arg = pointer, None
    return made


new = object.__new__


def _binary(name, reflected=False):
    function, checked = raw(name, _A, "gnd_arg", "gnd_arg"), OPERATORS[name][2]

    def operator(self, other):
        if type(other) is not ndarray and (isinstance(other, str) or other is None):
            return NotImplemented
        a, b = self._arg or self._make_arg(), number(other)
        made = wrap(function(b, a) if reflected else function(a, b))
        if checked and self._on_cpu:
            wait()
        return made

    return operator


def _inplace(name):
    function = raw(name + "_into", _S, _A, "gnd_arg", "gnd_arg")

    def operator(self, other):
        if function(self._pointer, self._arg or self._make_arg(), number(other)):
            check()
        return self

    return operator


def _unary(name):
    function = raw(name, _A, "gnd_arg")
    return lambda self: wrap(function(self._arg or self._make_arg()))


class ndarray:
    """An n-dimensional array of gnd, on the CPU or a GPU. Made by gnd.array, gnd.zeros and the like."""

    __slots__ = ("_pointer", "_arg", "__weakref__")
    __array_ufunc__ = None  # NumPy's operators leave the work to gnd
    __array_priority__ = 100
    __hash__ = None

    def __new__(cls, shape, dtype=None, buffer=None):
        from . import asarray, empty
        return empty(shape, dtype=dtype) if buffer is None else asarray(buffer, dtype=dtype).reshape(shape)

    def __del__(self, release=_release):
        if self._pointer:
            release(self._pointer)

    def _make_arg(self):
        made = Arg()
        made.kind, made.word = C["ARG_ARRAY"], self._pointer
        self._arg = made
        return made

    @property
    def _as_parameter_(self):
        return ctypes.c_void_p(self._pointer)

    # ---- what it is ----

    @property
    def ndim(self):
        return _ndim(self._pointer)

    @property
    def size(self):
        return _size(self._pointer)

    @property
    def shape(self):
        pointer = self._pointer
        return tuple([_dim(pointer, k) for k in range(_ndim(pointer))])

    @property
    def strides(self):
        pointer = self._pointer
        return tuple([_stride(pointer, k) for k in range(_ndim(pointer))])

    @property
    def dtype(self):
        return _dtypes.BY_CODE[_dtype_of(self._pointer)]

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def device(self):
        from ._devices import Device
        return Device(_device_of(self._pointer))

    @property
    def flags(self):
        """A dictionary of C_CONTIGUOUS, F_CONTIGUOUS, OWNDATA and WRITEABLE."""
        p = self._pointer
        return {"C_CONTIGUOUS": _c(p), "F_CONTIGUOUS": _f(p), "OWNDATA": not _is_view(p), "WRITEABLE": not _readonly(p)}

    @property
    def T(self):
        return _functions().transpose(self)

    @property
    def mT(self):
        return _functions().matrix_transpose(self)

    @property
    def real(self):
        return _functions().real(self)

    @property
    def imag(self):
        return _functions().imag(self)

    @property
    def flat(self):
        return iter(self.ravel())

    def __len__(self):
        if not self.ndim:
            raise TypeError("a 0-d array has no length")
        return _dim(self._pointer, 0)

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    # ---- indexing ----

    def __getitem__(self, key):
        if type(key) is ndarray and self._pointer == key._pointer:
            key = key.copy()
        count, list_ = items(key)
        made = self._indexed(count, list_)
        if hasattr(list_, "_keep") and self._on_cpu:
            wait()  # an index out of range is an IndexError here, and on a GPU at the next wait
        return made

    def _indexed(self, count, list_):
        pointer = _get(self._pointer, count, list_)
        if not pointer:
            check(OF_INDICES)
        return wrap(pointer)

    def __setitem__(self, key, value):
        count, list_ = items(key)
        if _set(self._pointer, count, list_, number(value)):
            try:
                check()
            except ValueError:
                self._indexed(count, list_)  # an IndexError, unless it is the value that does not fit
                raise
        if hasattr(list_, "_keep") and self._on_cpu:
            wait()

    @property
    def _on_cpu(self):
        return _device_of(self._pointer).kind == _CPU

    # ---- one element ----

    def item(self, *index):
        """The one element, or that of an index, as a number of Python's. Waits."""
        if index:
            index = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
            return (self.ravel()[index[0]] if len(index) == 1 and self.ndim != 1 else self[index]).item()
        kind, pointer = self.dtype.kind, self._pointer
        if kind in "biu":
            value = {"b": _item_bool, "i": _item_int, "u": _item_uint}[kind](pointer)
            check()
            return value
        re, im = ctypes.c_double(), ctypes.c_double()
        if _parts(pointer, ctypes.byref(re), ctypes.byref(im)):
            check()
        return complex(re.value, im.value) if kind == "c" else re.value

    def _scalar(self):
        if self.size != 1 or self.ndim:
            raise TypeError("only an array without dimensions is a number of Python's")
        return self.item()

    def __bool__(self):
        if self.size != 1:
            raise ValueError("the truth of an array with other than one element is ambiguous: use any() or all()")
        return bool(self.item())

    def __int__(self):
        return int(self._scalar())

    def __float__(self):
        return float(self._scalar())

    def __complex__(self):
        return complex(self._scalar())

    def __index__(self):
        if self.dtype.kind not in "iu" or self.ndim:
            raise TypeError("only an integer array without dimensions is an index")
        return self.item()

    def tolist(self):
        """Nested lists of Python's numbers. Waits."""
        return _exchange.to_list(self)

    # ---- methods that functions do not give ----

    def astype(self, dtype, order="K", casting="unsafe", copy=True, device=None):
        return _functions().astype(self, dtype, copy=copy, casting=casting, device=device)

    def copy(self, order="C"):
        return asarray(self, copy=True, order=order)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def view(self, dtype=None):
        return self[...] if dtype is None else _functions().view(self, dtype)

    def fill(self, value):
        self[...] = value

    def reshape(self, *shape, order="C", copy=None):
        return _functions().reshape(self, shape[0] if len(shape) == 1 else shape, order=order, copy=copy)

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return _functions().transpose(self, axes)

    def sort(self, axis=-1):
        """Sorts in place."""
        self[...] = _functions().sort(self, axis=axis)

    def to_device(self, device, /, *, stream=None):
        return asarray(self, device=device)

    def get(self):
        """A NumPy array with the elements, as CuPy's method. Waits."""
        return self.__array__(copy=True)

    def __getattr__(self, name):
        """Methods are the functions that NumPy's arrays have as methods."""
        if name in METHODS:
            function = getattr(_functions(), name)
            return lambda *args, **kwargs: function(self, *args, **kwargs)
        raise AttributeError(f"gnd's ndarray has no {name!r}")

    def __dir__(self):
        return sorted(set(object.__dir__(self)) | METHODS)

    # ---- protocols ----

    @property
    def __array_interface__(self):
        return _exchange.array_interface(self, _data)

    @property
    def __cuda_array_interface__(self):
        return _exchange.cuda_array_interface(self, _data)

    def __array__(self, dtype=None, copy=None):
        return _exchange.to_numpy(self, dtype, copy)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return _exchange.to_dlpack(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self):
        return _exchange.dlpack_device(self)

    def __array_namespace__(self, /, *, api_version=None):
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError(f"gnd has no array API of version {api_version!r}")
        return _functions()

    def __reduce__(self):
        return _exchange.from_bytes, (_exchange.to_bytes(self), self.dtype.name, self.shape)

    def __repr__(self):
        return _exchange.repr(self)

    def __str__(self):
        return _exchange.text(self)

    def __format__(self, spec):
        return format(self.item(), spec) if spec and self.size == 1 else str(self)

    # ---- operators ----

    def __divmod__(self, other):
        return _functions().divmod(self, other)

    def __rdivmod__(self, other):
        return _functions().divmod(other, self)


for _name, _function in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
                         "floordiv": "floor_divide", "mod": "remainder", "pow": "power", "and": "bitwise_and",
                         "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift",
                         "rshift": "right_shift"}.items():
    setattr(ndarray, f"__{_name}__", _binary(_function))
    setattr(ndarray, f"__r{_name}__", _binary(_function, reflected=True))
    setattr(ndarray, f"__i{_name}__", _inplace(_function))
for _name, _function in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
                         "ne": "not_equal"}.items():
    setattr(ndarray, f"__{_name}__", _binary(_function))
for _name, _function in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
    setattr(ndarray, f"__{_name}__", _unary(_function))


def _matmul(self, other):
    return _functions().matmul(self, other)


def _imatmul(self, other):
    self[...] = _functions().matmul(self, other)
    return self


ndarray.__matmul__, ndarray.__imatmul__ = _matmul, _imatmul
ndarray.__rmatmul__ = lambda self, other: _functions().matmul(other, self)

METHODS = set("""all any argmax argmin argpartition argsort byteswap choose clip compress conj conjugate cumprod cumsum
diagonal dot flatten max mean min nonzero partition prod ptp put ravel repeat round searchsorted squeeze std sum
swapaxes take trace var""".split())


def _functions():
    return sys.modules["gnd"]


# ---- making arrays ------------------------------------------------------------------------------------

_Options = _convert.struct("gnd_asarray_options")


def asarray(value, dtype=None, order=None, *, device=None, copy=None):
    """numpy.asarray: of an array of gnd or of any library, a number, nested lists, or a buffer."""
    if not isinstance(value, ndarray):
        value, copied = _exchange.from_object(value, dtype, device, copy is False)
        copy = None if copied else copy
    wanted = _Options()
    wanted.dtype = _dtypes.code(dtype)
    if order in ("C", "F"):
        wanted.order = order.encode()
    if device is not None:
        place = _convert.device(device)
        wanted.device = ctypes.addressof(place)
    wanted.copy = {None: C["COPY_IF_NEEDED"], True: C["COPY_ALWAYS"], False: C["COPY_NEVER"]}[copy]
    return wrap(_asarray(value._pointer, ctypes.byref(wanted)))


def array(value, dtype=None, *, copy=True, order="K", ndmin=0, device=None):
    """numpy.array: asarray, with a copy."""
    made = asarray(value, dtype, order, device=device, copy=copy)
    return made.reshape((1,) * (ndmin - made.ndim) + made.shape) if made.ndim < ndmin else made


_convert.ndarray, _convert.asarray = ndarray, asarray
