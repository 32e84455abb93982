"""The special functions (kernels/ops/special.def): float64 against mpmath, on random arguments and hard points, with
the error of each in units in the last place; every dtype and layout; SciPy at random and at the edges, where poles,
zeros with signs, infinities and NaN are."""

import ctypes
import itertools
import re

import numpy as np
import pytest
import scipy.special

mpmath = pytest.importorskip("mpmath", reason="the true values are mpmath's")

import dtypes  # noqa: E402
import fused  # noqa: E402
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
    room = gnd.outputs(2)
    first = ctypes.addressof(room)
    getattr(gnd, name)(first, first + ctypes.sizeof(ctypes.c_void_p), *arguments)
    return [a.numpy() for a in gnd.take(room)]


def arguments_of(c, count=COUNT):
    g = generator("special", c.name)
    drawn = [draw(g, count) for draw in c.arguments]
    return [np.concatenate([x, np.array([p[i] for p in c.points])]) for i, x in enumerate(drawn)]


def in_tuple(values):
    return values if isinstance(values, tuple) else (values,)


def test_every_row_has_a_case():
    assert {row.name for row in ROWS} == set(CASES) | {"lambertw"}


@pytest.mark.parametrize("name", CASES)
def test_float64_against_mpmath(name):
    c = CASES[name]
    if c.true is None:
        pytest.skip("no such function in mpmath")
    arguments = arguments_of(c)
    scale = None if c.scale is None else np.array([float(c.scale(*p)) for p in zip(*arguments)])
    allowed = c.ulp * 2 + 4 if ON_GPU else c.ulp
    functions = c.true if isinstance(c.true, tuple) else (c.true,)
    for got, function in zip(call(name, *map(gnd.from_numpy, arguments)), functions):
        assert got.dtype == np.float64
        want = true_values(c, arguments, function)
        off = errors(got, want, scale)
        worst = int(np.nanargmax(np.where(np.isnan(off), np.inf, off)))
        assert off[worst] <= allowed, (f"{name}({', '.join(str(a[worst]) for a in arguments)}): {got[worst]}, not "
                                       f"{want[worst]}: {off[worst]} ulp")


@pytest.mark.parametrize("name", CASES)
def test_float32_is_float64_rounded(name):
    c = CASES[name]
    arguments = [a.astype("float32") for a in arguments_of(c)]
    with np.errstate(over="ignore"):
        wants = call(name, *(gnd.from_numpy(a.astype("float64")) for a in arguments))
        wants = [want.astype("float32") for want in wants]
    for got, want in zip(call(name, *map(gnd.from_numpy, arguments)), wants):
        compare_singles(c, arguments, got, want)


def compare_singles(c, arguments, got, want):
    name = c.name
    assert got.dtype == np.float32
    simple = next(r for r in ROWS if r.name == name).family == "simple"
    ulp = 8 if simple else 1
    with np.errstate(invalid="ignore", over="ignore"):
        size = 0
        if c.scale is not None and simple:
            size = np.array([c.scale(*map(float, p)) for p in zip(*arguments)], "float32")
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
    for got, right in zip(call(name, *map(gnd.from_numpy, arguments)), in_tuple(want)):
        np.testing.assert_allclose(got, right, rtol=c.rtol, atol=1e-300 if c.scale is None else 1e-13, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_edges_are_scipys(name):
    c = CASES[name]
    if c.scipy is None:
        pytest.skip("this SciPy has no such function")
    arguments = [np.array(a) for a in zip(*itertools.product(*c.edges))]
    with np.errstate(all="ignore"):
        want = c.scipy(*arguments)
    for got, right in zip(call(name, *map(gnd.from_numpy, arguments)), in_tuple(want)):
        compare_edges(name, arguments, got, right)


def compare_edges(name, arguments, got, want):
    with np.errstate(invalid="ignore"):
        same = (got == want) | np.isnan(got) & np.isnan(want) | (np.abs(got - want) <= 1e-9 * np.abs(want) + 1e-14)
    assert same.all(), [(name, *(a[i] for a in arguments), got[i], want[i]) for i in np.flatnonzero(~same)][:6]


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in CASES], ids=lambda row: row.name)
def test_dtypes_are_scipys(row):
    """Narrow dtypes give float32, the others float64; complex numbers are refused."""
    for dtype in dtypes.NAMES:
        x = gnd.full((3,), 1, dtype)
        if dtype in dtypes.COMPLEX:
            refused(lambda: call(row.name, *[x] * len(row.inputs)), gnd.ERROR_DTYPE)
            continue
        narrow = dtype in ("bool", "int8", "uint8", "int16", "uint16", "float16", "bfloat16", "float32")
        for result in call(row.name, *[x] * len(row.inputs)):
            assert result.dtype == ("float32" if narrow else "float64"), dtype


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in CASES], ids=lambda row: row.name)
def test_layouts(row):
    """Strides, broadcasts, numbers, masks, empty arrays, outputs: what the plain call gives, element by element."""
    c, count = CASES[row.name], len(row.inputs)
    values = [a[:24].reshape(4, 6) for a in arguments_of(c)]
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


# ---- Lambert's W --------------------------------------------------------------------------------------------------


def test_lambertw():
    g = generator("lambertw")
    z = np.concatenate([g.normal(size=60) * 10**g.uniform(-6, 6, 60) + 1j * g.normal(size=60), g.uniform(-0.36, 3, 20),
                        [np.e, 1e-300, 1e300, -1.0, 1j, -0.2]])
    for branch in (-3, -1, 0, 1, 2):
        got, = call("lambertw", gnd.from_numpy(z), branch)
        assert got.dtype == np.complex128
        with mpmath.workdps(40):
            want = np.array([complex(mpmath.lambertw(complex(x), branch)) for x in z])
        off = np.abs(got - want) / np.abs(want)
        assert off.max() <= 1e-13, (branch, z[off.argmax()], got[off.argmax()], want[off.argmax()])
    k = np.arange(-2, 3)
    np.testing.assert_allclose(call("lambertw", 1 + 2j, gnd.from_numpy(k))[0], scipy.special.lambertw(1 + 2j, k), 1e-13)


def test_lambertw_at_the_edges():
    z = np.array([0, np.inf, -np.inf, np.nan, complex(np.inf, 3)], complex)
    for branch in (-1, 0, 1):
        got, = call("lambertw", gnd.from_numpy(z), branch)
        np.testing.assert_allclose(got, scipy.special.lambertw(z, branch), rtol=3e-8)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_lambertw_of_dtypes(dtype):
    got, = call("lambertw", gnd.full((2,), 1, dtype), 0)
    assert got.dtype == np.complex128 and abs(got[0] - 0.5671432904097838) < 1e-15


# ---- in a block, by name, folds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in CASES and len(row.outputs) == 1],
                         ids=lambda row: row.name)
def test_in_a_block_of_fusion(row):
    """With more beside it; as many elements as are recorded on the CPU, too."""
    arguments = [gnd.from_numpy(np.resize(a, 3000)) for a in arguments_of(CASES[row.name])]
    want = getattr(gnd, row.name)(*arguments).numpy() * 2 + 1
    got = fused.fused(lambda: gnd.add(gnd.multiply(getattr(gnd, row.name)(*arguments), 2), 1)).numpy()
    assert np.array_equal(got, want, equal_nan=True) or ON_GPU and np.allclose(got, want, rtol=1e-12, equal_nan=True)


def test_two_results_in_a_block():
    x = gnd.from_numpy(np.linspace(0.1, 20, 3000))

    def work():
        room = gnd.outputs(2)
        first = ctypes.addressof(room)
        gnd.sici(first, first + ctypes.sizeof(ctypes.c_void_p), x)
        return gnd.add(*gnd.take(room))
    np.testing.assert_allclose(fused.fused(work).numpy(), np.add(*scipy.special.sici(x.numpy())), rtol=1e-12)


def test_outer_and_folds():
    x, y = gnd.from_numpy(np.array([1.0, 2.0])), gnd.from_numpy(np.array([0.5, 3.0, 4.0]))
    np.testing.assert_allclose(gnd.outer("beta", x, y).numpy(), scipy.special.beta(*np.ix_([1, 2], [0.5, 3, 4])), 1e-14)
    refused(lambda: gnd.reduce("beta", x, None), gnd.ERROR_INVALID, "special")
    refused(lambda: gnd.accumulate("xlogy", x, gnd.Axes(0)), gnd.ERROR_INVALID, "special")
    refused(lambda: gnd.reduceat("xlogy", x, gnd.from_numpy(np.array([0])), gnd.Axes(0)), gnd.ERROR_INVALID, "special")


def test_other_names():
    assert {"psi": "digamma", "btdtr": "betainc", "btdtri": "betaincinv"}.items() <= {
        alias: name for alias, name in re.findall(r"#define gnd_(\w+) gnd_(\w+)",
                                                  (headers.INCLUDE / "special.h").read_text())}.items()


@pytest.mark.parametrize("name, arguments", [
    ("yn", (1e300, 1e300)), ("yn", (-(2.0**31), 3e9)), ("yn", (np.inf, 2.5)), ("spherical_yn", (1e17, 1e17, 0)),
    ("spherical_yn", (np.inf, 2.5, 1)), ("lpmv", (0, 1e300, 0.5)), ("lpmv", (0, -1e17, 0.5)), ("lpmv", (1e17, 3, 0.5)),
    ("lpmv", (0, np.inf, 0.5)), ("multigammaln", (1e300, 1e17)), ("multigammaln", (np.inf, np.inf)),
    ("sph_harm_y", (1e17, 0, 0.5, 0.5))])
def test_counts_that_would_not_end(name, arguments):
    """A step of 1 changes nothing from 2^53 on."""
    assert np.isnan(getattr(gnd, name)(*arguments).numpy())
