"""Arrays handed to NumPy, PyTorch and CuPy and back by DLPack: the same memory, seen by both. The capsules
are those of examples/interop/share.py, which shows how it is done."""

import ctypes
import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import dtypes
import gnd
import headers
import values
from check import assert_same, refused

os.environ.setdefault("GND_LIBRARY", gnd.LIBRARY)
SHARE = headers.ROOT / "examples" / "interop" / "share.py"
sys.path.insert(0, str(SHARE.parent))

import share  # noqa: E402

PLAIN = [n for n in dtypes.NAMES if n != "bfloat16"]
NONE = -2  # GND_DLPACK_NONE, a macro
CPU, CUDA = 1, 2


class Exporter:
    """An Array of the tests as other libraries take it; `versioned` off: as before DLPack 1.0."""

    def __init__(self, array, versioned=True):
        self.array, self.versioned = array, versioned
        self.streams = []

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.streams.append(stream)
        return share.capsule_of(self.array.pointer, stream, max_version if self.versioned else None)

    def __dlpack_device__(self):
        return share.device_of(self.array.pointer)


def on_cpu(x, steps=()):
    """A NumPy array in memory of gnd's on the CPU, seen through `steps`."""
    before = gnd.current_device()
    gnd.use(gnd.STRUCTS["gnd_device"](gnd.CPU, 0))
    try:
        return gnd.view(x, steps)
    finally:
        gnd.use(before)


def take(producer):
    return gnd.Array(share.taken_from(producer))


def address(x):
    return x.__array_interface__["data"][0]


# ---- NumPy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAIN)
def test_numpy_takes(name):
    for shape in [(), (5,), (3, 4), (2, 3, 4), (0,), (3, 0)]:
        for layout in values.layouts(shape):
            base = values.random_values(name, layout.base, np.random.default_rng(1))
            want = values.apply_numpy(base, layout.steps)
            a = on_cpu(base, layout.steps)
            for versioned in (True, False):
                if gnd.is_readonly(a) and not versioned:
                    with pytest.raises(BufferError, match="read-only"):
                        np.from_dlpack(Exporter(a, versioned))
                    continue
                x = np.from_dlpack(Exporter(a, versioned))
                assert x.dtype == want.dtype and x.shape == want.shape, layout.name
                assert x.tobytes() == want.tobytes(), layout.name
                if x.size:
                    assert address(x) == a.address
                    # NumPy takes no liberties with what cannot say that it is read-only.
                    assert x.flags.writeable == (versioned and not gnd.is_readonly(a))
                    assert all(s == w for s, w, n in zip(x.strides, a.strides, shape) if n > 1)


@pytest.mark.parametrize("name", PLAIN)
def test_numpy_gives(name):
    for shape in [(), (5,), (3, 4), (2, 3, 4), (0,), (3, 0)]:
        for layout in values.layouts(shape):
            base = values.random_values(name, layout.base, np.random.default_rng(1))
            x = values.apply_numpy(base, layout.steps)
            a = take(x)
            assert_same(a, x, layout.name)
            if x.size:
                assert a.address == address(x)
                assert gnd.is_readonly(a) == (not x.flags.writeable or 0 in
                                              [s for s, n in zip(x.strides, shape) if n > 1])


def test_writes_are_seen_on_both_sides():
    a = on_cpu(np.arange(6.0))
    x = np.from_dlpack(Exporter(a))
    x[2] = 40
    assert a.numpy()[2] == 40
    gnd.add_into(a, a, 1)
    assert x.tolist() == [1, 2, 41, 4, 5, 6]
    y = np.arange(6.0)
    b = take(y)
    y[0] = -1
    gnd.multiply_into(b, b, 2)
    assert y.tolist() == [-2, 2, 4, 6, 8, 10] and b.numpy().tolist() == y.tolist()


def test_lifetimes():
    """Each side keeps the other's memory for as long as it needs it, and no longer."""
    a = on_cpu(np.arange(1000.0))
    x = np.from_dlpack(Exporter(a))[::2]
    a.release()
    on_cpu(np.zeros(1000)).release()
    assert x.tolist() == list(range(0, 1000, 2))
    del x

    class Watched(np.ndarray):
        pass
    y = np.arange(1000.0).view(Watched)
    gone = threading.Event()
    import weakref
    weakref.finalize(y, gone.set)
    b = take(y)
    view = gnd.slice_text(b, "::2")
    del y
    b.release()
    gc.collect()
    assert not gone.is_set() and view.numpy().tolist() == list(range(0, 1000, 2))
    view.release()
    gc.collect()
    assert gone.is_set()


def test_capsules_that_nobody_takes():
    a = on_cpu(np.arange(10.0))
    for version in (None, (1, 0), (2, 5)):
        capsule = share.capsule_of(a.pointer, None, version)
        assert ("versioned" in repr(capsule)) == (version is not None)
        del capsule
    gc.collect()
    assert a.numpy().tolist() == list(range(10))


def test_read_only():
    x = np.arange(5.0)
    x.flags.writeable = False
    a = take(x)
    assert gnd.is_readonly(a)
    refused(lambda: gnd.add_into(a, a, 1), gnd.ERROR_INVALID, "read-only")
    assert x.tolist() == [0, 1, 2, 3, 4]


def test_numpys_refusals_come_through():
    with pytest.raises(BufferError):
        take(np.array(["a", "b"]))
    with pytest.raises(BufferError):
        share.taken_from(np.arange(3, dtype=">i4"))
    a = on_cpu(np.arange(3.0))
    with pytest.raises(BufferError, match="stream is 1"):
        share.capsule_of(a.pointer, 1)


def test_deleter_on_another_thread():
    a = on_cpu(np.arange(1 << 16, dtype=np.float32))
    for _ in range(50):
        x = [np.from_dlpack(Exporter(a))]
        thread = threading.Thread(target=x.clear)
        thread.start()
        thread.join()
    assert a.numpy()[5] == 5


def test_the_example():
    """examples/interop/share.py as a program."""
    environment = dict(os.environ, GND_LIBRARY=gnd.LIBRARY)
    said = subprocess.run([sys.executable, str(SHARE)], env=environment, check=True, capture_output=True,
                          text=True).stdout
    assert "NumPy    array([42.,  1.,  2.,  3.,  4.])" in said and "the same memory: True" in said
    assert "False" not in said


# ---- PyTorch and CuPy, where they are ---------------------------------------------------------------------


def torch_with(device):
    torch = pytest.importorskip("torch")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("PyTorch sees no GPU")
    return torch


@pytest.mark.parametrize("name", PLAIN + ["bfloat16"])
def test_torch_on_the_cpu(name):
    torch = torch_with("cpu")
    x = torch.arange(12).reshape(3, 4).to(getattr(torch, name))
    a = take(x)
    assert a.dtype == name and a.address == x.data_ptr() and a.shape == (3, 4)
    back = torch.from_dlpack(Exporter(a))
    assert back.dtype == x.dtype and back.data_ptr() == x.data_ptr() and torch.equal(back, x)
    assert take(x.T).strides == (a.strides[1], a.strides[0])


@pytest.mark.gpu_only
@pytest.mark.parametrize("name", PLAIN + ["bfloat16"])
def test_torch_on_a_gpu(name):
    torch = torch_with("cuda")
    x = torch.arange(12, device="cuda").reshape(3, 4).to(getattr(torch, name))
    a = take(x)
    assert a.dtype == name and a.address == x.data_ptr() and share.device_of(a.pointer) == (CUDA, 0)
    back = torch.from_dlpack(Exporter(gnd.slice_text(a, ":, ::2")))
    assert back.data_ptr() == x.data_ptr() and torch.equal(back, x[:, ::2])
    b = gnd.from_numpy(np.arange(6.0))
    t = torch.from_dlpack(Exporter(b))
    t += 1
    torch.cuda.synchronize()
    assert t.data_ptr() == b.address and b.numpy().tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.gpu_only
@pytest.mark.parametrize("name", PLAIN)
def test_cupy(name):
    cupy = pytest.importorskip("cupy")
    x = cupy.arange(12).reshape(3, 4).astype(dtypes.DTYPES[name])
    a = take(x)
    assert a.dtype == name and a.address == x.data.ptr
    assert_same(a, x.get())
    back = cupy.from_dlpack(Exporter(gnd.slice_text(a, "::-1, ::2")))
    assert np.array_equal(back.get(), x.get()[::-1, ::2])
    back[...] = cupy.ones_like(back)
    cupy.cuda.Device().synchronize()
    assert (a.numpy()[:, ::2] == 1).all()


N = 1 << 26  # long enough that whoever does not wait is caught


@pytest.mark.gpu_only
def test_gnd_to_torch_on_a_side_stream():
    torch = torch_with("cuda")
    side, ours = torch.cuda.Stream(), gnd.stream_new()
    gnd.use_stream(ours)
    for round in range(10):
        a = gnd.full((N,), round, "float32")
        for _ in range(30):
            gnd.add_into(a, a, 1)
        exporter = Exporter(a)
        with torch.cuda.stream(side):
            t = torch.from_dlpack(exporter)
            assert exporter.streams == [side.cuda_stream]
            assert t.sum(dtype=torch.float64).item() == N * (round + 30)
            for _ in range(30):
                t += 1
            total = t.sum(dtype=torch.float64)
            del t
            a.release()  # the memory must not be used for something else before that is done
            b = gnd.zeros((N,), "float32")
            assert total.item() == N * (round + 60)
        b.release()
    gnd.use_stream(None)
    gnd.stream_release(ours)


@pytest.mark.gpu_only
def test_torch_to_gnd_on_a_side_stream():
    torch = torch_with("cuda")
    side, ours = torch.cuda.Stream(), gnd.stream_new()
    gnd.use_stream(ours)
    for round in range(10):
        with torch.cuda.stream(side):
            t = torch.full((N,), float(round), device="cuda")
            for _ in range(30):
                t += 1
            a = take(t)
        total = gnd.item_double(gnd.sum(a, gnd.Axes(dtype="float64")))
        assert total == N * (round + 30)
        gnd.multiply_into(a, a, 2)
        pointer = t.data_ptr()
        with torch.cuda.stream(side):
            t = torch.from_dlpack(Exporter(a))
            assert t.data_ptr() == pointer and t.sum(dtype=torch.float64).item() == 2 * N * (round + 30)
        del t
        a.release()
    gnd.use_stream(None)
    gnd.stream_release(ours)


@pytest.mark.gpu_only
def test_cupy_both_ways_on_side_streams():
    cupy = pytest.importorskip("cupy")
    ours = gnd.stream_new()
    gnd.use_stream(ours)
    for side in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.null):
        for round in range(10):
            with side:
                x = cupy.full(N, round, cupy.float32)
                for _ in range(30):
                    x += 1
                a = take(x)
            gnd.add_into(a, a, 1)
            with side:
                y = cupy.from_dlpack(Exporter(a))
                assert y.data.ptr == x.data.ptr
                assert float(y.sum(dtype=cupy.float64)) == N * (round + 31)
            del x, y
            a.release()
    gnd.use_stream(None)
    gnd.stream_release(ours)


@pytest.mark.gpu_only
def test_streams_that_are_refused():
    a = gnd.from_numpy(np.arange(3.0))
    for stream in (0, -3):
        with pytest.raises(BufferError, match=f"stream is {stream}"):
            share.capsule_of(a.pointer, stream, (1, 0))
    for stream in (None, -1, 1, 2, gnd.stream_native(None)):
        share.capsule_of(a.pointer, stream, (1, 0))
    device = gnd.current_device()
    assert gnd.dlpack_stream(device) == ctypes.c_int64(gnd.stream_native(None)).value
