"""What the tests of scipy.ndimage's functions share: options, and SciPy's names of modes."""

import ctypes

import numpy as np

import dtypes
import gnd

MODES = {"reflect": gnd.IMAGE_REFLECT, "constant": gnd.IMAGE_CONSTANT, "nearest": gnd.IMAGE_NEAREST,
         "mirror": gnd.IMAGE_MIRROR, "wrap": gnd.IMAGE_WRAP, "grid-constant": gnd.IMAGE_GRID_CONSTANT,
         "grid-wrap": gnd.IMAGE_GRID_WRAP, "grid-mirror": gnd.IMAGE_REFLECT}


def numbers(value):
    """A list as gnd_shape."""
    if value is None:
        return gnd.shape(())
    return gnd.shape((value,) if np.isscalar(value) else tuple(value))


def options(mode=None, cval=0.0, origin=None, axes=None, output=None, sigmas=None, truncate=0.0, order=None,
            radius=None):
    o = gnd.STRUCTS["gnd_image_options"]()
    if isinstance(mode, (list, tuple)):
        o.kept_modes = (ctypes.c_int * len(mode))(*[MODES[m] for m in mode])
        o.modes = ctypes.addressof(o.kept_modes)
    elif mode is not None:
        o.mode = MODES[mode]
    o.cval, o.truncate = cval, truncate
    o.origin, o.order, o.radius = numbers(origin), numbers(order), numbers(radius)
    if axes is not None:
        o.axes = gnd.axes(axes)
    if output is not None:
        o.output = gnd.dtype_code(output)
    if sigmas is not None:
        o.kept_sigmas = (ctypes.c_double * len(sigmas))(*sigmas)
        o.sigmas = ctypes.addressof(o.kept_sigmas)
    return o


def close(got, want, context, ulps=64, slack=0, scale=0.0):
    """As near as the dtype of the result and the float32 or float64 that it was computed in allow; integers to within
    `slack`. scale: of what is added up, which may cancel."""
    want = np.asarray(want)
    value = got.numpy()
    assert got.shape == want.shape, f"{context}: shape {got.shape}, not {want.shape}"
    if want.size == 0:
        return
    if value.dtype.kind in "biu":
        assert value.dtype == want.dtype, f"{context}: {value.dtype}, not {want.dtype}"
        far = np.abs(value.astype(object).ravel() - want.astype(object).ravel())
        assert max(far) <= slack, f"{context}: {value} is not {want}"
        return
    value = dtypes.wide(value) if value.dtype.kind != "c" else value
    eps = {2: 2.0**-10, 4: 2.0**-23, 8: 2.0**-52, 16: 2.0**-52}[got.numpy().dtype.itemsize]
    if got.dtype in ("bfloat16",):
        eps = 2.0**-7
    if got.dtype == "complex64":
        eps = 2.0**-23
    finite = np.isfinite(want)
    size = max(scale, np.abs(want[finite]).max() if finite.any() else 1)
    np.testing.assert_allclose(value, want, rtol=ulps * eps, atol=ulps * eps * max(size, 1e-300), err_msg=context)
