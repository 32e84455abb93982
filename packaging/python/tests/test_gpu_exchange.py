"""Arrays on a GPU that CuPy and PyTorch share with gnd: by DLPack and by CUDA's array interface, in both directions,
in order without a wait of the host."""

import numpy as np
import pytest

import gnd

pytestmark = pytest.mark.skipif(gnd.current_device() == "cpu", reason="the current device is no GPU")

DTYPES = ["int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
LONG = 1 << 25  # elements: others' kernels still run when gnd's are queued


def cupy():
    return pytest.importorskip("cupy", reason="CuPy is not installed")


def torch():
    found = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not found.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")
    return found


def values(dtype, shape=(6, 4)):
    x = np.arange(int(np.prod(shape))).reshape(shape) - 5
    return (x + (1j * x[::-1] if dtype.startswith("complex") else 0)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("library", [cupy, torch])
def test_dlpack(library, dtype):
    other, want = library(), values(dtype)
    theirs = other.asarray(want, **({"device": "cuda"} if library is torch else {}))
    mine = gnd.from_dlpack(theirs[::2].T)
    assert mine.device == gnd.current_device() and mine.dtype == dtype and mine.shape == (4, 3)
    np.testing.assert_array_equal(mine.get(), want[::2].T)
    mine[1, 2] = 9
    gnd.synchronize()
    assert theirs[4, 1] == 9
    back = other.from_dlpack(gnd.asarray(want)[:, 1:])
    np.testing.assert_array_equal(back.cpu().numpy() if library is torch else back.get(), want[:, 1:])


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_interface_of_cupy(dtype):
    cp, want = cupy(), values(dtype)
    x = gnd.asarray(want)
    theirs = cp.asarray(x[1::2].T)
    np.testing.assert_array_equal(theirs.get(), want[1::2].T)
    theirs[0, 0] = 1
    cp.cuda.get_current_stream().synchronize()
    assert x[1, 0] == 1
    mine = gnd.asarray(cp.asarray(want)[::-1], copy=False)
    assert mine.dtype == dtype
    np.testing.assert_array_equal(mine.get(), want[::-1])


def test_interface_of_torch():
    th, want = torch(), values("float32")
    x = gnd.asarray(want)
    theirs = th.as_tensor(x, device="cuda")
    theirs += 1
    th.cuda.synchronize()
    np.testing.assert_array_equal(x.get(), want + 1)
    np.testing.assert_array_equal(gnd.asarray(th.asarray(want, device="cuda"), copy=False).get(), want)


@pytest.mark.parametrize("take", [gnd.from_dlpack, lambda x: gnd.asarray(x, copy=False)])
def test_what_cupy_still_writes(take):
    """gnd reads behind CuPy's kernels, on a stream that does not wait for CUDA's default one by itself."""
    cp = cupy()
    with cp.cuda.Stream(non_blocking=True):
        x = cp.zeros(LONG)
        for _ in range(20):
            x += 1
        mine = take(x)
        assert float(mine.min()) == 20


def test_what_torch_still_writes():
    th = torch()
    with th.cuda.stream(th.cuda.Stream()):
        x = th.zeros(LONG, device="cuda")
        for _ in range(20):
            x += 1
        assert float(gnd.from_dlpack(x).min()) == 20


def test_what_gnd_still_writes():
    x = gnd.zeros(LONG)
    for _ in range(20):
        x += 1
    assert float(cupy().from_dlpack(x).min()) == 20
    assert float(torch().from_dlpack(x).min()) == 20
    x += 1
    assert float(cupy().asarray(x).min()) == 21


def test_readonly_and_lifetime():
    cp = cupy()
    x = gnd.arange(1000.0)
    theirs = cp.from_dlpack(x)
    del x
    assert float(theirs.sum()) == 499500
    mine = gnd.from_dlpack(theirs)
    del theirs
    assert float(mine.sum()) == 499500
