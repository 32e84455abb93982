"""The peers' rows of rows_signal.c, by the same names (peers_rows.py): SciPy's and CuPy's own functions, where there
are any."""

import importlib

WINDOWS = ("boxcar", "triang", "blackman", "hamming", "hann", "bartlett", "flattop", "parzen", "bohman",
           "blackmanharris", "nuttall", "barthann", "cosine", "lanczos", "exponential", "tukey", "taylor", "kaiser",
           "kaiser_bessel_derived", "gaussian", "general_cosine", "general_gaussian", "general_hamming", "chebwin")


def window_arguments(name):
    """The arguments of a window behind its length, of the parameters that rows state."""
    other = {"exponential": lambda tau: (None, tau), "general_cosine": lambda *weights: (list(weights),)}
    return other.get(name, lambda *parameters: parameters)


def array_rows(xp, row):
    """The rows of SciPy and CuPy, which share a language."""
    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")

    for name in WINDOWS:
        window = getattr(signal.windows, name, None)
        if window:
            row(f"win.{name}_1e7", window, lambda n, *p, a=window_arguments(name): (n, *a(*p)))
    for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
        row(f"wave.chirp_{method}_1e7", lambda t, f0, t1, f1, m=method: signal.chirp(t, f0, t1, f1, m))
    for name in ("gausspulse", "square", "sawtooth"):
        row(f"wave.{name}_1e7", getattr(signal, name))
    row("wave.sweep_poly_1e7", signal.sweep_poly, lambda t, *p: (t, xp.poly1d(xp.asarray(p))))
    row("wave.unit_impulse_1e7", lambda n: signal.unit_impulse(n, "mid"))
    row("wave.max_len_seq_2p20", lambda bits: signal.max_len_seq(bits))
    if hasattr(signal, "cwt"):
        row("peaks.cwt_ricker_1e5x64", lambda x, n: signal.cwt(x, signal.ricker, range(1, n + 1)))
    row("peaks.argrelmax_1e7", lambda x: signal.argrelmax(x))
    row("peaks.find_peaks_1e7", lambda x: signal.find_peaks(x))
    row("peaks.find_peaks_height_1e7", lambda x, height: signal.find_peaks(x, height=height))
    row("peaks.find_peaks_distance_1e6", lambda x, distance: signal.find_peaks(x, distance=distance))
    row("peaks.find_peaks_prominence_1e6", lambda x, least: signal.find_peaks(x, prominence=least))

    def uneven(x, frequencies, end):
        x = x * end
        return x, xp.sin(x), frequencies

    for name in ("1e4x1e4_f32", "1e4x1e4_f64", "1675x2p20_f64"):
        row(f"period.lombscargle_{name}", signal.lombscargle, uneven)
    for name in ("1e7", "1e6x64"):
        row(f"period.vectorstrength_{name}", signal.vectorstrength)
    row("period.czt_1e6", lambda x: signal.czt(x))
    row("period.zoom_fft_1e6_1e6", lambda x, f1, f2: signal.zoom_fft(x, [f1, f2]))
    if xp.__name__ == "cupy":
        more = importlib.import_module("cupyx.signal")
        for name, function in (("real_cepstrum", "real_cepstrum"), ("complex_cepstrum", "complex_cepstrum"),
                               ("minimum_phase_cepstral", "minimum_phase")):
            row(f"period.{name}_1e6", getattr(more, function))
    row("spline.cspline1d_1e7", signal.cspline1d)
    row("spline.qspline1d_1e7", signal.qspline1d)
    row("spline.cspline2d_2048x2048", signal.cspline2d)
    row("spline.qspline2d_2048x2048", signal.qspline2d)
    row("spline.spline_filter_2048x2048", signal.spline_filter)
    row("spline.gauss_spline_1e7", signal.gauss_spline)
    row("spline.cspline1d_eval_1e7", lambda x, dx: signal.cspline1d_eval(x, x, dx))
    if xp.__name__ != "numpy":
        return  # CuPy has no find_peaks_cwt, and launches several kernels for each step of a system
    row("peaks.find_peaks_cwt_1e5x30", lambda x, n: signal.find_peaks_cwt(x, range(1, n + 1)))
    row("systems.dlsim_1e5x4", lambda u, system: signal.dlsim(system, u),
        lambda u, order, frequency: (u, (*signal.butter(order, frequency), 1)))
