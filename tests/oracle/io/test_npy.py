"""The .npy format, both ways with NumPy; and files that are not what they say."""

import ctypes
import io
import os
import struct

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import values
from check import assert_same

PLAIN = [n for n in dtypes.NAMES if n != "bfloat16"]
SHAPES = [(), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 4), (1,) * 20]


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("order", ["C", "F"])
def test_load(tmp_path, name, order):
    path = tmp_path / "a.npy"
    for shape in SHAPES:
        x = np.array(values.random_values(name, shape, np.random.default_rng(1)), order=order)
        for version in ((1, 0), (2, 0), (3, 0)):
            for byte_order in "<>":
                with open(path, "wb") as file:
                    np.lib.format.write_array(file, x.astype(x.dtype.newbyteorder(byte_order)), version)
                assert_same(gnd.load(str(path)), x, f"{shape} {version} {byte_order}")


@pytest.mark.parametrize("name", PLAIN)
def test_save(tmp_path, name):
    path = tmp_path / "a.npy"
    for shape in SHAPES[:-1] + [(35, 60)]:
        for layout in values.layouts(shape):
            base = values.random_values(name, layout.base, np.random.default_rng(1))
            x = values.apply_numpy(base, layout.steps)
            gnd.save(str(path), gnd.view(base, layout.steps))
            back = np.load(path, allow_pickle=False)
            assert back.dtype == x.dtype and back.shape == x.shape
            assert back.tobytes() == x.tobytes()
            theirs = io.BytesIO()
            np.save(theirs, x)
            assert path.read_bytes() == theirs.getvalue(), f"{layout.name}: not the bytes NumPy writes"


def test_bfloat16(tmp_path):
    path = tmp_path / "a.npy"
    x = dtypes.cast(np.random.default_rng(0).normal(size=(3, 5)), "bfloat16")
    gnd.save(str(path), gnd.from_numpy(x))
    assert_same(gnd.load(str(path)), x)
    assert np.load(path).tobytes() == x.tobytes()
    ml_dtypes = pytest.importorskip("ml_dtypes")
    np.save(path, x.view(np.uint16).view(ml_dtypes.bfloat16))
    assert_same(gnd.load(str(path)), x)


def test_files_in_a_row(tmp_path):
    """gnd_load_file stops just after the array, gnd_save_file starts where the file stands."""
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    libc.fclose.argtypes = [ctypes.c_void_p]
    path = tmp_path / "several"
    arrays = [np.arange(5.0), np.ones((2, 3), np.int8, order="F"), np.array(3 + 4j)]
    file = libc.fopen(str(path).encode(), b"wb")
    for x in arrays:
        gnd.save_file(file, gnd.from_numpy(x))
    libc.fclose(file)
    with open(path, "rb") as handle:
        for x in arrays:
            assert np.array_equal(np.load(handle), x)
    file = libc.fopen(str(path).encode(), b"rb")
    for x in arrays:
        assert_same(gnd.load_file(file), x, strides=False)
    with pytest.raises(gnd.Error) as caught:
        gnd.load_file(file)
    libc.fclose(file)
    assert caught.value.code == gnd.ERROR_IO


def header(text, version=(1, 0), length=None):
    body = text.encode("latin1")
    size = len(body) if length is None else length
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version[0] == 1 else "<I", size) + body


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"


@pytest.mark.parametrize("text", [
    GOOD, "{'descr':'<f4','fortran_order':False,'shape':(2,3)}", "{ 'shape' : ( 2 , 3 , ) ,\n'descr': '=f4'"
    ", 'fortran_order' : True}", '{"descr": "<f4", "fortran_order": False, "shape": (2, 3)}   ',
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }"])
def test_headers_that_numpy_reads(tmp_path, text):
    path = tmp_path / "a.npy"
    path.write_bytes(header(text) + np.arange(6, dtype="f4").tobytes() + b"more")
    with path.open("rb") as file:
        want = np.load(file)
    assert_same(gnd.load(str(path)), want, text)


@pytest.mark.parametrize("text", [
    "", "{}", "{'descr': '<f4'}", "[]", GOOD.replace("f4", "f5"), GOOD.replace("<f4", "|O"),
    GOOD.replace("'<f4'", "[('a', '<f4')]"), GOOD.replace("<f4", "<U3"), GOOD.replace("<f4", "<M8[s]"),
    GOOD.replace("False", "0"), GOOD.replace("(2, 3)", "2"), GOOD.replace("(2, 3)", "(-2, 3)"),
    GOOD.replace("(2, 3)", "(2, 'a')"), GOOD.replace("(2, 3)", "(9223372036854775807, 3)"),
    GOOD.replace("(2, 3)", "(99999999999999999999,)"), GOOD.replace("(2, 3)", "(2, 3"),
    GOOD.replace("shape", "shapes"), GOOD.replace("(2, 3)", str((1,) * 70)), GOOD + "x",
    GOOD.replace("(2, 3)", "(4294967296, 4294967296)"), GOOD.replace("(2, 3)", "(1000000000000,)"),
    GOOD.replace("{", "{'extra': 1, "), GOOD.replace("<f4", "<f16"), GOOD.replace("<f4", "<c32")])
def test_headers_that_are_refused(tmp_path, text):
    path = tmp_path / "a.npy"
    path.write_bytes(header(text) + np.arange(6, dtype="f4").tobytes())
    with pytest.raises(gnd.Error) as caught:
        gnd.load(str(path))
    assert caught.value.code in (gnd.ERROR_IO, gnd.ERROR_DTYPE, gnd.ERROR_MEMORY)
    assert "gnd_load" in caught.value.message


def test_every_truncation(tmp_path):
    path = tmp_path / "a.npy"
    stream = io.BytesIO()
    np.save(stream, np.arange(6, dtype="f4").reshape(2, 3))
    whole = stream.getvalue()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(gnd.Error) as caught:
            gnd.load(str(path))
        assert caught.value.code == gnd.ERROR_IO, length


@given(data=st.data())
def test_damaged_files(tmp_path_factory, data):
    """Any bytes: an error or an array, never a crash."""
    path = tmp_path_factory.mktemp("npy") / "a.npy"
    stream = io.BytesIO()
    dtype = data.draw(st.sampled_from(PLAIN))
    np.save(stream, np.zeros(data.draw(st.sampled_from([(2, 3), (0,), ()])), dtype))
    damaged = bytearray(stream.getvalue())
    for _ in range(data.draw(st.integers(1, 6))):
        where = data.draw(st.integers(0, len(damaged) - 1))
        kind = data.draw(st.integers(0, 2))
        if kind == 0:
            damaged[where] = data.draw(st.integers(0, 255))
        elif kind == 1:
            del damaged[where:where + data.draw(st.integers(1, 4))]
        else:
            damaged[where:where] = data.draw(st.binary(min_size=1, max_size=5))
        if not damaged:
            break
    path.write_bytes(bytes(damaged))
    try:
        gnd.load(str(path)).numpy()
    except gnd.Error as error:
        assert error.code in (gnd.ERROR_IO, gnd.ERROR_DTYPE, gnd.ERROR_MEMORY), error


@given(st.binary(max_size=200))
def test_random_bytes(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("npy") / "a.npy"
    path.write_bytes(b"\x93NUMPY" + content)
    try:
        gnd.load(str(path)).numpy()
    except gnd.Error as error:
        assert error.code in (gnd.ERROR_IO, gnd.ERROR_DTYPE, gnd.ERROR_MEMORY), error


def test_a_huge_claim_in_a_small_file(tmp_path):
    """The size in the header is not believed: no allocation of a terabyte for a file of 200 bytes."""
    path = tmp_path / "a.npy"
    path.write_bytes(header(GOOD.replace("(2, 3)", "(250000000000,)")) + bytes(100))
    with pytest.raises(gnd.Error):
        gnd.load(str(path))


def test_paths_that_fail(tmp_path):
    a = gnd.ones((3,), None)
    for path in ("", str(tmp_path), str(tmp_path / "no" / "such"), "/dev/null"):
        with pytest.raises(gnd.Error) as caught:
            gnd.load(path)
        assert caught.value.code == gnd.ERROR_IO
        if path:
            assert path in caught.value.message
    for path in ("", str(tmp_path), str(tmp_path / "no" / "such"), "/dev/full"):
        with pytest.raises(gnd.Error) as caught:
            gnd.save(path, a)
        assert caught.value.code == gnd.ERROR_IO


def test_a_failed_save_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.npy"
    path.write_bytes(b"precious")
    with pytest.raises(gnd.Error):
        gnd.save(str(path), gnd.Array(None))
    assert path.read_bytes() == b"precious"
    assert os.listdir(tmp_path) == ["a.npy"]
