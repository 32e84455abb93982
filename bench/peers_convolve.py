"""The peers' rows of rows_convolve.c, by the same names: SciPy's and CuPy's own functions, PyTorch's conv2d."""

from peers_linalg import size

LINE = 10_000_000


def array_rows(xp, make, row):
    """The rows of SciPy and CuPy, which share a language."""
    import importlib

    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")

    def image(side, taps, dtype=xp.float32):
        return lambda: (make(size(side), size(side), dtype=dtype), make(taps, taps, dtype=dtype))

    def with_taps(taps):
        return lambda: (make(size(LINE)), make(taps))

    def plain(*shape):
        return lambda: (make(*map(size, shape)),)

    def same(x, k):
        return signal.convolve2d(x, k, "same")

    row("convolve.2d_2048x2048_15x15", image(2048, 15), same)
    row("convolve.2d_f64_2048x2048_15x15", image(2048, 15, xp.float64), same)
    row("convolve.2d_4096x4096_5x5", image(4096, 5), same)
    row("convolve.2d_4096x4096_31x31", image(4096, 31), same)
    row("convolve.auto_4096x4096_31x31", image(4096, 31), lambda x, k: signal.fftconvolve(x, k, "same"))
    row("convolve.2d_f64_1e4x1e4_5x5", image(10000, 5, xp.float64), lambda x, k: signal.convolve2d(x, k))
    row("convolve.correlate2d_4096x4096_15x15", image(4096, 15), lambda x, k: signal.correlate2d(x, k, "same"))
    row("convolve.sepfir2d_4096x4096_9", lambda: (make(size(4096), size(4096)), make(9)),
        lambda x, k: signal.sepfir2d(x, k, k))
    if xp.__name__ == "cupy":
        from cupyx import signal as more

        row("convolve.1d2o_1e6_16x16", lambda: (make(size(1_000_000)), make(16, 16)),
            lambda x, h: more.convolve1d2o(x, h))
    for name in ("fftconvolve", "oaconvolve"):
        call = getattr(signal, name)
        row(f"convolve.{name}_4096x4096_64x64", image(4096, 64), lambda x, k, call=call: call(x, k, "same"))
        row(f"convolve.{name}_1e7_1001", with_taps(1001), lambda x, k, call=call: call(x, k))
    row("convolve.auto_1e7_64", with_taps(64), lambda x, k: signal.convolve(x, k, "same"))
    row("convolve.direct_1e7_64", with_taps(64), lambda x, k: signal.convolve(x, k, "same", "direct"))
    row("convolve.correlate_direct_1e7_128", with_taps(128), lambda x, k: signal.correlate(x, k, "same", "direct"))
    row("convolve.wiener_2048x2048_5", plain(2048, 2048), lambda x: signal.wiener(x, 5))
    row("convolve.wiener_1e7_3", plain(LINE), lambda x: signal.wiener(x, 3))
    row("convolve.medfilt_1e7_5", plain(LINE), lambda x: signal.medfilt(x, 5))
    row("convolve.medfilt2d_2048x2048_3x3", plain(2048, 2048), lambda x: signal.medfilt2d(x, 3))
    row("convolve.order_filter_2048x2048_5x5_r3", lambda: (make(size(2048), size(2048)), xp.ones((5, 5))),
        lambda x, domain: signal.order_filter(x, domain, 3))


def torch_rows(torch, make):
    conv2d = torch.nn.functional.conv2d

    def image(side, taps):
        return lambda: (make(1, 1, size(side), size(side)), make(1, 1, taps, taps))

    def same(x, k):
        return conv2d(x, k, padding=k.shape[-1] // 2)

    return {
        "convolve.2d_2048x2048_15x15": (image(2048, 15), same),
        "convolve.2d_4096x4096_5x5": (image(4096, 5), same),
        "convolve.2d_4096x4096_31x31": (image(4096, 31), same),
        "convolve.correlate2d_4096x4096_15x15": (image(4096, 15), same),
    }
