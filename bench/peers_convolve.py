"""The peers' rows of rows_convolve.c, by the same names: SciPy's and CuPy's own functions, PyTorch's conv2d."""

from peers_linalg import size


def array_rows(xp, make, row):
    """The rows of SciPy and CuPy, which share a language."""
    import importlib

    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")

    def image(side, taps, dtype=xp.float32):
        return lambda: (make(size(side), size(side), dtype=dtype), make(taps, taps, dtype=dtype))

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
