"""Arrays of up to 64 dimensions, as in NumPy 2, beyond what a word of 32 bits has for axes and beyond what one
launch takes: functions of every kind, in layouts that do not merge, against NumPy."""

import ctypes
import zlib

import numpy as np
import pytest

import gnd
from check import assert_same, refused
from test_print import text_of
from test_ufunc_at import call_at

NDIMS = (33, 40, 64)


def generator(*seed):
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def scattered(ndim, dtype="int32", twos=9, seed=0):
    """An array with `twos` axes of size 2 and one of 3, the rest 1, in a permuted layout, the first and the last
    axis among the longer ones; and the same of NumPy."""
    g = generator(ndim, dtype, twos, seed)
    sizes = [1] * ndim
    long = [0, ndim - 1] + list(g.permutation(np.arange(1, ndim - 1))[:twos - 1])
    for k in long:
        sizes[k] = 2
    sizes[long[2]] = 3
    order = [int(k) for k in g.permutation(ndim)]
    x = g.integers(-9, 9, [sizes[k] for k in order]).astype(dtype)
    back = [int(k) for k in np.argsort(order)]
    a = gnd.permute(gnd.from_numpy(x), back)
    return a, x.transpose(back)


def long_axes(x):
    return [k for k, size in enumerate(x.shape) if size > 1]


@pytest.mark.parametrize("ndim", NDIMS)
def test_views(ndim):
    a, x = scattered(ndim)
    assert_same(a, x)
    assert_same(gnd.transpose(a), x.T)
    axes = long_axes(x)
    first, last, middle = axes[0], axes[-1], axes[len(axes) // 2]
    assert_same(gnd.flip(a, (last, middle)), np.flip(x, (last, middle)))
    assert_same(gnd.flip(a, None), np.flip(x))
    assert_same(gnd.swapaxes(a, first, -1), x.swapaxes(first, -1))
    assert_same(gnd.moveaxis(a, (ndim - 1, middle), (1, 0)), np.moveaxis(x, (ndim - 1, middle), (1, 0)))
    assert_same(gnd.squeeze(a, None), x.squeeze())
    assert_same(gnd.squeeze(a, tuple(k for k in range(ndim) if x.shape[k] == 1)), x.squeeze())
    new = tuple(range(ndim - len(axes)))
    assert_same(gnd.expand_dims(gnd.squeeze(a, None), new), np.expand_dims(x.squeeze(), new))
    assert_same(gnd.rot90(a, 1, (first, last)), np.rot90(x, 1, (first, last)))
    assert_same(gnd.diagonal(a, 0, first, last), np.diagonal(x, 0, first, last))
    assert_same(a["..., -1"], x[..., -1])
    assert_same(a[", ".join(["::-1"] * ndim)], x[(slice(None, None, -1),) * ndim])
    assert_same(gnd.reshape(a, x.shape[::-1]), x.reshape(x.shape[::-1]), strides=False)
    wide = tuple(2 if size == 1 and k % 7 == 0 else size for k, size in enumerate(x.shape))
    assert_same(gnd.broadcast_to(a, wide), np.broadcast_to(x, wide))
    assert_same(gnd.broadcast_to(gnd.from_numpy(np.int8(3)), x.shape), np.broadcast_to(np.int8(3), x.shape))


@pytest.mark.parametrize("ndim", NDIMS)
def test_elements(ndim):
    a, x = scattered(ndim)
    b, y = scattered(ndim, "float32", seed=1)
    assert_same(gnd.add(a, b), x + y, strides=False)
    assert_same(gnd.multiply(a, gnd.transpose(b)) if x.T.shape == y.shape else gnd.multiply(a, a), x * x)
    assert_same(gnd.where(gnd.greater(a, 0), a, -1), np.where(x > 0, x, -1), strides=False)
    assert_same(gnd.copy(gnd.transpose(a)), x.T.copy(), strides=False)
    assert_same(gnd.astype(a, "float64"), x.astype("float64"))
    out = gnd.zeros(x.shape, "int32")
    gnd.add_into(gnd.flip(out, None), a, 1)
    assert_same(gnd.flip(out, None), np.flip(np.flip(x + 1).copy()), strides=False)
    assert_same(gnd.outer("subtract", gnd.squeeze(a, None), gnd.from_numpy(np.arange(3))),
                np.subtract.outer(x.squeeze(), np.arange(3)), strides=False)


@pytest.mark.parametrize("ndim", NDIMS)
def test_reductions(ndim):
    a, x = scattered(ndim)
    axes = long_axes(x)
    for some in ((axes[0], axes[-1]), (axes[-1],), tuple(axes[1:-1]), tuple(range(31, ndim)), tuple(range(0, ndim, 2))):
        for keepdims in (False, True):
            given = gnd.Axes(*some, keepdims=keepdims)
            assert_same(gnd.sum(a, given), x.sum(some, keepdims=keepdims), f"{some}", strides=False)
            assert_same(gnd.amax(a, given), x.max(some, keepdims=keepdims), f"{some}", strides=False)
            assert_same(gnd.all(a, given), x.all(some, keepdims=keepdims), f"{some}", strides=False)
            assert_same(gnd.reduce("bitwise_xor", a, given),
                        np.bitwise_xor.reduce(x, some, keepdims=keepdims), f"{some}", strides=False)
            assert_same(gnd.count_nonzero(a, given), np.count_nonzero(x, some, keepdims=keepdims), strides=False)
    masked = gnd.Axes(axes[0], axes[-1], where=gnd.greater(a, 0))
    assert_same(gnd.sum(a, masked), x.sum((axes[0], axes[-1]), where=x > 0), strides=False)
    assert_same(gnd.sum(a, None), np.asarray(x.sum()))
    assert_same(gnd.sum(a, ()), x.astype("int64"), strides=False)
    assert_same(gnd.argmax(a, -1), x.argmax(-1), strides=False)
    assert_same(gnd.argmin(a, None), np.asarray(x.argmin()))
    assert_same(gnd.reduce("subtract", a, axes[-1]),
                np.subtract.reduce(x, axes[-1]), strides=False)
    b, y = scattered(ndim, "float64")
    assert np.allclose(gnd.var(b, (axes[0], axes[-1]), 0).numpy(), y.var((axes[0], axes[-1])))
    flat, two = y.squeeze(), (axes[0], axes[-1])  # NumPy partitions arrays of 32 dimensions
    assert np.allclose(gnd.median(b, two).numpy().squeeze(), np.median(flat, (0, -1)))
    assert np.allclose(gnd.quantile(b, 0.3, two, 0).numpy().squeeze(), np.quantile(flat, 0.3, (0, -1)))
    assert np.allclose(gnd.norm(b, None, (axes[0], axes[-1])).numpy(), np.linalg.norm(y, axis=(axes[0], axes[-1])))


@pytest.mark.parametrize("ndim", NDIMS)
def test_along_one_axis(ndim):
    a, x = scattered(ndim)
    axes = long_axes(x)
    axis = next(k for k in axes if x.shape[k] == 3)
    assert_same(gnd.cumsum(a, axis), x.cumsum(axis), strides=False)
    assert_same(gnd.accumulate("subtract", a, -1), np.subtract.accumulate(x, -1), strides=False)
    flat = x.squeeze()  # NumPy sorts arrays of 32 dimensions
    assert_same(gnd.sort(a, axis, 0), np.sort(flat, axes.index(axis)).reshape(x.shape), strides=False)
    assert_same(gnd.argsort(a, -1, 0), np.argsort(flat, -1, kind="stable").reshape(x.shape), strides=False)
    assert_same(gnd.diff(a, 1, axis, None, None), np.diff(x, 1, axis), strides=False)
    assert_same(gnd.reduceat("add", a, gnd.from_numpy(np.array([0, 2, 1])), axis),
                np.add.reduceat(x, [0, 2, 1], axis), strides=False)
    where = gnd.from_numpy(np.array([2, 0]))
    assert_same(gnd.function("gnd_take")(a, where, axis, 0), np.take(x, [2, 0], axis), strides=False)
    assert_same(gnd.concatenate(2, list_of([a, a]), axis), np.concatenate([x, x], axis), strides=False)
    if ndim < 64:
        assert_same(gnd.stack(2, list_of([a, a]), ndim), np.stack([x, x], ndim), strides=False)
    assert_same(gnd.roll(a, 1, (axis, axes[-1])), np.roll(x, 1, (axis, axes[-1])), strides=False)
    assert_same(gnd.repeat(a, 2, axis), x.repeat(2, axis), strides=False)
    assert_same(gnd.tile(a, (1,) * (ndim - 1) + (2,)), np.tile(x, 2), strides=False)
    assert_same(gnd.packbits(gnd.greater(a, 0), axis, 0),
                np.packbits(flat > 0, axes.index(axis)).reshape([1 if k == axis else size
                                                                 for k, size in enumerate(x.shape)]), strides=False)
    b, y = scattered(ndim, "float64")
    got, want = gnd.fft(b, -1, axis, 0).numpy(), np.fft.fft(y, axis=axis)
    assert np.allclose(got, want)
    got, want = gnd.fftn(b, (), (axis, axes[-1]), 0).numpy(), np.fft.fftn(y, axes=(axis, axes[-1]))
    assert np.allclose(got, want)


def test_transforms_of_axes_of_one():
    """The full result of a real transform has a half that is mirrored along all axes but the last."""
    for shape in ((1,) * 40 + (3, 4), (1,) * 60 + (2, 1, 3, 5)):
        x = generator("fft", shape).random(shape)
        assert np.allclose(gnd.fftn(gnd.from_numpy(x), (), None, 0).numpy().squeeze(), np.fft.fftn(x.squeeze()))


def list_of(arrays):
    return (ctypes.c_void_p * len(arrays))(*[a.pointer for a in arrays])


@pytest.mark.parametrize("ndim", NDIMS)
def test_indices(ndim):
    """With an index array for each axis there are more of them than one launch takes."""
    a, x = scattered(ndim)
    g = generator("index", ndim)
    numbers = [g.integers(-size, size, (5, 1) if k % 2 else (4,)) for k, size in enumerate(x.shape)]
    items = [gnd.from_numpy(n.astype(("int64", "int32", "uint8")[k % 3] if (n >= 0).all() else "int64"))
             for k, n in enumerate(numbers)]
    long = long_axes(x)
    at = tuple(np.broadcast_arrays(*(numbers[k] for k in long)))  # NumPy takes 63 of them
    for flip in (False, True):
        b, y = (gnd.flip(a, tuple(range(0, ndim, 2))), np.flip(x, tuple(range(0, ndim, 2)))) if flip else (a, x)
        assert_same(gnd.get(b, ndim, items), y.squeeze()[at], f"flip {flip}", strides=False)
        some = [items[k] if k % 3 else ":" for k in range(ndim)]
        chosen = tuple(numbers[k] if k % 3 else slice(None) for k in range(ndim))
        assert_same(gnd.get(b, ndim, some), y[chosen], f"flip {flip}", strides=False)
    want = x.copy()
    want.squeeze()[at] = values = g.integers(0, 99, (5, 4)).astype("int32")
    c = gnd.copy(a)
    gnd.set(c, ndim, items, gnd.from_numpy(values))
    assert_same(c, want, "set", strides=False)
    gnd.set(c, ndim, items, 7)
    want.squeeze()[at] = 7
    assert_same(c, want, "set a number", strides=False)
    call_at("add", c, tuple(items), 5)
    np.add.at(want.squeeze(), at, 5)
    assert_same(c, want, "at", strides=False)
    positive = [n % size for n, size in zip(numbers, x.shape)]
    arrays = [gnd.from_numpy(n) for n in positive]
    got = gnd.ravel_multi_index(ndim, gnd.args(arrays), x.shape, 0, ord("C"))
    assert_same(got, sum(n * int(np.prod(x.shape[k + 1:])) for k, n in enumerate(positive)), strides=False)


@pytest.mark.parametrize("ndim", (40, 64))
@pytest.mark.parametrize("axis", (0, 20, 39))
def test_indices_out_of_range_in_many_axes(ndim, axis):
    """Wherever the wrong one is: it is named, and the other points are assigned."""
    numbers = np.zeros((ndim, 3), "int64")
    numbers[axis, 1] = 2
    numbers[5] = 0, 1, 1
    shape = [1] * ndim
    shape[5] = 2
    items = [gnd.from_numpy(n) for n in numbers]
    a = gnd.zeros(shape, "int32")
    refused(lambda: (gnd.get(a, ndim, items), gnd.sync()), gnd.ERROR_INDEX, "index 2", f"axis {axis}")
    refused(lambda: (gnd.set(a, ndim, items, gnd.from_numpy(np.array([7, 8, 9], "int32"))), gnd.sync()),
            gnd.ERROR_INDEX, "index 2", f"axis {axis}")
    assert a.numpy().ravel().tolist() == [7, 9]


@pytest.mark.parametrize("ndim", NDIMS)
def test_masks_and_indices(ndim):
    a, x = scattered(ndim)
    mask = gnd.greater(a, 2)
    assert_same(gnd.get(a, 1, [mask]), x[x > 2], strides=False)
    c, want = gnd.copy(a), x.copy()
    gnd.set(c, 1, [mask], -5)
    want[x > 2] = -5
    assert_same(c, want, strides=False)
    room = gnd.outputs(ndim)
    gnd.nonzero(a, ctypes.addressof(room))
    for got, place in zip(gnd.take(room), np.nonzero(x), strict=True):
        assert_same(got, place, strides=False)


@pytest.mark.parametrize("ndim", NDIMS)
def test_products(ndim):
    b, y = scattered(ndim, "float64")
    last = y.shape[-1]
    m = generator("product").random((last, 3))
    assert np.allclose(gnd.matmul(b, gnd.from_numpy(m)).numpy(), y @ m)
    n = gnd.from_numpy(m)
    if ndim < 64:
        assert np.allclose(gnd.einsum("...a,ab->...b", 2, list_of([b, n])).numpy(), y @ m)
    assert np.allclose(gnd.tensordot(b, gnd.from_numpy(m), 1).numpy(), np.tensordot(y, m, 1))
    assert np.allclose(gnd.vdot(b, b).numpy(), np.vdot(y, y))


def test_files_and_text(tmp_path):
    for ndim in NDIMS:
        a, x = scattered(ndim)
        gnd.save(str(tmp_path / "x.npy"), a)
        assert (np.load(tmp_path / "x.npy") == x).all()
        np.save(tmp_path / "y.npy", np.ascontiguousarray(x))  # NumPy crashes on the others
        assert_same(gnd.load(str(tmp_path / "y.npy")), x, strides=False)
    y = np.arange(4).reshape((2,) + (1,) * 62 + (2,))
    assert text_of("gnd_to_repr", gnd.from_numpy(y)) == repr(y)


def test_many_axes_that_do_not_merge():
    """25 axes of size 2 in a random order: a transposed copy, sums and a mask cross all of them."""
    g = generator("large")
    sizes = [1] * 39
    for k in g.permutation(39)[:25]:
        sizes[int(k)] = 2
    x = g.integers(-100, 100, sizes).astype("int8")
    order = [int(k) for k in g.permutation(39)]
    y, a = x.transpose(order), gnd.permute(gnd.from_numpy(x), order)
    some = tuple(int(k) for k in g.permutation(39)[:20])
    assert_same(gnd.copy(a), y.copy(), strides=False)
    assert_same(gnd.sum(a, some), y.sum(some), strides=False)
    assert_same(gnd.add(a, gnd.from_numpy(y.copy())), y + y, strides=False)
    assert_same(gnd.argmax(a, some[0]), y.argmax(some[0]), strides=False)


@pytest.mark.gpu_only
def test_more_axes_than_a_launch_takes():
    """33 axes of size 2 that do not merge are 2^33 points, over little memory: sums, extremes and operators."""
    g = generator("deep")
    strides = [int(s) for s in g.permutation(np.arange(1, 34) * 3)]
    values = g.integers(0, 3, sum(strides) + 1).astype("uint8")
    a = gnd.as_strided(gnd.from_numpy(values), (2,) * 33, (ctypes.c_int64 * 33)(*strides))
    times = np.ones(1, object)
    for s in strides:
        times = np.concatenate([times, np.zeros(s, object)]) + np.concatenate([np.zeros(s, object), times])
    assert int(gnd.sum(a, None).numpy()) == sum(int(t) * int(v) for t, v in zip(times, values))
    assert int(gnd.amax(a, None).numpy()) == max(int(v) for t, v in zip(times, values) if t)
    assert int(gnd.reduce("bitwise_xor", a, None).numpy()) == np.bitwise_xor.reduce(
        [int(v) if t % 2 else 0 for t, v in zip(times, values)])


def test_one_more_is_refused():
    a, one = gnd.zeros((1,) * 64, "int8"), gnd.zeros((1,), "int8")
    for call in (lambda: gnd.zeros((1,) * 65, "int8"), lambda: gnd.reshape(a, (1,) * 65),
                 lambda: gnd.expand_dims(a, 0), lambda: gnd.stack(2, list_of([a, a]), 0),
                 lambda: gnd.broadcast_to(a, (1,) * 65), lambda: gnd.outer("add", a, one),
                 lambda: gnd.as_strided(a, (1,) * 65, (ctypes.c_int64 * 65)()),
                 lambda: gnd.einsum("...,a->...a", 2, list_of([a, one])),
                 lambda: gnd.tile(a, (1,) * 65)):
        with pytest.raises(gnd.Error) as caught:
            call()
        assert caught.value.code in (gnd.ERROR_SHAPE, gnd.ERROR_INVALID), caught.value
        assert "65" in caught.value.message or "64" in caught.value.message, caught.value
