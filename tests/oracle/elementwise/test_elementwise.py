"""The backend matrix: every operator of ops.def, in every dtype and pair of dtypes it takes, over the
values where functions go wrong and over every kind of layout, against NumPy and SciPy.

A new row in ops.def is tested without a line here. Tests that belong to single operators are in
test_operators.py, the calls' other forms (into, where, dtype, casting) in test_apply.py.
"""

import zlib

import numpy as np
import pytest

import dtypes
import gnd
import headers
import reference
import values
from check import call_operator, check_outputs, needs_natural_numbers
from conftest import on_gpu

ROWS = {row.name: row for row in headers.read_operators()}
UNARY = [name for name, row in ROWS.items() if len(row.inputs) == 1]
BINARY = [name for name, row in ROWS.items() if len(row.inputs) == 2]
TERNARY = [name for name, row in ROWS.items() if len(row.inputs) == 3]


def generator(*seed):
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def operands(row, names, shape, g):
    """Random operands of one shape; position k has dtype names[k]."""
    made = [values.random_values(name, shape, g) for name in names]
    return repair(row, made)


def repair(row, made):
    """Replaces what the operator refuses by value: integers to negative powers."""
    if needs_natural_numbers(row, made):
        made[1] = np.where(made[1] < 0, 3, made[1]).astype(made[1].dtype)
    return made


def refused(row, made, **parameters):
    """Whether NumPy refuses these dtypes; then gnd must, too."""
    try:
        reference.expect(row, [m.reshape(-1)[:0] for m in made], **parameters)
        return False
    except TypeError:
        return True


def check(row, numpy_operands, gnd_operands=None):
    """One call against NumPy: dtype, shape, layout and values."""
    gnd_operands = gnd_operands or [gnd.from_numpy(x) for x in numpy_operands]
    if refused(row, numpy_operands):
        with pytest.raises(gnd.Error) as caught:
            call_operator(row, gnd_operands)
        assert caught.value.code == gnd.ERROR_DTYPE, caught.value
        assert any(dtypes.name_of(x.dtype) in caught.value.message for x in numpy_operands)
        return
    check_outputs(row, numpy_operands, call_operator(row, gnd_operands))


def crossed(vectors):
    """The vectors' values, each with each."""
    grid = np.meshgrid(*[np.arange(len(v)) for v in vectors], indexing="ij")
    return [v[i.ravel()] for v, i in zip(vectors, grid)]


def other_inputs(row, names):
    """Dtype names for all inputs: the fixed letters have dtypes of their own."""
    fixed = {"B": "bool", "I": "int64", "N": "int32", "U": "uint64", "H": "uint8"}
    rest = iter(names)
    return [fixed[letter] if letter in fixed else next(rest) for letter in row.inputs]


# ---- values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", UNARY)
def test_unary_values(name, dtype):
    g = generator(name, dtype)
    x = np.concatenate([values.specials(dtype), values.random_values(dtype, (500,), g)])
    check(ROWS[name], [x])


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_values(name, dtype):
    row = ROWS[name]
    names = other_inputs(row, [dtype, dtype])
    g = generator(name, dtype)
    special = [values.specials(n) for n in names]
    if dtype in dtypes.COMPLEX:
        special = [s[::3] if len(s) > 60 else s for s in special]
    pairs = crossed(special)
    x, y = repair(row, [np.concatenate([p, values.random_values(n, (500,), g)])
                        for p, n in zip(pairs, names)])
    check(row, [x, y])


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", TERNARY)
def test_ternary_values(name, dtype):
    row = ROWS[name]
    g = generator(name, dtype)
    names = other_inputs(row, [dtype] * 3)
    special = [g.permutation(values.specials(n))[:12] for n in names]
    made = [np.concatenate([p, values.random_values(n, (500,), g)])
            for p, n in zip(crossed(special), names)]
    check(row, made)


# ---- dtypes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", dtypes.NAMES)
@pytest.mark.parametrize("name", BINARY + TERNARY)
def test_mixed_dtypes(name, first):
    row = ROWS[name]
    g = generator(name, first)
    for second in dtypes.NAMES:
        names = [first, second]
        if row.inputs.count("T") == 2 or row.inputs == "TT":
            names = other_inputs(row, names)
        elif len(row.inputs) == 3:
            third = dtypes.NAMES[g.integers(len(dtypes.NAMES))]
            names = other_inputs(row, [first, second, third])
        check(row, operands(row, names, (41,), g))


# ---- layouts --------------------------------------------------------------------------------------------


def dtypes_to_lay_out(row):
    """Two or three dtypes the operator takes, of different sizes."""
    chosen = []
    for name in ("float32", "complex128", "int16", "bool", "float64"):
        made = [np.zeros(1, dtypes.DTYPES[n]) for n in other_inputs(row, [name] * len(row.inputs))]
        if not refused(row, made):
            chosen.append(name)
    return chosen[:2]


@pytest.mark.parametrize("name", UNARY)
def test_unary_layouts(name):
    row = ROWS[name]
    for dtype in dtypes_to_lay_out(row):
        g = generator(name, dtype)
        for shape in ((), (0,), (7,), (1, 1), (3, 0, 2), (5, 6), (2, 3, 4), (33, 65)):
            for layout in values.layouts(shape):
                base = values.random_values(dtype, layout.base, g)
                x = values.apply_numpy(base, layout.steps)
                check(row, [x], [gnd.view(base, layout.steps)])


@pytest.mark.parametrize("name", BINARY)
def test_binary_layouts(name):
    row = ROWS[name]
    dtype = dtypes_to_lay_out(row)[0]
    names = other_inputs(row, [dtype] * 2)
    g = generator(name, dtype)
    for shape in ((4, 5), (2, 3, 4), (40, 70)):
        all_layouts = values.layouts(shape)
        for first in all_layouts:
            # Every layout meets every other over the operators; here each meets three.
            for second in g.permutation(len(all_layouts))[:3]:
                pair = (first, all_layouts[second])
                bases = [values.random_values(n, each.base, g) for n, each in zip(names, pair)]
                bases = repair(row, bases)
                check(row, [values.apply_numpy(b, each.steps) for b, each in zip(bases, pair)],
                      [gnd.view(b, each.steps) for b, each in zip(bases, pair)])


@pytest.mark.parametrize("name", BINARY)
def test_broadcasting(name):
    row = ROWS[name]
    dtype = dtypes_to_lay_out(row)[0]
    names = other_inputs(row, [dtype] * 2)
    g = generator(name, "broadcast")
    for a, b in (((), (3,)), ((3, 1), (1, 4)), ((2, 3, 4), (4,)), ((3, 1), (2, 1, 5)), ((1,), (0,)),
                 ((), ()), ((5, 1), (5, 0)), ((8, 1, 6, 1), (7, 1, 5)), ((1, 1000), (3, 1))):
        made = repair(row, [values.random_values(n, s, g) for n, s in zip(names, (a, b))])
        check(row, made)


@pytest.mark.parametrize("name", TERNARY)
def test_ternary_layouts(name):
    row = ROWS[name]
    dtype = dtypes_to_lay_out(row)[0]
    names = other_inputs(row, [dtype] * 3)
    g = generator(name, dtype)
    for shape in ((4, 5), (2, 3, 4), (40, 70)):
        all_layouts = values.layouts(shape)
        for first in range(len(all_layouts)):
            chosen = [all_layouts[first]] + [all_layouts[i] for i in g.permutation(len(all_layouts))[:2]]
            bases = [values.random_values(n, each.base, g) for n, each in zip(names, chosen)]
            check(row, [values.apply_numpy(b, each.steps) for b, each in zip(bases, chosen)],
                  [gnd.view(b, each.steps) for b, each in zip(bases, chosen)])


# ---- loops for what is met often ------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
def test_quotients_by_one_number(dtype):
    """floor_divide by a number, and by an array that repeats it, for divisors at the ends of the range."""
    g, info = np.random.default_rng(0), np.iinfo(dtype)
    ends = np.array([info.min, info.min + 1, 0, 1, info.max - 1, info.max], dtype)
    x = np.concatenate([g.integers(info.min, info.max, 600, dtype), ends])
    small = [d for d in (-100, -3, -2, -1, 1, 2, 3, 5, 7, 10, 100, 127) if d >= info.min]
    for d in (*small, *map(int, ends[ends != 0]), *map(int, g.integers(1, info.max, 30, dtype))):
        want = x // np.array(d, dtype)
        assert np.array_equal(gnd.floor_divide(gnd.from_numpy(x), d).numpy(), want), d
        repeated = gnd.floor_divide(gnd.from_numpy(x), gnd.from_numpy(np.full(x.size, d, dtype))).numpy()
        assert np.array_equal(repeated, want), d


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(on_gpu(), reason="of the loops of the CPU")
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_complex_quotients(real):
    """Smith's method as NumPy has it, to the bit: no product is fused with a sum, whatever the vectors."""
    g, info = np.random.default_rng(5), np.finfo(real)
    special = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3.5, 1e-30, 1e30, info.max, info.tiny, info.tiny / 8]
    parts = np.array(np.meshgrid(*[np.array(special, real)] * 4)).reshape(4, -1)
    random = g.standard_normal((4, 20_011)) * np.exp(g.normal(0, 5, (4, 20_011)))
    parts = np.concatenate([parts, random], 1).astype(real)
    x, y = (np.ascontiguousarray(parts[k:k + 2].T).view(np.result_type(real, "complex64"))[:, 0] for k in (0, 2))
    for got, want in ((gnd.divide(gnd.from_numpy(x), gnd.from_numpy(y)), x / y),
                      (gnd.reciprocal(gnd.from_numpy(y)), np.reciprocal(y))):
        a, b = got.numpy().view(real), want.view(real)
        same = (a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)
        assert same.all(), (x.repeat(2)[~same][:3], y.repeat(2)[~same][:3], a[~same][:3], b[~same][:3])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clip_to_numbers(dtype):
    """The same bits, signs of zeros among them, as with arrays that repeat the numbers."""
    x = np.tile(np.array([-3, -0.0, 0.0, 1, 2.5, np.nan, np.inf, -np.inf], dtype), 9)
    for bounds in ((-1, 1), (0, 1), (-1, 0), (3, -3), (-0.0, 0.0), (0.0, -0.0), (np.nan, 1), (1, np.nan)):
        low, high = (gnd.from_numpy(np.full(x.size, b, dtype)) for b in bounds)
        got = gnd.clip(gnd.from_numpy(x), *map(float, bounds)).numpy()
        want = gnd.clip(gnd.from_numpy(x), low, high).numpy()
        assert np.array_equal(got, want, equal_nan=True) and np.array_equal(np.signbit(got), np.signbit(want)), bounds


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(16, 16), (31, 65), (7, 100), (100, 3), (64, 1000)])
def test_copies_of_transposed(shape, dtype):
    """Whole squares of a transposition and what is left beside them."""
    x = (np.random.default_rng(1).random(shape) * 100).astype(dtype)
    turned = gnd.view(x, [("permute", (1, 0))])
    assert np.array_equal(gnd.positive(turned).numpy(), x.T)
    y = np.ascontiguousarray(x.T)
    assert np.array_equal(gnd.add(gnd.from_numpy(y), turned).numpy(), y + x.T)
    assert np.array_equal(gnd.ascontiguous(turned).numpy(), x.T)
