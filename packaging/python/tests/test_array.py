"""The array against NumPy's: indexing, assignment, reductions with their options, shapes, exchange, errors, fusion."""

import array
import copy
import pickle

import numpy as np
import pytest

import gnd

BASE = np.arange(60, dtype=np.float64).reshape(3, 4, 5)

KEYS = [1, -1, slice(None), slice(1, None), slice(None, None, -1), Ellipsis, None, (1, 2, 3), (slice(None), 1),
        (Ellipsis, 0), (None, 1, Ellipsis, None), (slice(0, 0),), [0, 2], (slice(None), [3, 0, 0]), ([0, 1], [2, 3]),
        ([0, 1], slice(None), [2, 3]), (1, slice(None), [2, 3]), np.array([[0, 1], [2, 0]]), BASE > 30,
        (BASE > 30)[:, :, 0],
        (slice(None), np.array([True, False, True, True])), True, False, (), [], (np.int64(1), np.array(2)),
        (slice(-100, 100), slice(3, 0, -2))]


def same(got, want):
    want = np.asarray(want)
    assert isinstance(got, gnd.ndarray) and got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_array_equal(got.get(), want)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_getitem_and_setitem(key):
    x = gnd.asarray(BASE)
    same(x[key], BASE[key])
    want = BASE.copy()
    want[key] = -1
    x[key] = -1
    same(x, want)
    value = np.arange(want[key].size, dtype=np.int16).reshape(want[key].shape)
    want[key], x[key] = value, gnd.asarray(value)
    same(x, want)


def test_views_share_memory():
    x = gnd.zeros((3, 4))
    x[1:, ::2][0] = 7
    x.T[3] += 1
    x.real[0] = 5
    same(x, [[5.0, 5, 5, 5], [7, 0, 7, 1], [0, 0, 0, 1]])
    assert x[0].flags == {"C_CONTIGUOUS": True, "F_CONTIGUOUS": True, "OWNDATA": False, "WRITEABLE": True}


REDUCTIONS = ["sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count_nonzero", "nansum",
              "nanmax", "ptp"]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float32", "complex64"])
def test_reductions(name, dtype):
    x = (BASE % 7 - 2).astype(dtype)
    for axis in (None, 0, -1, (0, 2), ()):
        for keepdims in (False, True):
            try:
                want = getattr(np, name)(x, axis=axis, keepdims=keepdims)
            except TypeError:
                with pytest.raises(TypeError):
                    getattr(gnd, name)(gnd.asarray(x), axis=axis, keepdims=keepdims)
                continue
            got = getattr(gnd, name)(gnd.asarray(x), axis=axis, keepdims=keepdims)
            assert got.shape == np.shape(want) and got.dtype == np.asarray(want).dtype
            np.testing.assert_allclose(got.get(), want, rtol=1e-5, atol=1e-5)


def test_options_of_reductions():
    x, where, out = gnd.asarray(BASE), BASE % 2 == 0, gnd.zeros((3, 5))
    same(x.sum(axis=1, where=gnd.asarray(where)), BASE.sum(axis=1, where=where))
    same(gnd.max(x, axis=0, initial=50), BASE.max(axis=0, initial=50))
    same(gnd.sum(x, dtype="float32"), BASE.sum(dtype=np.float32))
    assert gnd.sum(x, axis=1, out=out) is out
    same(out, BASE.sum(axis=1))
    same(gnd.std(x, axis=2, ddof=1) - gnd.std(x, axis=2, correction=1), np.zeros((3, 4)))
    same(gnd.maximum.reduce(x, axis=(0, 1)), np.maximum.reduce(BASE, axis=(0, 1)))
    same(gnd.add.accumulate(x, axis=1), np.add.accumulate(BASE, axis=1))
    same(gnd.multiply.outer(x[0, 0], [1, 2]), np.multiply.outer(BASE[0, 0], [1, 2]))
    counts = gnd.zeros(3)
    gnd.add.at(counts, [0, 0, 2], 1)
    same(counts, [2.0, 0, 1])


SHAPES = [lambda m, x: m.reshape(x, (5, -1)), lambda m, x: m.transpose(x), lambda m, x: m.transpose(x, (2, 0, 1)),
          lambda m, x: m.moveaxis(x, 0, -1), lambda m, x: m.moveaxis(x, (0, 1), (1, 0)),
          lambda m, x: m.expand_dims(x, 1),
          lambda m, x: m.squeeze(x[:1], axis=0), lambda m, x: m.flip(x, axis=1), lambda m, x: m.roll(x, 2),
          lambda m, x: m.roll(x, (1, -1), axis=(0, 2)), lambda m, x: m.concatenate([x, x[:, :1]], axis=1),
          lambda m, x: m.concatenate([x, x], axis=None), lambda m, x: m.stack([x, x], axis=-1),
          lambda m, x: m.tile(x, 2),
          lambda m, x: m.repeat(x, 2), lambda m, x: m.repeat(x, m.asarray([1, 0, 2]), axis=0),
          lambda m, x: m.swapaxes(x, 0, 1),
          lambda m, x: m.pad(x, 1), lambda m, x: m.pad(x[0], ((1, 2), (0, 1)), mode="edge"),
          lambda m, x: m.pad(x[0], 1, constant_values=9), lambda m, x: m.split(x, [1, 3], axis=1)[1],
          lambda m, x: m.array_split(x, 2)[0], lambda m, x: m.where(x > 9, x, 0), lambda m, x: m.nonzero(x > 50)[1],
          lambda m, x: m.clip(x, 3, 40), lambda m, x: m.clip(x, None, 40), lambda m, x: m.round(x / 7, 2),
          lambda m, x: m.sort(-x, axis=1), lambda m, x: m.argsort(-x, axis=0), lambda m, x: m.take(x, [0, 2], axis=2),
          lambda m, x: m.cumsum(x, axis=1), lambda m, x: m.diff(x, axis=2), lambda m, x: m.median(x, axis=0),
          lambda m, x: m.quantile(x, 0.3, axis=1), lambda m, x: m.percentile(x, 30.0), lambda m, x: m.unique(x % 7),
          lambda m, x: m.searchsorted(x[0, 0], [2.5, 0]), lambda m, x: m.tril(x), lambda m, x: m.triu(x, k=1),
          lambda m, x: m.einsum("ijk,ijl->kl", x, x), lambda m, x: m.tensordot(x, x, axes=([0, 1], [0, 1])),
          lambda m, x: m.matmul(x, x.mT), lambda m, x: m.outer(x[0, 0], x[0, 1]), lambda m, x: m.trace(x[0]),
          lambda m, x: m.histogram(x, bins=5, range=(0, 30))[0], lambda m, x: m.average(x, axis=0),
          lambda m, x: m.linspace(0, 1, 5),
          lambda m, x: m.linspace(0, 1, 5, endpoint=False), lambda m, x: m.arange(2, 9, 3), lambda m, x: m.arange(5),
          lambda m, x: m.arange(0, 1, 0.25), lambda m, x: m.eye(3, 4, k=1), lambda m, x: m.full((2, 2), 7),
          lambda m, x: m.zeros(3, dtype="int8"), lambda m, x: m.meshgrid(x[0, 0], x[0, :, 0])[1],
          lambda m, x: m.rot90(x[0]),
          lambda m, x: m.broadcast_to(x[0, 0], (4, 5)), lambda m, x: m.atleast_2d(x[0, 0]),
          lambda m, x: m.interp(x[0, 0], [0, 4], [0, 1]),
          lambda m, x: m.linalg.norm(x), lambda m, x: m.linalg.norm(x, axis=(1, 2), ord="nuc"),
          lambda m, x: m.linalg.inv(x[0, :3, :3] + 9 * m.eye(3)), lambda m, x: m.fft.fft(x),
          lambda m, x: m.fft.irfft(x, n=6, axis=1),
          lambda m, x: m.fft.rfftn(x, axes=(0, 1)), lambda m, x: m.fft.fftshift(x), lambda m, x: m.fft.fftfreq(5),
          lambda m, x: m.convolve(x[0, 0], x[0, 1]), lambda m, x: m.polyval([1, 2], x), lambda m, x: m.kron(x[0], x[1])]


@pytest.mark.parametrize("k", range(len(SHAPES)))
def test_functions_as_numpy_has_them(k):
    want, got = SHAPES[k](np, BASE), SHAPES[k](gnd, gnd.asarray(BASE))
    assert got.shape == np.shape(want) and got.dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got.get(), want, rtol=1e-12, atol=1e-9)


def test_numbers_and_lists():
    for value in (True, 3, 2.5, 1 + 2j, [1, 2], [[1.5], [2]], [True, False], [], [2**63], range(3), [1, 2j], [[], []]):
        same(gnd.asarray(value), np.asarray(value))
        assert gnd.asarray(value).tolist() == np.asarray(value).tolist()
    same(gnd.asarray([gnd.ones(2), gnd.zeros(2)]), [[1.0, 1], [0, 0]])
    x = gnd.asarray([3])
    assert int(x[0]) == 3 and float(x[0]) == 3.0 and bool(x) and complex(x[0]) == 3 and [5, 6, 7, 8][x[0]] == 8
    assert f"{gnd.asarray(2.5):.2f}" == "2.50" and repr(gnd.arange(3)) == "array([0, 1, 2])" and len(x) == 1
    with pytest.raises(ValueError):
        bool(gnd.ones(2))
    with pytest.raises(ValueError):
        gnd.asarray([[1], [1, 2]])
    with pytest.raises(OverflowError):
        gnd.asarray([300], dtype="int8")


def test_copies_and_pickles():
    x = gnd.asarray(BASE[::2, ::-1])
    for made in (x.copy(), copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        same(made, BASE[::2, ::-1])
        assert not gnd.shares_memory(made, x)
    assert gnd.asarray(x).dtype is gnd.float64 and pickle.loads(pickle.dumps(gnd.int8)) is gnd.int8
    assert np.dtype("int8") == gnd.int8 and gnd.int8 == "int8" and gnd.int8 != "int16"
    assert {gnd.int8: 1}[gnd.dtype("int8")] == 1


# ---- exchange -----------------------------------------------------------------------------------------

on_cpu = pytest.mark.skipif(gnd.current_device() != "cpu", reason="memory that NumPy sees too")


@on_cpu
def test_numpy_shares_memory():
    x = gnd.arange(6.0).reshape(2, 3)
    y = np.asarray(x)
    z = np.from_dlpack(x.T)
    x[1, 2] = 77
    assert y[1, 2] == z[2, 1] == 77
    y[0, 0] = 5
    assert float(x[0, 0]) == 5
    del x
    assert y[0, 0] == 5
    w = gnd.from_dlpack(np.arange(4))
    v = gnd.asarray(np.arange(4.0)[::-1], copy=False)
    same(w, np.arange(4))
    same(v, np.arange(4.0)[::-1])
    owner = np.zeros(3)
    view = gnd.asarray(owner, copy=False)
    view[1] = 4
    assert owner[1] == 4
    assert np.array(w) is not None and np.add(np.ones(4), np.asarray(w)).sum() == 10


@on_cpu
def test_dlpack_capsules():
    x = gnd.arange(3)
    assert x.__dlpack_device__() == (1, 0)
    before = gnd.live_arrays()
    capsule = x.__dlpack__(max_version=(1, 0))
    x.__dlpack__()  # an unused one gives its tensor back
    del capsule
    assert gnd.live_arrays() <= before
    readonly = gnd.broadcast_to(gnd.ones(1), (3,))
    assert not np.from_dlpack(readonly).flags.writeable
    with pytest.raises(AttributeError):
        x.__cuda_array_interface__


def test_mixed_with_numpy():
    x, y = gnd.arange(3.0), np.arange(3.0)
    for got in (x + y, y + x, np.float64(2) * x, x * np.float32(2), gnd.add(y, x)):
        assert isinstance(got, gnd.ndarray) and got.dtype == "float64"
    same(np.float32(2) + gnd.ones(2, dtype="float32"), np.full(2, 3, np.float32))
    same(gnd.asarray(np.float16(2)), np.float16(2))


def test_buffers():
    same(gnd.asarray(bytearray(b"\1\2")), np.array([1, 2], np.uint8))
    same(gnd.asarray(array.array("d", [1, 2])), np.array([1.0, 2]))
    same(gnd.asarray(memoryview(np.ones((2, 3), np.float32))), np.ones((2, 3), np.float32))


# ---- errors, fusion, streams, numbers -----------------------------------------------------------------

BAD = [(ValueError, lambda x: x + gnd.ones(7)), (IndexError, lambda x: x[9]), (IndexError, lambda x: x[0, 0, 0, 0]),
       (gnd.AxisError, lambda x: x.sum(axis=5)), (TypeError, lambda x: x & 1.5),
       (MemoryError, lambda x: gnd.zeros(2**60)),
       (ValueError, lambda x: x.reshape(7)), (TypeError, lambda x: gnd.zeros(2, dtype="quaternion")),
       (ValueError, lambda x: gnd.linalg.cholesky(gnd.asarray([[1.0, 2], [2, 1]]))),
       (OSError, lambda x: gnd.load("/no/file")),
       (TypeError, lambda x: x.__iadd__(1j)), (ValueError, lambda x: gnd.arange(3) ** -1),
       (TypeError, lambda x: gnd.asarray("a"))]


@pytest.mark.parametrize("k", range(len(BAD)))
def test_errors(k):
    kind, call = BAD[k]
    with pytest.raises(kind):
        call(gnd.asarray(BASE))
        gnd.synchronize()


def test_a_bad_index_in_an_array():
    with pytest.raises(IndexError, match="out of bounds") as caught:
        gnd.arange(3)[[5]]
        gnd.synchronize()
    assert isinstance(caught.value, gnd.Error) and caught.value.code == gnd.ERROR_INDEX


def test_fuse():
    x = gnd.asarray(BASE)
    with gnd.fuse():
        y = (gnd.sin(x) * 2 + 1).sum(axis=0)
    np.testing.assert_allclose(y.get(), (np.sin(BASE) * 2 + 1).sum(axis=0), rtol=1e-12)


def test_streams_and_devices():
    assert gnd.current_device() in gnd.devices() and str(gnd.Device("gpu:1")) == "gpu:1"
    stream = gnd.Stream()
    with stream:
        start = gnd.Event().record()
        x = gnd.ones(10) + 1
        end = gnd.Event().record()
    stream.synchronize()
    assert end - start >= 0 and stream.done and float(x.sum()) == 20
    with gnd.Device("cpu"):
        assert gnd.zeros(2).device == "cpu"
    with pytest.raises(ValueError):
        gnd.Device("tpu")


def test_random():
    g = gnd.random.default_rng(5)
    x = g.normal(3, 2, size=(100, 100), dtype="float32")
    assert x.shape == (100, 100) and x.dtype == gnd.float32 and abs(float(x.mean()) - 3) < 0.1
    same(gnd.random.default_rng(5).random(4), gnd.random.default_rng(5).random(size=4).get())
    assert g.integers(0, 10, size=50).max() < 10 and g.random().shape == ()
    assert g.choice(5, 3, replace=False).shape == (3,) and g.uniform([1.0, 2], [2.0, 3]).shape == (2,)
    assert len(g.bytes(5)) == 5 and g.poisson(3.0, size=2).dtype == "int64"
    saved, first = g.state, g.random(3)
    g.state = saved
    same(g.random(3), first.get())
    y = gnd.arange(5)
    g.shuffle(y)
    assert sorted(y.tolist()) == [0, 1, 2, 3, 4] and gnd.random.rand(2).shape == (2,) and len(g.spawn(2)) == 2


def test_signal():
    import scipy.signal
    x = np.sin(np.arange(512.0))
    p, f = gnd.signal.welch(x, nperseg=128, window="hann")
    fs, ps = scipy.signal.welch(x, nperseg=128)
    np.testing.assert_allclose(p.get(), ps, atol=1e-12)
    np.testing.assert_allclose(f.get(), fs)
    window = gnd.signal.get_window(("kaiser", 8.6), 16)
    np.testing.assert_allclose(window.get(), scipy.signal.get_window(("kaiser", 8.6), 16), atol=1e-14)
    taps = gnd.signal.firwin(31, [0.2, 0.5], window=("kaiser", 8.6)).get()
    np.testing.assert_allclose(taps, scipy.signal.firwin(31, [0.2, 0.5], window=("kaiser", 8.6)), atol=1e-14)
    np.testing.assert_allclose(gnd.signal.hann(9).get(), scipy.signal.windows.hann(9), atol=1e-15)
