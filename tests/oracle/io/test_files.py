"""Files that other programs read and write, too: .npz and plain bytes against NumPy, pictures against
pypng and what the formats say."""

import os
import struct
import zipfile
import zlib

import numpy as np
import pytest

import dtypes
import gnd
import values
from check import assert_same, is_missing, refused

g = np.random.default_rng(0)
PLAIN = [n for n in dtypes.NAMES if n != "bfloat16"]


needs_zip = pytest.mark.skipif(is_missing("libzip"), reason="libzip is not installed")
needs_png = pytest.mark.skipif(is_missing("libpng"), reason="libpng is not installed")


def named(arrays):
    """The count and the list that gnd_savez takes, of a dictionary of Arrays."""
    room = (gnd.STRUCTS["gnd_named"] * max(len(arrays), 1))()
    for place, (name, array) in enumerate(arrays.items()):
        room[place].name = name.encode() if isinstance(name, str) else None
        room[place].array = array.pointer
    room.arrays = arrays  # they live as long as the list
    return len(arrays), room


def npz_arrays(path):
    """All that gnd reads from a file, by name."""
    npz = gnd.npz_open(str(path))
    try:
        names = [gnd.npz_name(npz, i) for i in range(gnd.npz_count(npz))]
        return {name: gnd.npz_get(npz, name) for name in names}
    finally:
        gnd.npz_close(npz)


# ---- npz ------------------------------------------------------------------------------------------------


@needs_zip
@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_npz_that_numpy_reads(tmp_path, save):
    path = tmp_path / "a.npz"
    for name in PLAIN:
        arrays, expected = {}, {}
        for shape in [(), (0,), (5,), (3, 4), (2, 3, 4)]:
            for layout in values.layouts(shape):
                base = values.random_values(name, layout.base, g)
                key = f"{layout.name} {shape}"
                arrays[key], expected[key] = gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)
        getattr(gnd, save)(str(path), *named(arrays))
        with np.load(path, allow_pickle=False) as back:
            assert back.files == list(expected)
            for key, x in expected.items():
                assert back[key].dtype == x.dtype and back[key].shape == x.shape
                assert back[key].tobytes() == x.tobytes(), key
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
        again = npz_arrays(path)
        for key, x in expected.items():
            assert_same(again[key], x, key, strides=False)


@needs_zip
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_of_numpy(tmp_path, save):
    path = tmp_path / "a.npz"
    for name in PLAIN:
        expected = {f"x{k}": np.array(values.random_values(name, shape, g), order=order)
                    for k, (shape, order) in enumerate([((), "C"), ((0, 3), "C"), ((40, 50), "C"), ((4, 5), "F")])}
        save(path, np.arange(3), np.eye(2), **expected)
        got = npz_arrays(path)
        expected |= {"arr_0": np.arange(3), "arr_1": np.eye(2)}
        assert set(got) == set(expected)
        for key, x in expected.items():
            assert_same(got[key], x, key)


@needs_zip
def test_npz_names(tmp_path):
    path = str(tmp_path / "a.npz")
    x, y = gnd.from_numpy(np.arange(3)), gnd.from_numpy(np.arange(4.0))
    gnd.savez(path, *named({"ä ö": x, 0: y, "folder/z": x, "": y}))
    with np.load(path) as back:
        assert back.files == ["ä ö", "arr_1", "folder/z", ""]
    assert gnd.load_npz(path, "ä ö").shape == (3,) and gnd.load_npz(path, "arr_1.npy").shape == (4,)


@needs_zip
def test_npz_is_the_same_each_time(tmp_path):
    x = gnd.from_numpy(g.normal(size=(30, 40)))
    gnd.savez_compressed(str(tmp_path / "a.npz"), *named({"x": x}))
    gnd.savez_compressed(str(tmp_path / "b.npz"), *named({"x": x}))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@needs_zip
def test_npz_zip64(tmp_path):
    """Entries with 64-bit sizes, as numpy.savez always writes them, and beyond 65535 of them."""
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for k in range(66000):
            if k % 33000 == 5:
                with archive.open(f"x{k}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, np.arange(k))
            else:
                archive.writestr(f"y{k}", b"")
    npz = gnd.npz_open(str(path))
    assert gnd.npz_count(npz) == 66000
    assert_same(gnd.npz_get(npz, "x33005"), np.arange(33005))
    refused(lambda: gnd.npz_get(npz, "y7"), gnd.ERROR_IO, "y7", "first bytes")
    gnd.npz_close(npz)


@needs_zip
def test_npz_other_entries(tmp_path):
    path = tmp_path / "a.npz"
    header = b"\x93NUMPY\x01\x00"
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("huge.npy", header + struct.pack("<H", len(text)) + text)
        archive.writestr("objects.npy", header + struct.pack("<H", 60) + b"{'descr': '|O', 'fortran_order': "
                         b"False, 'shape': (1,)}".ljust(60))
        archive.writestr("note.txt", "no array")
        archive.writestr("x.npy", b"old")
        with pytest.warns(UserWarning):
            archive.writestr("x.npy", _npy(np.arange(5)))  # Python's zipfile takes the later one
    refused(lambda: gnd.load_npz(str(path), "huge"), gnd.ERROR_IO, "huge", "truncated")
    refused(lambda: gnd.load_npz(str(path), "objects"), gnd.ERROR_DTYPE, "objects", "pickle")
    refused(lambda: gnd.load_npz(str(path), "note.txt"), gnd.ERROR_IO, "note.txt")
    assert_same(gnd.load_npz(str(path), "x"), np.arange(5))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x.npy", _npy(np.arange(5)))
    try:
        assert_same(gnd.load_npz(str(path), "x"), np.arange(5))  # libzip may have been built with it
    except gnd.Error as error:
        assert error.code == gnd.ERROR_IO and "ompression" in error.message


def _npy(x):
    import io
    file = io.BytesIO()
    np.save(file, x)
    return file.getvalue()


@needs_zip
def test_npz_check_sum(tmp_path):
    path = tmp_path / "a.npz"
    gnd.savez(str(path), *named({"x": gnd.from_numpy(np.arange(100.0))}))
    data = bytearray(path.read_bytes())
    data[400] ^= 1
    path.write_bytes(data)
    refused(lambda: gnd.load_npz(str(path), "x"), gnd.ERROR_IO, "damaged", "CRC")


# ---- plain bytes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAIN)
def test_plain_bytes(tmp_path, name):
    path = tmp_path / "a.bin"
    for layout in values.layouts((3, 4, 5)):
        base = values.random_values(name, layout.base, g)
        x = values.apply_numpy(base, layout.steps)
        gnd.tofile(str(path), gnd.view(base, layout.steps))
        assert path.read_bytes() == x.tobytes()
        for count, offset in [(-1, 0), (7, 0), (0, 3), (-1, x.itemsize * 5), (9, x.itemsize), (2, 1)]:
            want = np.fromfile(path, x.dtype, count, offset=offset)
            if name == "bool":
                want = want.view(np.uint8) != 0
            assert_same(gnd.fromfile(str(path), name, count, offset), want, f"{count} from {offset}")


# ---- pictures -------------------------------------------------------------------------------------------


def pypng():
    """The library that PNGs are held against: the tests of each change must have it."""
    import importlib
    return importlib.import_module("png") if os.environ.get("CI") else pytest.importorskip("png")


def picture(channels, bits, size=(13, 17)):
    return g.integers(0, 2**bits, size=size + ((channels,) if channels > 1 else ()),
                      dtype=np.uint8 if bits == 8 else np.uint16)


@needs_png
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png(tmp_path, channels, bits):
    png = pypng()
    path = tmp_path / "a.png"
    for size in [(1, 1), (13, 17), (1, 40), (40, 1), (300, 500)]:
        x = picture(channels, bits, size)
        gnd.save_image(str(path), gnd.from_numpy(x))
        width, height, rows, about = png.Reader(filename=str(path)).read()
        assert (height, width) == size and about["bitdepth"] == bits and about["planes"] == channels
        assert np.array_equal(np.vstack([np.array(row) for row in rows]).reshape(x.shape), x)
        for interlace in (False, True):
            writer = png.Writer(size[1], size[0], greyscale=channels < 3, alpha=channels % 2 == 0, bitdepth=bits,
                                interlace=interlace)
            with open(path, "wb") as file:
                writer.write(file, x.reshape(size[0], -1).tolist())
            assert_same(gnd.load_image(str(path)), x)


@needs_png
@pytest.mark.parametrize("bits", [1, 2, 4])
def test_png_of_few_bits(tmp_path, bits):
    png = pypng()
    path = tmp_path / "a.png"
    x = g.integers(0, 2**bits, size=(9, 13))
    for transparent in (None, 1):
        with open(path, "wb") as file:
            png.Writer(13, 9, greyscale=True, bitdepth=bits, transparent=transparent).write(file, x.tolist())
        grey = (x * (255 // (2**bits - 1))).astype(np.uint8)
        want = grey if transparent is None else np.stack([grey, np.where(x == 1, 0, 255)], -1).astype(np.uint8)
        assert_same(gnd.load_image(str(path)), want)


@needs_png
def test_png_of_a_palette(tmp_path):
    png = pypng()
    path = tmp_path / "a.png"
    x = g.integers(0, 6, size=(9, 13))
    for channels in (3, 4):
        palette = g.integers(0, 256, size=(6, channels))
        palette[0] = [255, 0, 7, 128][:channels]
        with open(path, "wb") as file:
            png.Writer(13, 9, palette=[tuple(map(int, c)) for c in palette], bitdepth=4).write(file, x.tolist())
        assert_same(gnd.load_image(str(path)), palette[x].astype(np.uint8))


@needs_png
def test_png_gamma_changes_nothing(tmp_path):
    png = pypng()
    path = tmp_path / "a.png"
    x = picture(1, 16)
    with open(path, "wb") as file:
        png.Writer(17, 13, greyscale=True, bitdepth=16, gamma=0.45).write(file, x.tolist())
    assert_same(gnd.load_image(str(path)), x)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@needs_png
def test_png_that_claims_too_much(tmp_path):
    path = tmp_path / "a.png"
    for width, height in [(2**31 - 1, 2**31 - 1), (10**6, 10**6), (0, 5)]:
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 6, 0, 0, 0))
                         + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b""))
        refused(lambda: gnd.load_image(str(path)), gnd.ERROR_IO, "a.png")


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("channels", [1, 3])
def test_pnm(tmp_path, channels, bits):
    ending, magic = (".pgm", b"P5") if channels == 1 else (".ppm", b"P6")
    path = tmp_path / ("a" + ending)
    x = picture(channels, bits)
    gnd.save_image(str(path), gnd.from_numpy(x))
    data = x.astype(">u2" if bits == 16 else "u1").tobytes()
    assert path.read_bytes() == magic + b"\n17 13\n%d\n" % (2**bits - 1) + data
    assert_same(gnd.load_image(str(path)), x)
    text = {1: b"P2", 3: b"P3"}[channels] + b"\n#made by a test\n17 13 %d\n" % (2**bits - 1)
    path.write_bytes(text + b"\n".join(b"%d" % v for v in x.ravel()) + b"\n")
    assert_same(gnd.load_image(str(path)), x)


def test_pnm_of_other_ranges(tmp_path):
    path = tmp_path / "a.pgm"
    for largest in [1, 3, 100, 254, 256, 1023, 4095, 65534]:
        x = g.integers(0, largest + 1, size=(5, 7))
        top = 255 if largest < 256 else 65535
        path.write_bytes(b"P5 7 5 %d\n" % largest + x.astype(">u2" if top > 255 else "u1").tobytes())
        want = np.floor(x * top / largest + 0.5).astype("u1" if top == 255 else "u2")
        assert_same(gnd.load_image(str(path)), want, str(largest))


@pytest.mark.skipif(os.name != "posix", reason="the libraries are named as Linux has them")
def test_without_the_libraries(tmp_path):
    """A sentence names the package, and what needs no library goes on."""
    import subprocess
    import sys
    text = ("import gnd, numpy as np, sys; x = gnd.from_numpy(np.zeros((2, 2), np.uint8))\n"
            "gnd.save_image(sys.argv[1] + '/a.pgm', x)\n"
            "save = lambda ending: lambda: gnd.save_image(sys.argv[1] + '/a.' + ending, x)\n"
            "for call in (*map(save, ('png', 'jpg', 'tif')),\n"
            "             lambda: gnd.savez(sys.argv[1] + '/a.npz', 0, None)):\n"
            "    try: call()\n"
            "    except gnd.Error as e: print(e)\n")
    environment = dict(os.environ, GND_WITHOUT="libzip,libpng,TurboJPEG,libtiff",
                       PYTHONPATH=os.path.dirname(gnd.__file__))
    said = subprocess.run([sys.executable, "-c", text, str(tmp_path)], env=environment, check=True,
                          capture_output=True, text=True).stdout
    assert all(name in said for name in ("libpng16-16", "libzip4", "libturbojpeg0", "libtiff6"))
    assert said.count("UNAVAILABLE") == 4
    assert os.listdir(tmp_path) == ["a.pgm"]
