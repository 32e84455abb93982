"""The peers' rows of rows_convolve.c, by the same names (peers_rows.py): SciPy's and CuPy's own functions, PyTorch's
conv2d."""

import importlib


def array_rows(xp, row):
    """The rows of SciPy and CuPy, which share a language."""
    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")

    def same(x, k):
        return signal.convolve2d(x, k, "same")

    for name in ("2048x2048_15x15", "f64_2048x2048_15x15", "4096x4096_5x5", "4096x4096_31x31"):
        row(f"convolve.2d_{name}", same)
    row("convolve.auto_4096x4096_31x31", lambda x, k: signal.fftconvolve(x, k, "same"))
    row("convolve.2d_f64_1e4x1e4_5x5", lambda x, k: signal.convolve2d(x, k))
    row("convolve.correlate2d_4096x4096_15x15", lambda x, k: signal.correlate2d(x, k, "same"))
    row("convolve.sepfir2d_4096x4096_9", lambda x, k: signal.sepfir2d(x, k, k))
    if xp.__name__ == "cupy":
        from cupyx import signal as more

        row("convolve.1d2o_1e6_16x16", lambda x, h: more.convolve1d2o(x, h))
    for name in ("fftconvolve", "oaconvolve"):
        call = getattr(signal, name)
        row(f"convolve.{name}_4096x4096_64x64", lambda x, k, call=call: call(x, k, "same"))
        row(f"convolve.{name}_1e7_1001", lambda x, k, call=call: call(x, k))
    row("convolve.auto_1e7_64", lambda x, k: signal.convolve(x, k, "same"))
    row("convolve.direct_1e7_64", lambda x, k: signal.convolve(x, k, "same", "direct"))
    row("convolve.correlate_direct_1e7_128", lambda x, k: signal.correlate(x, k, "same", "direct"))
    for name in ("wiener_2048x2048_5", "wiener_1e7_3"):
        row(f"convolve.{name}", lambda x, size: signal.wiener(x, size))
    row("convolve.medfilt_1e7_5", lambda x, size: signal.medfilt(x, size))
    row("convolve.medfilt2d_2048x2048_3x3", lambda x, size: signal.medfilt2d(x, size))
    row("convolve.order_filter_2048x2048_5x5_r3", lambda x, domain, rank: signal.order_filter(x, domain, rank))


def torch_rows(torch, row):
    def images(x, k):
        return x[None, None], k[None, None]

    for name in ("2d_2048x2048_15x15", "2d_4096x4096_5x5", "2d_4096x4096_31x31", "correlate2d_4096x4096_15x15"):
        row(f"convolve.{name}", lambda x, k: torch.nn.functional.conv2d(x, k, padding=k.shape[-1] // 2), images)
