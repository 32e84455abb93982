"""Polyphase channels against their definition, and against NumPy's transform of the branches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dtypes
import gnd
from check import refused
from test_resample import FLOATING, REAL, close, strided
from values import generator


def channels_of(x, h, channels, hop):
    """The definition: filtered, moved to frequency 0, every hop-th element; x is 1-d."""
    frames = len(x) // hop
    result = np.zeros((channels, frames), "complex128")
    padded = np.concatenate([np.zeros(len(h)), x])
    n = np.arange(len(h))
    for i in range(frames):
        last = (i + 1) * hop - 1 + len(h)
        terms = h * padded[last - n]
        branches = np.zeros(channels, "complex128")
        np.add.at(branches, (n - i * hop) % channels, terms)
        result[:, i] = np.fft.ifft(branches) * channels
    return result


def check(g, x_dtype, h_dtype, shape, axis, taps, channels, hop):
    a, x = strided(g, shape, x_dtype)
    b, h = strided(g, (taps,), h_dtype)
    got = gnd.channelize_poly(a, b, channels, hop, axis)
    wide_x, wide_h = dtypes.wide(x), dtypes.wide(h)
    axis %= len(shape)
    lines = np.moveaxis(wide_x, axis, -1)
    want = np.zeros(lines.shape[:-1] + (channels, shape[axis] // (hop or channels)), "complex128")
    for index in np.ndindex(lines.shape[:-1]):
        want[index] = channels_of(lines[index], wide_h, channels, hop or channels)
    want = np.moveaxis(want, (-2, -1), (axis, axis + 1))
    single = all(d in ("float32", "complex64", "float16", "bfloat16", "int8", "uint8", "int16", "uint16", "bool")
                 for d in (x_dtype, h_dtype))
    close(got, want, "complex64" if single else "complex128", np.abs(wide_h).sum() * np.abs(wide_x).max(initial=1),
          f"{x_dtype} {h_dtype} {shape} {axis} {taps} {channels} {hop}")


@pytest.mark.parametrize("dtype", FLOATING)
def test_channels(dtype):
    g = generator("channels", dtype)
    for channels, hop, taps, n in [(1, 0, 1, 5), (1, 0, 7, 20), (2, 0, 8, 31), (4, 0, 16, 200), (8, 4, 30, 100),
                                   (16, 0, 160, 700), (64, 0, 1024, 3000), (64, 32, 1000, 2000), (64, 48, 500, 900),
                                   (12, 0, 100, 300), (15, 5, 44, 200), (7, 0, 70, 100), (11, 3, 23, 100),
                                   (26, 13, 60, 200), (128, 0, 128, 1000), (256, 0, 300, 1024), (1024, 0, 2000, 3000),
                                   (1000, 250, 2000, 2200), (1025, 0, 2000, 3100), (5, 9, 20, 100), (3, 1, 10, 40),
                                   (64, 0, 1024, 9000), (128, 64, 512, 9000), (256, 0, 1024, 20_000)]:
        check(g, dtype, REAL[dtype], (n,), 0, taps, channels, hop)
        if n <= 300:
            check(g, dtype, dtype, (n,), 0, taps, channels, hop)
            check(g, REAL[dtype], dtype, (2, n, 3), 1, taps, channels, hop)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_channel_dtypes(dtype):
    g = generator("channel dtypes", dtype)
    for h_dtype in ("float32", "float64", "complex64", "int16"):
        check(g, dtype, h_dtype, (3, 40), -1, 12, 4, 0)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 70), st.integers(1, 90), st.integers(1, 300), st.integers(0, 600), st.sampled_from(FLOATING),
       st.integers(0, 2**31))
def test_channels_of_anything(channels, hop, taps, n, dtype, seed):
    check(np.random.default_rng(seed), dtype, REAL[dtype], (n,), 0, taps, channels, hop)


def test_channels_of_nothing_and_refused():
    h = gnd.zeros(8, "float32")
    assert gnd.channelize_poly(gnd.zeros((2, 3), "float32"), h, 4, 0, 1).shape == (2, 4, 0)
    assert gnd.channelize_poly(gnd.zeros((0, 8), "float32"), h, 4, 0, 1).shape == (0, 4, 2)
    x = gnd.zeros(20, "float32")
    refused(lambda: gnd.channelize_poly(x, h, 0, 0, 0), gnd.ERROR_VALUE, "0 channels")
    refused(lambda: gnd.channelize_poly(x, h, 4, -1, 0), gnd.ERROR_VALUE, "hop of -1")
    refused(lambda: gnd.channelize_poly(x, gnd.zeros((2, 2), "float32"), 4, 0, 0), gnd.ERROR_SHAPE, "(2, 2)")
    refused(lambda: gnd.channelize_poly(x, h, 4, 0, 1), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.channelize_poly(None, h, 4, 0, 0), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.channelize_poly(x, None, 4, 0, 0), gnd.ERROR_INVALID, "'h' is NULL")
