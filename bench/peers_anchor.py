"""The peers' rows of rows_anchor.c, by the same names: the calls of cuSignal's notebooks, as these write them, by SciPy
and CuPy. What cuSignal and SciPy took when they were published is in published.json."""

from peers_linalg import size

MANY, LINE, SIDE = 100_000_000, 10_000_000, 10_000
WINDOWS = {
    "boxcar": {}, "triang": {}, "bohman": {}, "blackman": {}, "nuttall": {}, "blackmanharris": {}, "flattop": {},
    "bartlett": {}, "hann": {}, "barthann": {}, "hamming": {}, "cosine": {}, "tukey": {"alpha": 0.5},
    "general_hamming": {"alpha": 0.5}, "kaiser": {"beta": 0.5}, "gaussian": {"std": 7},
    "general_gaussian": {"p": 1.5, "sig": 7}, "exponential": {"tau": 3.0},
    "general_cosine": {"a": [1, 1.942604, 1.340318, 0.440811, 0.043097], "sym": False},
}


def array_rows(xp, make, row):
    """The rows of SciPy and CuPy, which share a language."""
    import importlib

    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")
    f64 = xp.float64

    def noise(*sizes):
        return lambda: tuple(make(*shape, dtype=f64) for shape in (sizes or ((size(MANY),),)))

    def chirp():
        t = xp.linspace(0, 10, size(MANY), endpoint=False)
        return (xp.cos(-(t**2) / 6.0),)

    def image():
        return make(size(SIDE), size(SIDE), dtype=f64), make(5, 5, dtype=f64)

    def times():
        return (xp.linspace(0, 10, size(LINE)),)

    def reversed_too():
        x = make(size(MANY), dtype=f64)
        return x, x[::-1]

    row("anchor.correlate_1e8_ones128", lambda: (make(size(MANY), dtype=f64), xp.ones(128)),
        lambda x, y: signal.correlate(x, y, mode="same"))
    row("anchor.convolve_1e8_hann1000", lambda: (make(size(MANY), dtype=f64), signal.windows.hann(1000)),
        lambda x, y: signal.convolve(x, y, mode="same"))
    row("anchor.fftconvolve_1e8_reversed", reversed_too, lambda x, y: signal.fftconvolve(x, y, mode="full"))
    row("anchor.convolve2d_1e4x1e4_5x5", image, lambda x, y: signal.convolve2d(x, y))
    row("anchor.correlate2d_1e4x1e4_5x5", image, lambda x, y: signal.correlate2d(x, y))
    row("anchor.decimate_3_1e8", noise(), lambda x: signal.decimate(x, 3, ftype="fir"))
    row("anchor.resample_1e8_1e5", chirp, lambda x: signal.resample(x, size(MANY) // 1000, window=("kaiser", 0.5)))
    row("anchor.resample_poly_2_3_1e8", chirp, lambda x: signal.resample_poly(x, 2, 3, window=("kaiser", 0.5)))
    row("anchor.wiener_1e8", noise(), lambda x: signal.wiener(x))
    row("anchor.hilbert_1e8", noise(), lambda x: signal.hilbert(x))
    row("anchor.hilbert2_1e4x1e4", lambda: image()[:1], lambda x: signal.hilbert2(x))
    row("anchor.argrelmin_1e8", noise(), lambda x: signal.argrelmin(x))
    row("anchor.argrelmax_1e8", noise(), lambda x: signal.argrelmax(x))
    row("anchor.argrelextrema_less_1e8", noise(), lambda x: signal.argrelextrema(x, xp.less))
    row("anchor.firwin_1e8", lambda: (), lambda: signal.firwin(size(MANY), [0.1, 0.2], pass_zero=False))
    row("anchor.unit_impulse_1e8", lambda: (), lambda: signal.unit_impulse(size(MANY), "mid"))
    if hasattr(signal, "cwt"):  # SciPy had them up to 1.14
        row("anchor.morlet_1e8", lambda: (), lambda: signal.morlet(size(MANY)))
        row("anchor.cwt_ricker_1e7x30", noise((size(LINE),)), lambda x: signal.cwt(x, signal.ricker, xp.arange(1, 31)))
    row("anchor.square_1e7", times, lambda t: signal.square(t, duty=0.5))
    row("anchor.gausspulse_1e7", times, lambda t: signal.gausspulse(t, fc=5, retquad=True, retenv=True))
    row("anchor.chirp_linear_1e7", times, lambda t: signal.chirp(t, f0=6, f1=1, t1=10, method="linear"))
    row("anchor.chirp_quadratic_1e7", times, lambda t: signal.chirp(t, f0=1500, f1=250, t1=10, method="quadratic"))
    spectra_rows(signal, noise, make, row, f64)
    for name, options in WINDOWS.items():
        window = getattr(signal.windows, name, None)
        if window:
            row(f"anchor.{name}_1e7", lambda: (), lambda window=window, o=options: window(size(LINE), **o))


def spectra_rows(signal, noise, make, row, f64):
    """Spectra of 1e6 samples a second, and the features of the tutorial's classifier."""
    fs = 1e6
    row("anchor.stft_1e8", noise(), lambda x: signal.stft(x, fs, nperseg=1024)[2])

    def features(x):
        fine = signal.resample_poly(x, 2, 1, axis=1, window="flattop")
        return signal.periodogram(fine, 10e6, "flattop", scaling="spectrum", axis=1)[1]

    row("anchor.ai_features_2000x32768_f64", lambda: (make(size(2000), size(32768), dtype=f64),), features)
