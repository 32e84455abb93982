"""What the tests of the array API standard share: arrays in the standard's dtypes and shapes, drawn by Hypothesis as
NumPy's, and comparison with what NumPy makes of them. NumPy 2 is a namespace of the standard, so it is the oracle here;
where it departs from the standard, a test says what the standard demands.

The properties are those that data-apis/array-api-tests checks; it is not needed here, and none of it is copied."""

import os

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

import gnd

SIGNED, UNSIGNED = ("int8", "int16", "int32", "int64"), ("uint8", "uint16", "uint32", "uint64")
INTEGERS, FLOATS, COMPLEX = SIGNED + UNSIGNED, ("float32", "float64"), ("complex64", "complex128")
REAL, FLOATING = INTEGERS + FLOATS, FLOATS + COMPLEX
NUMERIC = REAL + COMPLEX
ALL = ("bool",) + NUMERIC

# The same examples in each run, and few of them; EXAMPLES=2000 draws more.
quick = settings(max_examples=int(os.environ.get("EXAMPLES", 12)), derandomize=True, deadline=None, database=None,
                 suppress_health_check=list(HealthCheck))


def shapes(min_dims=0, max_dims=3, min_side=0, max_side=4):
    return nps.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=min_side, max_side=max_side)


def elements(dtype, **bounds):
    """Numbers of a dtype. Of floats: any, or moderate ones with wide=False, whose sums and products are exact enough
    to be compared."""
    dtype = np.dtype(dtype)
    if not bounds.pop("wide", True) and dtype.kind in "fc":
        real = st.integers(-256, 256).map(lambda n: n / 16)
        return real if dtype.kind == "f" else st.builds(complex, real, real)
    return nps.from_dtype(dtype, **(bounds if dtype.kind in "fc" else {}))


@st.composite
def arrays(draw, dtypes=ALL, shape=None, **bounds):
    """An array of NumPy's, of one of the dtypes."""
    dtype = draw(st.sampled_from(dtypes)) if not isinstance(dtypes, str) else dtypes
    return draw(nps.arrays(dtype, shapes() if shape is None else shape, elements=elements(dtype, **bounds)))


# The pairs of dtypes that the standard promotes: of one kind, but for uint64 and signed integers.
PAIRS = [(a, b) for a in ALL for b in ALL
         if a == b or {a, b} <= set(INTEGERS) and not ("uint64" in (a, b) and {a, b} & set(SIGNED))
         or {a, b} <= set(FLOATS) or {a, b} <= set(COMPLEX)]


def pairs(dtypes=ALL):
    return st.sampled_from([p for p in PAIRS if set(p) <= set(dtypes)])


def same(got, want, rtol=None):
    """The shape, the dtype and the elements of NumPy's array: equal, with the sign of zero, or within rtol."""
    want = np.asarray(want)
    assert isinstance(got, gnd.ndarray), type(got)
    assert got.shape == want.shape, f"shape {got.shape}, not {want.shape}"
    assert got.dtype == want.dtype, f"dtype {got.dtype}, not {want.dtype}"
    values = got.get()
    if rtol is None:
        np.testing.assert_array_equal(values, want)
        for part in (("real", "imag") if want.dtype.kind == "c" else ("real",) if want.dtype.kind == "f" else ()):
            zeros = getattr(want, part) == 0
            np.testing.assert_array_equal(np.signbit(getattr(values, part)[zeros]),
                                          np.signbit(getattr(want, part)[zeros]))
    else:
        scale = np.abs(want[np.isfinite(want)]).max(initial=0) if want.dtype.kind in "fc" else 0
        np.testing.assert_allclose(values, want, rtol=rtol, atol=rtol * scale)


def tolerance(dtype):
    return 1e-5 if np.dtype(dtype) in ("float32", "complex64") else 1e-12


def axes(ndim, none=True):
    """None, an axis or several of them."""
    one = st.integers(-ndim, ndim - 1)
    several = st.lists(one, unique_by=lambda a: a % ndim, max_size=ndim).map(tuple)
    return st.one_of(*([one, several] if ndim else [st.just(())]), *([st.none()] if none else []))
