"""The peers' rows of rows_fft.c, by the same names: NumPy's and CuPy's fft, SciPy's and CuPy's own of cosine transforms
and convolutions, PyTorch's fft. CuPy and PyTorch keep plans in caches, as gnd does."""

from peers_linalg import size

LINE = 1 << 24


def complex_operands(make, c64):
    """A line, a matrix and a cube."""
    shapes = ((size(LINE),), (size(4096),) * 2, (size(256),) * 3)
    return (lambda shape=shape: (make(*shape, dtype=c64),) for shape in shapes)


def array_rows(xp, make, row):
    """The rows of NumPy and CuPy, which share a language."""
    fft, c64 = xp.fft, xp.complex64

    def more(module, name):
        def call(*arguments, **options):
            import importlib

            library = importlib.import_module(("scipy." if xp.__name__ == "numpy" else "cupyx.scipy.") + module)
            return getattr(library, name)(*arguments, **options)

        return call

    dct, fftconvolve = more("fft", "dct"), more("signal", "fftconvolve")

    line, square, cube = complex_operands(make, c64)

    def batch(*shape):
        return lambda: (make(*(n if n == 16 else size(n) for n in shape), dtype=c64),)

    row("fft.c2c_1d_2p24", line, lambda x: fft.fft(x))
    row("fft.c2c_batch_4096x4096", square, lambda x: fft.fft(x))
    row("fft.c2c_axis0_4096x4096", square, lambda x: fft.fft(x, axis=0))
    row("fft.c2c_2d_4096", square, lambda x: fft.fft2(x))
    row("fft.c2c_3d_256", cube, lambda x: fft.fftn(x))
    row("fft.c2c_middle_256", cube, lambda x: fft.fft(x, axis=1))
    row("fft.r2c_1d_2p24", lambda: (make(size(LINE)),), lambda x: fft.rfft(x))
    row("fft.c2r_1d_2p24", lambda: (make(size(LINE) // 2 + 1, dtype=c64),), lambda x: fft.irfft(x))
    row("fft.r2c_2d_4096", lambda: (make(size(4096), size(4096)),), lambda x: fft.rfft2(x))
    row("fft.small_1024", lambda: (make(1024, dtype=c64),), lambda x: fft.fft(x))
    row("fft.inverse_1d_2p24", line, lambda x: fft.ifft(x))
    row("fft.inverse_batch_4096x4096", square, lambda x: fft.ifft(x))
    row("fft.inverse_2d_4096", square, lambda x: fft.ifft2(x))
    row("fft.inverse_3d_256", cube, lambda x: fft.ifftn(x))
    row("fft.axes12_16x512x512", batch(16, 512, 512), lambda x: fft.fft2(x, axes=(1, 2)))
    row("fft.axes01_512x512x16", batch(512, 512, 16), lambda x: fft.fft2(x, axes=(0, 1)))
    row("fft.dct_4096x4096", lambda: (make(size(4096), size(4096)),), lambda x: dct(x))
    row("sig.fftconvolve_2p24_1001", lambda: (make(size(LINE)), make(1001)), lambda x, y: fftconvolve(x, y))
    row("sig.fftconvolve_2048_15", lambda: (make(size(2048), size(2048)), make(15, 15)), lambda x, y: fftconvolve(x, y))


def torch_rows(torch, make):
    fft, c64 = torch.fft, torch.complex64

    line, square, cube = complex_operands(make, c64)

    return {
        "fft.c2c_1d_2p24": (line, lambda x: fft.fft(x)),
        "fft.c2c_batch_4096x4096": (square, lambda x: fft.fft(x)),
        "fft.c2c_axis0_4096x4096": (square, lambda x: fft.fft(x, dim=0)),
        "fft.c2c_2d_4096": (square, lambda x: fft.fft2(x)),
        "fft.c2c_3d_256": (cube, lambda x: fft.fftn(x)),
        "fft.c2c_middle_256": (cube, lambda x: fft.fft(x, dim=1)),
        "fft.c2c_in_place_4096x4096": (square, lambda x: fft.fft(x, norm="ortho", out=x)),
        "fft.r2c_1d_2p24": (lambda: (make(size(LINE)),), lambda x: fft.rfft(x)),
        "fft.c2r_1d_2p24": (lambda: (make(size(LINE) // 2 + 1, dtype=c64),), lambda x: fft.irfft(x)),
        "fft.r2c_2d_4096": (lambda: (make(size(4096), size(4096)),), lambda x: fft.rfft2(x)),
        "fft.small_1024": (lambda: (make(1024, dtype=c64),), lambda x: fft.fft(x)),
        "fft.inverse_1d_2p24": (line, lambda x: fft.ifft(x)),
        "fft.inverse_batch_4096x4096": (square, lambda x: fft.ifft(x)),
        "fft.inverse_2d_4096": (square, lambda x: fft.ifft2(x)),
        "fft.inverse_3d_256": (cube, lambda x: fft.ifftn(x)),
        "fft.axes12_16x512x512": (
            lambda: (make(16, size(512), size(512), dtype=c64),), lambda x: fft.fft2(x, dim=(1, 2))),
        "fft.axes01_512x512x16": (
            lambda: (make(size(512), size(512), 16, dtype=c64),), lambda x: fft.fft2(x, dim=(0, 1))),
    }
