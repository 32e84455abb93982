"""Samples of receivers against NumPy: every datatype, both byte orders, packing and unpacking, files read whole and in
pieces, and what is refused."""

import ctypes
import os

import numpy as np
import pytest

import gnd
from check import refused
from values import generator

FORMATS = {"i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2", "i32": "i4", "u32": "u4", "f32": "f4", "f64": "f8"}
DATATYPES = [kind + name + order for kind in "cr" for name in [*FORMATS, "i12"]
             for order in ([""] if name.endswith("8") and name != "i16" else ["_le", "_be"])]


def name_of(datatype):
    return datatype[1:].split("_")[0]


def options(**members):
    result = gnd.STRUCTS["gnd_samples_options"]()
    for member, value in members.items():
        setattr(result, member, gnd.DTYPE_CODES[value] if member == "dtype" else value)
    return ctypes.addressof(result), result


def encode(values, datatype):
    """The bytes of numbers, by NumPy; those of 12 bits bit by bit."""
    name, big = name_of(datatype), datatype.endswith("_be")
    if name != "i12":
        return values.astype(np.dtype(FORMATS[name]).newbyteorder(">" if big else "<")).tobytes()
    bits = ((values.astype("int64")[:, None] >> np.arange(12)) & 1).astype("uint8")  # the lowest first
    if big:
        return np.packbits(bits[:, ::-1].ravel()).tobytes()
    return np.packbits(bits.ravel(), bitorder="little").tobytes()


def limits(name):
    if name == "i12":
        return -2048, 2047
    info = np.iinfo(FORMATS[name])
    return int(info.min), int(info.max)


def numbers(g, datatype, count):
    name = name_of(datatype)
    if name[0] == "f":
        x = g.normal(size=count).astype(FORMATS[name])
        x[:4] = [0.0, -0.0, np.inf, np.nan]
        return x
    low, high = limits(name)
    x = g.integers(low, high + 1, count)
    x[:2] = low, high
    return x


def samples_of(x, datatype, dtype=None):
    """Numbers as samples, in the dtype that gnd gives them."""
    wide = name_of(datatype) in ("i32", "u32", "f64")
    x = x.astype("float64" if wide else "float32")
    x = x.view("complex128" if wide else "complex64") if datatype[0] == "c" else x
    return x if dtype is None else x.astype(dtype)


def same(got, want, context):
    assert got.dtype == str(want.dtype) and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}"
    x = np.ascontiguousarray(got.numpy())
    kind = "u4" if want.dtype in (np.float32, np.complex64) else "u8"
    bits = np.ascontiguousarray(want).view(kind) == x.view(kind)
    floating = "f4" if kind == "u4" else "f8"
    assert (bits | np.isnan(np.ascontiguousarray(want).view(floating))).all(), f"{context}: {x}, not {want}"


@pytest.mark.parametrize("datatype", DATATYPES)
def test_unpack_bin(datatype):
    g = generator("unpack", datatype)
    for count in (8, 0, 12, 2, 4, 1000, 20_004):
        x = numbers(g, datatype, max(count, 4))[:count]
        raw = np.frombuffer(encode(x, datatype), "uint8")
        same(gnd.unpack_bin(gnd.from_numpy(raw), datatype, None), samples_of(x, datatype), f"{datatype} {count}")
        # Bytes that are not aligned.
        for skip in (1, 2, 3):
            a = gnd.from_numpy(np.concatenate([np.zeros(skip, "uint8"), raw]))[f"{skip}:"]
            same(gnd.unpack_bin(a, datatype, None), samples_of(x, datatype), f"{datatype} {count} from byte {skip}")
    strided = gnd.from_numpy(np.repeat(raw, 2))["::2"]
    same(gnd.unpack_bin(strided, datatype, None), samples_of(x, datatype), f"{datatype} strided")


@pytest.mark.parametrize("datatype", DATATYPES)
def test_pack_bin_is_the_other_way(datatype):
    g = generator("pack", datatype)
    for count in (8, 0, 12, 2, 4, 1000, 20_004):
        x = numbers(g, datatype, max(count, 4))[:count]
        a = gnd.from_numpy(np.ascontiguousarray(samples_of(x, datatype)))
        got = gnd.pack_bin(a, datatype, None)
        want = np.frombuffer(encode(x, datatype), "uint8")
        assert got.dtype == "uint8" and got.shape == want.shape, f"{datatype} {count}"
        if name_of(datatype)[0] == "f":
            same(gnd.unpack_bin(got, datatype, None), samples_of(x, datatype), f"{datatype} {count}")
        else:
            assert (got.numpy() == want).all(), f"{datatype} {count}: {got.numpy()}, not {want}"


@pytest.mark.parametrize("name", ["i8", "u8", "i12", "i16", "u16", "i32", "u32"])
def test_pack_bin_rounds_and_clips(name):
    low, high = limits(name)
    datatype = "r" + name + ("" if name.endswith("8") else "_be")
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.49999, 1e30, -1e30, np.inf, -np.inf, np.nan, low - 0.5, high + 0.5,
                  low, high, 7])
    want = np.clip(np.rint(np.nan_to_num(x, nan=0, posinf=1e300, neginf=-1e300)), low, high).astype("int64")
    for dtype in ("float64", "float32"):
        if dtype == "float32" and name in ("i32", "u32"):
            continue
        a = gnd.from_numpy(x.astype(dtype))
        got = gnd.unpack_bin(gnd.pack_bin(a, datatype, None), datatype, None).numpy()
        assert (got == want).all(), f"{name} {dtype}: {got}, not {want}"


def test_pack_bin_takes_every_dtype():
    for dtype in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32".split():
        x = np.array([0, 1, 1, 0, 100, 101]).astype(dtype)
        got = gnd.pack_bin(gnd.from_numpy(x), "ri16_le", None).numpy()
        assert (got.view("<i2") == x.astype("int16")).all(), dtype
        got = gnd.pack_bin(gnd.from_numpy(x), "ci16_le", None).numpy().view("<i2")
        assert (got[::2] == x.astype("int16")).all() and (got[1::2] == 0).all(), dtype
    x = np.array([[1, 2], [3, 4]], "int32")
    got = gnd.pack_bin(gnd.transpose(gnd.from_numpy(x)), "ri32_be", None).numpy()
    assert (got.view(">i4") == [1, 3, 2, 4]).all()


def test_normalized():
    for name in ("i8", "u8", "i12", "i16", "u16", "i32", "u32", "f32"):
        datatype = "r" + name + ("" if name.endswith("8") else "_le")
        x = numbers(generator("normalized", name), datatype, 16)
        at, keep = options(normalized=True)
        got = gnd.unpack_bin(gnd.from_numpy(np.frombuffer(encode(x, datatype), "uint8")), datatype, at).numpy()
        want = x
        if name[0] != "f":
            half = 2.0 ** (int(name[1:]) - 1)
            want = (x - half * (name[0] == "u")) / half
            assert got.min() == -1 and got.max() < 1
            back = gnd.pack_bin(gnd.from_numpy(got), datatype, at).numpy()
            assert back.tobytes() == encode(x, datatype), name
        assert np.array_equal(got, want, equal_nan=True), f"{name}: {got}, not {want}"
        assert keep is not None


def test_dtypes_and_channels():
    x = generator("channels").integers(-128, 128, 60)
    raw = gnd.from_numpy(x.astype("int8"))
    for dtype in ("int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"):
        at, keep = options(dtype=dtype, channels=3)
        got = gnd.unpack_bin(raw, "ri8", at)
        assert got.dtype == dtype and got.shape == (20, 3) and (got.numpy() == x.reshape(20, 3)).all(), dtype
    at, keep = options(dtype="complex128", channels=2)
    got = gnd.unpack_bin(raw, "ci8", at)
    assert got.dtype == "complex128" and got.shape == (15, 2)
    assert (got.numpy() == x.astype("float64").view("complex128").reshape(15, 2)).all() and keep is not None


# ---- files ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("datatype", DATATYPES)
def test_files(tmp_path, datatype):
    path = str(tmp_path / "samples")
    x = numbers(generator("files", datatype), datatype, 40_000)
    open(path, "wb").write(encode(x, datatype))
    want = samples_of(x, datatype)
    same(gnd.read_bin(path, datatype, -1, 0, None), want, datatype)
    same(gnd.read_bin(path, datatype, 100, 50, None), want[50:150], datatype)
    same(gnd.read_bin(path, datatype, -1, len(want) - 2, None), want[-2:], datatype)
    same(gnd.read_bin(path, datatype, 0, len(want), None), want[:0], datatype)
    refused(lambda: gnd.read_bin(path, datatype, 4, len(want) - 2, None), gnd.ERROR_IO, "has 2 samples from sample")
    refused(lambda: gnd.read_bin(path, datatype, -1, len(want) + 2, None), gnd.ERROR_INDEX, f"has {len(want)}")
    file = gnd.samples_open(path, datatype, None)
    assert gnd.samples_count(file) == gnd.samples_left(file) == len(want)
    for begin in range(0, len(want), 6000):
        count = min(6000, len(want) - begin)
        same(gnd.samples_read(file, count), want[begin:begin + count], f"{datatype} from {begin}")
    assert gnd.samples_left(file) == 0
    refused(lambda: gnd.samples_read(file, 2), gnd.ERROR_IO, "has 0 samples")
    gnd.samples_seek(file, 1234)
    same(gnd.samples_read(file, 10), want[1234:1244], datatype)
    refused(lambda: gnd.samples_seek(file, len(want) + 1), gnd.ERROR_INDEX, "no sample")
    refused(lambda: gnd.samples_seek(file, -1), gnd.ERROR_INDEX, "no sample -1")
    refused(lambda: gnd.samples_read(file, -1), gnd.ERROR_INVALID, "count is -1")
    gnd.samples_close(file)


def test_pieces_longer_than_a_buffer(tmp_path):
    """Longer than a piece of the reader, with bytes that lie across the pieces' ends."""
    path, n = str(tmp_path / "long"), 3_000_010
    for datatype in ("ci16_be", "ri12_be", "ru8"):
        x = generator("long", datatype).integers(0, 200, n)
        open(path, "wb").write(encode(x, datatype))
        same(gnd.read_bin(path, datatype, -1, 0, None), samples_of(x, datatype), datatype)


def test_write_bin(tmp_path):
    path = str(tmp_path / "written")
    x = (np.arange(20) - 10 + 1j * np.arange(20)).astype("complex64")
    a = gnd.from_numpy(x)
    gnd.write_bin(path, a, "ci16_be", False, None)
    gnd.write_bin(path, a["::2"], "ci16_be", True, None)
    same(gnd.read_bin(path, "ci16_be", -1, 0, None), np.concatenate([x, x[::2]]), "appended")
    gnd.write_bin(path, a, "cf32_le", False, None)
    assert np.fromfile(path, "<c8").tolist() == x.tolist()
    new = str(tmp_path / "new")
    gnd.write_bin(new, a, "cf64_be", True, None)
    assert np.fromfile(new, ">c16").tolist() == x.tolist()
    nowhere = str(tmp_path / "no" / "folder")
    refused(lambda: gnd.write_bin(nowhere, a, "cf32_le", True, None), gnd.ERROR_IO, "cannot write")
    refused(lambda: gnd.write_bin(path, a, "rf32_le", False, None), gnd.ERROR_DTYPE, "real samples")
    assert os.path.getsize(path) == 8 * 20


def test_a_file_that_shrinks(tmp_path):
    path = str(tmp_path / "shrinks")
    np.zeros(1_000_000, "<i2").tofile(path)
    file = gnd.samples_open(path, "ri16_le", None)
    os.truncate(path, 1000)
    refused(lambda: gnd.samples_read(file, 1_000_000), gnd.ERROR_IO, "has become shorter")
    assert gnd.samples_left(file) == 1_000_000
    gnd.samples_close(file)


def test_what_is_refused(tmp_path):
    a = gnd.zeros((12,), "uint8")
    for datatype in ("", "c", "ci", "ci16", "rf32", "xi16_le", "ci16_me", "ci16_", "ci16_le ", "ci24_le", "CF32_LE",
                     "cf32_lee", "ri12", "i16_le", "cf16_le", "_le", "c_le", "r8"):
        refused(lambda: gnd.unpack_bin(a, datatype, None), gnd.ERROR_VALUE, "no datatype")
    refused(lambda: gnd.unpack_bin(a, None, None), gnd.ERROR_INVALID, "'datatype' is NULL")
    refused(lambda: gnd.unpack_bin(None, "ri8", None), gnd.ERROR_INVALID, "'binary' is NULL")
    refused(lambda: gnd.unpack_bin(gnd.zeros((7,), "uint8"), "ci16_le", None), gnd.ERROR_VALUE, "7 bytes")
    refused(lambda: gnd.unpack_bin(gnd.zeros((4,), "uint8"), "ri12_le", None), gnd.ERROR_VALUE, "4 bytes")
    refused(lambda: gnd.pack_bin(gnd.zeros((3,), "float32"), "ri12_le", None), gnd.ERROR_VALUE, "3 samples of 12 bits")
    at, keep = options(channels=-1)
    refused(lambda: gnd.unpack_bin(a, "ri8", at), gnd.ERROR_INVALID, "channels is -1")
    at, keep = options(channels=2**31 - 1)
    refused(lambda: gnd.unpack_bin(a, "cf64_le", at), gnd.ERROR_VALUE, "12 bytes")
    at, keep = options(dtype="float32")
    refused(lambda: gnd.unpack_bin(a, "ci8", at), gnd.ERROR_DTYPE, "do not become float32")
    odd = str(tmp_path / "odd")
    open(odd, "wb").write(b"12345")
    refused(lambda: gnd.read_bin(odd, "ci16_le", -1, 0, None), gnd.ERROR_IO, "no whole number")
    refused(lambda: gnd.read_bin(odd, "ri8", -2, 0, None), gnd.ERROR_INVALID, "count is -2")
    refused(lambda: gnd.read_bin(odd, "ri8", -1, -1, None), gnd.ERROR_INVALID, "offset -1")
    refused(lambda: gnd.read_bin(odd, "ri8", 2**62, 0, None), gnd.ERROR_IO, "not 4611686018427387904")
    refused(lambda: gnd.samples_open(str(tmp_path / "none"), "ri8", None), gnd.ERROR_IO, "cannot open")
    refused(lambda: gnd.samples_open(str(tmp_path), "ri8", None), gnd.ERROR_IO, "no regular file")
    refused(lambda: gnd.samples_open(None, "ri8", None), gnd.ERROR_INVALID, "'path' is NULL")
    os.mkfifo(tmp_path / "pipe")
    refused(lambda: gnd.samples_open(str(tmp_path / "pipe"), "ri8", None), gnd.ERROR_IO, "no regular file")
    even = str(tmp_path / "even")
    open(even, "wb").write(bytes(12))
    refused(lambda: gnd.read_bin(even, "ri12_le", 2, 1, None), gnd.ERROR_VALUE, "no whole number of bytes")
    refused(lambda: gnd.read_bin(even, "ri12_le", 3, 0, None), gnd.ERROR_VALUE, "no whole number of bytes")
    assert gnd.samples_count(None) == -1 and gnd.samples_left(None) == -1 and keep is not None
