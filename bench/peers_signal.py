"""The peers' rows of rows_signal.c, by the same names: SciPy's and CuPy's own functions, where they have them."""

from peers_linalg import size

LINE = 10_000_000
WINDOWS = {
    "boxcar": (), "triang": (), "blackman": (), "hamming": (), "hann": (), "bartlett": (), "flattop": (), "parzen": (),
    "bohman": (), "blackmanharris": (), "nuttall": (), "barthann": (), "cosine": (), "lanczos": (),
    "exponential": (None, 1.0), "tukey": (0.5,), "taylor": (4, 30, True), "kaiser": (14.0,),
    "kaiser_bessel_derived": (14.0,), "gaussian": (1e6,), "general_cosine": ([0.42, 0.5, 0.08],),
    "general_gaussian": (1.5, 1e6), "general_hamming": (0.54,), "chebwin": (100,),
}


def array_rows(xp, make, row):
    """The rows of SciPy and CuPy, which share a language."""
    import importlib

    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")

    def have(module, name):
        return getattr(module, name, None)

    for name, arguments in WINDOWS.items():
        window = have(signal.windows, name)
        if window:
            row(f"win.{name}_1e7", lambda: (), lambda window=window, a=arguments: window(size(LINE), *a))

    def times():
        return (xp.linspace(0, 10, size(LINE)),)

    def line(n):
        return lambda: (make(size(n)),)

    for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
        row(f"wave.chirp_{method}_1e7", times, lambda t, m=method: signal.chirp(t, 1, 10, 6, m))
    row("wave.gausspulse_1e7", times, lambda t: signal.gausspulse(t, 5))
    row("wave.square_1e7", times, lambda t: signal.square(t, 0.5))
    row("wave.sawtooth_1e7", times, lambda t: signal.sawtooth(t, 0.5))
    poly = xp.poly1d(xp.asarray([0.025, -0.36, 1.25, 2]))
    row("wave.sweep_poly_1e7", times, lambda t: signal.sweep_poly(t, poly))
    row("wave.unit_impulse_1e7", lambda: (), lambda: signal.unit_impulse(size(LINE), "mid"))
    row("wave.max_len_seq_2p20", lambda: (), lambda: signal.max_len_seq(20))
    if have(signal, "cwt"):
        row("peaks.cwt_ricker_1e5x64", line(100_000), lambda x: signal.cwt(x, signal.ricker, range(1, 65)))
    row("peaks.argrelmax_1e7", line(LINE), lambda x: signal.argrelmax(x))
    row("peaks.find_peaks_1e7", line(LINE), lambda x: signal.find_peaks(x))
    row("peaks.find_peaks_height_1e7", line(LINE), lambda x: signal.find_peaks(x, height=0.5))
    row("peaks.find_peaks_distance_1e6", line(1_000_000), lambda x: signal.find_peaks(x, distance=10))
    row("peaks.find_peaks_prominence_1e6", line(1_000_000), lambda x: signal.find_peaks(x, prominence=0.5))

    def uneven(samples, count, end, dtype):
        def made():
            x = (end * make(size(samples))).astype(dtype)
            return x, xp.sin(x), xp.linspace(0.01, 10, size(count)).astype(dtype)

        return made

    for dtype, name in (("float32", "f32"), ("float64", "f64")):
        row(f"period.lombscargle_1e4x1e4_{name}", uneven(10_000, 10_000, 100, dtype), signal.lombscargle)
    row("period.lombscargle_1675x2p20_f64", uneven(1675, 1 << 20, 31.4, "float64"), signal.lombscargle)
    row("period.vectorstrength_1e7", line(LINE), lambda x: signal.vectorstrength(x, 0.37))
    row("period.vectorstrength_1e6x64", lambda: (make(size(1_000_000)), xp.linspace(0.01, 1, 64)),
        signal.vectorstrength)
    row("period.czt_1e6", line(1_000_000), lambda x: signal.czt(x))
    row("period.zoom_fft_1e6_1e6", line(1_000_000), lambda x: signal.zoom_fft(x, [0.1, 0.2]))
    if xp.__name__ == "cupy":
        more = importlib.import_module("cupyx.signal")
        for name, function in (("real_cepstrum", "real_cepstrum"), ("complex_cepstrum", "complex_cepstrum"),
                               ("minimum_phase_cepstral", "minimum_phase")):
            row(f"period.{name}_1e6", line(1_000_000), getattr(more, function))

    def image():
        return (make(size(2048) ** 2).reshape(size(2048), size(2048)),)

    row("spline.cspline1d_1e7", line(LINE), signal.cspline1d)
    row("spline.qspline1d_1e7", line(LINE), signal.qspline1d)
    row("spline.cspline2d_2048x2048", image, signal.cspline2d)
    row("spline.qspline2d_2048x2048", image, signal.qspline2d)
    row("spline.spline_filter_2048x2048", image, signal.spline_filter)
    row("spline.gauss_spline_1e7", line(LINE), lambda x: signal.gauss_spline(x, 3))
    row("spline.cspline1d_eval_1e7", line(LINE), lambda x: signal.cspline1d_eval(x, x, 1e-7))
    if xp.__name__ != "numpy":
        return  # CuPy has no find_peaks_cwt, and launches several kernels for each step of a system
    row("peaks.find_peaks_cwt_1e5x30", line(100_000), lambda x: signal.find_peaks_cwt(x, range(1, 31)))
    system = (*signal.butter(4, 0.1), 1)
    row("systems.dlsim_1e5x4", line(100_000), lambda u: signal.dlsim(system, u))
