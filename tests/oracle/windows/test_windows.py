"""Windows against SciPy's and NumPy's: every name, parameter, length, symmetry and dtype, and what is refused. Windows
on the host, for designs of filters, are in test_filter_design.py."""

import ctypes

import numpy as np
import pytest
from scipy import signal
from scipy.signal import windows

import gnd
from check import refused
from designs import doubles, window
from fused import Block

LENGTHS = (0, 1, 2, 3, 4, 5, 6, 7, 16, 33, 64, 101, 1000, 4097)
DTYPES = ("float32", "float64")

PLAIN = """gnd_boxcar gnd_triang gnd_bartlett gnd_parzen gnd_bohman gnd_barthann gnd_cosine gnd_lanczos gnd_hann
gnd_hamming gnd_blackman gnd_nuttall gnd_blackmanharris gnd_flattop""".replace("gnd_", "").split()
# Name, the parameters of gnd's function (those of SciPy's follow from them), SciPy's window.
OTHERS = [("gnd_general_hamming", (alpha,), lambda m, sym, a=alpha: windows.general_hamming(m, a, sym))
          for alpha in (0.54, 0.0, 1.25)]
OTHERS += [("gnd_gaussian", (std,), lambda m, sym, s=std: windows.gaussian(m, s, sym)) for std in (7.0, 0.3, 1e3)]
OTHERS += [("gnd_general_gaussian", (p, sig), lambda m, sym, p=p, s=sig: windows.general_gaussian(m, p, s, sym))
           for p, sig in ((1.5, 7.0), (0.5, 3.0), (4.0, 100.0), (1.0, -5.0), (0.0, 3.0), (0.7, 9.0), (40.0, 1e3))]
OTHERS += [("exponential", (np.nan, tau), lambda m, sym, t=tau: windows.exponential(m, None, t, sym))
           for tau in (1.0, 3.0, 1e4)]
OTHERS += [("tukey", (alpha,), lambda m, sym, a=alpha: windows.tukey(m, a, sym))
           for alpha in (-1.0, 0.0, 0.1, 0.5, 0.99, 1.0, 2.0)]
OTHERS += [("kaiser", (beta,), lambda m, sym, b=beta: windows.kaiser(m, b, sym))
           for beta in (0.0, 5.0, 14.0, -14.0, 43.0, 46.0, 300.0)]
OTHERS += [("chebwin", (at,), lambda m, sym, a=at: windows.chebwin(m, a, sym)) for at in (100.0, 50.0, -70.0, 3.0)]
OTHERS += [("taylor", (n, sll, norm), lambda m, sym, n=n, s=sll, o=norm: windows.taylor(m, n, s, o, sym))
           for n, sll, norm in ((4, 30.0, True), (1, 30.0, True), (6, 40.0, False), (20, 80.0, True))]


def near(got, want, dtype, context, tolerance=4e-15, roundings=1):
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}, not {want.shape}"
    allowed = tolerance + (6e-8 * roundings * np.abs(want) if dtype == "float32" else 0)
    bad = ~(np.abs(got.numpy().astype("float64") - want) <= allowed) & ~(np.isnan(want) & np.isnan(got.numpy()))
    assert not bad.any(), f"{context}: {got.numpy()[bad][:4]}, not {want[bad][:4]} at {np.flatnonzero(bad)[:4]}"


def each():
    for dtype in DTYPES:
        for m in LENGTHS:
            for sym in (True, False):
                yield dtype, m, sym


@pytest.mark.parametrize("name", PLAIN)
def test_plain(name):
    for dtype, m, sym in each():
        want = getattr(windows, name)(m, sym=sym)
        near(gnd.function("gnd_" + name)(m, sym, dtype), want, dtype, f"{name} {m} {sym}")
    assert gnd.function("gnd_" + name)(5, True, None).dtype == "float64"


@pytest.mark.filterwarnings("ignore:This window is not suitable")
@pytest.mark.parametrize("name, parameters, scipys", OTHERS, ids=lambda x: str(x) if not callable(x) else "")
def test_with_parameters(name, parameters, scipys):
    for dtype, m, sym in each():
        # The polynomial's argument is near 1, where a last bit of it is m^2 in its value.
        tolerance = 1e-13 + 2e-17 * m * m if name == "chebwin" else 1e-14
        near(gnd.function("gnd_" + name.removeprefix("gnd_"))(m, *parameters, sym, dtype), scipys(m, sym), dtype,
             f"{name} {parameters} {m} {sym}", tolerance)


def test_small_values_of_kaisers():
    """Values at the ends have their digits, however small they are."""
    for m in (33, 1000, 4097, 100_001, 250_000):
        for beta in (0.0, 0.5, 5.0, 8.6, 14.0, 30.0, 43.0, 46.0):
            got, want = gnd.kaiser(m, beta, True, "float64").numpy(), windows.kaiser(m, beta)
            assert np.abs(got / want - 1).max() < 1e-12, f"{m} {beta}"
            assert np.abs(got - want).max() < 1e-14, f"{m} {beta}"


def test_exponential_about_another_centre():
    for dtype in DTYPES:
        for m in LENGTHS[1:]:
            for centre in (0.0, 3.5, -20.0, 50.0):
                near(gnd.exponential(m, centre, 4.0, False, dtype), windows.exponential(m, centre, 4.0, False), dtype,
                     f"{m} {centre}")
    refused(lambda: gnd.exponential(8, 1.0, 4.0, True, None), gnd.ERROR_VALUE, "must be NaN, not 1")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scales_that_are_no_scale():
    """A division by 0 or infinity is as it is, though a GPU multiplies by the reciprocal."""
    for m in (5, 6, 300):
        for scale in (0.0, np.inf, np.nan, 1e-320):
            near(gnd.exponential(m, np.nan, scale, True, "float64"), windows.exponential(m, None, scale), "float64",
                 f"exponential {m} {scale}")
            near(gnd.gaussian(m, scale, True, None), windows.gaussian(m, scale), "float64", f"gaussian {m} {scale}")
            near(gnd.general_gaussian(m, 1.5, scale, True, None), windows.general_gaussian(m, 1.5, scale), "float64",
                 f"general_gaussian {m} {scale}")


def test_general_cosine():
    g = np.random.default_rng(1)
    for dtype, m, sym in each():
        for count in (1, 2, 5, 64, 65, 200):
            a = g.standard_normal(count)
            near(gnd.general_cosine(m, *doubles(a), sym, dtype), windows.general_cosine(m, a, sym), dtype,
                 f"{m} {count} {sym}", count * (1e-7 if dtype == "float32" else 1e-13))
    assert not gnd.general_cosine(4, 0, None, True, None).numpy().any()
    refused(lambda: gnd.general_cosine(4, 1, None, True, None), gnd.ERROR_INVALID, "'a' is NULL")
    refused(lambda: gnd.general_cosine(4, -1, None, True, None), gnd.ERROR_INVALID, "-1")


def test_kaiser_bessel_derived():
    for dtype in DTYPES:
        for m in (0, 2, 4, 10, 256, 4098):
            for beta in (0.0, 4.0, 25.0):
                near(gnd.kaiser_bessel_derived(m, beta, True, dtype), windows.kaiser_bessel_derived(m, beta), dtype,
                     f"{m} {beta}", 1e-13)
    refused(lambda: gnd.kaiser_bessel_derived(8, 4.0, False, None), gnd.ERROR_VALUE, "symmetric only")
    refused(lambda: gnd.kaiser_bessel_derived(9, 4.0, True, None), gnd.ERROR_VALUE, "not 9")
    refused(lambda: gnd.kaiser_bessel_derived(1, 4.0, True, None), gnd.ERROR_VALUE, "not 1")


@pytest.mark.parametrize("name", [n for n in PLAIN if n != "boxcar"] + ["kaiser", "gaussian", "chebwin", "taylor"])
def test_halves_have_the_same_bits(name):
    parameters = {"kaiser": (9.0,), "gaussian": (20.0,), "chebwin": (80.0,), "taylor": (5, 35.0, True)}.get(name, ())
    for m in (2, 7, 100, 1001):
        w = gnd.function("gnd_" + name)(m, *parameters, True, "float64").numpy()
        assert w.tobytes() == w[::-1].tobytes() and np.ptp(w) > 0 or m == 2, f"{name} {m}"
        periodic = gnd.function("gnd_" + name)(m - 1, *parameters, False, "float64").numpy()
        assert m == 2 or periodic.tobytes() == w[:-1].tobytes(), f"{name} {m}"


def test_numpys_five():
    for m in (0, 1, 2, 3, 12, 51, 1000):
        for dtype in DTYPES:
            near(gnd.hanning(m, dtype), np.hanning(m), dtype, f"hanning {m}")
            for name in ("bartlett", "blackman", "hamming"):
                near(gnd.function("gnd_" + name)(m, True, dtype), getattr(np, name)(m), dtype, f"{name} {m}")
            near(gnd.kaiser(m, 14.0, True, dtype), np.kaiser(m, 14.0), dtype, f"kaiser {m}", 1e-14)
    assert gnd.hanning(-3, None).shape == (0,) == np.hanning(-3).shape


# ---- dpss -------------------------------------------------------------------------------------------------

NORMS = {None: gnd.DPSS_DEFAULT, 2: gnd.DPSS_L2, "approximate": gnd.DPSS_APPROXIMATE, "subsample": gnd.DPSS_SUBSAMPLE}


def dpss(m, nw, kmax=None, sym=True, norm=None, dtype="float64"):
    ratios = ctypes.c_void_p()
    w = gnd.dpss(m, nw, kmax or 0, NORMS[norm], sym, ctypes.addressof(ratios), dtype)
    return w, gnd.Array(ratios.value).numpy()


def test_dpss():
    for m in (2, 3, 4, 5, 8, 9, 32, 33, 128, 255, 1000):
        for nw in (0.1, 0.75, 2.5, 4.0, 30.0, 0.49 * m):
            for kmax in (None, 1, 2, 3, 7):
                for sym in (True, False):
                    if nw >= m / 2 or (kmax or 1) > m:
                        continue
                    want, ratios = windows.dpss(m, nw, kmax, sym, return_ratios=True)
                    got, mine = dpss(m, nw, kmax, sym)
                    near(got, want, "float64", f"{m} {nw} {kmax} {sym}", 3e-17 * m * m + 2e-15)
                    assert np.allclose(mine, np.ravel(ratios), 1e-9, 1e-12), f"{m} {nw} {kmax} {sym}"


def test_all_sequences_of_a_length():
    """But for the signs of those whose sum, which decides, is 0 but for rounding."""
    for m in (6, 7, 40, 41):
        for nw in (0.5, 2.0, 0.4 * m):
            got, want = dpss(m, nw, m)[0].numpy(), windows.dpss(m, nw, m)
            for k in range(m):
                sign = np.sign(got[k] @ want[k]) if k % 2 == 0 and abs(want[k].sum()) < 1e-12 else 1
                assert np.abs(sign * got[k] - want[k]).max() < 1e-10, f"{m} {nw} {k}"


def test_sequences_solve_their_own_problem():
    """Against the definition: w is an eigenvector of sin(2 pi w (i - j)) / (pi (i - j)), with its ratio."""
    m, nw = 1500, 3.0
    w, ratios = (x if isinstance(x, np.ndarray) else x.numpy() for x in dpss(m, nw, 4))
    lag = np.arange(m)[:, None] - np.arange(m)
    kernel = 2 * nw / m * np.sinc(2 * nw / m * lag)
    assert np.abs(w @ w.T - np.eye(4)).max() < 1e-13
    for k in range(4):
        assert np.abs(kernel @ w[k] - ratios[k] * w[k]).max() < 1e-14, k


def test_dpss_norms_and_dtypes():
    for m in (16, 17, 100):
        for norm in NORMS:
            for kmax in (None, 3):
                for dtype in DTYPES:
                    near(dpss(m, 2.5, kmax, True, norm, dtype)[0], windows.dpss(m, 2.5, kmax, True, norm), dtype,
                         f"{m} {norm} {kmax}", 1e-11)


def test_dpss_without_points_and_refused():
    for m in (0, 1):
        assert (gnd.dpss(m, 4.0, 0, 0, True, None, None).numpy() == np.ones(m)).all()
        assert gnd.dpss(m, 4.0, 3, 0, True, None, "float32").shape == (m,)
    refused(lambda: gnd.dpss(8, 4.0, 0, 0, True, None, None), gnd.ERROR_VALUE, "nw must be between 0 and 4")
    refused(lambda: gnd.dpss(8, 0.0, 0, 0, True, None, None), gnd.ERROR_VALUE, "nw")
    refused(lambda: gnd.dpss(8, np.nan, 0, 0, True, None, None), gnd.ERROR_VALUE, "nan")
    refused(lambda: gnd.dpss(8, 2.0, 9, 0, True, None, None), gnd.ERROR_VALUE, "kmax")
    refused(lambda: gnd.dpss(8, 2.0, -1, 0, True, None, None), gnd.ERROR_VALUE, "kmax")
    refused(lambda: gnd.dpss(8, 2.0, 1, 4, True, None, None), gnd.ERROR_INVALID, "norm number 4")
    refused(lambda: gnd.dpss(8, 2.0, 1, 0, True, None, "float16"), gnd.ERROR_DTYPE, "float16")


# ---- by name ----------------------------------------------------------------------------------------------

GIVEN = [*PLAIN, "exponential", "tukey", "taylor", ("kaiser", 8.6), ("gaussian", 7.0), ("general_gaussian", 1.5, 7.0),
         ("general_cosine", [0.4, 0.5, 0.1]), ("general_hamming", 0.7), ("chebwin", 60.0), ("tukey", 0.1),
         ("taylor", 6), ("taylor", 6, 40.0), ("taylor", 5, 35.0, 0), ("dpss", 2.5), "hann_periodic", "hann_symmetric",
         ("kaiser_symmetric", 3.0), ("general gaussian", 1.0, 5.0), ("kaiser bessel derived_symmetric", 5.0)]


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_get_window(given):
    for n in (1, 2, 16, 33, 100):
        for fftbins in (True, False):
            for dtype in DTYPES:
                if "bessel" in given[0] and n % 2 or given[0] == "dpss" and n == 2:
                    continue
                near(gnd.get_window(window(given), n, fftbins, dtype), signal.get_window(given, n, fftbins), dtype,
                     f"{given} {n} {fftbins}", 1e-11)


def test_every_name_of_scipys():
    parameters = {"chebwin": (60.0,), "dpss": (2.0,), "gaussian": (5.0,), "general_cosine": ([0.5, 0.5],),
                  "general_gaussian": (1.5, 5.0), "general_hamming": (0.6,), "kaiser": (4.0,),
                  "kaiser_bessel_derived": (4.0,)}
    for names, (function, _) in windows._windows._WIN_FUNC_DATA.items():
        for name in names:
            given = (name, *parameters.get(function.__name__, ()))
            fftbins = function.__name__ != "kaiser_bessel_derived"
            want = signal.get_window(given, 20, fftbins)
            near(gnd.get_window(window(given), 20, fftbins, "float64"), want, "float64", name, 1e-11)


def test_a_number_is_kaisers():
    made = window(("kaiser", 5.0))
    made.name = None
    near(gnd.get_window(made, 12, True, "float64"), signal.get_window(5.0, 12), "float64", "5.0")


def test_get_window_refuses():
    refused(lambda: gnd.get_window(None, 4, True, None), gnd.ERROR_INVALID, "'window' is NULL")
    refused(lambda: gnd.get_window(window("hann"), 0, True, None), gnd.ERROR_VALUE, "positive")
    refused(lambda: gnd.get_window(window("hann"), -1, True, None), gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.get_window(window("broken"), 4, True, None), gnd.ERROR_VALUE, "no window named 'broken'")
    refused(lambda: gnd.get_window(window("kaiser"), 4, True, None), gnd.ERROR_VALUE, "takes 1 to 1 parameters, not 0")
    refused(lambda: gnd.get_window(window(("hann", 1.0)), 4, True, None), gnd.ERROR_VALUE, "0 parameters, not 1")
    refused(lambda: gnd.get_window(window(None), 4, True, None), gnd.ERROR_VALUE, "not 0")
    refused(lambda: gnd.get_window(window(("kbd", 1.0)), 4, True, None), gnd.ERROR_VALUE, "symmetric only")
    refused(lambda: gnd.get_window(window("hann"), 4, True, "int32"), gnd.ERROR_DTYPE, "int32")


def test_refused():
    refused(lambda: gnd.hann(-1, True, None), gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.hann(4, True, "complex64"), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.tukey(4, np.nan, True, None), gnd.ERROR_VALUE, "NaN")
    refused(lambda: gnd.taylor(4, 0, 30.0, True, True, None), gnd.ERROR_VALUE, "nbar")


def test_long_windows():
    """Points far out, where float32 would not tell them apart, and several shares of threads."""
    m = 300001
    for name in ("hann", "bartlett", "cosine", "lanczos"):
        near(gnd.function("gnd_" + name)(m, False, "float32"), getattr(windows, name)(m, sym=False), "float32", name)
    for length in (m, m - 1, m - 3):
        near(gnd.chebwin(length, 70.0, True, "float64"), windows.chebwin(length, 70.0), "float64", "chebwin", 1e-9)
    near(gnd.chebwin(m, 70.0, False, "float32"), windows.chebwin(m, 70.0, False), "float32", "chebwin", 1e-9)


def test_long_derived_windows():
    """Sums of many values, each to the last digits: a GPU has a kernel from 8194 points on, whose warps have 256."""
    for m, beta in ((8192, 9.0), (8194, 9.0), (8194, 45.0), (8196, 0.0), (30_002, 14.0), (30_004, 30.0),
                    (30_004, 70.0), (300_000, 4.0), (300_002, -14.0)):
        sums = np.cumsum(windows.kaiser(m // 2 + 1, beta).astype("longdouble"))
        half = np.sqrt(sums[:-1] / sums[-1]).astype("float64")
        want = np.concatenate([half, half[::-1]])
        for dtype in DTYPES:
            got = gnd.kaiser_bessel_derived(m, beta, True, dtype)
            near(got, want, dtype, f"{m} {beta}", 2e-15)
            assert got.numpy().tobytes() == got.numpy()[::-1].tobytes(), f"{m} {beta}"
        assert (np.abs(got.numpy()[:5] / want[:5] - 1) < 1e-6).all(), f"{m} {beta}: the first values, however small"


# ---- inside blocks of fusion ------------------------------------------------------------------------------


def explained():
    room = ctypes.create_string_buffer(gnd.fuse_explain_text(None, 0) + 1)
    gnd.fuse_explain_text(room, len(room))
    return room.value.decode()


FUSED = [(name, (), lambda m, sym, f=getattr(windows, name): f(m, sym=sym)) for name in PLAIN if name != "boxcar"]
FUSED += [row for row in OTHERS if row[0] not in ("chebwin", "taylor") and (row[0] != "tukey" or row[1][0] > 0)]
FUSED += [("taylor", (4, 30.0, True), lambda m, sym: windows.taylor(m, 4, 30.0, True, sym)),
          ("exponential", (1000.25, 5e3), lambda m, sym: windows.exponential(m, None if sym else 1000.25, 5e3, sym))]


@pytest.mark.parametrize("name, parameters, scipys", FUSED, ids=lambda x: str(x) if not callable(x) else "")
def test_fused(name, parameters, scipys):
    """A window times a signal is one launch, which reads the signal alone."""
    m = 40_001  # the CPU runs operations on fewer than 32768 elements at once
    for dtype in DTYPES:
        x = np.random.default_rng(1).normal(size=m).astype(dtype)
        a = gnd.from_numpy(x)
        for sym in (True, False):
            given = parameters
            if name == "exponential" and not np.isnan(parameters[0]) and sym:
                given = (np.nan, *parameters[1:])
            with Block() as block:
                y = gnd.multiply(a, gnd.function("gnd_" + name.removeprefix("gnd_"))(m, *given, sym, dtype))
                block.keep(y)
                text = explained()
            assert text.count("launch ") == 1 and text.count("load") == 1, text
            near(y, scipys(m, sym) * x.astype("float64"), dtype, f"{name} {given} {sym}", 1e-13, 2)


def test_what_is_not_fused():
    """Composed windows, and sums of many cosines, in a block: computed at once, with the same values."""
    for name, parameters in [("chebwin", (70.0,)), ("taylor", (30, 30.0, True)), ("boxcar", ())]:
        call = gnd.function("gnd_" + name)
        with Block() as block:
            got = block.keep(call(40_000, *parameters, True, None))
        assert np.array_equal(got.numpy(), call(40_000, *parameters, True, None).numpy()), name
    with Block() as block:
        small = block.keep(gnd.hann(8, True, None))
    near(small, windows.hann(8), "float64", "small")
