"""Extrema and peaks against SciPy's: every condition, bound, property and option, dtypes, plateaus, NaN, strided x, and
what is refused."""

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

import dtypes
import gnd
from check import refused
from test_resample import options, strided, values
from values import generator

REAL = [d for d in dtypes.NAMES if d not in dtypes.COMPLEX]
RELATIONS = {np.greater: gnd.GREATER, np.less: gnd.LESS, np.greater_equal: gnd.GREATER_EQUAL,
             np.less_equal: gnd.LESS_EQUAL}


def taken(call, count):
    """The arrays that a function gives through pointers."""
    room = (ctypes.c_void_p * max(count, 1))()
    call(*[ctypes.addressof(room) + 8 * k for k in range(count)])
    return [gnd.Array(p) for p in room[:count]]


def same(got, want, context, exact=True):
    assert got.dtype == str(want.dtype), f"{context}: {got.dtype}"
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    x = got.numpy()
    tolerance = 0 if exact else 1e-14
    good = np.allclose(x, want, tolerance, tolerance, equal_nan=True)
    assert good, f"{context}: {x}, not {want}"


# ---- relative extrema -------------------------------------------------------------------------------------


def extrema(a, relation, axis, order, wrap):
    room = (ctypes.c_void_p * max(len(a.shape), 1))()
    gnd.argrelextrema(a, RELATIONS[relation], axis, order, wrap, ctypes.addressof(room))
    return [gnd.Array(p) for p in room[:len(a.shape)]]


@pytest.mark.parametrize("dtype", REAL)
def test_argrelextrema(dtype):
    g = generator("argrelextrema", dtype)
    for shape in [(0,), (1,), (2,), (40,), (5, 12), (0, 3), (3, 4, 5)]:
        for axis in range(-1, len(shape)):
            for relation in RELATIONS:
                for order in (1, 2, 5, 50):
                    for wrap in (False, True):
                        a, x = strided(g, shape, dtype)
                        if g.random() < 0.5:  # many equal elements
                            a, x = gnd.astype(gnd.from_numpy(x), "bool"), x.astype(bool)
                        plain = dtypes.wide(x)
                        want = signal.argrelextrema(plain, relation, axis, order, "wrap" if wrap else "clip")
                        for got, other in zip(extrema(a, relation, axis, order, wrap), want):
                            same(got, other, f"{dtype} {shape} {axis} {relation.__name__} {order} {wrap}")


def test_argrelextrema_compares_exactly():
    for dtype in ("int64", "uint64"):
        x = np.array([0, 1, 0, 1, 0], dtype) + np.array(2**62, dtype)
        assert (extrema(gnd.from_numpy(x), np.greater, 0, 1, False)[0].numpy() == [1, 3]).all()
    x = np.array([0, np.nan, 0, 3, np.nan, 5, 2, 4.0])
    for relation in RELATIONS:
        want = signal.argrelextrema(x, relation, 0, 1, "wrap")[0]
        same(extrema(gnd.from_numpy(x), relation, 0, 1, True)[0], want, "NaN")


@pytest.mark.parametrize("dtype", ("float32", "float64", "int32"))
def test_argrelextrema_of_many_elements(dtype):
    """More elements than one thread takes, which begin and end anywhere in a line."""
    g = generator("argrelextrema of many", dtype)
    for shape, axis in [((40000,), 0), ((7, 3001), 1), ((3, 2500, 5), 1), ((2, 9000, 2), 1), ((90, 300), 0)]:
        x = g.integers(0, 50, shape).astype(dtype)
        for relation in RELATIONS:
            for order in (1, 3):
                want = signal.argrelextrema(x, relation, axis, order)
                for got, other in zip(extrema(gnd.from_numpy(x), relation, axis, order, False), want):
                    same(got, other, f"{dtype} {shape} {axis} {relation.__name__} {order}")


@pytest.mark.parametrize("dtype", ("float32", "float64", "int64", "uint64"))
def test_argrelextrema_of_a_line(dtype):
    """Lines of whole tiles and just beside, with and without their ends together, aligned or not; all extrema."""
    g = generator("argrelextrema of a line", dtype)
    for n in (4095, 4096, 4097, 4100, 12290):
        x = g.integers(0, 4, n).astype(dtype)
        if dtype.startswith("float"):
            x[g.integers(0, n, 20)] = np.nan
        a = gnd.from_numpy(x)
        part = gnd.slice(a, "1:")
        for relation in RELATIONS:
            for wrap in (False, True):
                mode = "wrap" if wrap else "clip"
                same(extrema(a, relation, 0, 1, wrap)[0], signal.argrelextrema(x, relation, 0, 1, mode)[0], (n, mode))
                want = signal.argrelextrema(x[1:], relation, 0, 1, mode)[0]
                same(extrema(part, relation, 0, 1, wrap)[0], want, (n, mode, "part"))
        x = (np.arange(n) % 2).astype(dtype)
        for relation in (np.greater, np.less):
            for wrap in (False, True):
                want = signal.argrelextrema(x, relation, 0, 1, "wrap" if wrap else "clip")[0]
                same(extrema(gnd.from_numpy(x), relation, 0, 1, wrap)[0], want, (n, "alternating", wrap))


def test_argrelmax_and_argrelmin():
    g = generator("argrelmax")
    x = g.integers(0, 9, (6, 30)).astype("float32")
    a = gnd.from_numpy(x)
    for name, scipys in [("argrelmax", signal.argrelmax), ("argrelmin", signal.argrelmin)]:
        for axis in (0, 1):
            for order in (1, 3):
                got = taken(lambda *p, n=name, k=axis, o=order: gnd.function("gnd_" + n)(a, k, o, False, p[0]), 2)
                for mine, want in zip(got, scipys(x, axis, order)):
                    same(mine, want, f"{name} {axis} {order}")
    assert gnd.argrelmax and gnd.argrelmin


def test_argrelextrema_refuses():
    a, room = gnd.zeros((4,), None), (ctypes.c_void_p * 4)()
    at = ctypes.addressof(room)
    refused(lambda: gnd.argrelextrema(a, 0, 0, 0, False, at), gnd.ERROR_VALUE, "not 0")
    refused(lambda: gnd.argrelextrema(a, 4, 0, 1, False, at), gnd.ERROR_INVALID, "relation number 4")
    refused(lambda: gnd.argrelextrema(a, 0, 1, 1, False, at), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.argrelextrema(a, 0, 0, 1, False, None), gnd.ERROR_INVALID, "'indices' is NULL")
    refused(lambda: gnd.argrelextrema(None, 0, 0, 1, False, at), gnd.ERROR_INVALID, "'data' is NULL")
    refused(lambda: gnd.argrelextrema(gnd.zeros((4,), "complex64"), 0, 0, 1, False, at), gnd.ERROR_DTYPE, "complex64")


# ---- peaks ------------------------------------------------------------------------------------------------

CONDITIONS = ("plateau_size", "height", "threshold", "prominence", "width")
NAMES = ("peaks", "plateau_sizes", "left_edges", "right_edges", "peak_heights", "left_thresholds", "right_thresholds",
         "prominences", "left_bases", "right_bases", "widths", "width_heights", "left_ips", "right_ips")


def condition(given):
    """A gnd_peak_condition for a condition as SciPy takes it, and what must be kept alive."""
    made = gnd.STRUCTS["gnd_peak_condition"]()
    made.wanted = True
    low, high = given if isinstance(given, tuple) else (given, None)
    kept = [gnd.from_numpy(b) if isinstance(b, np.ndarray) else b for b in (low, high)]
    made.least, made.most = (gnd.arg(b) for b in kept)
    return made, kept


def find_peaks(a, **given):
    fields, kept = {}, []
    for name, value in given.items():
        if name in CONDITIONS:
            fields[name], alive = condition(value)
            kept.append(alive)
        else:
            fields[name] = value
    found = gnd.STRUCTS["gnd_peaks"]()
    gnd.find_peaks(found, a, options("gnd_find_peaks_options", **fields))
    result = {name: gnd.Array(getattr(found, name)) for name in NAMES if getattr(found, name)}
    for name in NAMES:
        setattr(found, name, None)
    gnd.peaks_release(found)
    return result.pop("peaks"), result


def check(x, a=None, **given):
    peaks, properties = find_peaks(gnd.from_numpy(x) if a is None else a, **given)
    want, others = signal.find_peaks(dtypes.wide(x), **given)
    context = f"{x[:60]} {given}"
    same(peaks, want, context)
    assert set(properties) == set(others), f"{context}: {sorted(properties)}, not {sorted(others)}"
    for name, other in others.items():
        same(properties[name], other, f"{context} {name}", exact=name not in ("widths", "left_ips", "right_ips",
                                                                               "width_heights"))
    return want


def signals(g):
    """Lines with peaks, plateaus and NaN, short and long ones."""
    yield from (np.zeros(n) for n in (0, 1, 2, 3, 30))
    yield np.array([0, 1, 1, 0, 2, 2, 2, 1, 3, 3.0])
    yield np.array([1, 0, 1, 0, 1.0])
    yield np.sin(np.linspace(0, 40, 500)) + 0.3 * np.sin(np.linspace(0, 311, 500))
    for n in (10, 200, 1000):
        yield g.standard_normal(n)
        yield g.integers(0, 6, n).astype(float)
        x = g.standard_normal(n)
        x[g.integers(0, n, n // 8)] = np.nan
        yield x
        yield np.cumsum(g.standard_normal(n))
        yield np.repeat(g.integers(0, 9, n), g.integers(1, 6, n)).astype(float)


def test_find_peaks_without_conditions():
    total = 0
    for x in signals(generator("find_peaks")):
        total += check(x).size
    assert total > 1000


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_plateaus_of_any_length(dtype):
    """Their middles may be far from where they begin, in the part of another thread."""
    g = generator("plateaus", dtype)
    for longest in (3, 500, 9000):
        steps = g.integers(0, 3, 1 + 60000 // longest)
        x = np.repeat(steps, g.integers(1, longest + 1, steps.size)).astype(dtype)
        assert check(x).size > 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CONDITIONS)
def test_each_condition(name):
    bounds = {"plateau_size": [1, 2, (2, 3), (None, 2), (None, None)],
              "height": [0, 0.5, (None, 1), (-1.0, 2), (None, None)],
              "threshold": [0, 0.25, (None, 1), (0.1, 3), (None, None)],
              "width": [0, 2, (None, 3.5), (1, 8), (None, None)],
              "prominence": [0, 1, (None, 2), (0.5, 4.0), (None, None)]}
    for x in signals(generator(name)):
        for bound in bounds[name]:
            check(x, **{name: bound})


@pytest.mark.filterwarnings("ignore")
def test_bounds_that_are_arrays():
    g = generator("bounds")
    for x in signals(g):
        low, high = g.standard_normal(x.size) - 0.5, g.standard_normal(x.size) + 2
        for name in CONDITIONS:
            check(x, **{name: low})
            check(x, **{name: (low, high)})
            check(x, **{name: (None, high)})


@pytest.mark.filterwarnings("ignore")
def test_distance():
    g = generator("distance")
    for n in (10, 300, 5000):
        for _ in range(4):
            x = g.standard_normal(n)  # no two peaks of one height: SciPy's order of these is not defined
            for distance in (1, 1.5, 2, 3, 10, 77.3, 1e9):
                check(x, distance=distance)
    assert (find_peaks(gnd.from_numpy(np.array([0, 1, 0, 1, 0, 1, 0.0])), distance=3)[0].numpy() == [1, 5]).all()


@pytest.mark.filterwarnings("ignore")
def test_wlen_and_rel_height():
    for x in signals(generator("wlen")):
        for wlen in (2, 3, 4.5, 10, 51, 1e9):
            check(x, prominence=0.1, wlen=wlen)
            check(x, width=0, wlen=wlen)
        for rel_height in (0.1, 0.5, 0.9, 1.0, 1.7):
            check(x, width=(None, None), rel_height=rel_height)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_conditions_together(seed):
    g = np.random.default_rng(seed)
    x = np.cumsum(g.standard_normal(g.integers(3, 400))) if g.random() < 0.5 else g.standard_normal(g.integers(3, 400))
    choices = {"height": (-1.0, 5.0), "threshold": (0.05, None), "distance": 4, "prominence": 0.3, "width": (0.5, 20.0),
               "plateau_size": (None, 3), "wlen": 31, "rel_height": 0.7}
    check(x, **{name: value for name, value in choices.items() if g.random() < 0.6})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", REAL)
def test_find_peaks_of_each_dtype(dtype):
    g = generator("find_peaks", dtype)
    for n in (5, 100, 400):
        a, x = strided(g, (n,), dtype)
        check(x, a, height=(None, None), threshold=(None, None), prominence=(None, None), width=(None, None),
              plateau_size=(None, None))


def test_find_peaks_refuses():
    a = gnd.from_numpy(np.arange(9.0) % 3)
    refused(lambda: find_peaks(a, distance=0.5), gnd.ERROR_VALUE, "distance")
    refused(lambda: find_peaks(a, distance=np.nan), gnd.ERROR_VALUE, "distance")
    refused(lambda: find_peaks(a, prominence=1, wlen=1), gnd.ERROR_VALUE, "wlen")
    refused(lambda: find_peaks(a, width=1, rel_height=-0.5), gnd.ERROR_VALUE, "rel_height")
    refused(lambda: find_peaks(a, height=np.zeros(4)), gnd.ERROR_SHAPE, "as long as x, 9")
    refused(lambda: find_peaks(gnd.zeros((3, 3), None)), gnd.ERROR_SHAPE, "one dimension")
    refused(lambda: find_peaks(gnd.zeros((3,), "complex128")), gnd.ERROR_DTYPE, "complex128")
    refused(lambda: find_peaks(None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.find_peaks(None, a, None), gnd.ERROR_INVALID, "'peaks' is NULL")


# ---- given peaks ------------------------------------------------------------------------------------------


def prominences(a, peaks, wlen=0.0):
    return taken(lambda *p: gnd.peak_prominences(a, peaks, wlen, *p), 3)


def widths(a, peaks, rel_height=0.5, wlen=0.0, data=None):
    made = data and options("gnd_prominence_data", **dict(zip(("prominences", "left_bases", "right_bases"),
                                                             (d.pointer for d in data))))
    return taken(lambda *p: gnd.peak_widths(a, peaks, rel_height, wlen, made, *p), 4)


@pytest.mark.filterwarnings("ignore")
def test_properties_of_given_peaks():
    """Also of elements that are no peaks."""
    g = generator("given peaks")
    for x in signals(g):
        if x.size == 0:
            continue
        peaks = np.sort(g.integers(0, x.size, 40))
        a, at = gnd.from_numpy(x), gnd.from_numpy(peaks)
        for wlen in (None, 2, 7, 12.5, 1000):
            want = signal.peak_prominences(x, peaks, wlen)
            for got, other in zip(prominences(a, at, wlen or 0.0), want):
                same(got, other, f"{x[:50]} {wlen}")
            for rel_height in (0.0, 0.5, 1.0):
                others = signal.peak_widths(x, peaks, rel_height, None, wlen)
                for got, other in zip(widths(a, at, rel_height, wlen or 0.0), others):
                    same(got, other, f"{x[:50]} {wlen} {rel_height}", exact=False)
            data = [gnd.from_numpy(d) for d in want]
            for got, other in zip(widths(a, at, 0.3, 0.0, data), signal.peak_widths(x, peaks, 0.3, want)):
                same(got, other, f"{x[:50]} {wlen} data", exact=False)


def test_long_ways():
    """Peaks whose bases are far away, in both directions, and of equal bases the nearest."""
    g = generator("long ways")
    x = np.concatenate([np.arange(5000), 5000 - np.arange(5000.0)]) + np.tile([0, 0.75], 5000)
    x[::7] = np.floor(x[::7])
    for dtype in ("float64", "float32"):
        y = x.astype(dtype)
        peaks = signal.find_peaks(y)[0]
        for got, want in zip(prominences(gnd.from_numpy(y), gnd.from_numpy(peaks)), signal.peak_prominences(y, peaks)):
            same(got, want, dtype)
    y = np.zeros(3000)
    y[[5, 1000, 2990]] = 3, 4, 3
    y[g.integers(0, 3000, 200)] -= 1
    mine = prominences(gnd.from_numpy(y), gnd.from_numpy(np.array([1000])))
    for got, want in zip(mine, signal.peak_prominences(y, [1000])):
        same(got, want, "equal bases")


def test_given_peaks_of_other_dtypes_and_refused():
    x = np.sin(np.linspace(0, 30, 200))
    a = gnd.from_numpy(x)
    want = signal.find_peaks(x)[0]
    for dtype in ("int32", "uint8", "int64"):
        for got, other in zip(prominences(a, gnd.from_numpy(want.astype(dtype))), signal.peak_prominences(x, want)):
            same(got, other, dtype)
    for got in prominences(a, gnd.zeros((0,), None)):
        assert got.shape == (0,)
    for got in widths(a, gnd.zeros((0,), None)):
        assert got.shape == (0,) and got.dtype == "float64"
    at = gnd.from_numpy(want)
    gnd.peak_prominences(a, at, 0, None, None, None)
    refused(lambda: prominences(a, gnd.from_numpy(np.array([3, 200]))), gnd.ERROR_VALUE, "peak 200 is not an index")
    refused(lambda: prominences(a, gnd.from_numpy(np.array([-1, 20]))), gnd.ERROR_VALUE, "peak -1")
    refused(lambda: prominences(a, gnd.from_numpy(np.array([1.5]))), gnd.ERROR_DTYPE, "cannot safely be cast")
    refused(lambda: prominences(a, gnd.from_numpy(want.reshape(1, -1))), gnd.ERROR_SHAPE, "peaks must have one dim")
    refused(lambda: prominences(a, at, 0.5), gnd.ERROR_VALUE, "wlen")
    refused(lambda: prominences(a, None), gnd.ERROR_INVALID, "'peaks' is NULL")
    refused(lambda: prominences(None, at), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: widths(a, at, -0.1), gnd.ERROR_VALUE, "rel_height")
    good = [gnd.from_numpy(d) for d in signal.peak_prominences(x, want)]
    refused(lambda: widths(a, at, 0.5, 0.0, [good[0], good[2], good[1]]), gnd.ERROR_VALUE, "both sides")
    refused(lambda: widths(a, at, 0.5, 0.0, [good[0], good[1], gnd.add(good[2], 200)]), gnd.ERROR_VALUE, "both sides")
    few = [gnd.zeros((2,), None), good[1], good[2]]
    refused(lambda: widths(a, at, 0.5, 0.0, few), gnd.ERROR_SHAPE, "2 prominences")


def test_a_scope_owns_what_is_found():
    x = gnd.from_numpy(values(generator("scope"), (300,), "float64"))
    for _ in range(3):
        peaks, properties = find_peaks(x, height=(None, None), prominence=0.5, width=1)
        assert peaks.shape == properties["widths"].shape


# ---- peaks of a wavelet transform -------------------------------------------------------------------------


def cwt_peaks(x, widths, cwt=None, max_distances=None, **fields):
    """gnd_find_peaks_cwt with SciPy's options, whose 0 has other numbers."""
    zero = {"gap_thresh": 0.5, "min_length": 1, "min_snr": -1, "noise_perc": -1}
    fields = {k: zero.get(k, v) if v == 0 else v for k, v in fields.items() if v is not None}
    chosen = gnd.STRUCTS["gnd_find_peaks_cwt_options"](**fields)
    a = gnd.from_numpy(np.asarray(x))
    if cwt is not None:
        held = gnd.from_numpy(cwt)
        chosen.cwt = held.pointer
    if max_distances is not None:
        far = (ctypes.c_double * len(max_distances))(*max_distances)
        chosen.max_distances = ctypes.addressof(far)
    return gnd.find_peaks_cwt(a, len(widths), (ctypes.c_double * max(len(widths), 1))(*widths), chosen)


def pulses(g, n, noise):
    """Gaussian pulses of several widths on noise."""
    t, x = np.arange(n), noise * g.normal(size=n)
    for at in range(n // 20, n, n // 8):
        x += g.uniform(0.5, 3) * np.exp(-((t - at) / g.uniform(2, n / 20 + 2)) ** 2)
    return x


CWT_OPTIONS = [{}, {"gap_thresh": 2}, {"gap_thresh": 0}, {"min_length": 3}, {"min_length": 0}, {"min_snr": 0},
               {"min_snr": 2.5}, {"noise_perc": 50}, {"noise_perc": 0}, {"noise_perc": 100}, {"window_size": 7},
               {"window_size": 1}, {"window_size": 1000}, {"min_snr": 0, "gap_thresh": 2, "min_length": 0}]


@pytest.mark.parametrize("chosen", CWT_OPTIONS, ids=str)
def test_find_peaks_cwt(chosen):
    for n, noise, widths in [(200, 0.1, np.arange(1, 10)), (500, 0.3, np.arange(1, 30)), (500, 0.02, [2, 5, 9, 20]),
                             (1200, 0.2, np.linspace(0.7, 25, 17)), (40, 0.1, [1, 30, 60]), (300, 0.1, [4.0])]:
        x = pulses(generator("find_peaks_cwt", n), n, noise)
        got = cwt_peaks(x, widths, **chosen)
        assert got.dtype == "int64"
        assert got.numpy().tolist() == signal.find_peaks_cwt(x, widths, **chosen).tolist(), (n, chosen)
    distances = np.arange(len(widths)) + 3.0
    got = cwt_peaks(x, widths, max_distances=distances, **chosen).numpy()
    assert got.tolist() == signal.find_peaks_cwt(x, widths, max_distances=distances, **chosen).tolist()


def test_find_peaks_cwt_of_other_vectors():
    widths = np.arange(1, 12)
    x = pulses(generator("find_peaks_cwt", 1), 600, 0.1)
    for values_ in [x.astype("float32"), (100 * x).astype("int16"), x[::-1].copy(), np.zeros(50), np.ones(3),
                    np.array([1.0]), np.where(np.arange(400) == 200, 1.0, 0.0)]:
        want = signal.find_peaks_cwt(values_, widths).astype("int64")
        assert cwt_peaks(values_, widths).numpy().tolist() == want.tolist()
    far = pulses(generator("find_peaks_cwt", 2), 50_000, 0.2)  # by Fourier transforms
    wide = np.geomspace(4, 400, 25)
    assert cwt_peaks(far, wide).numpy().tolist() == signal.find_peaks_cwt(far, wide).tolist()


def test_find_peaks_cwt_of_a_transform():
    """Another wavelet: SciPy takes a function, gnd its transform."""
    widths = np.arange(2, 20)
    x = pulses(generator("find_peaks_cwt", 3), 400, 0.1)

    def mean(points, width):
        t = np.arange(points) - (points - 1) / 2
        return np.exp(-0.5 * (t / width) ** 2) * np.cos(2 * t / width)

    rows = [signal.convolve(x, mean(min(10 * w, len(x)), w)[::-1], mode="same") for w in widths]
    want = signal.find_peaks_cwt(x, widths, wavelet=mean)
    assert len(want) > 3
    assert cwt_peaks(x, widths, cwt=np.array(rows)).numpy().tolist() == want.tolist()


def test_find_peaks_cwt_refuses():
    x, widths = np.arange(20.0), [1.0, 2.0]
    for x_, widths_, fields, code in [(x * 1j, widths, {}, gnd.ERROR_DTYPE), (x[None], widths, {}, gnd.ERROR_SHAPE),
                                      (x[:0], widths, {}, gnd.ERROR_SHAPE), (x, [], {}, gnd.ERROR_VALUE),
                                      (x, [1.0, 0.0], {}, gnd.ERROR_VALUE), (x, [np.inf], {}, gnd.ERROR_VALUE),
                                      (x, widths, {"noise_perc": 101}, gnd.ERROR_VALUE),
                                      (x, widths, {"window_size": -1}, gnd.ERROR_VALUE),
                                      (x, widths, {"cwt": np.ones((3, 20))}, gnd.ERROR_SHAPE),
                                      (x, widths, {"cwt": np.ones((2, 20)) * 1j}, gnd.ERROR_DTYPE)]:
        with pytest.raises(gnd.Error) as error:
            cwt_peaks(x_, widths_, **fields)
        assert error.value.code == code, error.value
