"""Parts of .npy files: gnd_npy_info_of, gnd_load_part, gnd_npy_create and gnd_save_part beside NumPy."""

import ctypes

import numpy as np
import pytest

import gnd
from check import refused

g = np.random.default_rng(9)
BOXES = [((7, 6, 5), (0, 0, 0), (7, 6, 5)), ((7, 6, 5), (2, 0, 0), (3, 6, 5)), ((7, 6, 5), (1, 2, 0), (5, 3, 5)),
         ((7, 6, 5), (1, 1, 1), (5, 4, 3)), ((7, 6, 5), (0, 0, 4), (7, 6, 1)), ((7, 6, 5), (7, 0, 0), (0, 6, 5)),
         ((13,), (4,), (9,)), ((), (), ()), ((3, 1, 900), (1, 0, 17), (2, 1, 700)), ((0, 4), (0, 1), (0, 2)),
         ((3, 2, 4, 2, 3, 2), (1, 0, 1, 0, 1, 0), (2, 1, 2, 1, 2, 1)), ((40, 3000), (3, 100), (30, 2500)),
         ((5000, 60), (7, 20), (4900, 25))]
DTYPES = ["bool", "int8", "uint16", "int32", "float16", "float32", "complex64", "int64", "float64", "complex128"]


def values(shape, dtype):
    x = g.integers(-50, 50, shape)
    return np.asarray(x > 0 if dtype == "bool" else x.astype(dtype))


def of(box):
    return tuple(slice(s, s + n) for s, n in zip(box[1], box[2]))


def numbers(start):
    return (ctypes.c_int64 * 16)(*start)


def load(path, start, shape):
    return gnd.load_part(str(path).encode(), numbers(start), gnd.shape(shape))


def save(path, start, a):
    gnd.save_part(str(path).encode(), numbers(start), gnd.from_numpy(a) if isinstance(a, np.ndarray) else a)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("box", BOXES, ids=str)
def test_boxes_are_read(tmp_path, box, order):
    for dtype in DTYPES if np.prod(box[0]) < 10000 else ["float32"]:
        x = np.asarray(values(box[0], dtype), order=order)
        np.save(tmp_path / "x.npy", x)
        got = load(tmp_path / "x.npy", box[1], box[2]).numpy()
        assert got.dtype == x.dtype and got.shape == box[2]
        np.testing.assert_array_equal(got, x[of(box)])


def test_the_other_byte_order_and_bools(tmp_path):
    x = values((6, 7), "int32")
    for dtype in (">i4", ">c16", ">f2"):
        np.save(tmp_path / "x.npy", x.astype(dtype))
        np.testing.assert_array_equal(load(tmp_path / "x.npy", (1, 2), (4, 3)).numpy(), x[1:5, 2:5].astype(dtype))
    refused(lambda: save(tmp_path / "x.npy", (0, 0), values((2, 2), "float16")), gnd.ERROR_INVALID, "byte order")
    np.save(tmp_path / "x.npy", np.array([[2, 0], [1, 255]], "uint8").view("bool"))
    assert load(tmp_path / "x.npy", (0, 0), (2, 1)).numpy().view("uint8").tolist() == [[1], [1]]


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("box", BOXES, ids=str)
def test_boxes_are_written(tmp_path, box, order):
    for dtype in DTYPES if np.prod(box[0]) < 10000 else ["float64"]:
        whole, part = np.asarray(values(box[0], dtype), order=order), values(box[2], dtype)
        np.save(tmp_path / "x.npy", whole)
        before = (tmp_path / "x.npy").stat().st_size
        save(tmp_path / "x.npy", box[1], part)
        whole[of(box)] = part
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), whole)
        assert (tmp_path / "x.npy").stat().st_size == before


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", DTYPES)
def test_files_are_made_and_filled(tmp_path, dtype, order):
    path = tmp_path / "x.npy"
    for shape in ((), (5,), (4, 6), (0, 3), (3, 4, 5)):
        gnd.npy_create(str(path).encode(), gnd.shape(shape), getattr(gnd, dtype.upper()), order == "F")
        made = np.load(path)
        assert made.dtype == dtype and made.shape == shape and not made.any()
        info = gnd.STRUCTS["gnd_npy_info"]()
        gnd.npy_info_of(str(path).encode(), info)
        assert tuple(info.shape.dim[:info.shape.ndim]) == shape and info.dtype == getattr(gnd, dtype.upper())
        assert made.flags[f"{order}_CONTIGUOUS"] and (made.ndim < 2 or info.fortran_order == (order == "F"))
        x = values(shape, dtype)
        if shape:
            save(path, (0,) * len(shape), gnd.from_numpy(x)[":2"])
            save(path, (min(2, shape[0]),) + (0,) * (len(shape) - 1), gnd.from_numpy(x)["2:"])
        else:
            save(path, (), x)
        np.testing.assert_array_equal(np.load(path), x)


def test_views_are_written(tmp_path):
    x = values((9, 8), "float32")
    gnd.npy_create(str(tmp_path / "x.npy").encode(), gnd.shape((9, 8)), gnd.FLOAT32, False)
    save(tmp_path / "x.npy", (1, 2), gnd.from_numpy(x)["::-2, 1::3"])
    want = np.zeros((9, 8), "float32")
    want[1:6, 2:5] = x[::-2, 1::3]
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), want)


def test_what_is_refused(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, values((4, 6), "float32"))
    for start, shape in (((0, 0), (5, 6)), ((-1, 0), (2, 2)), ((4, 1), (1, 1)), ((0,), (4,)), ((0, 0), (2, -1))):
        refused(lambda s=start, n=shape: load(path, s, n), gnd.ERROR_SHAPE, "gnd_load_part", "(4, 6)")
    refused(lambda: gnd.load_part(str(path).encode(), None, gnd.shape((1, 1))), gnd.ERROR_INVALID, "start")
    refused(lambda: gnd.load_part(None, None, gnd.shape(())), gnd.ERROR_INVALID, "path")
    refused(lambda: load(tmp_path / "none", (), ()), gnd.ERROR_IO, "none")
    refused(lambda: save(path, (0, 0), values((2, 2), "float64")), gnd.ERROR_DTYPE, "float32")
    refused(lambda: save(path, (3, 0), values((2, 2), "float32")), gnd.ERROR_SHAPE, "gnd_save_part")
    refused(lambda: save(path, (0, 0), None), gnd.ERROR_INVALID, "NULL")
    refused(lambda: save(tmp_path / "none", (0, 0), values((2, 2), "float32")), gnd.ERROR_IO, "none")
    refused(lambda: gnd.npy_create(None, gnd.shape(()), gnd.INT8, False), gnd.ERROR_INVALID, "path")
    refused(lambda: gnd.npy_create(str(path).encode(), gnd.shape((-1,)), gnd.INT8, False), gnd.ERROR_SHAPE)
    refused(lambda: gnd.npy_create(str(path).encode(), gnd.shape((2**40, 2**40)), gnd.INT8, False), gnd.ERROR_SHAPE)
    refused(lambda: gnd.npy_create(str(path).encode(), gnd.shape((2,)), 99, False), gnd.ERROR_DTYPE, "99")
    refused(lambda: gnd.npy_create(str(tmp_path).encode(), gnd.shape((2,)), gnd.INT8, False), gnd.ERROR_IO)
    refused(lambda: gnd.npy_info_of(str(path).encode(), None), gnd.ERROR_INVALID, "out")
    short = path.read_bytes()
    path.write_bytes(short[:-1])
    refused(lambda: load(path, (0, 0), (1, 1)), gnd.ERROR_IO, "truncated")
    path.write_bytes(b"nothing of the kind")
    refused(lambda: load(path, (0, 0), (1, 1)), gnd.ERROR_IO, "no .npy file")
