"""Streams of others: wrapped, waited for, and beside gnd's own. On the CPU, which has none, NULL does nothing."""

import ctypes

import numpy as np
import pytest

import gnd
from check import refused
from conftest import on_gpu
from graphs import driver

N = 1 << 20


class Foreign:
    """A stream that the driver made, and copies on it; on the CPU none, and copies of the host."""

    def __init__(self):
        self.native = ctypes.c_void_p()
        if on_gpu():
            driver("cuStreamCreate", ctypes.byref(self.native), 1)  # does not wait for the default stream

    def copy(self, to, source):
        if on_gpu():
            driver("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(to.address), ctypes.c_uint64(source.address),
                   ctypes.c_size_t(4 * N), self.native)
        else:
            ctypes.memmove(to.address, source.address, 4 * N)

    def end(self):
        if on_gpu():
            driver("cuStreamSynchronize", self.native)
            driver("cuStreamDestroy_v2", self.native)


@pytest.fixture
def foreign():
    stream = Foreign()
    yield stream
    stream.end()


def slow(x, times=40):
    """Work that lasts, so that what does not wait for it comes too early."""
    for _ in range(times):
        gnd.add_into(x, x, 1.0)


def test_a_wrapped_stream(foreign):
    x, y = gnd.zeros((N,), "float32"), gnd.zeros((N,), "float32")
    stream = gnd.stream_wrap(foreign.native)
    if on_gpu():
        assert gnd.stream_native(stream) == foreign.native.value
    gnd.use_stream(stream)
    for i in range(5):
        slow(x)
        foreign.copy(y, x)  # behind it, without an event
        z = gnd.multiply(y, 2.0)
        gnd.use_stream(None)
        assert float(gnd.to_numpy(gnd.add(z, 0.0))[-1]) == 80.0 * (i + 1)  # gnd's own stream waits for it
        gnd.use_stream(stream)
    product = gnd.matmul(gnd.ones((64, 64), "float32"), gnd.ones((64, 64), "float32"))
    slow(x)
    gnd.use_stream(None)
    gnd.stream_release(stream)
    assert float(gnd.to_numpy(x)[7]) == 240  # what it still had to do comes first
    assert float(gnd.to_numpy(product)[3, 4]) == 64
    # The slot works on, on a stream of its own, also in libraries.
    others = [gnd.stream_new() for _ in range(3)]
    for other in others:
        gnd.use_stream(other)
        assert gnd.stream_native(other) != foreign.native.value or not on_gpu()
        assert float(gnd.to_numpy(gnd.matmul(product, product))[0, 0]) == 64 * 64 * 64
        gnd.use_stream(None)
    for other in others:
        gnd.stream_release(other)


def test_streams_wait_for_each_other(foreign):
    x, y, z = (gnd.zeros((N,), "float32") for _ in range(3))
    gnd.sync()
    for i in range(5):
        slow(x)
        gnd.native_wait_stream(foreign.native, None)
        foreign.copy(y, x)
        gnd.stream_wait_native(None, foreign.native)
        gnd.add_into(z, y, 0.0)
        assert float(gnd.to_numpy(z)[-1]) == 40.0 * (i + 1)


def test_arrays_that_others_write(foreign):
    """Whichever of gnd's streams uses them."""
    streams = [gnd.stream_new(), gnd.stream_new()]
    x, y = gnd.zeros((N,), "float32"), gnd.zeros((N,), "float32")
    for i in range(6):
        gnd.use_stream(streams[i % 2])
        slow(x)
        gnd.use_stream(None)
        gnd.native_begin(foreign.native, x, False), gnd.native_begin(foreign.native, y, True)
        foreign.copy(y, x)
        gnd.native_end(foreign.native, x, False), gnd.native_end(foreign.native, y, True)
        gnd.use_stream(streams[(i + 1) % 2])
        seen = gnd.add(y, 0.0)
        gnd.add_into(x, x, 0.0)
        assert float(gnd.to_numpy(seen)[0]) == 40.0 * (i + 1)
    gnd.use_stream(None)
    for stream in streams:
        gnd.stream_release(stream)


def test_what_is_refused():
    view = gnd.broadcast_to(gnd.zeros((1,), "float32"), (5,))
    refused(lambda: gnd.native_begin(None, view, True), gnd.ERROR_INVALID, "read-only")
    refused(lambda: gnd.native_end(None, None, True), gnd.ERROR_INVALID, "a")
    graph = gnd.graph_new()
    gnd.graph_begin(graph)
    refused(lambda: gnd.stream_wait_native(None, None), gnd.ERROR_INVALID, "GND_GRAPH")
    refused(lambda: gnd.native_wait_stream(None, None), gnd.ERROR_INVALID, "GND_GRAPH")
    if not on_gpu():
        refused(lambda: gnd.foreign_begin(None, 0, None, 0, None), gnd.ERROR_INVALID, "GND_GRAPH")
    gnd.graph_end(graph)
    gnd.graph_release(graph)
    if not on_gpu():
        for call in (gnd.stream_wrap, lambda n: gnd.stream_wait_native(None, n),
                     lambda n: gnd.native_wait_stream(n, None)):
            refused(lambda: call(ctypes.c_void_p(4096)), gnd.ERROR_INVALID, "the CPU has no native streams")


def test_cuda_s_default_stream():
    """NULL works on both devices."""
    stream = gnd.stream_wrap(None)
    gnd.use_stream(stream)
    x = gnd.add(gnd.ones((100,), "float32"), 1.0)
    gnd.use_stream(None)
    np.testing.assert_array_equal(gnd.to_numpy(x), np.full(100, 2, "float32"))
    gnd.stream_release(stream)
