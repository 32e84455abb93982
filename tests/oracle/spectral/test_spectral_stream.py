"""Spectra, signals and convolutions in chunks: streams give the bits of the whole, however it is cut, also after a
reset and from a saved state."""

import ctypes

import numpy as np
import pytest
import scipy.signal as ss
from hypothesis import given, settings
from hypothesis import strategies as st

import fused
import gnd
from check import refused
from test_faults import run_with_failures
from test_rate_stream import cut, same
from test_resample import FLOATING, REAL, values
from test_spectral import BOUNDARIES, near, options
from values import generator


class Stream:
    """A gnd_spectral_stream, released with the object."""

    def __init__(self, kind, *arguments):
        self.pointer = gnd.function("gnd_spectral_stream_" + kind)(*arguments)

    def __del__(self):
        if getattr(self, "pointer", None):
            gnd.spectral_stream_release(self.pointer)

    def feed(self, x):
        return gnd.spectral_stream_feed(self.pointer, gnd.from_numpy(x)).numpy()

    def flush(self):
        return gnd.spectral_stream_flush(self.pointer).numpy()


def in_chunks(g, stream, x, pieces):
    """The results of random chunks, some of them empty, and of the flush."""
    ends = cut(g, x.shape[-1], pieces)
    parts = [stream.feed(x[..., a:b]) for a, b in zip(ends, ends[1:])]
    return np.concatenate([*parts, stream.flush()], axis=-1)


CASES = [(16, {}), (16, {"hop": 3}), (15, {"hop": 15}), (8, {"hop": 13}), (2, {}), (3, {"hop": 1}), (64, {"nfft": 90}),
         (33, {"scaling": "psd", "detrend": "constant"}), (40, {"detrend": "linear", "hop": 10}),
         (700, {"hop": 200, "nfft": 2200}), (37, {"nfft": 37})]


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("size,changes", CASES)
def test_stft_in_chunks(dtype, size, changes):
    g = generator("stft stream", dtype, size, str(changes))
    window = gnd.from_numpy(g.random(size) + 0.1)
    for boundary in BOUNDARIES:
        for two_sided, padded in ((False, True), (True, False)):
            made = options(**changes, boundary=boundary, two_sided=two_sided, padded=padded)
            for channels in ((), (2, 3)):
                stream = Stream("stft", window, channels, dtype, made)
                for n, pieces in ((size, 0), (size + 1, 3), (3 * size + 7, 1), (5 * size + 2, 20)):
                    x = values(g, (*channels, n), dtype)
                    want = gnd.stft(gnd.from_numpy(x), window, -1, made, None, None).numpy()
                    same(in_chunks(g, stream, x, pieces), want, f"{dtype} {size} {changes} {boundary} {n} {pieces}")


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("size,changes", CASES)
def test_istft_in_chunks(dtype, size, changes):
    g = generator("istft stream", dtype, size, str(changes))
    window, nfft = gnd.from_numpy(g.random(size) + 0.1), changes.get("nfft", size)
    for boundary in ("zeros", None):
        for two_sided in (False, True):
            made = options(**changes, boundary=boundary, two_sided=two_sided)
            bins = nfft if two_sided else nfft // 2 + 1
            for channels in ((), (3,)):
                stream = Stream("istft", window, channels, dtype, made)
                for frames, pieces in ((1, 0), (2, 4), (30, 1), (70, 15)):
                    z = values(g, (*channels, bins, frames), dtype)
                    whole = gnd.from_numpy(z)
                    if frames == 30:  # as gnd_stft gives them: bins side by side
                        whole = gnd.from_numpy(np.ascontiguousarray(np.swapaxes(z, -1, -2)))
                        whole = gnd.swapaxes(whole, -1, -2)
                    made_nfft = options(**{**changes, "nfft": nfft}, boundary=boundary, two_sided=two_sided)
                    want = gnd.istft(whole, window, -1, -2, made_nfft).numpy()
                    same(in_chunks(g, stream, z, pieces), want, f"{dtype} {size} {changes} {boundary} {frames}")


@pytest.mark.parametrize("dtype", FLOATING)
def test_convolutions_in_chunks(dtype):
    g = generator("convolve stream", dtype)
    for taps, nfft in ((1, 0), (1, 1), (5, 5), (5, 8), (64, 0), (300, 1000), (701, 0), (1500, 0), (40, 4096)):
        for kind in {REAL[dtype], dtype}:
            h = values(g, (taps,), kind)
            stream = Stream("convolve", gnd.from_numpy(h), nfft, (2,), dtype)
            for n, pieces in ((0, 1), (1, 0), (taps, 2), (5000, 30)):
                x = values(g, (2, n), dtype)
                got = in_chunks(g, stream, x, pieces)
                context = f"{dtype} {kind} {taps} {nfft} {n} {pieces}"
                if n == 0:
                    assert got.shape == (2, 0), context
                    continue
                whole = np.concatenate([stream.feed(x), stream.flush()], axis=-1)
                same(got, whole, context)
                wide = x.astype("complex128" if np.iscomplexobj(x) else "float64")
                near(got, ss.fftconvolve(wide, h.astype("complex128")[None] if np.iscomplexobj(h) else h[None],
                                         axes=-1) if n > 1 else wide * h, context, dtype)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 70), st.integers(0, 30), st.integers(0, 400), st.integers(0, 40),
       st.sampled_from(BOUNDARIES), st.sampled_from(FLOATING), st.integers(0, 2**31))
def test_any_cuts(size, hop, more, n, pieces, boundary, dtype, seed):
    g = np.random.default_rng(seed)
    window = gnd.from_numpy(g.random(size) + 0.1)
    made = options(hop=hop, nfft=size + more, boundary=boundary)
    x = values(g, (2, size + n), dtype)
    z = gnd.stft(gnd.from_numpy(x), window, -1, made, None, None)
    same(in_chunks(g, Stream("stft", window, (2,), dtype, made), x, pieces), z.numpy(), "stft")
    two_sided = np.iscomplexobj(x)
    back = options(hop=hop, nfft=size + more, boundary=boundary, two_sided=two_sided)
    stream = Stream("istft", window, (2,), z.dtype, back)
    same(in_chunks(g, stream, z.numpy(), pieces), gnd.istft(z, window, -1, -2, back).numpy(), "istft")
    stream = Stream("convolve", gnd.from_numpy(values(g, (size,), dtype)), 0, (2,), dtype)
    same(in_chunks(g, stream, x, pieces), np.concatenate([stream.feed(x), stream.flush()], axis=-1), "convolve")


def streams(g):
    """A stream of each kind with three channels, twice, and 400 elements for it."""
    window, h = gnd.from_numpy(np.hanning(32)[1:]), gnd.from_numpy(values(g, (21,), "float32"))
    for kind, arguments, shape, dtype in (("stft", (window, (3,), "float32", options(hop=9)), (3, 400), "float32"),
                                          ("istft", (window, (3,), "complex64", options(hop=9)), (3, 16, 400),
                                           "complex64"),
                                          ("convolve", (h, 0, (3,), "float32"), (3, 400), "float32")):
        yield kind, Stream(kind, *arguments), Stream(kind, *arguments), values(g, shape, dtype)


def test_reset_save_and_restore():
    for kind, first, second, x in streams(generator("states")):
        begin = first.feed(x[..., :170])
        fed = (ctypes.c_int64 * 1)()
        state = gnd.spectral_stream_save(first.pointer, fed)
        assert fed[0] == 170
        rest = np.concatenate([first.feed(x[..., 170:]), first.flush()], axis=-1)
        second.feed(x[..., :33])
        gnd.spectral_stream_restore(second.pointer, state, 170)
        same(np.concatenate([second.feed(x[..., 170:]), second.flush()], axis=-1), rest, kind)
        second.feed(x[..., :57])
        gnd.spectral_stream_reset(second.pointer)
        same(second.feed(x[..., :170]), begin, kind + " reset")


def test_chunks_are_cast():
    stream = Stream("convolve", gnd.from_numpy(np.float64([1, 2, 3])), 4, (), "float64")
    got = [stream.feed(np.array([1, 2], "int16")), stream.feed(np.array([3.0], "float32")), stream.flush()]
    assert np.allclose(np.concatenate(got), [1, 4, 10, 12, 9])


def test_a_short_signal_is_refused_and_goes_on():
    window = gnd.from_numpy(np.hanning(20))
    stream = Stream("stft", window, (), "float64", None)
    x = np.arange(50.0)
    first = stream.feed(x[:7])
    refused(lambda: stream.flush(), gnd.ERROR_SHAPE, "20 elements", "7 samples")
    got = np.concatenate([first, stream.feed(x[7:]), stream.flush()], axis=-1)
    same(got, gnd.stft(gnd.from_numpy(x), window, -1, None, None, None).numpy(), "on")
    assert stream.flush().shape == (11, 0)


def test_streams_refuse():
    window, c = gnd.zeros(8, "float32"), gnd.zeros(5, "complex64")
    refused(lambda: gnd.spectral_stream_stft(window, (), "int32", None), gnd.ERROR_DTYPE, "int32")
    refused(lambda: gnd.spectral_stream_stft(c, (), "float32", None), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.spectral_stream_stft(None, (), "float32", None), gnd.ERROR_INVALID, "'window' is NULL")
    refused(lambda: gnd.spectral_stream_stft(window, (1,) * 63, "float32", None), gnd.ERROR_SHAPE, "63 dimensions")
    refused(lambda: gnd.spectral_stream_istft(window, (), "float32", None), gnd.ERROR_DTYPE, "float32")
    refused(lambda: gnd.spectral_stream_istft(window, (), "complex64", options(nfft=7)), gnd.ERROR_VALUE, "nfft is 7")
    refused(lambda: gnd.spectral_stream_convolve(c, 0, (), "float32"), gnd.ERROR_DTYPE, "float32")
    refused(lambda: gnd.spectral_stream_convolve(None, 0, (), "float32"), gnd.ERROR_INVALID, "'h' is NULL")
    refused(lambda: gnd.spectral_stream_convolve(window, 7, (), "float32"), gnd.ERROR_VALUE, "nfft is 7", "8")
    refused(lambda: gnd.spectral_stream_convolve(gnd.zeros(0, "float32"), 0, (), "float32"), gnd.ERROR_SHAPE, "(0,)")
    kept = Stream("stft", window, (3,), "float32", None)
    refused(lambda: gnd.spectral_stream_feed(kept.pointer, gnd.zeros((2, 4), "float32")), gnd.ERROR_SHAPE, "(2, 4)")
    refused(lambda: gnd.spectral_stream_feed(kept.pointer, gnd.zeros((3, 4), "float64")), gnd.ERROR_DTYPE, "float64")
    refused(lambda: gnd.spectral_stream_feed(kept.pointer, None), gnd.ERROR_INVALID, "'x' is NULL")
    back = Stream("istft", window, (3,), "complex64", None)
    refused(lambda: gnd.spectral_stream_feed(back.pointer, gnd.zeros((3, 6, 4), "complex64")), gnd.ERROR_SHAPE,
            "(3, 6, 4)", "5 bins")
    for stream, state in ((kept, (3, 6)), (back, (3, 2, 5))):
        wrong = gnd.zeros(state, "float32")
        refused(lambda: gnd.spectral_stream_restore(stream.pointer, wrong, 4), gnd.ERROR_SHAPE, str(state))
    refused(lambda: gnd.spectral_stream_restore(kept.pointer, gnd.zeros((3, 7), "float32"), -1), gnd.ERROR_VALUE, "-1")
    for name in ("feed", "flush", "reset", "save", "restore"):
        arguments = {"feed": (c,), "save": (None,), "restore": (c, 0)}.get(name, ())
        call = gnd.function("gnd_spectral_stream_" + name)
        refused(lambda: call(None, *arguments), gnd.ERROR_INVALID, "'stream' is NULL")
    gnd.spectral_stream_release(None)


def test_a_failed_call_leaves_the_stream_as_it_was():
    for kind, stream, other, x in streams(generator("failures")):
        first, second = gnd.from_numpy(x[..., :120]), gnd.from_numpy(x[..., 120:])
        results = []
        for chunk in (first, second):
            got, failures = run_with_failures(lambda: gnd.spectral_stream_feed(stream.pointer, chunk))
            assert failures > 0
            results.append(got.numpy())
        results.append(run_with_failures(lambda: gnd.spectral_stream_flush(stream.pointer))[0].numpy())
        want = [other.feed(x[..., :120]), other.feed(x[..., 120:]), other.flush()]
        same(np.concatenate(results, -1), np.concatenate(want, -1), kind)
    window = gnd.from_numpy(np.hanning(16))
    run_with_failures(lambda: Stream("istft", window, (2,), "complex64", None))
    run_with_failures(lambda: Stream("convolve", window, 0, (2,), "float32"))


def test_operands_that_a_block_has_not_computed_yet():
    x, window = gnd.from_numpy(values(generator("pending"), (2, 300), "float32")), gnd.from_numpy(np.hanning(32))
    twice, half = gnd.multiply(x, 2.0), gnd.multiply(window, 0.5)
    want = gnd.stft(twice, half, -1, None, None, None)
    back = gnd.istft(want, half, -1, -2, None).numpy()
    with fused.Block() as block:
        got = block.keep(gnd.stft(gnd.multiply(x, 2.0), gnd.multiply(window, 0.5), -1, None, None, None))
        again = block.keep(gnd.istft(gnd.multiply(got, 1.0), gnd.multiply(window, 0.5), -1, -2, None))
        stream = Stream("stft", gnd.multiply(window, 0.5), (2,), "float32", None)
        fed = block.keep(gnd.spectral_stream_feed(stream.pointer, gnd.multiply(x, 2.0)))
        rest = block.keep(gnd.spectral_stream_flush(stream.pointer))
    same(got.numpy(), want.numpy(), "stft")
    same(again.numpy(), back, "istft")
    same(np.concatenate([fed.numpy(), rest.numpy()], -1), want.numpy(), "stream")
