"""What all streams of signals have in common: no new memory once chunks of all sizes came by, and feeds in CUDA
graphs, which go on with the signal each time they are launched."""

import ctypes

import numpy as np
import pytest
import scipy.signal as ss

import gnd
from conftest import on_gpu
from graphs import Graph, own_stream
from test_rate_stream import cut
from test_resample import values
from test_spectral import options
from values import generator


class Stream:
    """A stream of any type, released with the object."""

    def __init__(self, kind, name, *arguments):
        self.kind, self.pointer = kind, gnd.function(f"gnd_{kind}_stream_{name}")(*arguments)

    def __del__(self):
        if getattr(self, "pointer", None):
            gnd.function(f"gnd_{self.kind}_stream_release")(self.pointer)

    def feed(self, x):
        return gnd.function(f"gnd_{self.kind}_stream_feed")(self.pointer, x)

    def flush(self):
        return gnd.function(f"gnd_{self.kind}_stream_flush")(self.pointer)


def taps(n):
    return gnd.from_numpy(ss.firwin(n, 0.3).astype("float32"))


def sections(n):
    return gnd.from_numpy(ss.butter(2 * n, 0.1, output="sos"))


def window(n):
    return gnd.from_numpy(ss.get_window("hann", n))


# How each is made, for channels of a shape; bins of a chunk of spectra; and a number of elements that leaves it where
# it was between two results.
STREAMS = {
    "sos": (lambda c: Stream("filter", "sosfilt", sections(4), c, "float32"), 0, 1000),
    "long sos": (lambda c: Stream("filter", "sosfilt", sections(10), c, "float32"), 0, 700),
    "iir": (lambda c: Stream("filter", "lfilter", *map(gnd.from_numpy, ss.butter(3, 0.2)), c, "float32"), 0, 333),
    "fir": (lambda c: Stream("filter", "lfilter", taps(131), gnd.from_numpy(np.ones(1)), c, "float32"), 0, 1000),
    "long fir": (lambda c: Stream("filter", "lfilter", taps(2001), gnd.from_numpy(np.ones(1)), c, "float32"), 0, 90),
    "upfirdn": (lambda c: Stream("rate", "upfirdn", taps(61), 3, 2, c, "float32"), 0, 500),
    "long upfirdn": (lambda c: Stream("rate", "upfirdn", taps(901), 1, 1, c, "float32"), 0, 77),
    "resample_poly": (lambda c: Stream("rate", "resample_poly", 160, 147, None, c, "float32"), 0, 588),
    "channelize": (lambda c: Stream("rate", "channelize", taps(64), 8, 4, c, "float32"), 0, 400),
    "stft": (lambda c: Stream("spectral", "stft", window(64), c, "float32", options(hop=16)), 0, 320),
    "long stft": (lambda c: Stream("spectral", "stft", window(3000), c, "float32", options(hop=500)), 0, 1000),
    "istft": (lambda c: Stream("spectral", "istft", window(64), c, "complex64", options(hop=16)), 33, 20),
    "long istft": (lambda c: Stream("spectral", "istft", window(3001), c, "complex64", options(hop=700)), 1501, 3),
    "convolve": (lambda c: Stream("spectral", "convolve", taps(57), 256, c, "float32"), 0, 400),
    "long convolve": (lambda c: Stream("spectral", "convolve", taps(1201), 5000, c, "float32"), 0, 3800),
}


def signal(g, name, channels, n):
    bins = STREAMS[name][1]
    return values(g, (*channels, bins, n), "complex64") if bins else values(g, (*channels, n), "float32")


def memory():
    """Bytes in use, and blocks that came from the device, not from the pool."""
    stats = gnd.STRUCTS["gnd_memory_stats"]()
    gnd.sync()
    gnd.memory_stats_of(gnd.current_device(), ctypes.addressof(stats))
    return stats.in_use, stats.allocations - stats.reused


# Their work takes more than a megabyte, which on a GPU the driver's pool keeps, not gnd's.
LARGE_WORK = ("long istft", "long convolve")


@pytest.mark.parametrize("name", STREAMS)
def test_no_new_memory(name):
    g = generator("stream memory", name)
    n = 60 if STREAMS[name][1] else 20000
    for channels in ((), (3,)):
        stream = STREAMS[name][0](channels)
        x = signal(g, name, channels, n)
        ends = cut(g, n, 12)
        chunks = [gnd.from_numpy(x[..., a:b]) for a, b in zip(ends, ends[1:])]
        for again in range(3):
            before = memory()
            for chunk in chunks:
                stream.feed(chunk)
            stream.flush()
            count = 1 if on_gpu() and name in LARGE_WORK else 2
            if again:
                assert memory()[:count] == before[:count], f"{name} {channels}"


@pytest.mark.gpu_only
@pytest.mark.parametrize("name", STREAMS)
def test_feeds_in_graphs(name):
    """A captured feed gives, each time it is launched, the bits of the next chunk; what follows goes on behind it."""
    make, _, size = STREAMS[name]
    g = generator("stream graphs", name)
    with own_stream() as native:
        for channels in ((), (3,)):
            stream, other = make(channels), make(channels)
            first = -(-6000 // size) * size if not STREAMS[name][1] else 10 * size
            x = signal(g, name, channels, first + 4 * size)
            begin, pieces = gnd.from_numpy(x[..., :first]), [
                gnd.from_numpy(x[..., first + i * size:first + (i + 1) * size]) for i in range(4)]
            other.feed(begin)
            chunk, out = gnd.copy(pieces[0]), gnd.copy(other.feed(pieces[0]))
            # Whatever happens at first calls has happened, and the pool has memory for what a feed takes: memory that a
            # capture allocates belongs to the graph.
            stream.feed(begin)
            stream.feed(pieces[0])
            want = [other.feed(piece).numpy() for piece in pieces[1:]]
            gnd.sync()
            graph = Graph(native, lambda: gnd.copyto(out, stream.feed(chunk)))
            for piece, wanted in zip(pieces[1:], want):
                gnd.copyto(chunk, piece)
                graph.launch()
                got = out.numpy()
                assert got.tobytes() == wanted.tobytes(), f"{name} {channels}"
            tail = [each.flush().numpy() for each in (stream, other)]
            assert tail[0].tobytes() == tail[1].tobytes(), f"{name} {channels}: the flush"
