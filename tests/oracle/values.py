"""Operands for the tests: values where functions go wrong, and layouts where strides do; and lists of them as
the library takes and gives them."""

import ctypes
import zlib
from collections import namedtuple

import numpy as np

import dtypes
import gnd

# ---- values -------------------------------------------------------------------------------------------

_TINY = {"float16": (2.0**-14, 2.0**-24), "bfloat16": (2.0**-126, 2.0**-133),
         "float32": (2.0**-126, 2.0**-149), "float64": (2.0**-1022, 2.0**-1074)}
_HUGE = {"float16": 65504.0, "bfloat16": 3.38e38, "float32": 3.4028234663852886e38,
         "float64": 1.7976931348623157e308}


def special_floats(name):
    normal, subnormal = _TINY[name]
    numbers = [0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 7.25, 0.1, 100.3, 1e4, 1e-3, 0.9999, 1.0001,
               _HUGE[name], normal, subnormal, normal * 0.75, np.inf]
    return np.array(numbers + [-x for x in numbers] + [np.nan])


def special_integers(name):
    info = np.iinfo(name)
    numbers = {0, 1, 2, 3, 5, 7, 8, 12, 15, 16, 31, 32, 33, 63, 64, 65, 100, info.max, info.max - 1,
               info.max // 2, info.max // 2 + 1, info.min, info.min + 1}
    numbers |= {-n for n in (1, 2, 3, 7, 12, 100)}
    return np.array(sorted(n for n in numbers if info.min <= n <= info.max), dtype=name)


def specials(name):
    """A vector of the values that matter most in this dtype."""
    if name == "bool":
        return np.array([False, True])
    if name in dtypes.INTEGERS:
        return special_integers(name)
    if name in dtypes.FLOATS:
        with np.errstate(over="ignore"):
            return dtypes.cast(special_floats(name), name)
    part = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 7.25, 100.3, -1e-3, np.inf, -np.inf, np.nan])
    real, imaginary = np.meshgrid(part, part)
    result = np.empty(real.size, name)
    result.real, result.imag = real.ravel(), imaginary.ravel()
    return result


def random_values(name, shape, generator, special_share=0.15):
    """Random values over the dtype's whole range and around 1, special ones mixed in."""
    size = int(np.prod(shape, dtype=np.int64))
    if name == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if name in dtypes.INTEGERS:
        info = np.iinfo(name)
        wide = generator.integers(info.min, info.max, size, dtype=name, endpoint=True)
        small = generator.integers(max(info.min, -20), 21, size).astype(name)
        values = np.where(generator.random(size) < 0.5, wide, small)
    elif name in dtypes.COMPLEX:
        part = "float32" if name == "complex64" else "float64"
        values = np.empty(size, name)
        values.real = random_values(part, (size,), generator, 0)
        values.imag = random_values(part, (size,), generator, 0)
        # Moderate sizes: what becomes of huge ones is the special values' business.
        values = np.where(np.abs(values) < 1e8, values, generator.normal(size=size)).astype(name)
    else:
        exponent = generator.uniform(-6, 4, size)
        wide = np.where(generator.random(size) < 0.5, 1, -1) * 10.0**exponent
        near = generator.normal(scale=3, size=size)
        values = dtypes.cast(np.where(generator.random(size) < 0.4, wide, near), name)
    if special_share:
        where = generator.random(size) < special_share
        values = np.array(values)
        values[where] = generator.choice(specials(name), int(where.sum()))
    return values.reshape(shape)


def finite_values(name, shape, generator, true_share=0.3):
    """Values whose sums of products can be told from wrong ones: integers of the whole range, which wrap around
    exactly, and floating numbers around 1."""
    if name == "bool":
        return generator.random(shape) < true_share
    if name in dtypes.INTEGERS:
        info = np.iinfo(name)
        return generator.integers(info.min, info.max, shape, dtype=name, endpoint=True)
    x = generator.normal(size=shape)
    if name in dtypes.COMPLEX:
        x = x + 1j * generator.normal(size=shape)
    return dtypes.cast(x, name)


# ---- layouts ------------------------------------------------------------------------------------------

# A layout is a recipe of steps from a C-contiguous base to a view; gnd.view() walks the same steps on
# its side, so that both views have the same strides. Steps: ("slice", text), ("permute", axes),
# ("broadcast", shape).
Layout = namedtuple("Layout", "name base steps")


def apply_numpy(base, steps):
    for kind, argument in steps:
        if kind == "slice":
            base = eval(f"base[{argument}]", {}, {"base": base, "None": None}) if argument else base
        elif kind == "permute":
            base = base.transpose(argument)
        else:
            base = np.broadcast_to(base, argument)
    return base


def layouts(shape):
    """Every kind of layout that a view of this shape can have."""
    shape = tuple(shape)
    n = len(shape)
    if n == 0:
        return [Layout("contiguous", (), []),
                Layout("offset", (3,), [("slice", "1, ...")])]
    everything = ", ".join([":"] * n)
    result = [
        Layout("contiguous", shape, []),
        Layout("negative", shape, [("slice", ", ".join(["::-1"] * n))]),
        Layout("offset", tuple(s + 3 for s in shape), [("slice", ", ".join(["2:-1"] * n))]),
        Layout("strided", tuple(2 * s for s in shape), [("slice", ", ".join(["::2"] * n))]),
        Layout("strided backwards", tuple(3 * s for s in shape),
               [("slice", ", ".join(["::-3"] * n))]),
        Layout("broadcast row", shape[1:], [("broadcast", shape)]),
        Layout("broadcast scalar", (), [("broadcast", shape)]),
    ]
    if n > 1:
        backwards = tuple(range(n))[::-1]
        rotated = tuple(range(1, n)) + (0,)
        inverse = tuple(int(i) for i in np.argsort(rotated))
        result += [
            Layout("transposed", shape[::-1], [("permute", backwards)]),
            Layout("rotated", tuple(shape[i] for i in inverse),
                   [("permute", tuple(int(i) for i in np.argsort(inverse)))]),
            Layout("transposed strided", tuple(2 * s for s in shape[::-1]),
                   [("permute", backwards), ("slice", ", ".join(["::-2"] + ["1::2"] * (n - 1)))]),
            Layout("broadcast column", shape[:-1] + (1,), [("broadcast", shape)]),
            Layout("one column", shape + (4,), [("slice", everything + ", 2")]),
        ]
    return result


def generator(*seed):
    """The same numbers in every run, others for every seed."""
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def operand(shape, dtype, g):
    """The same array on both sides, in a random layout."""
    layout = layouts(shape)[g.integers(len(layouts(shape)))]
    base = random_values(dtype, layout.base, g)
    return gnd.view(base, layout.steps), apply_numpy(base, layout.steps)


def finite_operand(shape, dtype, g, layout=None, true_share=0.3):
    """The same array of finite_values on both sides, in a random layout, or in the one of this name if the shape
    has it."""
    every = layouts(shape)
    named = [one for one in every if one.name == layout]
    chosen = named[0] if named else every[0] if layout else every[g.integers(len(every))]
    base = np.asarray(finite_values(dtype, chosen.base, g, true_share))
    return gnd.view(base, chosen.steps), apply_numpy(base, chosen.steps)


def listed(arrays):
    """A list of Arrays as the library takes it, which keeps them alive."""
    result = (ctypes.c_void_p * max(len(arrays), 1))(*[a.pointer for a in arrays])
    result.arrays = arrays
    return result


def numbers(list_):
    return (ctypes.c_int64 * max(len(list_), 1))(*list_)


def taken(count, call):
    """What a call that gives `count` arrays puts into a list."""
    room = gnd.outputs(max(count, 1))
    call(room)
    return gnd.take(room)[:count]
