"""JAX's rows, by the names of bench/rows (peers_rows.py): jax.numpy.fft, and what JAX has of scipy.signal and
scipy.ndimage. Each row's function is compiled (jax.jit) at its first call, in which sizes and parameters are constants.
Float64 is on, and float32 is not computed in TF32: the results are those of the other libraries."""

import functools
import importlib
import os
import sys

import peers_fft
import peers_filter
from peers_rows import Rows


class JaxRows(Rows):
    """Rows whose functions are compiled; `last` is what the last call gave."""

    def __init__(self, jax, bench):
        self.jax, self.last, self.seeds = jax, None, 0
        super().__init__(bench, jax.numpy, self.uniform)

    def uniform(self, *shape, dtype="float32"):
        self.seeds += 1
        return self.jax.random.uniform(self.jax.random.key(self.seeds), shape, "float32").astype(dtype)

    def __call__(self, name, run, change=None):
        super().__call__(name, run, change)
        self[name] = (self[name][0], self.compiled(run))

    def compiled(self, run):
        jitted = None

        @functools.wraps(run)
        def call(*operands):
            nonlocal jitted
            if jitted is None:
                constants = [k for k, operand in enumerate(operands) if not isinstance(operand, self.jax.Array)]
                jitted = self.jax.jit(run, static_argnums=constants)
            self.last = jitted(*operands)

        return call

    def wait(self):
        self.jax.block_until_ready(self.last)
        self.last = None


def jax_rows(bench):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax, scipy = importlib.import_module("jax"), "jax.scipy."
    if jax.default_backend() == "cpu" and os.environ.get("GND_BENCH_SMALL", "0") in ("", "0"):
        sys.exit("jax: no GPU")
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    row, signal = JaxRows(jax, bench), importlib.import_module(scipy + "signal")
    peers_fft.common_rows(jax.numpy.fft, row, "axis")
    row("fft.dct_4096x4096", importlib.import_module(scipy + "fft").dct)
    convolution_rows(signal, row)
    peers_filter.common_spectra_rows(signal, row)
    for kind in ("linear", "constant"):
        row(f"filter.detrend_{kind}_64x1e6", lambda x, kind=kind: signal.detrend(x, type=kind))
    picture_rows(jax.numpy, importlib.import_module(scipy + "ndimage"), row)
    return row, row.wait


def convolution_rows(signal, row):
    for name in ("2048x2048_15x15", "f64_2048x2048_15x15", "4096x4096_5x5", "4096x4096_31x31"):
        row(f"convolve.2d_{name}", lambda x, k: signal.convolve2d(x, k, "same"))
    row("convolve.2d_f64_1e4x1e4_5x5", lambda x, k: signal.convolve2d(x, k))
    row("convolve.correlate2d_4096x4096_15x15", lambda x, k: signal.correlate2d(x, k, "same"))
    row("convolve.auto_4096x4096_31x31", lambda x, k: signal.fftconvolve(x, k, "same"))
    row("convolve.fftconvolve_4096x4096_64x64", lambda x, k: signal.fftconvolve(x, k, "same"))
    row("convolve.auto_1e7_64", lambda x, k: signal.convolve(x, k, "same"))
    row("convolve.direct_1e7_64", lambda x, k: signal.convolve(x, k, "same", "direct"))
    row("convolve.correlate_direct_1e7_128", lambda x, k: signal.correlate(x, k, "same", "direct"))
    for name in ("convolve.fftconvolve_1e7_1001", "sig.fftconvolve_2p24_1001", "sig.fftconvolve_2048_15"):
        row(name, lambda x, k: signal.fftconvolve(x, k))


def picture_rows(xp, ndimage, row):
    def coordinates(x, c, order):
        return x, c + xp.indices(x.shape, "float32"), order

    def at(x, c, order):
        return ndimage.map_coordinates(x, c, order)

    row("ndi.map_coordinates_o1_4096", at, coordinates)
    row("ndi.map_coordinates_o1_4096_scattered", at, lambda x, c, order: (x, c * (len(x) - 1), order))
