"""The special functions (kernels/ops/special.def): float64 against mpmath, on random arguments and hard points, with
the error of each in units in the last place; every dtype and layout; SciPy at random and at the edges, where poles,
zeros with signs, infinities and NaN are."""

import itertools

import numpy as np
import pytest

pytest.importorskip("mpmath", reason="the true values are mpmath's")

import dtypes  # noqa: E402
import gnd  # noqa: E402
import headers  # noqa: E402
from check import refused  # noqa: E402
from special_cases import CASES, errors, true_values  # noqa: E402
from values import generator  # noqa: E402

ROWS = headers.read_operators(headers.SPECIAL)
ON_GPU = gnd.current_device().kind == gnd.GPU
COUNT = 60


def call(name, *arguments):
    """The results as NumPy arrays, in a list."""
    row = next(r for r in ROWS if r.name == name)
    if len(row.outputs) == 1:
        return [getattr(gnd, name)(*arguments).numpy()]
    pointers = gnd.outputs(2)
    getattr(gnd, name)(*pointers, *arguments)
    return [gnd.take(p).numpy() for p in pointers]


def arguments_of(c, count=COUNT):
    g = generator("special", c.name)
    drawn = [draw(g, count) for draw in c.arguments]
    return [np.concatenate([x, np.array([p[i] for p in c.points])]) for i, x in enumerate(drawn)]


def test_every_row_has_a_case():
    assert {row.name for row in ROWS} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_float64_against_mpmath(name):
    c = CASES[name]
    if c.true is None:
        pytest.skip("no such function in mpmath")
    arguments = arguments_of(c)
    want = true_values(c, arguments)
    got, = call(name, *map(gnd.from_numpy, arguments))
    assert got.dtype == np.float64
    scale = None if c.scale is None else np.array([float(c.scale(*p)) for p in zip(*arguments)])
    off = errors(got, want, scale)
    worst = int(np.nanargmax(np.where(np.isnan(off), np.inf, off)))
    allowed = c.ulp * 2 + 4 if ON_GPU else c.ulp
    assert off[worst] <= allowed, (f"{name}({', '.join(str(a[worst]) for a in arguments)}): {got[worst]}, not "
                                   f"{want[worst]}: {off[worst]} ulp")


@pytest.mark.parametrize("name", CASES)
def test_float32_is_float64_rounded(name):
    c = CASES[name]
    arguments = [a.astype("float32") for a in arguments_of(c)]
    with np.errstate(over="ignore"):
        want, = call(name, *(gnd.from_numpy(a.astype("float64")) for a in arguments))
        want = want.astype("float32")
    got, = call(name, *map(gnd.from_numpy, arguments))
    assert got.dtype == np.float32
    simple = next(r for r in ROWS if r.name == name).family == "simple"
    ulp = 8 if simple else 1
    with np.errstate(invalid="ignore", over="ignore"):
        size = 0 if c.scale is None or not simple else np.array([c.scale(*map(float, p)) for p in zip(*arguments)], "float32")
        bound = ulp * np.spacing(np.maximum(np.maximum(np.abs(want), np.finfo("float32").tiny), size))
        wrong = ~((got == want) | np.isnan(got) & np.isnan(want) | (np.abs(got - want) <= bound))
    assert not wrong.any(), [(name, *(a[i] for a in arguments), got[i], want[i]) for i in np.flatnonzero(wrong)][:3]


@pytest.mark.parametrize("name", CASES)
def test_against_scipy(name):
    c = CASES[name]
    if c.scipy is None:
        pytest.skip("this SciPy has no such function")
    arguments = [draw(generator("special", name), 400) for draw in c.arguments]
    with np.errstate(all="ignore"):
        want = c.scipy(*arguments)
    got, = call(name, *map(gnd.from_numpy, arguments))
    np.testing.assert_allclose(got, want, rtol=c.rtol, atol=1e-300 if c.scale is None else 1e-13, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_edges_are_scipys(name):
    c = CASES[name]
    if c.scipy is None:
        pytest.skip("this SciPy has no such function")
    arguments = [np.array(a) for a in zip(*itertools.product(*c.edges))]
    with np.errstate(all="ignore"):
        want = c.scipy(*arguments)
    got, = call(name, *map(gnd.from_numpy, arguments))
    with np.errstate(invalid="ignore"):
        same = (got == want) | np.isnan(got) & np.isnan(want) | (np.abs(got - want) <= 1e-9 * np.abs(want) + 1e-14)
    assert same.all(), [(name, *(a[i] for a in arguments), got[i], want[i]) for i in np.flatnonzero(~same)][:6]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_dtypes_are_scipys(row):
    """Narrow dtypes give float32, the others float64; complex numbers are refused."""
    if row.loops != "L_SPECIAL_REAL":
        pytest.skip("of complex numbers")
    for dtype in dtypes.NAMES:
        x = gnd.full((3,), 1, dtype)
        if dtype in dtypes.COMPLEX:
            refused(lambda: call(row.name, *[x] * len(row.inputs)), gnd.ERROR_DTYPE)
            continue
        narrow = dtype in ("bool", "int8", "uint8", "int16", "uint16", "float16", "bfloat16", "float32")
        for result in call(row.name, *[x] * len(row.inputs)):
            assert result.dtype == ("float32" if narrow else "float64"), dtype


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_layouts(row):
    """Strides, broadcasts, numbers, masks, empty arrays, outputs: what the plain call gives, element by element."""
    c, count = CASES[row.name], len(row.inputs)
    values = [a[:24].reshape(4, 6) for a in arguments_of(c)]
    if row.loops != "L_SPECIAL_REAL":
        pytest.skip("of complex numbers")
    plain = call(row.name, *map(gnd.from_numpy, values))
    wide = [gnd.from_numpy(np.repeat(np.repeat(v[::-1], 2, 0), 3, 1)) for v in values]
    turned = [gnd.transpose(gnd.from_numpy(np.ascontiguousarray(v.T))) for v in values]
    for operands in ([w["::-2, ::3"] for w in wide], turned, [turned[0], *map(gnd.from_numpy, values[1:])]):
        for result, want in zip(call(row.name, *operands), plain):
            assert np.array_equal(result, want, equal_nan=True)
    if count > 1:
        mixed = call(row.name, gnd.from_numpy(values[0][:, :1].copy()), *(float(v[0, 0]) for v in values[1:]))
        same = call(row.name, gnd.from_numpy(values[0][:, :1].copy()),
                    *(gnd.from_numpy(np.full((4, 1), v[0, 0])) for v in values[1:]))
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(mixed, same))
    empty = call(row.name, *[gnd.zeros((0, 3), "float32")] * count)
    assert all(e.shape == (0, 3) and e.dtype == np.float32 for e in empty)
    if len(row.outputs) == 1:
        out = gnd.zeros((4, 6), "float32")
        getattr(gnd, row.name + "_into")(out, *map(gnd.from_numpy, values))
        with np.errstate(over="ignore"):
            assert np.array_equal(out.numpy(), plain[0].astype("float32"), equal_nan=True)


def test_limits_at_infinity():
    """SciPy gives NaN here; CUDA's functions, and so CuPy, the limit."""
    for name in ("j0", "j1", "y0", "y1"):
        assert call(name, gnd.from_numpy(np.array([np.inf])))[0][0] == 0, name
    assert call("j0", gnd.from_numpy(np.array([-np.inf])))[0][0] == 0
    assert list(call("i1", gnd.from_numpy(np.array([np.inf, -np.inf])))[0]) == [np.inf, -np.inf]
