"""Host memory in and out in every layout, single elements, wrapped memory, and other devices."""

import ctypes

import numpy as np
import pytest

import dtypes
import gnd
import values
from check import assert_same

SHAPES = [(), (0,), (7,), (3, 4), (2, 0, 3), (2, 3, 4), (65, 129)]


def strides_argument(x):
    return (ctypes.c_int64 * max(x.ndim, 1))(*x.strides)


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_round_trip(name):
    for shape in SHAPES:
        for layout in values.layouts(shape):
            base = values.random_values(name, layout.base, np.random.default_rng(1))
            x = values.apply_numpy(base, layout.steps)
            assert_same(gnd.view(base, layout.steps), np.ascontiguousarray(x).reshape(x.shape),
                        layout.name, strides=False)
            strided = gnd.from_host_strided(x.__array_interface__["data"][0], shape,
                                            strides_argument(x), name)
            assert_same(strided, np.array(x, order="C"), layout.name)


@pytest.mark.parametrize("name", ["int8", "float32", "complex128"])
def test_copy_into_views(name):
    for shape in SHAPES:
        for layout in values.layouts(shape):
            if "broadcast" in layout.name:
                continue
            g = np.random.default_rng(2)
            base = values.random_values(name, layout.base, g)
            new = np.ascontiguousarray(values.random_values(name, shape, g))
            whole = gnd.from_numpy(base)
            target = whole
            for kind, argument in layout.steps:
                target = (gnd.slice_text(target, argument) if kind == "slice"
                          else gnd.permute(target, argument))
            gnd.copy_from_host(target, new.ctypes.data, new.nbytes)
            want = base.copy()
            values.apply_numpy(want, layout.steps)[...] = new
            assert_same(whole, want, layout.name)


def test_sizes_must_fit():
    a = gnd.zeros((3,), "float32")
    room = np.zeros(10, np.float32)
    for size in (0, 4, 11, 13, 40):
        with pytest.raises(gnd.Error) as caught:
            gnd.to_host(a, room.ctypes.data, size)
        assert "12" in caught.value.message and str(size) in caught.value.message
        with pytest.raises(gnd.Error):
            gnd.copy_from_host(a, room.ctypes.data, size)
    with pytest.raises(gnd.Error):
        gnd.to_host(a, None, 12)
    with pytest.raises(gnd.Error):
        gnd.from_host(None, (3,), "float32")
    with pytest.raises(gnd.Error):
        gnd.from_host(room.ctypes.data, (-3,), "float32")
    with pytest.raises(gnd.Error):
        gnd.copy_from_host(gnd.broadcast_to(a, (2, 3)), room.ctypes.data, 24)


def pinned(values_):
    """The values in pinned memory, and a NumPy array over it."""
    pointer = gnd.pinned_alloc(max(values_.nbytes, 1))
    buffer = (ctypes.c_char * max(values_.nbytes, 1)).from_address(pointer)
    array = np.frombuffer(buffer, values_.dtype, values_.size).reshape(values_.shape)
    array[...] = values_
    return pointer, array


def test_pinned_and_async():
    x = np.random.default_rng(3).random((300, 70))
    pointer, source = pinned(x)
    back_pointer, back = pinned(np.zeros_like(x))
    a = gnd.from_host_async(pointer, x.shape, "float64")
    doubled = gnd.multiply(a, 2)
    gnd.to_host_async(gnd.transpose(gnd.transpose(doubled)), back_pointer, x.nbytes)
    gnd.stream_sync(None)
    assert np.array_equal(back, 2 * x)
    source[...] = 5
    gnd.copy_from_host_async(gnd.slice_text(a, "::-1"), pointer, x.nbytes)
    gnd.stream_sync(None)
    assert (a.numpy() == 5).all()
    del a, doubled
    gnd.pinned_free(pointer)
    gnd.pinned_free(back_pointer)
    gnd.pinned_free(None)


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_item(name):
    for value in values.specials(name)[:60]:
        x = np.array(value)
        for a in (gnd.from_numpy(x), gnd.from_numpy(x.reshape(1, 1, 1))):
            room = np.empty((), x.dtype)
            gnd.item(a, room.ctypes.data)
            assert room.tobytes() == x.tobytes()
            wide = dtypes.widen(x)
            assert gnd.item_bool(a) == bool(wide)
            real, imaginary = ctypes.c_double(), ctypes.c_double()
            gnd.item_parts(a, ctypes.addressof(real), ctypes.addressof(imaginary))
            assert np.array_equal([real.value, imaginary.value],
                                  [float(wide.real), float(wide.imag)], equal_nan=True)
            check_numbers(a, wide, name)


def check_numbers(a, wide, name):
    if name in dtypes.COMPLEX:
        for call in (gnd.item_double, gnd.item_int, gnd.item_uint):
            with pytest.raises(gnd.Error) as caught:
                call(a)
            assert caught.value.code == gnd.ERROR_DTYPE
        return
    assert np.array_equal(gnd.item_double(a), float(wide), equal_nan=True)
    for call, low, high in ((gnd.item_int, -(2**63), 2**63), (gnd.item_uint, 0, 2**64)):
        whole = int(wide) if np.isfinite(wide) else None
        if whole is not None and low <= whole < high:
            assert call(a) == whole
        else:
            with pytest.raises(gnd.Error) as caught:
                call(a)
            assert caught.value.code == gnd.ERROR_VALUE


def test_item_of_several():
    for shape in ((2,), (0,), (1, 3)):
        with pytest.raises(gnd.Error) as caught:
            gnd.item_double(gnd.zeros(shape, "float32"))
        assert caught.value.code == gnd.ERROR_SHAPE


def test_wrap():
    """Foreign memory on the CPU: no copy, strides, and the deleter called once at the end."""
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    calls = []
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
        lambda data, context: calls.append((data, context)))
    cpu = gnd.STRUCTS["gnd_device"](gnd.CPU, 0)
    part = x[::-1, ::2]
    address = part.__array_interface__["data"][0]
    a = gnd.wrap(address, part.shape, strides_argument(part), "float32", cpu,
                 ctypes.cast(deleter, ctypes.c_void_p), 7)
    assert_same(a, part)
    gnd.fill(a, 5)
    assert (part == 5).all() and (x[:, 1::2] != 5).any()
    view = gnd.slice_text(a, "0")
    a.release()
    assert not calls
    view.release()
    assert calls == [(address, 7)]
    dense = gnd.wrap(x.ctypes.data, x.shape, None, "float32", cpu, None, None)
    assert_same(dense, x)
    assert dense.address == x.ctypes.data


def test_to_device_and_transfer():
    x = np.random.default_rng(4).random((5, 6))
    a = gnd.from_numpy(x)
    cpu = gnd.STRUCTS["gnd_device"](gnd.CPU, 0)
    on_cpu = gnd.to_device(gnd.slice_text(a, "::-1, ::2"), cpu)
    assert_same(on_cpu, x[::-1, ::2], strides=False)
    back = gnd.to_device(on_cpu, gnd.current_device())
    assert_same(back, x[::-1, ::2], strides=False)
    out = gnd.zeros((6, 5), "float64")
    gnd.transfer(gnd.transpose(out), gnd.to_device(a, cpu))
    assert_same(out, x.T, strides=False)
    with pytest.raises(gnd.Error):
        gnd.transfer(out, a)
    with pytest.raises(gnd.Error):
        gnd.transfer(gnd.zeros((5, 6), "float32"), a)
    nowhere = gnd.STRUCTS["gnd_device"](gnd.GPU, 99)
    with pytest.raises(gnd.Error) as caught:
        gnd.to_device(a, nowhere)
    assert caught.value.code == gnd.ERROR_DEVICE


@pytest.mark.gpu_only
def test_devices_do_not_mix():
    cpu = gnd.STRUCTS["gnd_device"](gnd.CPU, 0)
    a = gnd.ones((3,), "float32")
    b = gnd.to_device(a, cpu)
    with pytest.raises(gnd.Error) as caught:
        gnd.add(a, b)
    assert caught.value.code == gnd.ERROR_DEVICE
    assert "cpu" in caught.value.message and f"gpu:{gnd.device_of(a).index}" in caught.value.message
    assert_same(gnd.add(b, b), np.full(3, 2, np.float32))
    assert gnd.device_of(gnd.add(b, b)).kind == gnd.CPU


def test_large_pageable_transfers():
    """Above the size where transfers are staged in pieces, 64 MiB in a direction, and below; odd sizes and offsets."""
    for size in (2**20 + 1, 2**24 + 3, 2**26 + 5, 5 * 2**22 - 7):
        x = np.random.default_rng(size).integers(-100, 100, size, dtype=np.int8)
        a = gnd.from_numpy(x)
        assert np.array_equal(a.numpy(), x)
        assert np.array_equal(gnd.slice_text(a, "3:-1:2").numpy(), x[3:-1:2])
