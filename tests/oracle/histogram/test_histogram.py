"""bincount, histogram, its bin edges and rules, histogram2d and histogramdd against NumPy: every dtype,
any layout, weights, densities, ranges, elements on edges, what is refused at once and what at the next
wait, and out of memory."""

import ctypes
import warnings
import zlib

import numpy as np
import pytest

import dtypes
import gnd
import values
from check import assert_same
from test_faults import run_with_failures

RULES = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")
REAL = [name for name in dtypes.NAMES if name not in dtypes.COMPLEX and name != "bfloat16"]


def generator(*seed):
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def options(range=None, weights=None, density=False, rule=None):
    """A gnd_histogram_options, and what it points to."""
    result = gnd.STRUCTS["gnd_histogram_options"]()
    held = [weights]
    if range is not None:
        flat = np.ravel([(np.nan, np.nan) if pair is None else pair for pair in np.atleast_1d(range)]
                        if np.ndim(range) < 2 and isinstance(range, list) else range).astype(float)
        held.append((ctypes.c_double * len(flat))(*flat))
        result.range = ctypes.addressof(held[1])
    if weights is not None:
        result.weights = weights.pointer
    result.density, result.rule = density, rule.encode() if rule else None
    result.held = held
    return result


def as_bins(bins):
    return gnd.from_numpy(bins) if isinstance(bins, np.ndarray) else bins


def histogram(x, bins=None, weights=None, **how):
    """Counts and edges as gnd Arrays."""
    x = x if isinstance(x, gnd.Array) else gnd.from_numpy(x)
    if isinstance(weights, np.ndarray):
        weights = gnd.from_numpy(weights)
    edges = gnd.outputs(1)
    counts = gnd.histogram(x, as_bins(bins), options(weights=weights, **how), edges)
    return counts, gnd.take(edges)[0]


def close(got, want, context):
    """Sums of weights: to a few units of the last place of their absolute sum."""
    assert got.dtype == dtypes.name_of(want.dtype) and got.shape == want.shape, context
    fine = 1e-5 if got.dtype in ("float16", "float32", "complex64") else 1e-11
    if got.dtype == "float16":
        fine = 2e-3
    assert np.allclose(got.numpy(), want, rtol=fine, atol=fine, equal_nan=True), context


# ---- bincount -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ("bool",) + dtypes.INTEGERS)
def test_bincount(name):
    top = 2 if name == "bool" else 100
    for n, high in ((0, 1), (1, 1), (5, top), (1000, top), (100000, 3), (70001, top)):
        g = generator(name, n)
        x = g.integers(0, high, n).astype(name)
        a = gnd.from_numpy(x)
        y = x.astype(np.int64) if name == "uint64" else x
        for minlength in (0, 1, 50, 200):
            assert_same(gnd.bincount(a, None, minlength), np.bincount(y, minlength=minlength), (name, n))
        w = g.normal(size=n)
        close(gnd.bincount(a, gnd.from_numpy(w), 7), np.bincount(y, w, 7), (name, n))
        assert_same(gnd.bincount_fixed(a, None, 120), np.bincount(y, minlength=120), (name, n))
        close(gnd.bincount_fixed(a, gnd.from_numpy(w), 120), np.bincount(y, w, 120), (name, n))


@pytest.mark.parametrize("name", dtypes.INTEGERS)
def test_bincount_of_unlike_elements(name):
    """What the first elements are like tells nothing of the others: one is larger, or negative."""
    info = np.iinfo(name)
    for odd in (0, 5, 127, 4095, 4096, 5000, 2**17, -1, info.min):
        for at in (0, 1023, 1024, 70000, 139999):
            if odd > info.max or odd < info.min:
                continue
            x = generator(name, at).integers(0, 6, 140000).astype(name)
            x[at] = odd
            a = gnd.from_numpy(x)
            if odd < 0:
                with pytest.raises(gnd.Error, match=f"negative element, {odd}"):
                    gnd.bincount(a, None, 0)
                continue
            for minlength in (0, 9, 4096, 6000):
                assert_same(gnd.bincount(a, None, minlength),
                            np.bincount(x.astype(np.int64), minlength=minlength), (name, odd, at))


@pytest.mark.parametrize("name", [n for n in dtypes.NAMES if n not in dtypes.COMPLEX])
def test_bincount_weights(name):
    """Sums are float64, whatever the weights are, and come out the same again."""
    g = generator("weights", name)
    x = g.integers(0, 37, 3000)
    w = values.random_values(name, (3000,), g, 0)
    if name in dtypes.FLOATS:
        w = dtypes.cast(np.clip(dtypes.widen(w), -1e4, 1e4), name)
    got = gnd.bincount(gnd.from_numpy(x), gnd.from_numpy(w), 0)
    want = np.bincount(x, dtypes.widen(w))
    assert got.dtype == "float64"
    assert np.allclose(got.numpy(), want, rtol=1e-10, atol=1e-10 * np.abs(dtypes.widen(w)).max())
    for _ in range(3):
        again = gnd.bincount(gnd.from_numpy(x), gnd.from_numpy(w), 0)
        assert again.numpy().tobytes() == got.numpy().tobytes()


@pytest.mark.parametrize("bins", [1, 2, 3, 33, 400, 3000, 4096, 4097, 12000, 20000, 10**6])
def test_bincount_many_bins(bins):
    """Each method there is, with even and with skewed elements, and any address."""
    g = generator(bins)
    for x in (g.integers(0, bins, 200003), np.full(100001, bins - 1),
              np.where(g.random(90001) < 0.9, 0, g.integers(0, bins, 90001))):
        for name in ("int64", "int32", "uint16", "uint8"):
            if bins - 1 > np.iinfo(name).max:
                continue
            y = x.astype(name)
            want = np.bincount(y)
            a = gnd.from_numpy(y)
            assert np.array_equal(gnd.bincount(a, None, 0).numpy(), want), (bins, name)
            assert np.array_equal(gnd.bincount(a["1:"], None, bins).numpy(),
                                  np.bincount(y[1:], minlength=bins)), (bins, name)
            assert np.array_equal(gnd.bincount(a["::-3"], None, bins).numpy(),
                                  np.bincount(y[::-3], minlength=bins)), (bins, name)


@pytest.mark.parametrize("bad", [5, -1, 2**62])
def test_bincount_fixed_out_of_range(bad):
    """Counts nowhere, and is reported at the next wait."""
    for weights in (None, gnd.from_numpy(np.ones(4))):
        got = gnd.bincount_fixed(gnd.from_numpy(np.array([0, bad, 4, 4])), weights, 5)
        with pytest.raises(gnd.Error) as caught:
            got.numpy()
        assert caught.value.code == gnd.ERROR_INDEX
        assert f"index {bad} is" in caught.value.message and "size 5" in caught.value.message
        assert np.array_equal(got.numpy(), [1, 0, 0, 0, 2])


def test_bincount_refused():
    x, m = gnd.from_numpy(np.arange(3)), gnd.from_numpy(np.zeros((2, 2), int))
    f = gnd.from_numpy(np.zeros(3))
    wrong = [
        (lambda: gnd.bincount(gnd.from_numpy(np.array([3, -7])), None, 0), gnd.ERROR_VALUE, "-7"),
        (lambda: gnd.bincount(x, None, -1), gnd.ERROR_VALUE, "minlength is -1"),
        (lambda: gnd.bincount(f, None, 0), gnd.ERROR_DTYPE, "float64"),
        (lambda: gnd.bincount(m, None, 0), gnd.ERROR_SHAPE, r"\(2, 2\)"),
        (lambda: gnd.bincount(x, f[":2"], 0), gnd.ERROR_SHAPE, r"\(2,\).*\(3,\)"),
        (lambda: gnd.bincount(x, gnd.zeros((3,), "complex64"), 0), gnd.ERROR_DTYPE, "complex64"),
        (lambda: gnd.bincount(x, 2, 0), gnd.ERROR_INVALID, "weights"),
        (lambda: gnd.bincount(None, None, 0), gnd.ERROR_INVALID, "x"),
        (lambda: gnd.bincount_fixed(x, None, 0), gnd.ERROR_VALUE, "at least 1"),
        (lambda: gnd.bincount(gnd.from_numpy(np.array([2**63], np.uint64)), None, 0), gnd.ERROR_MEMORY,
         "9223372036854775808"),
        (lambda: gnd.bincount(gnd.from_numpy(np.array([2**62])), None, 0), gnd.ERROR_MEMORY, "gnd_bincount"),
    ]
    for call, code, sentence in wrong:
        with pytest.raises(gnd.Error, match=sentence) as caught:
            call()
        assert caught.value.code == code


# ---- histogram ------------------------------------------------------------------------------------------


def sample(name, g, n):
    if name == "bool":
        return g.random(n) < 0.4
    scale, middle = g.choice([1, 20, 60]), g.choice([0, 50])
    x = g.normal(size=n) * scale + middle
    if name.startswith("uint"):
        x = np.abs(x)
    if name in dtypes.INTEGERS:
        info = np.iinfo(name)
        x = np.clip(x, info.min, info.max)
    return x.astype(name)


RANGES = (None, (-3, 17.5), (0, 10), (0.1, 0.9), (5, 5))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REAL)
def test_histogram_even(name):
    """Edges to the bit, counts to the element."""
    for trial in range(25):
        g = generator(name, trial)
        x = sample(name, g, int(g.choice([1, 2, 40, 700, 3000])))
        for extent in RANGES:
            bins = int(g.integers(1, 70))
            density = bool(g.random() < 0.3)
            context = (name, trial, extent, bins)
            try:
                want = np.histogram(x, bins, extent, density)
            except ValueError:
                with pytest.raises(gnd.Error, match="too many bins"):
                    histogram(x, bins, range=extent, density=density)[0].numpy()
                continue
            got = histogram(x, bins, range=extent, density=density)
            assert_same(got[1], want[1], context)
            assert_same(got[0], want[0], context)
            assert_same(gnd.histogram_bin_edges(gnd.from_numpy(x), bins, options(range=extent)),
                        want[1], context)


@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "int64", "float32", "float64", "float16"])
def test_histogram_on_edges(name):
    """Every element is an edge: rounding decides nothing."""
    for bins in (1, 7, 10, 49, 100, 127):
        g = generator(name, bins)
        x = g.integers(0, bins + 1, 5000).astype(name)
        got, edges = histogram(x, bins, range=(0, bins))
        want, want_edges = np.histogram(x, bins, (0, bins))
        assert_same(edges, want_edges), assert_same(got, want, (name, bins))
        if name.startswith("float"):
            edge = np.histogram_bin_edges(x, bins, (-0.3, 1.7)).astype(name)
            near = np.concatenate([edge, np.nextafter(edge, edge.dtype.type(9)),
                                   np.nextafter(edge, edge.dtype.type(-9))])
            got, _ = histogram(near, bins, range=(-0.3, 1.7))
            counts = np.diff(np.searchsorted(np.sort(near), edge, "left"))
            counts[-1] += (near == edge[-1]).sum()
            assert np.array_equal(got.numpy(), counts), (name, bins)


@pytest.mark.parametrize("name", ["float32", "float64", "int32", "uint8"])
def test_histogram_sizes(name):
    """Methods by the number of bins, layouts by the address and the strides."""
    g = generator("sizes", name)
    x = (g.normal(size=150007) * 30 + 100).astype(name)
    a = gnd.from_numpy(x)
    for bins in (1, 10, 100, 1000, 5000, 20000):
        for text in ("0:", "1:", "3:-5", "::3", "::-1"):
            y = eval(f"x[{text}]")
            try:
                want, edges = np.histogram(y, bins, (30, 200))
            except ValueError:
                continue
            counts = np.diff(np.append(np.searchsorted(np.sort(y), edges[:-1], "left"),
                                       np.searchsorted(np.sort(y), edges[-1], "right")))
            got, got_edges = histogram(a[text], bins, range=(30, 200))
            assert_same(got_edges, edges, (name, bins, text))
            assert np.array_equal(got.numpy(), counts), (name, bins, text)
    m = x[:150000].reshape(30, 50, 100)
    b = gnd.from_numpy(m)
    for axes in ((2, 0, 1), (1, 2, 0)):
        got, _ = histogram(gnd.permute(b, axes), 40)
        assert_same(got, np.histogram(m.transpose(axes), 40)[0])
    got, _ = histogram(b["::2, 1::3, ::-5"], 40)
    assert_same(got, np.histogram(m[::2, 1::3, ::-5], 40)[0])
    w = g.normal(size=m.shape)
    got, _ = histogram(gnd.permute(b, (2, 0, 1)), 40, weights=gnd.permute(gnd.from_numpy(w), (2, 0, 1)))
    close(got, np.histogram(m, 40, weights=w)[0], "permuted")


def test_histogram_skewed():
    """All in one bin, most in one bin, all the smallest."""
    g = generator("skewed")
    for x in (np.full(200000, 0.5, np.float32), np.where(g.random(200000) < 0.9, 0, g.random(200000)),
              np.zeros(70000, np.float32)):
        x = np.append(x, np.array([0, 1], x.dtype))
        for bins in (10, 100, 3000, 15000):
            got, _ = histogram(x, bins)
            assert_same(got, np.histogram(x, bins)[0])


def test_histogram_bfloat16():
    """Edges in bfloat16, from float32; elements where those edges say."""
    g = generator("bfloat16")
    x = dtypes.to_bfloat16(g.normal(size=2000) * 3)
    wide = dtypes.from_bfloat16(x)
    for extent in (None, (-2.5, 3)):
        got, edges = histogram(x, 9, range=extent)
        low, high = extent or (wide.min(), wide.max())
        expected = dtypes.to_bfloat16(np.linspace(low, high, 10, dtype=np.float32))
        assert_same(edges, expected)
        assert np.array_equal(got.numpy(), np.histogram(wide, dtypes.from_bfloat16(expected))[0])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REAL)
def test_histogram_edges(name):
    """Given edges of every dtype, with duplicates, NaN and infinity among the elements."""
    for other in REAL:
        g = generator(name, other)
        x = np.concatenate([sample(name, g, 500), values.specials(name)])
        bins = np.sort(sample(other, g, int(g.choice([0, 1, 2, 15, 40]))))
        x = np.concatenate([x, bins.astype(name)])
        if name.startswith("float"):
            x = np.append(x, np.array([np.nan] * 3, name))
        if other.startswith("float") and len(bins) > 4:
            bins[0], bins[-1] = -np.inf, np.inf
        got, edges = histogram(x, bins)
        want = np.histogram(x, bins)
        assert_same(edges, want[1], (name, other))
        assert_same(got, want[0], (name, other))
    got, _ = histogram(sample(name, g, 300), np.linspace(-50, 50, 3000))
    assert got.numpy().sum() > 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [n for n in dtypes.NAMES if n != "bfloat16"])
def test_histogram_weights(name):
    """Sums have the weights' dtype, over even bins and given edges; densities; the same bits again."""
    g = generator("weights", name)
    x = g.normal(size=3000).astype(np.float32)
    w = values.random_values(name, (3000,), g, 0)
    if name in dtypes.FLOATS + dtypes.COMPLEX:
        w = (g.normal(size=3000) + (1j * g.normal(size=3000) if name in dtypes.COMPLEX else 0)).astype(name)
    elif name in dtypes.INTEGERS:
        w = g.integers(0, 100, 3000).astype(name)
    for bins in (12, 1, np.array([-1, 0, 0.25, 3])):
        for density in (False, True):
            if not isinstance(bins, np.ndarray):
                want = np.histogram(x, bins, None, density, w)[0]
            else:  # NumPy adds up in the weights' dtype there
                parts = [((x >= a) & (x < b)) for a, b in zip(bins, bins[1:])]
                wide = ("complex128" if name in dtypes.COMPLEX else
                        "float64" if name in dtypes.FLOATS else "int64")
                sums = np.array([w[p].astype(wide).sum() for p in parts]).astype(name)
                want = sums / np.diff(bins) / sums.sum() if density else sums
            got, _ = histogram(x, bins, weights=w, density=density)
            if density and name in ("float16", "float32", "complex64"):
                assert np.allclose(got.numpy(), want, rtol=5e-3), name
            else:
                close(got, want, (name, bins, density))
            again, _ = histogram(x, bins, weights=w, density=density)
            assert again.numpy().tobytes() == got.numpy().tobytes()


def test_histogram_empty():
    for name in ("float32", "int16", "bool", "float64"):
        x = np.zeros((0, 3), name)
        for extent in (None, (2, 5)):
            for weights in (None, np.zeros((0, 3), np.int16)):
                got, edges = histogram(x, 4, range=extent, weights=weights)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = np.histogram(x, 4, extent, weights=weights)
                assert_same(got, want[0]), assert_same(edges, want[1])
    got, _ = histogram(np.zeros(0), 3, density=True)
    assert np.isnan(got.numpy()).all()


def test_histogram_faults():
    """The range of the data is known on the device alone: what is wrong with it comes later."""
    for bad in (np.nan, np.inf, -np.inf):
        for name in ("float32", "float64", "float16"):
            got, _ = histogram(np.array([1, bad, 2], name), 5)
            with pytest.raises(gnd.Error, match="not finite") as caught:
                got.numpy()
            assert caught.value.code == gnd.ERROR_VALUE
    got, _ = histogram(np.array([1e16, 1e16 + 2]), 10)
    with pytest.raises(gnd.Error, match="too many bins for its range: of 11 edges"):
        got.numpy()
    got, _ = histogram(np.arange(3.0), np.array([0, 2, 1]))
    with pytest.raises(gnd.Error, match="do not increase"):
        got.numpy()
    got, _ = histogram(np.array([1, np.nan, 2, np.inf]), 2, range=(0, 3))
    assert np.array_equal(got.numpy(), [1, 1])


def test_histogram_refused():
    x = gnd.from_numpy(np.arange(4.0))
    wrong = [
        (lambda: histogram(x, 0), gnd.ERROR_VALUE, "bins is 0"),
        (lambda: histogram(x, -3), gnd.ERROR_VALUE, "bins is -3"),
        (lambda: histogram(x, 2**40), gnd.ERROR_VALUE, "2\\^30"),
        (lambda: histogram(x, 2.5), gnd.ERROR_INVALID, "whole number"),
        (lambda: histogram(x, np.zeros((2, 2))), gnd.ERROR_SHAPE, r"\(2, 2\)"),
        (lambda: histogram(x, np.zeros(2, "complex64")), gnd.ERROR_DTYPE, "complex64"),
        (lambda: histogram(x, 3, range=(2, 1)), gnd.ERROR_VALUE, r"\[2, 1\] falls"),
        (lambda: histogram(x, 3, range=(0, np.inf)), gnd.ERROR_VALUE, "not finite"),
        (lambda: histogram(x, 3, range=(np.nan, 1)), gnd.ERROR_VALUE, "not finite"),
        (lambda: histogram(x, 3, weights=np.zeros(3)), gnd.ERROR_SHAPE, r"\(3,\).*\(4,\)"),
        (lambda: histogram(x, 3, rule="fd"), gnd.ERROR_INVALID, "both"),
        (lambda: histogram(x, None, rule="best"), gnd.ERROR_VALUE, "\"best\".*sturges"),
        (lambda: histogram(x, None, rule="fd", weights=np.zeros(4)), gnd.ERROR_INVALID, "weights"),
        (lambda: histogram(np.zeros(3, "complex128"), 3), gnd.ERROR_DTYPE, "complex128"),
        (lambda: histogram(np.array([1, np.nan]), None, rule="fd"), gnd.ERROR_VALUE, "not finite"),
        (lambda: gnd.histogram(None, 3, None, None), gnd.ERROR_INVALID, "x"),
    ]
    for call, code, sentence in wrong:
        with pytest.raises(gnd.Error, match=sentence) as caught:
            call()
        assert caught.value.code == code
    assert np.array_equal(gnd.histogram(x, None, None, None).numpy(), np.histogram(np.arange(4.0))[0])


# ---- rules ----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", RULES)
def test_rules(rule):
    """The same number of bins, and so the same edges. (float16: NumPy's own steps are that coarse.)"""
    for name in ("int32", "uint8", "int64", "float32", "float64"):
        for trial in range(6 if rule != "stone" else 2):
            g = generator(rule, name, trial)
            x = sample(name, g, int(g.choice([1, 2, 3, 50, 900])))
            for extent in (None, (-3, 17), (2, 2)):
                want = np.histogram(x, rule, extent)
                got, edges = histogram(x, None, rule=rule, range=extent)
                assert_same(edges, want[1], (rule, name, trial, extent))
                assert_same(got, want[0], (rule, name, trial, extent))
    assert_same(gnd.histogram_bin_edges(gnd.from_numpy(x), None, options(rule=rule)),
                np.histogram_bin_edges(x, rule))
    for x in (np.zeros(0), np.zeros(5), np.full(9, 3, np.int32)):
        assert_same(histogram(x, None, rule=rule)[1], np.histogram(x, rule)[1], rule)


# ---- several dimensions ---------------------------------------------------------------------------------


def histogramdd(sample, bins, **how):
    n = len(bins) if sample.ndim == 1 else sample.shape[1]
    n = 1 if sample.ndim == 1 else n
    edges = gnd.outputs(n)
    weights = how.pop("weights", None)
    weights = gnd.from_numpy(weights) if weights is not None else None
    counts = gnd.histogramdd(gnd.from_numpy(sample), len(bins), [as_bins(b) for b in bins],
                             options(weights=weights, **how), edges)
    return counts, gnd.take(edges)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["float32", "float64", "int16", "int64", "uint8"])
def test_histogramdd(name):
    for trial in range(10):
        g = generator(name, trial)
        n, dims = int(g.choice([0, 1, 50, 2000])), int(g.integers(1, 4))
        x = sample(name, g, n * dims).reshape(n, dims)
        w = g.normal(size=n)
        bins = [int(g.integers(1, 9)) if g.random() < 0.6 else
                np.sort(g.normal(size=int(g.integers(1, 6))) * 40) for _ in range(dims)]
        pairs = [(-5, 30)] * dims
        for extent in (None, pairs):
            for weights in (None, w):
                for density in (False, True):
                    want, want_edges = np.histogramdd(x, bins, extent, density, weights)
                    got, edges = histogramdd(x, bins, range=extent, density=density, weights=weights)
                    for a, b in zip(edges, want_edges):
                        assert_same(a, np.asarray(b), (name, trial))
                    close(got, want, (name, trial, extent, density))
    x = sample(name, g, 300).reshape(100, 3)
    want, _ = np.histogramdd(x, 4)
    assert_same(histogramdd(x, [4])[0], want, strides=False)
    want, _ = np.histogramdd(x, 3, [(-5, 30), None, (0, 9)])
    got = histogramdd(x, [3], range=[(-5, 30), (np.nan, np.nan), (0, 9)])[0]
    assert_same(got, want, strides=False)


@pytest.mark.filterwarnings("ignore")
def test_histogram2d():
    for trial in range(12):
        g = generator("2d", trial)
        x, y = sample("float32", g, 800), sample(str(g.choice(["float32", "int32", "float64"])), g, 800)
        bins = (int(g.integers(1, 30)), int(g.integers(1, 30)) if trial % 2 else np.linspace(-60, 60, 9))
        w = g.random(800) if trial % 3 == 0 else None
        want = np.histogram2d(x, y, bins, density=trial % 4 == 0, weights=w)
        xe, ye = gnd.outputs(1), gnd.outputs(1)
        how = options(density=trial % 4 == 0, weights=None if w is None else gnd.from_numpy(w))
        got = gnd.histogram2d(gnd.from_numpy(x), gnd.from_numpy(y), as_bins(bins[0]), as_bins(bins[1]),
                              how, xe, ye)
        close(got, want[0], trial)
        assert_same(gnd.take(xe)[0], want[1], trial), assert_same(gnd.take(ye)[0], want[2], trial)
    plain = gnd.histogram2d(gnd.from_numpy(x), gnd.from_numpy(x[::-1]), None, 3, None, None, None)
    assert_same(plain, np.histogram2d(x, x[::-1], (10, 3))[0], strides=False)


def test_dimensions_refused():
    x, m = gnd.from_numpy(np.arange(4.0)), gnd.from_numpy(np.zeros((4, 3)))
    none = gnd.outputs(3)
    wrong = [
        (lambda: gnd.histogramdd(m, 2, [3, 3], None, none), gnd.ERROR_SHAPE, "3 dimensions.*for 2"),
        (lambda: gnd.histogramdd(gnd.zeros((2, 2, 2), None), 1, [3], None, none), gnd.ERROR_SHAPE,
         r"\(2, 2, 2\)"),
        (lambda: gnd.histogramdd(m, 1, [0], None, none), gnd.ERROR_VALUE, "bins is 0"),
        (lambda: gnd.histogramdd(m, 1, [2**30], None, none), gnd.ERROR_MEMORY, "too many"),
        (lambda: gnd.histogramdd(m, 1, [3], options(rule="fd"), none), gnd.ERROR_INVALID, "rule"),
        (lambda: gnd.histogramdd(m, 1, [3], options(weights=m), none), gnd.ERROR_SHAPE, "weights"),
        (lambda: gnd.histogramdd(m, 1, [3], options(weights=gnd.zeros((4,), "complex64")), none),
         gnd.ERROR_DTYPE, "complex64"),
        (lambda: gnd.histogram2d(x, x[":2"], 3, 3, None, None, None), gnd.ERROR_SHAPE, "4.*2"),
        (lambda: gnd.histogram2d(x, m, 3, 3, None, None, None), gnd.ERROR_SHAPE, "y has shape"),
        (lambda: gnd.histogram2d(None, x, 3, 3, None, None, None), gnd.ERROR_INVALID, "x"),
    ]
    for call, code, sentence in wrong:
        with pytest.raises(gnd.Error, match=sentence) as caught:
            call()
        assert caught.value.code == code


def test_no_memory():
    g = generator("memory")
    x, whole = gnd.from_numpy(g.normal(size=(40, 50))), gnd.from_numpy(g.integers(0, 9, 2000))
    flat, w = gnd.from_numpy(g.normal(size=2000)), gnd.from_numpy(g.normal(size=2000).astype(np.float32))
    half = gnd.from_numpy(g.normal(size=(80, 50)).astype(np.float32))["::2"]
    edges = gnd.from_numpy(np.arange(9, dtype=np.float32))

    def with_edges(call, n=1):
        room = gnd.outputs(n)
        result = call(room)
        return result, gnd.take(room)

    calls = [
        lambda: gnd.bincount(whole, None, 0), lambda: gnd.bincount(whole, w, 0),
        lambda: gnd.bincount_fixed(whole, None, 9),
        lambda: with_edges(lambda e: gnd.histogram(x, 9, options(density=True), e)),
        lambda: with_edges(lambda e: gnd.histogram(half, edges, options(weights=x), e)),
        lambda: with_edges(lambda e: gnd.histogram(x, None, options(rule="doane", range=(0, 2)), e)),
        lambda: gnd.histogram_bin_edges(x, 4, None),
        lambda: with_edges(lambda e: gnd.histogramdd(x[":, :2"], 2, [3, edges],
                                                     options(density=True), e), 2),
        lambda: gnd.histogram2d(flat, w, 3, 4, options(weights=w), None, None),
    ]
    for call in calls:
        call()
        result, failures = run_with_failures(call)
        assert failures
        del result
