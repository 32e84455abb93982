"""Several host threads and several streams at once: each thread its own error, options and stream, and
the answers those of one thread."""

import ctypes
import threading

import numpy as np
import pytest

import gnd
from check import assert_same


def in_threads(work, count=4):
    """Runs work(k) in `count` threads; ctypes lets go of Python's lock during each call."""
    failures = []

    def body(k):
        try:
            work(k)
        except BaseException as error:  # noqa: B902: reported by the caller
            failures.append(error)

    threads = [threading.Thread(target=body, args=(k,)) for k in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    failures.sort(key=lambda error: isinstance(error, threading.BrokenBarrierError))
    if failures:
        raise failures[0]


def test_threads_compute_alone():
    def work(k):
        g = np.random.default_rng(k)
        for _ in range(60):
            x, y = g.random((50, 40)), g.random((40,))
            a, b = gnd.from_numpy(x), gnd.from_numpy(y)
            c = gnd.multiply(gnd.add(a, b), gnd.slice(a, "::-1"))
            assert_same(c, (x + y) * x[::-1])
            total = float(gnd.sum(c, None).numpy())
            assert abs(total - ((x + y) * x[::-1]).sum()) < 1e-9

    in_threads(work)


def test_threads_share_an_array():
    x = np.arange(10000, dtype=np.int64)
    a = gnd.from_numpy(x)

    def work(k):
        for _ in range(100):
            assert_same(gnd.add(gnd.slice(a, f"{k}::4"), k), x[k::4] + k)

    in_threads(work)
    assert_same(a, x)


def test_threads_with_tables_of_their_own_sizes():
    """The same kernels from several threads, each with another size of table in shared memory: on a GPU
    the larger ones have to be asked for, which no other thread must take back before the launch."""
    on_gpu = gnd.current_device().kind == gnd.GPU
    g = np.random.default_rng(4)
    lines = [np.sort(g.random(n)) for n in (600, 5_000, 12_000, 40_000)]
    wanted = g.random((1 << 18) + 5)
    labels = g.integers(0, 500, 28_000_000 if on_gpu else 1_000_000).astype(np.int32)
    w, x = gnd.from_numpy(wanted), gnd.from_numpy(labels)
    counts = np.bincount(labels)
    barrier = threading.Barrier(4, timeout=60)  # broken, not stuck, if a thread fails

    def work(k):
        bins = (600, 12_000, 20_000, 50_000)[k]
        indices = np.searchsorted(lines[k], wanted)
        line = gnd.from_numpy(lines[k])
        for _ in range(20 if on_gpu else 2):
            barrier.wait()
            found = gnd.searchsorted(line, w, gnd.LEFT, None)
            counted = gnd.bincount_fixed(x, None, bins)
            assert_same(found, indices)
            assert_same(counted, np.pad(counts, (0, bins - len(counts))))

    in_threads(work)


def test_errors_belong_to_their_thread():
    barrier = threading.Barrier(4, timeout=30)  # broken, not stuck, if a thread fails
    shape_error = gnd.lib.gnd_reshape
    gnd.function("gnd_reshape")

    def work(k):
        a = gnd.zeros((4,), None)
        for _ in range(50):
            barrier.wait()
            if k % 2:
                assert not shape_error(a.pointer, gnd.shape((7 + k,)))
            barrier.wait()
            error = gnd.pending_error()
            assert (error is not None) == bool(k % 2)
            assert error is None or f"({7 + k},)" in error.message

    in_threads(work)


def test_print_options_belong_to_their_thread():
    def work(k):
        made = gnd.get_printoptions()
        made.precision = k + 1
        gnd.set_printoptions(made)
        a = gnd.from_numpy(np.array([1 / 3]))
        for _ in range(50):
            pointer = gnd.to_string(a)
            assert ctypes.string_at(pointer).decode() == f"[0.{'3' * (k + 1)}]"
            gnd.string_free(pointer)

    in_threads(work)


@pytest.fixture
def streams():
    made = [gnd.stream_new(), gnd.stream_new_high_priority(), gnd.stream_new()]
    yield made
    gnd.use_stream(None)
    for stream in made:
        gnd.stream_release(stream)


def test_streams_order_themselves(streams):
    """The same arrays on several streams without an event: the sequential answer, each time."""
    rounds = 1000 if gnd.current_device().kind == gnd.GPU else 100
    g = np.random.default_rng(1)
    x = g.integers(-5, 5, 100_003).astype(np.float32)
    a, want = gnd.from_numpy(x), x.copy()
    for k in range(rounds):
        gnd.use_stream(streams[k % 3])
        gnd.add_into(a, a, 1)
        gnd.use_stream(streams[(k + 1) % 3])
        b = gnd.slice(gnd.multiply(a, 2), "::-1")
        gnd.use_stream(streams[(k + 2) % 3])
        gnd.subtract_into(a, b, a)
        want += np.float32(1)
        want = (want * 2)[::-1] - want
        if k % 10 == 9:  # keep the numbers small
            gnd.fmod_into(a, a, 64)
            want = np.fmod(want, np.float32(64))
    gnd.use_stream(None)
    assert_same(a, want)


def test_freed_memory_is_not_reused_too_early(streams):
    """An array released while its work is queued on another stream."""
    x = np.random.default_rng(2).random(50_000)
    for k in range(60):
        gnd.use_stream(streams[k % 3])
        a = gnd.from_numpy(x)
        b = gnd.multiply(a, k)
        del a
        gnd.use_stream(streams[(k + 1) % 3])
        c = gnd.zeros((50_000,), "float64")
        d = gnd.add(b, c)
        del b, c
        assert_same(d, x * k)
    gnd.use_stream(None)


def test_events(streams):
    start, stop, plain = gnd.event_new(True), gnd.event_new(True), gnd.event_new(False)
    assert gnd.event_done(start)
    gnd.event_sync(start)
    gnd.use_stream(streams[0])
    gnd.event_record(start, None)
    a = gnd.ones((1 << 20,), "float32")
    for _ in range(5):
        a = gnd.add(a, 1)
    gnd.event_record(stop, streams[0])
    gnd.stream_wait_event(streams[1], stop)
    gnd.event_sync(stop)
    assert gnd.event_done(stop)
    assert gnd.event_elapsed(start, stop) >= 0
    gnd.event_record(plain, None)
    for pair in ((start, plain), (plain, stop)):
        with pytest.raises(gnd.Error) as caught:
            gnd.event_elapsed(*pair)
        assert caught.value.code == gnd.ERROR_INVALID
    gnd.stream_sync(streams[0])
    assert gnd.stream_done(streams[0])
    gnd.use_stream(None)
    for event in (start, stop, plain, None):
        gnd.event_release(event)
    assert gnd.stream_device(streams[0]).kind == gnd.current_device().kind


def test_streams_run_out():
    made = []
    try:
        with pytest.raises(gnd.Error) as caught:
            for _ in range(100):
                made.append(gnd.stream_new())
        assert caught.value.code == gnd.ERROR_UNAVAILABLE
        assert len(made) >= 60
    finally:
        for stream in made:
            gnd.stream_release(stream)
    for again in (gnd.stream_new(), gnd.stream_new_high_priority()):  # in the place of one that was released
        gnd.stream_release(again)
    gnd.sync()


@pytest.mark.gpu_only
def test_threads_with_streams_of_their_own():
    x = np.random.default_rng(3).random(200_000)
    a = gnd.from_numpy(x)

    def work(k):
        stream = gnd.stream_new()
        gnd.use_stream(stream)
        for n in range(50):
            b = gnd.multiply(gnd.add(a, n), k)
            assert_same(b, (x + n) * k)
        gnd.use_stream(None)
        gnd.stream_release(stream)

    in_threads(work, 6)
