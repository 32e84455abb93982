"""astype between all pairs of dtypes, out-of-range values included, and copies in every layout."""

import numpy as np
import pytest

import dtypes
import gnd
import values
from check import assert_same

# Values at the edges of every integer type, as far as a float holds them.
EDGES = np.array([x + d for p in (7, 8, 15, 16, 31, 32, 63, 64) for x in (2.0**p, -(2.0**p))
                  for d in (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0)] + [1e19, -1e19, 1e30, 2.0**53 + 2, 0.9, -0.9])


def source(name, g):
    special = values.specials(name)
    drawn = values.random_values(name, (400,), g)
    made = np.concatenate([special, drawn])
    if name in dtypes.FLOATS:
        with np.errstate(all="ignore"):
            made = np.concatenate([made, dtypes.cast(EDGES, name)])
    if name in dtypes.COMPLEX:
        with np.errstate(all="ignore"):
            made = np.concatenate([made, (EDGES + 1j).astype(name)])
    return made


def converted(x, bits):
    """cvttss2si and cvttsd2si: toward zero; the lowest integer for NaN and all that does not fit."""
    wide = np.trunc(np.asarray(x, np.longdouble))
    inside = np.isfinite(wide) & (wide >= -(2.0**(bits - 1))) & (wide < 2.0**(bits - 1))
    return np.where(inside, wide, -np.longdouble(2)**(bits - 1)).astype(f"int{bits}")


def out_of_range(x, name):
    """A float that no `name` holds, as NumPy's loops on x86-64 have it: integers of 8 and 16 bits are
    the low bits of an int32, unsigned ones of 32 and 64 bits are made of two signed halves."""
    with np.errstate(all="ignore"):
        if x.dtype == np.float16 and name == "uint32":
            return converted(x, 64).astype(name)
        if name in ("uint32", "uint64"):
            bits = int(name[4:])
            x = x.astype(np.float32) if x.dtype == np.float16 else x
            half = x.dtype.type(2.0**(bits - 1))
            upper = converted(x - half, bits).astype(name) ^ np.array(2**(bits - 1), name)
            return np.where(x >= half, upper, converted(x, bits).astype(name))
        return converted(x, 64 if name == "int64" else 32).astype(name)


def in_range(x, name):
    info = np.iinfo(name)
    with np.errstate(all="ignore"):
        whole = np.trunc(np.asarray(x, np.longdouble))
        return np.isfinite(x) & (whole >= info.min) & (whole <= info.max)


@pytest.mark.parametrize("to", dtypes.NAMES)
@pytest.mark.parametrize("name", dtypes.NAMES)
def test_astype(name, to):
    x = source(name, np.random.default_rng(3))
    with np.errstate(all="ignore"):
        want = dtypes.cast(x, to)
        wide = dtypes.widen(x)
        wide = wide.real if wide.dtype.kind == "c" else wide
    got = gnd.astype(gnd.from_numpy(x), to).numpy()
    if to in dtypes.INTEGERS and wide.dtype.kind == "f":
        inside = in_range(wide, to)
        assert np.array_equal(got[inside], want[inside])
        # Beyond the range C leaves the result open, and NumPy's varies with the instructions it uses.
        expected = out_of_range(wide, to)
        wrong = ~inside & (got != expected)
        assert not wrong.any(), [(wide[i], got[i], expected[i], want[i])
                                 for i in np.flatnonzero(wrong)[:6]]
    else:
        assert_same(gnd.astype(gnd.from_numpy(x), to), want, f"{name} to {to}")


@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 3, 4), (35, 67)])
def test_layouts(shape):
    """astype and copy keep the order of axes; ascontiguous and asfortran change it."""
    g = np.random.default_rng(4)
    for layout in values.layouts(shape):
        for name, to in (("float32", "float64"), ("int16", "int8"), ("complex64", "complex128"),
                         ("bfloat16", "float32"), ("uint8", "bool")):
            base = values.random_values(name, layout.base, g)
            x = values.apply_numpy(base, layout.steps)
            a = gnd.view(base, layout.steps)
            with np.errstate(all="ignore"):
                cast = dtypes.cast(x, to)
            assert_same(gnd.astype(a, to), np.array(cast, order="K"), layout.name, strides=False)
            like = np.copy(x, order="K")
            copied = gnd.copy(a)
            assert_same(copied, like, layout.name)
            assert not gnd.shares_buffer(a, copied)
            want = x.astype(x.dtype, order="K")
            assert same_step_order(gnd.astype(a, to).strides, want.strides, x.shape)
            assert_same(gnd.ascontiguous(a), np.array(x, order="C"), layout.name)
            assert_same(gnd.asfortran(a), np.array(x, order="F"), layout.name)
            assert gnd.shares_buffer(a, gnd.ascontiguous(a)) == x.flags.c_contiguous
            assert gnd.shares_buffer(a, gnd.asfortran(a)) == x.flags.f_contiguous


def same_step_order(got, want, shape):
    """Whether two stride tuples sort the axes alike."""
    if 0 in shape:
        return True
    axes = [k for k, size in enumerate(shape) if size > 1]
    return sorted(axes, key=lambda k: got[k]) == sorted(axes, key=lambda k: want[k])
