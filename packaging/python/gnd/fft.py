"""gnd.fft: numpy.fft, the array API's extension, and scipy.fft's cosine and sine transforms."""

from . import _calls
from ._array import asarray
from ._devices import Device
from ._module import lazily

__getattr__, __dir__ = lazily("fft", globals())
_c = _calls.make


def _one(name):
    def transform(a, /, n=None, axis=-1, norm=None, out=None):
        n = -1 if n is None else n
        return _c(name)(a, n, axis, norm) if out is None else (_c(name + "_into")(out, a, n, axis, norm), out)[1]
    transform.__name__ = name
    return transform


def _many(name, whole=None):
    def transform(a, /, s=None, axes=whole, norm=None, out=None):
        a = asarray(a)
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        if s is not None:
            s = tuple(a.shape[axis] if size == -1 else size for size, axis in zip(s, axes, strict=True))
        return _c(name)(a, s, axes, norm) if out is None else (_c(name + "_into")(out, a, s, axes, norm), out)[1]
    transform.__name__ = name
    return transform


fft, ifft, rfft, irfft, hfft, ihfft = map(_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(_many, ("fftn", "ifftn", "rfftn", "irfftn"))
fft2, ifft2, rfft2, irfft2 = (_many(name, (-2, -1)) for name in ("fft2", "ifft2", "rfft2", "irfft2"))


def _frequencies(name):
    def frequencies(n, /, d=1.0, *, dtype=None, device=None):
        made = _c(name)(n, d)
        return asarray(made, dtype=dtype, device=device and Device(device))
    return frequencies


fftfreq, rfftfreq = _frequencies("fftfreq"), _frequencies("rfftfreq")


def fftshift(x, /, axes=None):
    return _c("fftshift")(x, axes)


def ifftshift(x, /, axes=None):
    return _c("ifftshift")(x, axes)
