"""Filters that are fed in chunks: the whole bit for bit however it is cut, SciPy's results, states, flushing, many
channels, views, and what is refused."""

import ctypes

import numpy as np
import pytest
import scipy.signal as ss

import dtypes
import gnd
from check import refused
from test_filter import near, signal, wide
from test_faults import run_with_failures
from values import generator


class Stream:
    """A gnd_filter_stream, released with its object."""

    def __init__(self, b, a, channels, dtype):
        arrays = [gnd.from_numpy(np.asarray(v)) for v in (b, a) if v is not None]
        name = "gnd_filter_stream_lfilter" if a is not None else "gnd_filter_stream_sosfilt"
        self.pointer = gnd.function(name)(*arrays, channels, dtype)

    def feed(self, x):
        return gnd.filter_stream_feed(self.pointer, x)

    def feed_into(self, x, out):
        return gnd.filter_stream_feed_into(self.pointer, x, out)

    def flush(self):
        return gnd.filter_stream_flush(self.pointer)

    def reset(self):
        return gnd.filter_stream_reset(self.pointer)

    def save(self):
        return gnd.filter_stream_save(self.pointer)

    def restore(self, state):
        return gnd.filter_stream_restore(self.pointer, state)

    def __del__(self):
        gnd.filter_stream_release(self.__dict__.pop("pointer", None))


def kinds():
    return {"sos": (ss.butter(8, 0.1, output="sos"), None), "one section": (ss.butter(2, 0.01, output="sos"), None),
            "ten sections": (ss.butter(20, 0.3, output="sos"), None), "iir": ss.butter(5, 0.2),
            "order 20": (np.ones(5), np.r_[1.0, np.zeros(19), -0.5]), "unstable": ([1.0], [1.0, -1.001]),
            "fir": (ss.firwin(31, 0.3), [1.0]), "long fir": (ss.firwin(700, 0.1), [2.0]), "scale": ([3.0], [2.0])}


def cuts_of(n, g):
    yield [0, n]
    yield [0, *sorted(g.integers(0, n + 1, 5)), n]
    yield [0, *sorted(g.integers(0, n + 1, 40)), n]
    yield [0, 1, 2, 3, 4096, 4097, 8192, n]


@pytest.mark.parametrize("name", kinds())
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_cuts_do_not_matter(name, dtype):
    g = generator("stream", name, dtype)
    b, a = kinds()[name]
    for channels, n in [((), 9000), ((3,), 8500), ((2, 5), 9100)]:
        x = signal((*channels, n), dtype, g)
        stream, whole = Stream(b, a, channels, dtype), None
        for cuts in cuts_of(n, g):
            parts = [stream.feed(gnd.from_numpy(x[..., i:j])).numpy() for i, j in zip(cuts, cuts[1:])]
            got = np.concatenate(parts, -1)
            whole = got if whole is None else whole
            assert got.dtype == x.dtype and (got.view("uint8") == whole.view("uint8")).all(), f"{name} {cuts}"
            stream.reset()
        if a is None:
            want = ss.sosfilt(b, wide(x))
        else:
            want = ss.lfilter(b, a, wide(x))
        scale = np.abs(want).max()
        assert np.abs(whole - want).max() <= (2e-6 if dtype != "float64" else 1e-10) * scale, name


def test_long_stream():
    """More than a million samples, cut at random: groups of tiles, and groups of those."""
    g = generator("long stream")
    sos = ss.butter(4, 0.05, output="sos")
    x = g.normal(size=4_700_000).astype("float32")  # 37 groups of 32 tiles
    stream = Stream(sos, None, (), "float32")
    whole = stream.feed(gnd.from_numpy(x)).numpy()
    want = ss.sosfilt(sos, x.astype("float64"))
    assert np.abs(whole - want).max() <= 1e-6 * np.abs(want).max()
    stream.reset()
    cuts = [0, *sorted(g.integers(0, len(x), 9)), 4096 * 32 * 31, 4_300_000, len(x)]
    cuts.sort()
    parts = [stream.feed(gnd.from_numpy(x[i:j])).numpy() for i, j in zip(cuts, cuts[1:])]
    assert (np.concatenate(parts) == whole).all()


def test_short_chunks_and_groups():
    """Chunks of a launch each, through the ends of groups of tiles and of groups of those, and behind long ones."""
    g = generator("short chunks")
    sos, edge = ss.butter(4, 0.05, output="sos"), 4096 * 32 * 31
    x = g.normal(size=(2, edge + 150_000)).astype("float32")
    stream = Stream(sos, None, (2,), "float32")
    whole = stream.feed(gnd.from_numpy(x)).numpy()
    stream.reset()
    cuts = [0, *np.cumsum(g.integers(1, 3000, 100)).tolist(), edge - 5000]
    while cuts[-1] < x.shape[1]:
        cuts.append(min(cuts[-1] + int(g.integers(500, 4096)), x.shape[1]))
    parts = [stream.feed(gnd.from_numpy(x[:, i:j])).numpy() for i, j in zip(cuts, cuts[1:])]
    assert (np.concatenate(parts, axis=1) == whole).all()


def test_many_channels():
    g = generator("stream channels")
    sos = ss.butter(4, 0.1, output="sos")
    for channels in (300, 20000):
        x = signal((channels, 90), "float32", g)
        stream = Stream(sos, None, (channels,), "float32")
        parts = [stream.feed(gnd.from_numpy(x[:, i:j])).numpy() for i, j in ((0, 7), (7, 64), (64, 90))]
        got = np.concatenate(parts, 1)
        assert np.abs(got - ss.sosfilt(sos, wide(x))).max() < 1e-5


@pytest.mark.parametrize("name", kinds())
def test_states(name):
    g = generator("stream state", name)
    b, a = kinds()[name]
    x = g.normal(size=(4, 6000))
    stream = Stream(b, a, (4,), "float64")
    stream.feed(gnd.from_numpy(x[:, :2500]))
    state = stream.save()
    rest = stream.feed(gnd.from_numpy(x[:, 2500:])).numpy()
    recursive = a is None or len(a) > 1
    if recursive:
        zi = state.numpy()
        zero = np.zeros_like(zi)
        want = ss.sosfilt(b, x[:, :2500], zi=zero)[1] if a is None else ss.lfilter(b, a, x[:, :2500], zi=zero)[1]
        assert np.abs(zi - want).max() <= 1e-9 * max(1, np.abs(want).max())
    else:
        assert (state.numpy() == x[:, 2500 - len(b) + 1:2500]).all()
    other = Stream(b, a, (4,), "float64")
    other.feed(gnd.from_numpy(x))
    other.restore(state)
    again = other.feed(gnd.from_numpy(x[:, 2500:])).numpy()
    exact = not recursive or gnd.current_device().kind == gnd.CPU
    assert (again == rest).all() if exact else np.abs(again - rest).max() <= 1e-9 * np.abs(rest).max()
    tail = stream.flush().numpy()
    assert tail.shape == (4, 0 if recursive else len(b) - 1)
    if not recursive and len(b) > 1:
        full = np.array([np.convolve(b, line) for line in x]) / a[0]
        assert np.abs(tail - full[:, 6000:]).max() < 1e-12
    assert (stream.save().numpy() == 0).all()


def test_feed_into():
    g = generator("feed into")
    for b, a in kinds().values():
        x = g.normal(size=(3, 5000))
        stream = Stream(b, a, (3,), "float64")
        want = stream.feed(gnd.from_numpy(x)).numpy()
        stream.reset()
        target = gnd.zeros((5000, 3), "float64")
        turned = gnd.transpose(target)
        stream.feed_into(gnd.from_numpy(np.repeat(x, 2, 1))[":, ::2"], turned)
        assert (turned.numpy() == want).all()
        stream.reset()
        same = gnd.from_numpy(x)
        stream.feed_into(same, same)
        assert (same.numpy() == want).all()
        stream.reset()
        assert stream.feed(gnd.zeros((3, 0), "float64")).shape == (3, 0)
        assert (stream.feed(gnd.from_numpy(x.astype("float32"))).numpy() != want).any()


def test_memory_is_reused():
    x = gnd.from_numpy(np.ones((2, 3000), "float32"))
    out = gnd.zeros((2, 3000), "float32")
    for b, a in (kinds()["sos"], kinds()["fir"]):
        stream = Stream(b, a, (2,), "float32")
        stats = gnd.STRUCTS["gnd_memory_stats"]()
        seen = []
        for _ in range(6):
            stream.feed_into(x, out)
            gnd.sync()
            gnd.memory_stats_of(gnd.current_device(), ctypes.addressof(stats))
            seen.append((stats.in_use, stats.allocations - stats.reused))
        assert len(set(seen[2:])) == 1, seen


def test_refused():
    sos = ss.butter(4, 0.1, output="sos")
    stream = Stream(sos, None, (3,), "float32")
    refused(lambda: Stream(sos, None, (3,), "int32"), gnd.ERROR_DTYPE, "float32, float64")
    refused(lambda: Stream([1j, 1.0], [1.0, 0.5], (), "float64"), gnd.ERROR_DTYPE, "must be complex")
    refused(lambda: Stream([1.0], [0.0, 0.5], (), "float64"), gnd.ERROR_VALUE, "a[0] is 0")
    refused(lambda: Stream(sos, None, (-1,), "float64"), gnd.ERROR_SHAPE, "(-1,)")
    refused(lambda: Stream(np.ones((2, 2)), None, (), "float64"), gnd.ERROR_SHAPE, "(sections, 6)")
    refused(lambda: stream.feed(gnd.zeros((4, 9), "float32")), gnd.ERROR_SHAPE, "(4, 9)", "(3,)")
    refused(lambda: stream.feed(None), gnd.ERROR_INVALID, "'x' is NULL")
    x = gnd.zeros((3, 9), "float32")
    refused(lambda: stream.feed_into(x, gnd.zeros((3, 8), "float32")), gnd.ERROR_SHAPE, "(3, 8)")
    refused(lambda: stream.feed_into(x, gnd.zeros((3, 9), "float64")), gnd.ERROR_DTYPE, "float64")
    refused(lambda: stream.restore(gnd.zeros((2, 3, 3), "float64")), gnd.ERROR_SHAPE, "(2, 3, 2)")
    for name in ("feed", "flush", "reset", "save"):
        arguments = (gnd.zeros(3, "float32"),) if name == "feed" else ()
        call = gnd.function("gnd_filter_stream_" + name)
        refused(lambda: call(None, *arguments), gnd.ERROR_INVALID, "'stream' is NULL")


def test_out_of_memory_at_every_allocation():
    x = gnd.from_numpy(np.ones((2, 50)))

    def use(b, a):
        stream = Stream(b, a, (2,), "float64")
        stream.feed(x)
        stream.restore(stream.save())
        return stream.flush()

    for b, a in (kinds()["sos"], kinds()["iir"], kinds()["fir"]):
        use(b, a)  # tables of a filter, which a GPU keeps, are no leak
        result, failures = run_with_failures(lambda: use(b, a))
        assert failures > 0
        near(result, use(b, a).numpy(), "again")
