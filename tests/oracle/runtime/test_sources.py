"""Where arrays' memory comes from: allocators of the program's, kinds of memory, limits, the handler, and memory that
processes share."""

import contextlib
import ctypes
import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gnd
from check import refused
from conftest import on_gpu

libc = ctypes.CDLL(None)
libc.aligned_alloc.restype = ctypes.c_void_p
libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]

ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)


class Pool:
    """As RMM's: allocations in the order of a stream, each counted; `most` bytes at a time."""

    def __init__(self, most=1 << 40):
        self.live, self.most, self.calls, self.streams = {}, most, 0, set()
        self.functions = ALLOCATE(self.allocate), RELEASE(self.release)
        self.cuda = ctypes.CDLL("libcuda.so.1") if on_gpu() else None

    def allocate(self, size, stream, context):
        assert context == 77 and size > 0
        self.calls += 1
        self.streams.add(stream)
        if sum(self.live.values()) + size > self.most:
            return None
        if self.cuda:
            pointer = ctypes.c_uint64()
            status = self.cuda.cuMemAllocAsync(ctypes.byref(pointer), ctypes.c_size_t(size), ctypes.c_void_p(stream))
            address = pointer.value if status == 0 else None
        else:
            address = libc.aligned_alloc(64, (size + 63) // 64 * 64)
        if address:
            self.live[address] = size
        return address

    def release(self, pointer, size, stream, context):
        assert self.live.pop(pointer) == size and context == 77
        if self.cuda:
            assert self.cuda.cuMemFreeAsync(ctypes.c_uint64(pointer), ctypes.c_void_p(stream)) == 0
        else:
            libc.free(pointer)

    @contextlib.contextmanager
    def used(self):
        allocator = gnd.STRUCTS["gnd_allocator"]()
        allocator.allocate = ctypes.cast(self.functions[0], ctypes.c_void_p)
        allocator.release = ctypes.cast(self.functions[1], ctypes.c_void_p)
        allocator.context = 77
        gnd.memory_set_allocator(gnd.current_device(), ctypes.addressof(allocator))
        try:
            yield self
        finally:
            gnd.memory_set_allocator(gnd.current_device(), None)
            gc.collect()
            gnd.memory_trim(gnd.current_device())


def test_an_allocator_gives_all_memory():
    pool = Pool()
    before = gnd.full((1000,), 3.0, "float64")
    with pool.used():
        small, large = gnd.full((10,), 2.0, "float32"), gnd.full((3_000_000,), 1.0, "float32")
        assert pool.calls >= 2 and sum(pool.live.values()) >= 12_000_040
        assert small.address in pool.live and large.address in pool.live
        total = gnd.add(gnd.sum(large, None), gnd.sum(small, None))
        assert float(gnd.to_numpy(total)) == 3_000_020
        before.release()  # goes back to where it came from
        address = small.address
        small.release()
        again = gnd.zeros((10,), "float32")  # gnd keeps small blocks ready
        assert again.address == address
        gnd.memory_trim(gnd.current_device())
        assert again.address in pool.live
    assert again.address in pool.live  # until it is released
    for array in (again, large, total):
        array.release()
    gnd.memory_trim(gnd.current_device())
    assert not pool.live


def test_an_allocator_that_has_nothing_left():
    pool = Pool(most=1 << 20)
    with pool.used():
        kept = gnd.zeros((100_000,), "float64")
        kept.release()  # gnd keeps it, and gives it back when it needs the room
        other = gnd.zeros((125_000,), "float64")
        refused(lambda: gnd.zeros((100_000,), "float64"), gnd.ERROR_MEMORY, "gnd_zeros", "no memory")
        np.testing.assert_array_equal(gnd.to_numpy(other), np.zeros(125_000))
        other.release()
    assert not pool.live


def test_allocators_that_are_none():
    allocator = gnd.STRUCTS["gnd_allocator"]()
    refused(lambda: gnd.memory_set_allocator(gnd.current_device(), ctypes.addressof(allocator)), gnd.ERROR_INVALID,
            "no function to allocate")


# ---- kinds -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def kind(value):
    before = gnd.memory_use(value)
    try:
        yield
    finally:
        assert gnd.memory_use(before) == value


@pytest.mark.parametrize("name", ["MANAGED", "PINNED", "SHARED"])
def test_kinds(name):
    code = getattr(gnd, "MEMORY_" + name)
    values = np.random.default_rng(3).standard_normal((300, 200)).astype("float32")
    with kind(code):
        x = gnd.from_numpy(values)
        y = gnd.multiply(x, 2.0)
    z = gnd.add(y, x)
    assert [gnd.memory_kind_of(a) for a in (x, y, z)] == [code, code, gnd.MEMORY_DEVICE]
    np.testing.assert_allclose(gnd.to_numpy(z), values * 3, rtol=1e-6)
    np.testing.assert_allclose(gnd.to_numpy(gnd.sum(y, (0,))), (values * 2).sum(0), rtol=1e-3, atol=1e-3)
    if name != "SHARED" and (not on_gpu() or name in ("MANAGED", "PINNED")):
        gnd.sync()  # the host reads managed and pinned memory in place
        read = np.ctypeslib.as_array((ctypes.c_float * 60000).from_address(y.address)).reshape(300, 200)
        np.testing.assert_array_equal(read, values * 2)


def test_other_kinds():
    refused(lambda: gnd.memory_use(99), gnd.ERROR_INVALID, "99")
    refused(lambda: gnd.memory_use(gnd.MEMORY_FOREIGN), gnd.ERROR_INVALID, "kind")
    assert gnd.memory_use(gnd.MEMORY_DEVICE) == gnd.MEMORY_DEVICE
    refused(lambda: gnd.memory_kind_of(None), gnd.ERROR_INVALID, "a")


# ---- the limit and the handler ------------------------------------------------------------------------


def test_a_limit_by_share():
    def limit():
        stats = gnd.STRUCTS["gnd_memory_stats"]()
        gnd.memory_stats_of(gnd.current_device(), ctypes.addressof(stats))
        return stats.limit

    total = ctypes.c_size_t()
    gnd.memory_info(gnd.current_device(), None, ctypes.addressof(total))
    try:
        gnd.memory_set_limit_share(gnd.current_device(), 0.5)
        assert abs(limit() - total.value / 2) <= total.value * 0.01
        gnd.memory_set_limit_share(gnd.current_device(), 1e-30)
        refused(lambda: gnd.zeros((1000,), "float64"), gnd.ERROR_MEMORY, "gnd_memory_set_limit")
        for share in (-0.1, 1.5, float("nan")):
            refused(lambda: gnd.memory_set_limit_share(gnd.current_device(), share), gnd.ERROR_VALUE, "share")
    finally:
        gnd.memory_set_limit_share(gnd.current_device(), 0.0)
    assert limit() == 0


HANDLER = ctypes.CFUNCTYPE(None, ctypes.POINTER(gnd.STRUCTS["gnd_memory_event"]), ctypes.c_void_p)


def test_a_handler_sees_each_piece():
    events = []

    @HANDLER
    def handler(event, context):
        e = event.contents
        events.append((e.released, e.reused, e.kind, e.pointer, e.bytes, context))

    gnd.lib.gnd_on_memory(handler, ctypes.c_void_p(5))
    try:
        x = gnd.empty((1000,), "float64")
        address = x.address
        x.release()
        again = gnd.empty((1000,), "float64")
        with kind(gnd.MEMORY_PINNED):
            pinned = gnd.empty((1000,), "float64")
        del again, pinned
    finally:
        gnd.lib.gnd_on_memory(None, None)
    gnd.empty((1000,), "float64")
    assert len(events) == 6, events
    assert [e[0] for e in events] == [False, True, False, False, True, True]
    assert events[0][3] == address and events[2][1] and events[2][3] == address
    assert events[3][2] == gnd.MEMORY_PINNED and all(e[4] >= 8000 and e[5] == 5 for e in events)


# ---- other processes ----------------------------------------------------------------------------------

CHILD = """
import ctypes, sys
sys.path.insert(0, {folder!r})
import gnd
handle = gnd.STRUCTS["gnd_ipc_handle"].from_buffer_copy(sys.stdin.buffer.read())
a = gnd.{opened}
assert gnd.memory_kind_of(a) == gnd.MEMORY_FOREIGN
print(list(a.shape), a.dtype, float(gnd.to_numpy(gnd.sum(a, None))))
gnd.add_into(a, a, 1.0)
gnd.sync()
"""


@pytest.mark.parametrize(
    "opened",
    ["ipc_open(ctypes.addressof(handle))", "ipc_open_on(ctypes.addressof(handle), gnd.current_device())"],
)
def test_another_process_works_on_the_same_memory(opened):
    values = np.arange(24.0).reshape(4, 6)
    with kind(gnd.MEMORY_SHARED):
        x = gnd.from_numpy(values)
    part = gnd.slice(x, "1:3, ::2")
    handle = gnd.STRUCTS["gnd_ipc_handle"]()
    gnd.ipc_export(part, ctypes.addressof(handle))
    code = CHILD.format(folder=str(Path(gnd.__file__).parent), opened=opened)
    run = subprocess.run([sys.executable, "-c", code], input=bytes(handle), capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    want = values.copy()
    assert run.stdout.decode().split("\n")[0] == f"[2, 3] float64 {want[1:3, ::2].sum()}"
    want[1:3, ::2] += 1
    np.testing.assert_array_equal(gnd.to_numpy(x), want)


def test_handles_that_are_none():
    x = gnd.zeros((5,), "float64")
    handle = gnd.STRUCTS["gnd_ipc_handle"]()
    refused(lambda: gnd.ipc_export(x, ctypes.addressof(handle)), gnd.ERROR_INVALID, "GND_MEMORY_SHARED")
    refused(lambda: gnd.ipc_open(ctypes.addressof(handle)), gnd.ERROR_INVALID, "no handle")
    refused(lambda: gnd.ipc_open(None), gnd.ERROR_INVALID, "handle")
    refused(lambda: gnd.ipc_open_on(None, gnd.current_device()), gnd.ERROR_INVALID, "handle")
    refused(lambda: gnd.ipc_open_on(ctypes.addressof(handle), gnd.current_device()), gnd.ERROR_INVALID, "no handle")
    with kind(gnd.MEMORY_SHARED):
        x = gnd.zeros((5,), "float64")
    gnd.ipc_export(x, ctypes.addressof(handle))
    grown = gnd.STRUCTS["gnd_ipc_handle"].from_buffer_copy(bytes(handle))
    bytes_at = 24  # magic, kind, dtype, ndim, readonly
    ctypes.memmove(ctypes.addressof(grown) + bytes_at + 8, bytes(ctypes.c_uint64(1 << 40)), 8)
    refused(lambda: gnd.ipc_open(ctypes.addressof(grown)), gnd.ERROR_INVALID, "no handle")


@pytest.mark.skipif(on_gpu(), reason="CUDA opens handles of other processes only")
def test_the_same_process_and_what_is_gone():
    with kind(gnd.MEMORY_SHARED):
        x = gnd.from_numpy(np.arange(6.0))
    handle = gnd.STRUCTS["gnd_ipc_handle"]()
    gnd.ipc_export(x, ctypes.addressof(handle))
    theirs = gnd.ipc_open(ctypes.addressof(handle))
    gnd.add_into(theirs, theirs, 10.0)
    np.testing.assert_array_equal(gnd.to_numpy(x), np.arange(6.0) + 10)
    x.release()
    np.testing.assert_array_equal(gnd.to_numpy(theirs), np.arange(6.0) + 10)  # a mapping stays
    refused(lambda: gnd.ipc_open(ctypes.addressof(handle)), gnd.ERROR_DEVICE, "not there")
