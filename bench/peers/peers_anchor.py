"""The peers' rows of rows_anchor.c, by the same names (peers_rows.py): the calls of cuSignal's notebooks, as these
write them, by SciPy and CuPy. What cuSignal and SciPy took when they were published is in published.json."""

import importlib

from peers_signal import window_arguments

WINDOWS = ("boxcar", "triang", "bohman", "blackman", "nuttall", "blackmanharris", "flattop", "bartlett", "hann",
           "barthann", "hamming", "cosine", "tukey", "general_hamming", "kaiser", "gaussian", "general_gaussian",
           "exponential")


def array_rows(xp, row):
    """The rows of SciPy and CuPy, which share a language."""
    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")

    def chirp(t, *rest):
        return xp.cos(-(t**2) / 6.0), *rest

    row("anchor.correlate_1e8_ones128", lambda x, y: signal.correlate(x, y, mode="same"))
    row("anchor.convolve_1e8_hann1000", lambda x, y: signal.convolve(x, y, mode="same"),
        lambda x, n: (x, signal.windows.hann(n)))
    row("anchor.fftconvolve_1e8_reversed", lambda x, y: signal.fftconvolve(x, y, mode="full"), lambda x: (x, x[::-1]))
    row("anchor.convolve2d_1e4x1e4_5x5", lambda x, y: signal.convolve2d(x, y))
    row("anchor.correlate2d_1e4x1e4_5x5", lambda x, y: signal.correlate2d(x, y))
    row("anchor.decimate_3_1e8", lambda x, q: signal.decimate(x, q, ftype="fir"))
    row("anchor.resample_1e8_1e5", lambda x, n, beta: signal.resample(x, n, window=("kaiser", beta)), chirp)
    row("anchor.resample_poly_2_3_1e8",
        lambda x, up, down, beta: signal.resample_poly(x, up, down, window=("kaiser", beta)), chirp)
    row("anchor.wiener_1e8", lambda x, size: signal.wiener(x, size))
    row("anchor.hilbert_1e8", lambda x: signal.hilbert(x))
    row("anchor.hilbert2_1e4x1e4", lambda x: signal.hilbert2(x))
    row("anchor.argrelmin_1e8", lambda x: signal.argrelmin(x))
    row("anchor.argrelmax_1e8", lambda x: signal.argrelmax(x))
    row("anchor.argrelextrema_less_1e8", lambda x: signal.argrelextrema(x, xp.less))
    row("anchor.firwin_1e8", lambda n, *cutoff: signal.firwin(n, cutoff, pass_zero=False))
    row("anchor.unit_impulse_1e8", lambda n: signal.unit_impulse(n, "mid"))
    if hasattr(signal, "cwt"):  # SciPy had them up to 1.14
        row("anchor.morlet_1e8", lambda n, w, s: signal.morlet(n, w, s))
        row("anchor.cwt_ricker_1e7x30", lambda x, n: signal.cwt(x, signal.ricker, xp.arange(1, n + 1)))
    spline_rows(xp, signal, row)
    row("anchor.square_1e7", lambda t, duty: signal.square(t, duty=duty))
    row("anchor.gausspulse_1e7", lambda t, fc: signal.gausspulse(t, fc=fc, retquad=True, retenv=True))
    for method in ("linear", "quadratic"):
        row(f"anchor.chirp_{method}_1e7", lambda t, f0, t1, f1, m=method: signal.chirp(t, f0, t1, f1, method=m))
    spectra_rows(signal, row)
    row("anchor.general_cosine_1e7", lambda n, *a: signal.windows.general_cosine(n, a, sym=False))
    for name in WINDOWS:
        window = getattr(signal.windows, name, None)
        if window:
            row(f"anchor.{name}_1e7", window, lambda n, *p, a=window_arguments(name): (n, *a(*p)))


def spline_rows(xp, signal, row):
    """Splines, cepstra (which SciPy has not), and the Lomb-Scargle periodogram of the tutorial's ladder."""
    row("anchor.gauss_spline_1e8", signal.gauss_spline)
    for name in ("cubic", "quadratic"):  # in SciPy up to 1.10
        if hasattr(signal, name):
            row(f"anchor.{name}_1e8", getattr(signal, name))

    def harmonics(indices, frequency, rate, count):
        return (xp.sin(2 * xp.pi * frequency / rate * xp.arange(1, count + 1)[:, None] * indices).sum(axis=0),)

    if xp.__name__ == "cupy":
        from cupyx import signal as more

        row("anchor.real_cepstrum_40000", more.real_cepstrum, harmonics)
        row("anchor.complex_cepstrum_40000", more.complex_cepstrum, harmonics)

    def uneven(x, frequencies, end):
        t = x * end + 0.01
        return t, 2 * xp.cos(t + xp.pi / 2), frequencies

    row("anchor.lombscargle_1675x2p20_f64", lambda t, y, f: signal.lombscargle(t, y, f), uneven)


def spectra_rows(signal, row):
    """Spectra by samples a second and the length of frames, and the features of the tutorial's classifier."""
    row("anchor.stft_1e8", lambda x, fs, n: signal.stft(x, fs, nperseg=n)[2])
    row("anchor.periodogram_1e8", lambda x, fs: signal.periodogram(x, fs, "flattop", scaling="spectrum")[1])
    row("anchor.csd_1e8", lambda x, y, fs, n: signal.csd(x, y, fs, nperseg=n)[1])
    row("anchor.coherence_1e8", lambda x, y, fs, n: signal.coherence(x, y, fs, nperseg=n)[1])

    def features(x, up, down, fs):
        fine = signal.resample_poly(x, up, down, axis=1, window="flattop")
        return signal.periodogram(fine, fs, "flattop", scaling="spectrum", axis=1)[1]

    row("anchor.ai_features_2000x32768_f64", features)
