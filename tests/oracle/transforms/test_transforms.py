"""Periods of uneven samples and of events against SciPy's, with all options."""

import ctypes
import warnings

import numpy as np
import pytest
from scipy import signal

import dtypes
import gnd
from check import refused
from test_faults import run_with_failures
from test_resample import options, strided
from values import generator

REAL = [d for d in dtypes.NAMES if d not in dtypes.COMPLEX]
NARROW = ("float16", "bfloat16", "float32")
KINDS = {"power": gnd.LOMBSCARGLE_POWER, "normalize": gnd.LOMBSCARGLE_NORMALIZE,
         "amplitude": gnd.LOMBSCARGLE_AMPLITUDE}


def near(got, want, dtype, tolerance, context, scale=None):
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}, not {want.shape}"
    x = got.numpy()
    scale = max(1e-300, np.abs(want).max(initial=0)) if scale is None else scale
    worst = np.abs(x - want).max(initial=0) / scale
    assert worst <= tolerance, f"{context}: {worst}"


# ---- Lomb-Scargle ---------------------------------------------------------------------------------------------


def samples(g, n, dtype):
    x = np.sort(g.uniform(0, 30, n)).astype(dtype)
    y = (2 * np.cos(1.3 * x + 0.4) + 0.7 + 0.3 * g.normal(size=n)).astype(dtype)
    return x, y


def lombscargle(x, y, freqs, normalize="power", precenter=False, floating_mean=False, weights=None):
    w = weights.pointer if weights is not None else None
    o = options("gnd_lombscargle_options", normalize=KINDS[normalize], precenter=precenter, floating_mean=floating_mean,
                weights=w)
    return gnd.lombscargle(x, y, freqs, o)


def scipy_lombscargle(x, y, freqs, normalize, precenter, floating_mean, weights):
    y = np.asarray(y, "float64")
    want = signal.lombscargle(x, y - y.mean() if precenter else y, freqs, normalize=normalize,
                              floating_mean=floating_mean, weights=weights)
    return np.atleast_1d(want)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("normalize", KINDS)
def test_lombscargle(dtype, normalize):
    g = generator("lombscargle", dtype, normalize)
    result = {"float64": "complex128", "float32": "complex64"}[dtype] if normalize == "amplitude" else dtype
    for n, count in [(150, 1), (5, 20), (300, 17), (129, 700), (2000, 2100)]:
        x, y = samples(g, n, dtype)
        even = np.linspace(0.3, 9, count).astype(dtype)
        uneven = np.sort(g.uniform(0.3, 9, count)).astype(dtype)
        given = g.uniform(0, 3, n).astype(dtype)
        for freqs in (even, uneven):
            for precenter, floating_mean, weights in [(False, False, None), (True, False, None), (False, True, None),
                                                      (True, True, given), (False, False, given)]:
                if n == 5 and floating_mean:  # nearly as many unknowns as samples
                    continue
                if n == 2000 and not (precenter and floating_mean):  # all options at once: SciPy takes its time
                    continue
                want = scipy_lombscargle(x, y, freqs, normalize, precenter, floating_mean, weights)
                got = lombscargle(gnd.from_numpy(x), gnd.from_numpy(y), gnd.from_numpy(freqs), normalize, precenter,
                                  floating_mean, gnd.from_numpy(weights) if weights is not None else None)
                near(got, want, result, 1e-11 if dtype == "float64" else 2e-5,
                     f"{n} {count} {precenter} {floating_mean} {weights is not None}")


def test_lombscargle_without_options():
    g = generator("lombscargle plain")
    x, y = samples(g, 100, "float64")
    freqs = np.linspace(0.1, 4, 60)
    near(gnd.lombscargle(gnd.from_numpy(x), gnd.from_numpy(y), gnd.from_numpy(freqs), None),
         signal.lombscargle(x, y, freqs), "float64", 1e-12, "NULL")


@pytest.mark.parametrize("dtype", REAL)
def test_lombscargle_dtypes_and_strides(dtype):
    g = generator("lombscargle dtypes", dtype)
    a, x = strided(g, (90,), dtype)
    b, y = strided(g, (90,), "float32")
    f, freqs = strided(g, (40,), "float32")
    result = "float32" if dtype in NARROW else "float64"
    want = signal.lombscargle(dtypes.wide(x), dtypes.wide(y), dtypes.wide(freqs))
    near(lombscargle(a, b, f), want, result, 2e-3 if result == "float32" else 1e-7, dtype)


def test_lombscargle_at_frequency_zero_and_far_away():
    g = generator("lombscargle edges")
    x, y = samples(g, 200, "float64")
    x += 5000
    freqs = np.array([0.0, -1.3, 1.3, 250.0])
    for normalize in KINDS:
        want = scipy_lombscargle(x, y, freqs, normalize, False, False, None)
        near(lombscargle(gnd.from_numpy(x), gnd.from_numpy(y), gnd.from_numpy(freqs), normalize), want,
             "complex128" if normalize == "amplitude" else "float64", 1e-7, normalize)


def test_the_ladder_of_the_tutorial():
    """The numbers of cuSignal's tutorial: samples of a cosine of frequency 1."""
    g = np.random.RandomState(1234)
    r = g.rand(2**14)
    x = np.linspace(0.01, 10 * np.pi, 2**14)[r >= 0.9]
    assert len(x) == 1675
    y = 2 * np.cos(x + np.pi / 2)
    freqs = np.array([0.01, 1, 10])
    got = lombscargle(*[gnd.from_numpy(v) for v in (x, y, freqs)]).numpy()
    assert np.allclose(got, signal.lombscargle(x, y, freqs), 1e-10)
    assert np.allclose(got, [30.19, 1729.867, 10.4377], 1e-3)


def raised(call):
    """The message of the error that comes with the call or with the next wait."""
    with pytest.raises(gnd.Error) as error:
        call().numpy()
    assert error.value.code == gnd.ERROR_VALUE
    return error.value.message


def test_lombscargle_refused():
    x = gnd.from_numpy(np.arange(5.0))
    short, image, z = gnd.zeros(4, "float64"), gnd.zeros((5, 1), "float64"), gnd.zeros(5, "complex64")
    refused(lambda: lombscargle(x, short, x), gnd.ERROR_SHAPE, "x has 5", "y 4")
    refused(lambda: lombscargle(image, x, x), gnd.ERROR_SHAPE, "x must")
    refused(lambda: lombscargle(x, x, image), gnd.ERROR_SHAPE, "freqs must")
    refused(lambda: lombscargle(x, x, gnd.zeros(0, "float64")), gnd.ERROR_SHAPE, "freqs must")
    refused(lambda: lombscargle(x, z, x), gnd.ERROR_DTYPE, "y must", "complex64")
    refused(lambda: lombscargle(x, x, x, weights=short), gnd.ERROR_SHAPE, "weights 4")
    other = options("gnd_lombscargle_options", normalize=3)
    refused(lambda: gnd.lombscargle(x, x, x, other), gnd.ERROR_INVALID, "number 3")
    for weights in ([1, 1, -0.5, 1, 1], [0, 0, 0, 0, 0], [1, np.nan, 1, 1, 1]):
        w = gnd.from_numpy(np.array(weights, "float64"))
        assert "weights" in raised(lambda: lombscargle(x, x, x, weights=w))


# ---- vector strength ------------------------------------------------------------------------------------------


def vectorstrength(events, period):
    room = gnd.outputs(1)
    strength = gnd.vectorstrength(events, period, room)
    return strength, gnd.take(room)[0]


@pytest.mark.parametrize("dtype", REAL)
def test_vectorstrength(dtype):
    g = generator("vectorstrength", dtype)
    for n in (1, 15, 16, 17, 3000, 70000):
        a, events = strided(g, (n,), dtype)
        events = dtypes.wide(events)
        for period in (1.0, 0.37, 250.0):
            want = signal.vectorstrength(events, period)
            for got, value in zip(vectorstrength(a, period), want):
                near(got, np.asarray(value), "float64", 1e-11, f"{n} {period}", 1)
        for p_dtype in ("float64", "float32"):
            periods = g.uniform(0.2, 9, 7).astype(p_dtype)
            want = signal.vectorstrength(events.astype(p_dtype), periods)
            for got, value in zip(vectorstrength(a, gnd.from_numpy(periods)), want):
                near(got, np.asarray(value), p_dtype, 1e-11 if p_dtype == "float64" else 2e-3, f"{n} {p_dtype}", 1)


def test_vectorstrength_of_periods():
    """Events that keep to a period, one of them with jitter; periods of other dtypes; none; no events."""
    g = generator("vectorstrength periods")
    events = np.arange(4000) * 2.5 + 0.6
    for got, value in zip(vectorstrength(gnd.from_numpy(events), 2.5), (1, 2 * np.pi * 0.6 / 2.5)):
        assert abs(float(got.numpy()) - value) < 1e-9
    events += 0.2 * g.normal(size=4000)
    periods = np.array([2, 3, 5])
    for p in (periods, np.array(3), periods.astype("float16"), np.array([])):
        p_dtype = "float32" if p.dtype == "float16" else "float64"
        want = signal.vectorstrength(events.astype(p_dtype), p.astype(p_dtype))
        for got, value in zip(vectorstrength(gnd.from_numpy(events), gnd.from_numpy(p)), want):
            near(got, np.asarray(value), p_dtype, 1e-10 if p_dtype == "float64" else 5e-3, f"{p}", 1)
    assert np.isnan(gnd.vectorstrength(gnd.zeros(0, "float64"), 1.0, None).numpy())


def test_vectorstrength_refused():
    x, image, z = gnd.zeros(9, "float64"), gnd.zeros((3, 3), "float64"), gnd.zeros(9, "complex64")
    refused(lambda: gnd.vectorstrength(image, 1.0, None), gnd.ERROR_SHAPE, "events must")
    refused(lambda: gnd.vectorstrength(x, image, None), gnd.ERROR_SHAPE, "periods must")
    refused(lambda: gnd.vectorstrength(z, 1.0, None), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.vectorstrength(x, z, None), gnd.ERROR_DTYPE, "periods must")
    refused(lambda: gnd.vectorstrength(x, 0.0, None), gnd.ERROR_VALUE, "period is 0")
    periods = gnd.from_numpy(np.array([1.0, 2.0, -3.0]))
    assert "period 2 is not above 0" in raised(lambda: gnd.vectorstrength(x, periods, None))


def test_out_of_memory_at_every_allocation():
    g = generator("periods memory")
    x, y, f = (gnd.from_numpy(g.normal(size=n).astype("float32")) for n in (90, 90, 40))
    wide = gnd.from_numpy(np.abs(g.normal(size=90)))
    for call in [lambda: lombscargle(x, wide, f, precenter=True, weights=gnd.absolute(x)),
                 lambda: gnd.vectorstrength(x, wide, None), lambda: vectorstrength(x, 2.0)[1]]:
        with warnings.catch_warnings():
            result, failures = run_with_failures(call)
        assert failures > 0 and result is not None


# ---- chirp z-transforms ---------------------------------------------------------------------------------------


def complex_of(dtype):
    return "complex64" if dtype in NARROW or dtype == "complex64" else "complex128"


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_czt(dtype):
    g = generator("czt", dtype)
    result = complex_of(dtype)
    tolerance = 2e-5 if result == "complex64" else 1e-11  # spirals are worse than circles
    for shape, axis in [((1,), 0), ((7,), -1), ((100,), 0), ((3, 64), 1), ((50, 4), 0), ((2, 31, 3), 1), ((0, 5), 1)]:
        a, x = strided(g, shape, dtype)
        x = dtypes.wide(x)
        for m in (-1, 1, 20, 150):
            for w, start in [(None, None), (np.exp(-0.01j), np.exp(0.3j)), (0.9998 * np.exp(-0.05j), 1.002),
                             (0.9999, None)]:
                want = signal.czt(x, None if m == -1 else m, w, 1 if start is None else start, axis=axis)
                got = gnd.czt(a, m, w, start, axis)
                near(got, want, result, tolerance, f"{shape} {m} {w} {start}")


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int16"])
def test_zoom_fft(dtype):
    g = generator("zoom_fft", dtype)
    result = complex_of(dtype)
    for shape, axis in [((100,), 0), ((3, 64), 1), ((50, 4), 0)]:
        a, x = strided(g, shape, dtype)
        for m in (-1, 2, 150):
            for f1, f2, fs, endpoint in [(0.0, 2.0, 2, False), (0.2, 0.3, 2, True), (10.0, 70.0, 200, False),
                                         (0.9, 0.1, 1, False)]:
                want = signal.zoom_fft(x, [f1, f2], None if m == -1 else m, fs=fs, endpoint=endpoint, axis=axis)
                o = options("gnd_zoom_fft_options", fs=float(fs), endpoint=endpoint)
                near(gnd.zoom_fft(a, f1, f2, m, o, axis), want, result, 3e-6 if result == "complex64" else 1e-11,
                     f"{shape} {m} {f1} {fs}")
    near(gnd.zoom_fft(a, 0.0, 0.7, 33, None, 0), signal.zoom_fft(x, 0.7, 33, axis=0), result, 3e-6, "no options")


def test_a_long_czt_is_the_fourier_transform():
    """Chirps of large indices."""
    g = generator("czt long")
    x = g.normal(size=100_003)
    near(gnd.czt(gnd.from_numpy(x), -1, None, None, 0), np.fft.fft(x), "complex128", 1e-12, "double")
    near(gnd.czt(gnd.from_numpy(x.astype("float32")), -1, None, None, 0), np.fft.fft(x), "complex64", 3e-6, "single")
    near(gnd.zoom_fft(gnd.from_numpy(x), 0.0, 2.0, -1, None, 0), np.fft.fft(x), "complex128", 1e-9, "zoom_fft")


def test_czt_of_half_a_million():
    """Lengths that a GPU rounds up to a power of two; more points than samples, and fewer."""
    n = 500_000
    x = generator("czt longer").normal(size=2 * n).astype("float32")[::2]
    a, want = gnd.from_numpy(x), np.fft.fft(x)
    near(gnd.czt(a, -1, None, None, 0), want, "complex64", 3e-6, "czt")
    near(gnd.zoom_fft(a, 0.0, 2.0, -1, None, 0), want, "complex64", 3e-6, "zoom_fft")
    near(gnd.zoom_fft(a, 0.5, 1.0, n // 4, None, 0), want[n // 4:n // 2], "complex64", 3e-6, "fewer points")
    near(gnd.zoom_fft(a["::2"], 0.0, 2.0, n, None, 0), np.fft.fft(x[::2], n), "complex64", 3e-6, "more points")


def test_czt_points():
    for m in (1, 2, 37):
        for w, a in [(None, None), (None, 2j), (np.exp(-0.1j), 1.5), (0.9 + 0.1j, 0.3 - 1j)]:
            want = signal.czt_points(m, w, 1 if a is None else a)
            near(gnd.czt_points(m, w, a), want, "complex128", 1e-13, f"{m} {w} {a}")


def test_czt_plans():
    g = generator("czt plans")
    w, a = 0.9998 * np.exp(-0.05j), 1.002
    for dtype, tolerance in [("complex128", 1e-12), ("complex64", 5e-6), (None, 1e-12)]:
        spiral = gnd.czt_plan_czt(64, 50, w, a, dtype)
        zoom = gnd.czt_plan_zoom_fft(64, 0.1, 0.4, -1, None, dtype)
        try:
            for shape, axis in [((64,), 0), ((3, 64), -1), ((64, 2), 0)]:
                x = g.normal(size=shape)
                near(gnd.czt_plan_run(spiral, gnd.from_numpy(x), axis), signal.CZT(64, 50, w, a)(x, axis=axis),
                     dtype or "complex128", tolerance, "CZT")
                near(gnd.czt_plan_run(zoom, gnd.from_numpy(x), axis), signal.ZoomFFT(64, [0.1, 0.4])(x, axis=axis),
                     dtype or "complex128", tolerance, "ZoomFFT")
            near(gnd.czt_plan_points(spiral), signal.CZT(64, 50, w, a).points(), "complex128", 1e-13, "points")
            near(gnd.czt_plan_points(zoom), signal.ZoomFFT(64, [0.1, 0.4]).points(), "complex128", 1e-13, "points")
            refused(lambda: gnd.czt_plan_run(spiral, gnd.zeros(9, "float64"), 0), gnd.ERROR_SHAPE, "64 samples", "9")
        finally:
            gnd.czt_plan_release(spiral)
            gnd.czt_plan_release(zoom)
    gnd.czt_plan_release(None)


def test_czt_refused():
    x = gnd.zeros(9, "float64")
    refused(lambda: gnd.czt(x, 0, None, None, 0), gnd.ERROR_VALUE, "0 points")
    refused(lambda: gnd.czt(gnd.zeros(0, "float64"), 3, None, None, 0), gnd.ERROR_VALUE, "0 samples")
    refused(lambda: gnd.czt(x, 3, 0, None, 0), gnd.ERROR_VALUE, "w must not be 0")
    refused(lambda: gnd.czt(x, 3, None, 0.0, 0), gnd.ERROR_VALUE, "a must not be 0")
    refused(lambda: gnd.czt(x, 3, x, None, 0), gnd.ERROR_DTYPE, "w must be a number")
    refused(lambda: gnd.czt(x, 3, None, None, 1), gnd.ERROR_AXIS, "axis 1")
    one = options("gnd_zoom_fft_options", endpoint=True)
    refused(lambda: gnd.zoom_fft(x, 0.0, 1.0, 1, one, 0), gnd.ERROR_VALUE, "one point")
    refused(lambda: gnd.czt_points(-2, None, None), gnd.ERROR_VALUE, "-2 points")
    refused(lambda: gnd.czt_plan_czt(9, 3, None, None, "float32"), gnd.ERROR_DTYPE, "float32")


# ---- cepstra, by their formulas -------------------------------------------------------------------------------


def real_cepstrum(x, n, axis):
    return np.fft.ifft(np.log(np.abs(np.fft.fft(x, n, axis))), n, axis).real


def ramp(n):
    return np.pi * np.arange(n) / max((n + 1) // 2, 1) if n > 1 else np.zeros(1)


def complex_cepstrum(x, n, axis):
    spectrum = np.fft.fft(np.moveaxis(x, axis, -1), n)
    phase = np.unwrap(np.angle(spectrum))
    n = phase.shape[-1]
    delay = np.round(phase[..., (n + 1) // 2 if n > 1 else 0] / np.pi)
    ceps = np.fft.ifft(np.log(np.abs(spectrum)) + 1j * (phase - delay[..., None] * ramp(n))).real
    return np.moveaxis(ceps, -1, axis), delay


def inverse_complex_cepstrum(ceps, delay, axis):
    z = np.fft.fft(np.moveaxis(ceps, axis, -1))
    n = z.shape[-1]
    return np.moveaxis(np.fft.ifft(np.exp(z.real + 1j * (z.imag + delay[..., None] * ramp(n)))).real, -1, axis)


def minimum_phase(x, n, axis):
    ceps = np.moveaxis(real_cepstrum(x, n, axis), axis, -1)
    n = ceps.shape[-1]
    odd = n % 2
    window = np.concatenate(([1.0], 2 * np.ones((n + odd) // 2 - 1), np.ones(1 - odd), np.zeros((n + odd) // 2 - 1)))
    return np.moveaxis(np.fft.ifft(np.exp(np.fft.fft(window * ceps))).real, -1, axis)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "float16"])
def test_cepstra(dtype):
    g = generator("cepstra", dtype)
    result = "float32" if dtype in NARROW else "float64"
    tolerance = 2e-5 if result == "float32" else 1e-12
    for shape, axis in [((1,), 0), ((2,), 0), ((9,), 0), ((64,), -1), ((3, 101), 1), ((40, 4), 0), ((2, 30, 3), 1)]:
        x = g.normal(size=shape) * np.exp(-0.2 * np.arange(shape[axis])).reshape([-1 if d == axis % len(shape) else 1
                                                                                  for d in range(len(shape))])
        x = (100 * x + 1).astype(dtype)
        a, x = gnd.from_numpy(x), x.astype("float64")
        for n in (-1, 8, 77, 200):
            count = None if n == -1 else n
            context = f"{shape} {n}"
            near(gnd.real_cepstrum(a, n, axis), real_cepstrum(x, count, axis), result, tolerance, context)
            near(gnd.minimum_phase_cepstral(a, n, axis), minimum_phase(x, count, axis), result, 20 * tolerance, context)
            if result == "float32":
                continue  # whether a phase jumps may hang on a rounding
            room = gnd.outputs(1)
            ceps = gnd.complex_cepstrum(a, n, axis, room)
            delay = gnd.take(room)[0]
            want, want_delay = complex_cepstrum(x, count, axis)
            near(ceps, want, result, 1e-9, context)
            near(delay, want_delay, result, 0, context)
            near(gnd.inverse_complex_cepstrum(ceps, delay, axis), inverse_complex_cepstrum(want, want_delay, axis),
                 result, 1e-9, context)


@pytest.mark.parametrize("shape, axis", [((1 << 16,), 0), ((1_000_000,), 0), ((3, 65_610), 1), ((2, 100_000, 1), -2),
                                         ((1 << 21,), 0), ((2, 1 << 16, 3), 1), ((98_415,), 0), ((70_002,), -1),
                                         ((3, 1_000_000), 1)])
def test_real_cepstra_of_long_lines(shape, axis):
    """Lengths of few prime factors, of which kernels transform rows and columns, and others; lines apart, views, and
    numbers whose squares no float32 holds."""
    g = generator("long cepstra", shape)
    x = g.normal(size=shape).astype("float32")
    n = shape[axis]
    for scale in (1, 1e-25, 1e20):
        wanted = real_cepstrum((x * np.float32(scale)).astype("float64"), None, axis)
        near(gnd.real_cepstrum(gnd.from_numpy(x * np.float32(scale)), -1, axis), wanted, "float32", 2e-5, f"{scale}")
    wanted = real_cepstrum(x.astype("float64"), None, axis)
    back = gnd.flip(gnd.from_numpy(np.flip(x, axis).copy()), (axis,))
    near(gnd.real_cepstrum(back, -1, axis), wanted, "float32", 2e-5, "backwards")
    apart = gnd.from_numpy(np.concatenate([np.zeros(1, "float32"), x.ravel()]))["1:"]
    near(gnd.real_cepstrum(gnd.reshape(apart, shape), -1, axis), wanted, "float32", 2e-5, "apart")
    near(gnd.real_cepstrum(gnd.from_numpy(x), n - 16, axis), real_cepstrum(x.astype("float64"), n - 16, axis),
         "float32", 2e-5, "cut")
    a, b = (gnd.real_cepstrum(gnd.from_numpy(x), -1, axis).numpy() for _ in range(2))
    assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("delay", [1, 2, 3, 998, 999, 1000, 1001, 250_000, 499_999, 500_000])
@pytest.mark.parametrize("start", [0, 1, 654_321])
def test_real_cepstra_of_an_echo_in_a_long_line(start, delay):
    """The cepstrum has its peaks at multiples of the delay, wherever the signal begins; without an echo it is 0."""
    x = np.zeros(1_000_000, "float32")
    x[start] = 1
    near(gnd.real_cepstrum(gnd.from_numpy(x), -1, 0), np.zeros(x.size), "float32", 1e-6, "no echo", 1)
    x[(start + delay) % x.size] += 0.5
    ceps = gnd.real_cepstrum(gnd.from_numpy(x), -1, 0).numpy()
    near(gnd.from_numpy(ceps), real_cepstrum(x.astype("float64"), None, 0), "float32", 1e-6, "echo", 1)
    assert np.argmax(ceps) in (delay, x.size - delay)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_real_cepstra_of_a_long_line_with_a_number_that_is_not_finite(value):
    x = generator("cepstra not finite").normal(size=1_000_000).astype("float32")
    x[123_457] = value
    assert np.all(np.isnan(gnd.real_cepstrum(gnd.from_numpy(x), -1, 0).numpy()))


@pytest.mark.parametrize("lines", [1, 3])
def test_minimum_phase_of_long_lines(lines):
    """A million numbers, which a GPU transforms in kernels of its own."""
    n = 1_000_000
    x = generator("long minimum phase", lines).normal(size=(lines, n)).astype("float32")
    x[:, 77] += 2000
    want = minimum_phase(x.astype("float64"), None, -1)
    near(gnd.minimum_phase_cepstral(gnd.from_numpy(x), -1, 1), want, "float32", 2e-4, "noise")
    short = (x * np.exp(-0.01 * np.arange(n))).astype("float32")
    want = minimum_phase(short.astype("float64"), None, -1)
    near(gnd.minimum_phase_cepstral(gnd.from_numpy(short), -1, -1), want, "float32", 2e-4, "short")


@pytest.mark.parametrize("shape, n", [((100_000,), -1), ((3, 4096), -1), ((3, 4098), 5000), ((5, 30_000), 20_002),
                                      ((2, 7001), -1)])
def test_complex_cepstra_of_long_lines(shape, n):
    """Phases that turn many times, of which a GPU counts the turns in parts."""
    x = generator("long complex cepstra", shape).normal(size=shape)
    x[..., 1] += 3 * np.sqrt(shape[-1])
    room = gnd.outputs(1)
    ceps = gnd.complex_cepstrum(gnd.from_numpy(x), n, -1, room)
    delay = gnd.take(room)[0]
    want, want_delay = complex_cepstrum(x, None if n == -1 else n, -1)
    near(ceps, want, "float64", 1e-9, "cepstrum")
    near(delay, want_delay, "float64", 0, "delay")
    smooth = x * 0.5 ** np.arange(shape[-1])
    want, _ = complex_cepstrum(smooth.astype("float32").astype("float64"), None if n == -1 else n, -1)
    near(gnd.complex_cepstrum(gnd.from_numpy(smooth.astype("float32")), n, -1, None), want, "float32", 2e-5, "float32")


def test_a_complex_cepstrum_and_back():
    """A delayed signal of a few samples, in single precision, too."""
    x = np.zeros(256)
    x[20:25] = [1, 0.5, 0.25, -0.3, 0.1]
    for dtype, tolerance in [("float64", 1e-12), ("float32", 2e-5)]:
        room = gnd.outputs(1)
        ceps = gnd.complex_cepstrum(gnd.from_numpy(x.astype(dtype)), -1, 0, room)
        delay = gnd.take(room)[0]
        assert ceps.dtype == delay.dtype == dtype and delay.shape == () and abs(float(delay.numpy())) == 20
        near(gnd.inverse_complex_cepstrum(ceps, delay, 0), x, dtype, tolerance, "back")


def test_cepstra_refused():
    x, z = gnd.zeros(9, "float64"), gnd.zeros(9, "complex64")
    for call in (lambda a, n: gnd.real_cepstrum(a, n, 0), lambda a, n: gnd.minimum_phase_cepstral(a, n, 0),
                 lambda a, n: gnd.complex_cepstrum(a, n, 0, None)):
        refused(lambda: call(z, -1), gnd.ERROR_DTYPE, "complex64")
        refused(lambda: call(x, 0), gnd.ERROR_VALUE, "0 elements")
        refused(lambda: call(gnd.zeros(0, "float64"), -1), gnd.ERROR_VALUE, "0 elements")
    refused(lambda: gnd.real_cepstrum(x, -1, 1), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.inverse_complex_cepstrum(z, x, 0), gnd.ERROR_DTYPE, "complex64")


def test_out_of_memory_in_transforms():
    g = generator("transforms memory")
    x = gnd.from_numpy(g.normal(size=60))
    room = gnd.outputs(1)

    def plan():
        p = gnd.czt_plan_czt(60, 9, None, None, None)
        try:
            return gnd.czt_plan_run(p, x, 0)
        finally:
            gnd.czt_plan_release(p)

    def cepstrum():
        c = gnd.complex_cepstrum(x, -1, 0, room)
        gnd.take(room)
        return c

    for call in [lambda: gnd.czt(x, 9, None, None, 0), plan, lambda: gnd.real_cepstrum(x, -1, 0), cepstrum,
                 lambda: gnd.minimum_phase_cepstral(x, -1, 0)]:
        result, failures = run_with_failures(call)
        assert failures > 0
        assert np.array_equal(result.numpy(), call().numpy())
