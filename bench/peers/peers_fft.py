"""The peers' rows of rows_fft.c, by the same names (peers_rows.py): NumPy's and CuPy's fft, SciPy's and CuPy's own of
cosine transforms and convolutions, PyTorch's fft. CuPy and PyTorch keep plans in caches, as gnd does."""


def common_rows(fft, row, axis):
    """The rows that NumPy, CuPy and PyTorch share; `axis`: what they call an axis."""
    axes = "axes" if axis == "axis" else axis

    row("fft.c2c_1d_2p24", lambda x: fft.fft(x))
    row("fft.c2c_batch_4096x4096", lambda x: fft.fft(x))
    row("fft.c2c_axis0_4096x4096", lambda x: fft.fft(x, **{axis: 0}))
    row("fft.c2c_2d_4096", lambda x: fft.fft2(x))
    row("fft.c2c_3d_256", lambda x: fft.fftn(x))
    row("fft.c2c_middle_256", lambda x: fft.fft(x, **{axis: 1}))
    row("fft.r2c_1d_2p24", lambda x: fft.rfft(x))
    row("fft.c2r_1d_2p24", lambda x: fft.irfft(x))
    row("fft.r2c_2d_4096", lambda x: fft.rfft2(x))
    row("fft.small_1024", lambda x: fft.fft(x))
    row("fft.inverse_1d_2p24", lambda x: fft.ifft(x))
    row("fft.inverse_batch_4096x4096", lambda x: fft.ifft(x))
    row("fft.inverse_2d_4096", lambda x: fft.ifft2(x))
    row("fft.inverse_3d_256", lambda x: fft.ifftn(x))
    row("fft.axes12_16x512x512", lambda x: fft.fft2(x, **{axes: (1, 2)}))
    row("fft.axes01_512x512x16", lambda x: fft.fft2(x, **{axes: (0, 1)}))


def array_rows(xp, row):
    """The rows of NumPy and CuPy, which share a language."""
    fft = xp.fft

    def more(module, name):
        def call(*arguments, **options):
            import importlib

            library = importlib.import_module(("scipy." if xp.__name__ == "numpy" else "cupyx.scipy.") + module)
            return getattr(library, name)(*arguments, **options)

        return call

    dct, fftconvolve = more("fft", "dct"), more("signal", "fftconvolve")

    common_rows(fft, row, "axis")
    row("fft.dct_4096x4096", lambda x: dct(x))
    row("sig.fftconvolve_2p24_1001", lambda x, y: fftconvolve(x, y))
    row("sig.fftconvolve_2048_15", lambda x, y: fftconvolve(x, y))


def torch_rows(torch, row):
    """PyTorch's."""
    fft = torch.fft
    common_rows(fft, row, "dim")
    row("fft.c2c_in_place_4096x4096", lambda x: fft.fft(x, norm="ortho", out=x))
