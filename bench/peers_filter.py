"""The peers' rows of rows_filter.c, by the same names: SciPy's and CuPy's own functions; PyTorch's convolutions, where
one call of them is the same work."""

from peers_linalg import size

LINE = 10_000_000


def coefficients():
    """Butterworth low-passes, as in rows_filter.c: b and a, and sections of order 4 and 8."""
    import scipy.signal

    design = scipy.signal.butter
    return design(4, 0.2), design(4, 0.2, output="sos"), design(8, 0.2, output="sos")


def array_rows(xp, make, row):
    """The rows of SciPy and CuPy, which share a language."""
    import importlib

    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")
    (b, a), sections4, sections8 = coefficients()
    f32, f64 = xp.float32, xp.float64

    def signal_with(shape, *constants, dtype=f32):
        return lambda: (make(*shape, dtype=dtype), *(xp.asarray(c, dtype) for c in constants))

    def with_taps(shape, n):
        def prepare():
            taps = make(n)
            return make(*shape), taps / taps.sum(), xp.ones(1, f32)

        return prepare

    line, channels, many = (size(LINE),), (64, size(1_000_000)), (1024, size(100_000))
    for name, shape in (("1e7", line), ("64x1e6", channels), ("1024x1e5", many)):
        row(f"filter.lfilter_iir4_{name}", signal_with(shape, b, a), lambda x, b, a: signal.lfilter(b, a, x))
        row(f"filter.sosfilt_4_{name}", signal_with(shape, sections4), lambda x, sos: signal.sosfilt(sos, x))
    for name, shape in (("1e7", line), ("64x1e6", channels)):
        row(f"filter.lfilter_fir128_{name}", with_taps(shape, 128), lambda x, b, a: signal.lfilter(b, a, x))
    row("filter.sosfilt_8_1e7", signal_with(line, sections8), lambda x, sos: signal.sosfilt(sos, x))
    row("filter.sosfilt_8_f64_1e7", signal_with(line, sections8, dtype=f64), lambda x, sos: signal.sosfilt(sos, x))
    row("filter.filtfilt_4_1e7", signal_with(line, b, a), lambda x, b, a: signal.filtfilt(b, a, x))
    row("filter.sosfiltfilt_4_1e7", signal_with(line, sections4), lambda x, sos: signal.sosfiltfilt(sos, x))
    row("filter.upfirdn_3_2_1e7_61", with_taps(line, 61), lambda x, h, _: signal.upfirdn(h, x, 3, 2))
    row("filter.upfirdn_1_8_64x1e6_161", with_taps(channels, 161), lambda x, h, _: signal.upfirdn(h, x, 1, 8))
    for up, down in ((160, 147), (3, 2), (2, 3)):
        row(f"filter.resample_poly_{up}_{down}_1e7", lambda: (make(*line),),
            lambda x, up=up, down=down: signal.resample_poly(x, up, down))
    row("filter.resample_poly_2_3_f64_1e8", lambda: (make(size(100_000_000), dtype=f64),),
        lambda x: signal.resample_poly(x, 2, 3))


def torch_rows(torch, make):
    conv1d = torch.nn.functional.conv1d

    def fir(rows, n, taps):
        return lambda: (make(rows, 1, size(n)), make(1, 1, taps))

    return {
        "filter.lfilter_fir128_1e7": (fir(1, LINE, 128), lambda x, h: conv1d(x, h, padding=127)),
        "filter.lfilter_fir128_64x1e6": (fir(64, 1_000_000, 128), lambda x, h: conv1d(x, h, padding=127)),
        "filter.upfirdn_1_8_64x1e6_161": (fir(64, 1_000_000, 161), lambda x, h: conv1d(x, h, padding=160, stride=8)),
    }
