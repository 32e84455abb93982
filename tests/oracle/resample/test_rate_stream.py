"""Signals in chunks: streams of polyphase filters and channelizers give the bits of the whole signal, however it is
cut, also after a reset, and go on from a saved state."""

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gnd
from check import refused
from test_faults import run_with_failures
from test_resample import FLOATING, REAL, decimate_options, values, window_struct
from values import generator


class Stream:
    """A stream of gnd, released with the object."""

    def __init__(self, kind, *arguments):
        self.pointer = gnd.function("gnd_rate_stream_" + kind)(*arguments)

    def __del__(self):
        if getattr(self, "pointer", None):
            gnd.rate_stream_release(self.pointer)

    def feed(self, x):
        return gnd.rate_stream_feed(self.pointer, gnd.from_numpy(x)).numpy()

    def flush(self):
        return gnd.rate_stream_flush(self.pointer).numpy()


def cut(g, n, pieces):
    return [0, *np.sort(g.integers(0, n + 1, pieces)).tolist(), n]


def in_chunks(g, stream, x, pieces):
    """The results of random chunks, some of them empty, and of the flush."""
    ends = cut(g, x.shape[-1], pieces)
    parts = [stream.feed(x[..., a:b]) for a, b in zip(ends, ends[1:])]
    return np.concatenate([*parts, stream.flush()], axis=-1)


def same(got, want, context):
    assert got.dtype == want.dtype and got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    assert got.tobytes() == np.ascontiguousarray(want).tobytes(), context


RATES = [(1, 1, 1), (5, 1, 1), (61, 3, 2), (61, 2, 3), (7, 8, 1), (1, 3, 1), (2, 7, 3), (161, 1, 8), (3, 1, 10),
         (320, 16, 15), (900, 160, 147), (4, 5, 7)]


@pytest.mark.parametrize("dtype", FLOATING)
def test_upfirdn_in_chunks(dtype):
    g = generator("stream upfirdn", dtype)
    for taps, up, down in RATES:
        for channels in [(), (3,), (2, 2)]:
            h = gnd.from_numpy(values(g, (taps,), REAL[dtype]))
            stream = Stream("upfirdn", h, up, down, channels, dtype)
            for n, pieces in [(0, 1), (1, 0), (500, 0), (500, 9), (997, 40)]:
                x = values(g, (*channels, n), dtype)
                got = in_chunks(g, stream, x, pieces)
                context = f"{dtype} {taps} {up}/{down} {channels} {n} {pieces}"
                if n == 0:
                    assert got.shape == (*channels, 0), context
                    continue
                same(got, gnd.upfirdn(h, gnd.from_numpy(x), up, down, -1, None).numpy(), context)


@pytest.mark.parametrize("dtype", FLOATING)
def test_resample_poly_in_chunks(dtype):
    g = generator("stream poly", dtype)
    for up, down in [(1, 1), (3, 2), (2, 3), (160, 147), (1, 8), (9, 1), (4, 6), (50, 49)]:
        stream = Stream("resample_poly", up, down, None, (2,), dtype)
        for n, pieces in [(0, 0), (1, 0), (800, 0), (800, 12)]:
            x = values(g, (2, n), dtype)
            got = in_chunks(g, stream, x, pieces)
            same(got, gnd.resample_poly(gnd.from_numpy(x), up, down, -1, None).numpy(),
                 f"{dtype} {up}/{down} {n} {pieces}")
    window = window_struct("hann")
    stream = Stream("resample_poly", 3, 2, window, (), "float32")
    x = values(g, (100,), "float32")
    made = gnd.STRUCTS["gnd_resample_poly_options"](window=window)
    same(in_chunks(g, stream, x, 5), gnd.resample_poly(gnd.from_numpy(x), 3, 2, -1, made).numpy(), "hann")


@pytest.mark.parametrize("dtype", FLOATING)
def test_channels_in_chunks(dtype):
    g = generator("stream channels", dtype)
    for taps, bank, hop in [(64, 8, 0), (60, 8, 4), (1, 1, 0), (33, 7, 5), (128, 64, 0), (20, 4, 9), (100, 12, 3),
                            (256, 128, 64), (300, 256, 0)]:
        for kind in (REAL[dtype], dtype):
            h = gnd.from_numpy(values(g, (taps,), kind))
            stream = Stream("channelize", h, bank, hop, (2,), dtype)
            for n, pieces in [(0, 0), (3, 1), (700, 0), (700, 11)]:
                x = values(g, (2, n), dtype)
                got = in_chunks(g, stream, x, pieces)
                same(got, gnd.channelize_poly(gnd.from_numpy(x), h, bank, hop, -1).numpy(),
                     f"{dtype} {kind} {taps} {bank} {hop} {n} {pieces}")


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 200), st.integers(1, 800), st.integers(0, 30),
       st.sampled_from(FLOATING), st.integers(0, 2**31))
def test_any_cuts(up, down, taps, n, pieces, dtype, seed):
    g = np.random.default_rng(seed)
    h, x = gnd.from_numpy(values(g, (taps,), dtype)), values(g, (2, n), dtype)
    got = in_chunks(g, Stream("upfirdn", h, up, down, (2,), dtype), x, pieces)
    same(got, gnd.upfirdn(h, gnd.from_numpy(x), up, down, -1, None).numpy(), "upfirdn")
    got = in_chunks(g, Stream("channelize", h, up, down, (2,), dtype), x, pieces)
    same(got, gnd.channelize_poly(gnd.from_numpy(x), h, up, down, -1).numpy(), "channels")


def test_reset_save_and_restore():
    g = generator("states")
    h = gnd.from_numpy(values(g, (61,), "float32"))
    x = values(g, (3, 400), "float32")
    for kind, more in [("upfirdn", (3, 2)), ("channelize", (8, 4))]:
        first, second = (Stream(kind, h, *more, (3,), "float32") for _ in range(2))
        begin = first.feed(x[:, :170])
        fed = (ctypes.c_int64 * 1)()
        state = gnd.rate_stream_save(first.pointer, fed)
        assert fed[0] == 170
        rest = np.concatenate([first.feed(x[:, 170:]), first.flush()], axis=-1)
        second.feed(x[:, :33])
        gnd.rate_stream_restore(second.pointer, state, 170)
        same(np.concatenate([second.feed(x[:, 170:]), second.flush()], axis=-1), rest, kind)
        second.feed(x[:, :57])
        gnd.rate_stream_reset(second.pointer)
        same(second.feed(x[:, :170]), begin, kind + " reset")


def test_chunks_are_cast_and_kept_outside_of_scopes():
    h = gnd.from_numpy(np.float64([1, 2, 3]))
    stream = Stream("upfirdn", h, 1, 1, (), "float64")
    got = [stream.feed(np.array([1, 2], "int16")), stream.feed(np.array([3.0], "float32")), stream.flush()]
    assert np.concatenate(got).tolist() == [1, 4, 10, 12, 9]


def test_streams_refuse():
    h, c = gnd.zeros(5, "float32"), gnd.zeros(5, "complex64")
    refused(lambda: gnd.rate_stream_upfirdn(h, 1, 0, (), "float32"), gnd.ERROR_VALUE, "down is 0")
    refused(lambda: gnd.rate_stream_upfirdn(h, 1, 1, (), "int32"), gnd.ERROR_DTYPE, "int32")
    refused(lambda: gnd.rate_stream_upfirdn(c, 1, 1, (), "float32"), gnd.ERROR_DTYPE, "float32")
    refused(lambda: gnd.rate_stream_upfirdn(gnd.zeros((2, 2), "float32"), 1, 1, (), "float32"), gnd.ERROR_SHAPE, "h")
    refused(lambda: gnd.rate_stream_upfirdn(None, 1, 1, (), "float32"), gnd.ERROR_INVALID, "'h' is NULL")
    refused(lambda: gnd.rate_stream_upfirdn(h, 1, 1, (1,) * 63, "float32"), gnd.ERROR_SHAPE, "63 dimensions")
    refused(lambda: gnd.rate_stream_channelize(h, 1025, 0, (), "float32"), gnd.ERROR_VALUE, "1025 channels")
    refused(lambda: gnd.rate_stream_channelize(h, 0, 0, (), "float32"), gnd.ERROR_VALUE, "0 channels")
    refused(lambda: gnd.rate_stream_resample_poly(0, 1, None, (), "float32"), gnd.ERROR_VALUE, "up is 0")
    refused(lambda: gnd.rate_stream_resample_poly(2, 1, window_struct("nothing"), (), "float32"), gnd.ERROR_VALUE,
            "nothing")
    kept = Stream("upfirdn", h, 2, 1, (3,), "float32")
    refused(lambda: gnd.rate_stream_feed(kept.pointer, gnd.zeros((2, 4), "float32")), gnd.ERROR_SHAPE, "(2, 4)")
    refused(lambda: gnd.rate_stream_feed(kept.pointer, gnd.zeros((3, 4), "float64")), gnd.ERROR_DTYPE, "float64")
    refused(lambda: gnd.rate_stream_feed(kept.pointer, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.rate_stream_feed(None, h), gnd.ERROR_INVALID, "'stream' is NULL")
    refused(lambda: gnd.rate_stream_flush(None), gnd.ERROR_INVALID, "'stream' is NULL")
    refused(lambda: gnd.rate_stream_reset(None), gnd.ERROR_INVALID, "'stream' is NULL")
    refused(lambda: gnd.rate_stream_restore(kept.pointer, gnd.zeros((3, 7), "float32"), 4), gnd.ERROR_SHAPE, "(3, 7)")
    refused(lambda: gnd.rate_stream_restore(kept.pointer, gnd.zeros((3, 2), "float32"), -1), gnd.ERROR_VALUE, "-1")
    gnd.rate_stream_release(None)


def test_failed_allocations_leave_nothing_behind():
    """Also of the functions that streams are of, which share their steps."""
    g = generator("failures")
    x, h = gnd.from_numpy(values(g, (50, 3), "float32")), gnd.from_numpy(values(g, (20,), "float32"))
    room, fir = gnd.outputs(1), decimate_options("fir")
    calls = [lambda: gnd.upfirdn(h, x, 3, 2, 0, None), lambda: gnd.resample_poly(x, 37, 29, 0, None),
             lambda: gnd.detrend(x, 0, None), lambda: gnd.freq_shift(x, 1, 3, 0), lambda: gnd.hilbert(x, -1, 0),
             lambda: gnd.hilbert2(x, (), None), lambda: gnd.resample(x, 31, 0, None),
             lambda: gnd.channelize_poly(x, h, 8, 4, 0), lambda: gnd.decimate(x, 3, 0, fir),
             lambda: (gnd.envelope(x, 0, None, room), gnd.take(room))]
    for call in calls:
        call()
        run_with_failures(call)
    stream = Stream("upfirdn", h, 3, 2, (), "float32")
    chunk = gnd.from_numpy(values(g, (50,), "float32"))
    run_with_failures(lambda: gnd.rate_stream_feed(stream.pointer, chunk))
    run_with_failures(lambda: gnd.rate_stream_flush(stream.pointer))
    Stream("resample_poly", 41, 39, None, (2,), "float32")  # its taps are kept for the next one
    run_with_failures(lambda: Stream("resample_poly", 41, 39, None, (2,), "float32"))
