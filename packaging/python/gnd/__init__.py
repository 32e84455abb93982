"""gnd: NumPy's arrays on a GPU, and on the CPU.

    import gnd
    x = gnd.linspace(0, 1, 1000, dtype="float32")
    y = gnd.sin(x).sum()

Names are NumPy's (and SciPy's, in gnd.signal); docs/guide/python.md has what differs. The functions are made from the
C library's headers where they are first used: gnd.NAME calls gnd_NAME.
"""

from math import e, inf, nan, pi

from ._array import array, asarray, ndarray
from ._devices import Device, Event, Stream, current_device, devices, fuse, gpu_unavailable, synchronize
from ._dtypes import (bfloat16, bool_, complex64, complex128, double, dtype, finfo, float16, float32, float64, half,
                      iinfo, int8, int16, int32, int64, isdtype, single, uint8, uint16, uint32, uint64)
from ._exchange import from_dlpack
from ._interface import CONSTANTS as _CONSTANTS
from ._interface import FUNCTIONS as _FUNCTIONS
from ._interface import NAMES as _NAMES
from ._library import AxisError, Error, __version__


bool = bool_
newaxis = None
asanyarray = asarray
__array_api_version__ = "2024.12"
_LATER = ("random", "linalg", "fft", "signal")  # modules, loaded at first use


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"gnd has no {name!r}")
    if name in _LATER:
        from importlib import import_module
        return import_module(f"gnd.{name}")
    from . import _calls, _numpy
    found = getattr(_numpy, name, None) if name in _numpy.__all__ else None
    if found is None:
        found = _calls.make(_NAMES[""].get(name, name))
    if found is None:
        found = _CONSTANTS.get(name)
    if found is None:
        raise AttributeError(f"gnd has no {name!r}")
    globals()[name] = found
    return found


def __dir__():
    from . import _numpy
    return sorted(set(globals()) | set(_FUNCTIONS) | set(_NAMES[""]) | set(_numpy.__all__) | set(_LATER))


def __array_namespace_info__():
    """The array API's description of this namespace."""
    from ._numpy import array_namespace_info
    return array_namespace_info()


def doc(name):
    """The comment of a function in the C headers."""
    from . import _calls
    return _calls.doc(name)
