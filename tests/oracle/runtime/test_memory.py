"""The pool's statistics and limit, and errors that leave nothing behind."""

import ctypes

import numpy as np
import pytest

import gnd
from check import assert_same


def stats():
    result = gnd.STRUCTS["gnd_memory_stats"]()
    gnd.memory_stats_of(gnd.current_device(), ctypes.addressof(result))
    return result


def test_statistics():
    before = stats()
    a = gnd.zeros((1000, 1000), "float32")
    during = stats()
    assert during.in_use - before.in_use >= 4_000_000
    assert during.blocks == before.blocks + 1
    assert during.allocations > before.allocations
    view = gnd.slice(a, "::2")
    assert stats().in_use == during.in_use
    del a
    assert stats().in_use == during.in_use
    del view
    assert stats().in_use == before.in_use
    assert stats().peak >= during.in_use
    gnd.memory_reset_peak(gnd.current_device())
    assert stats().peak == stats().in_use
    gnd.memory_trim(gnd.current_device())
    assert stats().cached == 0


def test_memory_is_reused():
    sizes = (1 << 16,)  # larger blocks of a GPU go back to the driver, which keeps them
    gnd.empty(sizes, "float32").release()
    before = stats().reused
    for _ in range(10):
        gnd.empty(sizes, "float32").release()
    assert stats().reused >= before + 10


def test_limit():
    device = gnd.current_device()
    gnd.memory_trim(device)
    x = np.arange(5.0)
    a = gnd.from_numpy(x)
    gnd.memory_set_limit(device, stats().in_use + (1 << 20))
    try:
        with pytest.raises(gnd.Error) as caught:
            gnd.empty((1 << 24,), "int8")
        assert caught.value.code == gnd.ERROR_MEMORY
        with pytest.raises(gnd.Error):
            gnd.add(gnd.broadcast_to(gnd.ones((), None), (1 << 22,)), 1)
        gnd.empty((1 << 18,), "int8")
    finally:
        gnd.memory_set_limit(device, 0)
    gnd.empty((1 << 24,), "int8")
    assert_same(a, x)


def test_memory_info():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    gnd.memory_info(gnd.current_device(), ctypes.addressof(free), ctypes.addressof(total))
    assert 0 < free.value <= total.value
    gnd.memory_info(gnd.current_device(), None, None)


def test_devices():
    device = gnd.current_device()
    properties = gnd.STRUCTS["gnd_device_properties"]()
    gnd.device_properties_of(device, ctypes.addressof(properties))
    assert properties.name and properties.processors > 0 and properties.memory_bytes > 0
    assert gnd.device_count(gnd.CPU) == 1
    assert gnd.device_name(device) == ("cpu" if device.kind == gnd.CPU else f"gpu:{device.index}")
    if gnd.device_count(gnd.GPU) == 0:
        assert gnd.gpu_unavailable()
    else:
        assert gnd.gpu_unavailable() is None
    for bad in ((gnd.GPU, 99), (gnd.CPU, 1), (gnd.GPU, -1), (7, 0)):
        with pytest.raises(gnd.Error) as caught:
            gnd.use(gnd.STRUCTS["gnd_device"](*bad))
        assert caught.value.code in (gnd.ERROR_DEVICE, gnd.ERROR_INVALID)
    now = gnd.current_device()
    assert (now.kind, now.index) == (device.kind, device.index)


def test_absurd_allocations_are_refused():
    before = (stats().in_use, gnd.live_arrays())
    for sizes in ((1 << 46,), (1 << 40, 1 << 20), (1 << 31, 1 << 31)):
        with pytest.raises(gnd.Error) as caught:
            gnd.empty(sizes, "float64")
        assert caught.value.code == gnd.ERROR_MEMORY
    assert (stats().in_use, gnd.live_arrays()) == before


def test_scopes():
    """What a scope owns dies with it; what is kept does not."""
    scope = gnd.STRUCTS["gnd_scope"]()
    address = ctypes.addressof(scope)
    before = gnd.live_arrays()
    gnd.function("gnd_scope_open")(address)
    raw = gnd.lib.gnd_ones
    gnd.function("gnd_ones")
    raw(gnd.shape((3,)), gnd.dtype_code("int8"))
    kept = raw(gnd.shape((4,)), gnd.dtype_code("int8"))
    assert gnd.live_arrays() == before + 2
    keep = gnd.lib.gnd_keep
    keep.argtypes, keep.restype = [ctypes.c_void_p], ctypes.c_void_p
    assert keep(kept) == kept
    gnd.scope_close(address)
    assert gnd.live_arrays() == before + 1
    array = gnd.Array(kept)
    assert_same(array, np.ones(4, np.int8))


def test_assign_replaces():
    scope = gnd.STRUCTS["gnd_scope"]()
    total = gnd.zeros((3,), "float64")
    slot = ctypes.c_void_p(total.pointer)
    assign = gnd.lib.gnd_assign
    assign.argtypes, assign.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_void_p
    before = gnd.live_arrays()
    add = gnd.lib.gnd_add
    gnd.function("gnd_add")
    for _ in range(5):
        gnd.function("gnd_scope_open")(ctypes.addressof(scope))
        total.pointer = None
        assign(ctypes.addressof(slot), add(gnd.arg(gnd_array(slot)), gnd.arg(2)))
        gnd.scope_close(ctypes.addressof(scope))
    assert gnd.live_arrays() == before
    total.pointer = slot.value
    assert_same(total, np.full(3, 10.0))


class gnd_array(gnd.Array):
    """A borrowed array: it releases nothing."""

    def __init__(self, slot):
        super().__init__(slot.value)

    def __del__(self):
        self.pointer = None


def test_many_small_arrays():
    """More than the memory of a process's first small arrays holds, in memory of their own."""
    made = [gnd.full((256,), k, "int32") for k in range(3000)]
    for k, x in enumerate(made):
        np.testing.assert_array_equal(x.numpy(), k)
