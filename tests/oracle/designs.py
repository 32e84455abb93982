"""How the oracle calls functions of gnd/filter_design.h and gnd/polynomial.h."""

import contextlib
import ctypes

import numpy as np
import pytest

import gnd

OUTPUTS = {"ba": gnd.BA, "zpk": gnd.ZPK, "sos": gnd.SOS}
BANDS = {"lowpass": gnd.LOWPASS, "highpass": gnd.HIGHPASS, "bandpass": gnd.BANDPASS, "bandstop": gnd.BANDSTOP}


@contextlib.contextmanager
def refusal(code):
    """What is called inside fails with this code."""
    with pytest.raises(gnd.Error) as error:
        yield
    assert error.value.code == code, error.value


def doubles(values):
    """A list of doubles, and its length before it."""
    values = np.atleast_1d(np.asarray(values, float))
    return len(values), (ctypes.c_double * max(len(values), 1))(*values)


def struct(name, **fields):
    result = gnd.STRUCTS[name]()
    for key, value in fields.items():
        setattr(result, key, value)
    return result


def window(given):
    """A gnd_window for a window as SciPy takes it."""
    result = gnd.STRUCTS["gnd_window"]()
    if given is None:
        return result
    if not isinstance(given, (str, tuple)):
        given = ("kaiser", given)
    given = (given,) if isinstance(given, str) else given
    result.name = given[0].encode()
    params = np.hstack([np.asarray(p, float) for p in given[1:]]) if len(given) > 1 else []
    result.count = len(params)
    for i, value in enumerate(params):
        result.params[i] = value
    return result


def options_of(**given):
    fields = {"band": BANDS[given.get("btype", "lowpass")], "output": OUTPUTS[given.get("output", "ba")],
              "analog": given.get("analog", False), "fs": given.get("fs") or 0.0}
    return struct("gnd_iir_options", **fields)


def filter_of(name, *arguments):
    """The NumPy arrays (and k) that a function gives in a gnd_filter_design."""
    f = gnd.STRUCTS["gnd_filter_design"]()
    gnd.function(name)(f, *arguments)
    parts = {key: gnd.Array(getattr(f, key)).numpy() for key in ("b", "a", "z", "p", "sos") if getattr(f, key)}
    parts = parts | {"k": f.k}
    for key in ("b", "a", "z", "p", "sos"):
        setattr(f, key, None)  # the Arrays above own them
    gnd.filter_design_release(f)
    assert f.k == 0
    return parts


def same_sets(got, want, tolerance=1e-9):
    """Whether two lists of complex numbers are the same, in some order."""
    got, left = list(np.ravel(got)), list(np.ravel(want))
    assert len(got) == len(left), f"{len(got)} numbers, not {len(left)}"
    scale = max([abs(x) for x in left], default=1) or 1
    for x in got:
        i = int(np.argmin([abs(x - y) for y in left]))
        assert abs(x - left[i]) <= tolerance * max(scale if abs(left[i]) < 1e-3 * scale else abs(left[i]), 1e-300), (
            f"{x} is not {left[i]}")
        left.pop(i)


def near(got, want, tolerance=1e-10):
    """Whether arrays agree to a part of their largest element."""
    got = got.numpy() if isinstance(got, gnd.Array) else np.asarray(got)
    want = np.asarray(want)
    assert got.shape == want.shape, f"{got.shape}, not {want.shape}"
    if want.size:
        scale = np.abs(want).max()
        error = np.abs(got - want).max()
        assert error <= tolerance * max(scale, 1e-300), f"off by {error} of {scale}"
