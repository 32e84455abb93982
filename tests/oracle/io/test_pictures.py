"""JPEG, TIFF and FITS against Pillow, tifffile and astropy."""

import importlib
import io
import os

import numpy as np
import pytest

import gnd
from check import assert_same, is_missing, refused

g = np.random.default_rng(0)
needs_jpeg = pytest.mark.skipif(is_missing("TurboJPEG"), reason="libturbojpeg is not installed")
needs_tiff = pytest.mark.skipif(is_missing("libtiff"), reason="libtiff 4.5 is not installed")
TIFF_DTYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32",
               "float64", "complex64", "complex128"]


def other(name):
    """The program that files are held against: the tests of each change must have it."""
    return importlib.import_module(name) if os.environ.get("CI") else pytest.importorskip(
        name, reason=f"{name} is not installed")


def smooth(shape):
    """A picture that JPEG keeps well: waves along both axes, and another in each channel."""
    y, x = np.mgrid[:shape[0], :shape[1]]
    channels = range(shape[2] if len(shape) > 2 else 1)
    waves = [127 + 60 * np.sin(x / (9 + c)) + 60 * np.cos(y / (7 + c)) for c in channels]
    return np.clip(np.stack(waves, -1).reshape(shape), 0, 255).astype(np.uint8)


def anything(shape, dtype):
    return np.frombuffer(g.bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize), dtype).reshape(shape)


def same_bytes(got, want):
    """Alike with the bits of NaN."""
    got = got.numpy()
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.tobytes() == np.ascontiguousarray(want).tobytes()


# ---- JPEG -------------------------------------------------------------------------------------


@needs_jpeg
@pytest.mark.parametrize("shape", [(64, 48), (37, 53), (1, 1), (64, 48, 3), (37, 53, 3)])
def test_jpeg_is_read(tmp_path, shape):
    image = other("PIL.Image")
    path = tmp_path / "a.jpg"
    x = smooth(shape)
    for options in ({}, {"progressive": True}, {"subsampling": 0, "quality": 95}, {"optimize": True}):
        image.fromarray(x).save(path, "jpeg", **options)
        want = np.array(image.open(path))
        got = gnd.load_image(str(path)).numpy()
        assert got.shape == x.shape and got.dtype == np.uint8
        assert np.abs(got.astype(int) - want).max() <= 1  # decoders may round in other ways


@needs_jpeg
@pytest.mark.parametrize("shape", [(64, 48), (1, 300), (37, 53, 3), (37, 53, 1)])
def test_jpeg_is_written(tmp_path, shape):
    image = other("PIL.Image")
    x = smooth(shape)
    for ending in ("jpg", "JPEG"):
        path = tmp_path / ("a." + ending)
        gnd.save_image(str(path), gnd.from_numpy(x))
        picture = image.open(path)
        got = np.array(picture).reshape(shape)
        assert picture.format == "JPEG" and np.abs(got.astype(int) - x).max() <= 12
        assert np.abs(gnd.load_image(str(path)).numpy().reshape(shape).astype(int) - got).max() <= 1


@needs_jpeg
def test_jpeg_is_refused(tmp_path):
    image = other("PIL.Image")
    path = str(tmp_path / "a.jpg")
    image.fromarray(smooth((16, 16, 4)), "CMYK").save(path)
    refused(lambda: gnd.load_image(path), gnd.ERROR_IO, "CMYK")
    x = gnd.from_numpy(smooth((16, 16, 4)))
    refused(lambda: gnd.save_image(path, x), gnd.ERROR_SHAPE, "one channel or three")
    refused(lambda: gnd.save_image(path, gnd.from_numpy(np.zeros((4, 4), np.uint16))), gnd.ERROR_DTYPE, "uint16")
    refused(lambda: gnd.save_image(path, gnd.from_numpy(np.zeros((1, 70000), np.uint8))), gnd.ERROR_SHAPE, "65500")
    image.fromarray(smooth((200, 200, 3))).save(path)
    data = open(path, "rb").read()
    for length in (2, 100, 700, len(data) // 2, len(data) - 200):
        open(path, "wb").write(data[:length])
        refused(lambda: gnd.load_image(path), gnd.ERROR_IO, "a.jpg")


# ---- TIFF -------------------------------------------------------------------------------------


@needs_tiff
@pytest.mark.parametrize("dtype", TIFF_DTYPES)
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7])
def test_tiff_is_written(tmp_path, dtype, channels):
    tifffile = other("tifffile")
    path = str(tmp_path / "a.TIF")
    for height, width in ((1, 1), (13, 17), (700, 301)):
        x = anything((height, width) + ((channels,) if channels > 1 else ()), dtype)
        gnd.save_image(path, gnd.from_numpy(x))
        same_bytes(gnd.load_image(path), x)
        with tifffile.TiffFile(path) as file:
            page = file.pages[0]
            assert page.samplesperpixel == channels and page.photometric.name == ("RGB" if channels in (3, 4) else
                                                                                  "MINISBLACK")
            assert page.asarray().tobytes() == x.tobytes() and page.dtype == x.dtype


@needs_tiff
@pytest.mark.parametrize("dtype", TIFF_DTYPES)
@pytest.mark.parametrize("order", "<>")
def test_tiff_is_read(tmp_path, dtype, order):
    tifffile = other("tifffile")
    path = str(tmp_path / "a.tif")
    layouts = [{}, {"rowsperstrip": 5}, {"tile": (16, 32)}, {"bigtiff": True}]
    for channels in (1, 3, 5):
        for layout in layouts:
            for planar in ("contig", "separate")[:channels]:
                x = anything((45, 70) + ((channels,) if channels > 1 else ()), dtype)
                stored = np.moveaxis(x, -1, 0) if planar == "separate" else x
                tifffile.imwrite(path, stored, byteorder=order, photometric="rgb" if channels == 3 else "minisblack",
                                 planarconfig=planar if channels > 1 else None, **layout)
                same_bytes(gnd.load_image(path), x)


@needs_tiff
def test_tiff_packed(tmp_path):
    image = other("PIL.Image")
    path = str(tmp_path / "a.tif")
    x, colors = smooth((90, 70)), smooth((90, 70, 3))
    for packing in ("raw", "packbits", "tiff_lzw", "tiff_adobe_deflate"):
        for picture in (x, colors, x.astype(np.uint16) * 257):
            image.fromarray(picture).save(path, compression=packing)
            assert_same(gnd.load_image(path), picture)
    image.fromarray(colors).save(path, compression="jpeg", quality=95)
    assert np.abs(gnd.load_image(path).numpy().astype(int) - colors).max() <= 40
    bits = x > 127
    for packing in ("raw", "group3", "group4"):
        image.fromarray(bits).save(path, compression=packing)
        assert_same(gnd.load_image(path), np.where(bits, 255, 0).astype(np.uint8))


@needs_tiff
def test_tiff_of_palettes_and_white_zero(tmp_path):
    image, tifffile = other("PIL.Image"), other("tifffile")
    path = str(tmp_path / "a.tif")
    colors = image.fromarray(smooth((40, 31, 3))).quantize(37)
    colors.save(path)
    assert_same(gnd.load_image(path), np.array(colors.convert("RGB")))
    for dtype in ("uint8", "uint16", "uint32", "uint64", "int16"):
        x = anything((9, 11), dtype)
        tifffile.imwrite(path, x, photometric="miniswhite")
        assert_same(gnd.load_image(path), ~x if dtype[0] == "u" else x)


@needs_tiff
def test_tiff_pages(tmp_path):
    tifffile = other("tifffile")
    path = str(tmp_path / "a.tif")
    pages = [anything((5 + k, 7), dtype) for k, dtype in enumerate(("uint8", "float32", "int16"))]
    with tifffile.TiffWriter(path) as file:
        for page in pages:
            file.write(page, photometric="minisblack")
    for k, page in enumerate(pages):
        same_bytes(gnd.load_tiff(path, k), page)
    same_bytes(gnd.load_image(path), pages[0])
    for k in (-1, 3, 2**40):
        refused(lambda: gnd.load_tiff(path, k), gnd.ERROR_INDEX, f"pages 0 to 2, not {k}")


@needs_tiff
def test_tiff_is_refused(tmp_path):
    image, tifffile = other("PIL.Image"), other("tifffile")
    path = str(tmp_path / "a.tif")
    image.fromarray(smooth((16, 16, 4)), "CMYK").save(path)
    refused(lambda: gnd.load_image(path), gnd.ERROR_IO, "colours")
    refused(lambda: gnd.save_image(path, gnd.from_numpy(np.zeros((4, 4), np.bool_))), gnd.ERROR_DTYPE, "bool")
    refused(lambda: gnd.save_image(path, gnd.from_numpy(np.zeros((4, 4, 257), np.uint8))), gnd.ERROR_SHAPE, "256")
    tifffile.imwrite(path, anything((200, 200), "uint8"))
    data = open(path, "rb").read()
    for length in (2, 8, 100, len(data) // 2, len(data) - 1):
        open(path, "wb").write(data[:length])
        refused(lambda: gnd.load_image(path), gnd.ERROR_IO, "a.tif")
    open(path, "wb").write(b"no TIFF at all")
    refused(lambda: gnd.load_tiff(path, 0), gnd.ERROR_IO, "a.tif")


# ---- FITS -------------------------------------------------------------------------------------

FITS_DTYPES = ["uint8", "int16", "int32", "int64", "float32", "float64", "int8", "uint16", "uint32", "uint64"]


def written(fits, *units):
    file = io.BytesIO()
    fits.HDUList(list(units)).writeto(file)
    return file.getvalue()


@pytest.mark.parametrize("dtype", FITS_DTYPES)
def test_fits(tmp_path, dtype):
    fits = other("astropy.io.fits")
    path = tmp_path / "a.fits"
    for shape in ((5,), (13, 17), (1, 2880), (3, 4, 5), (2, 3, 1, 4), (300, 500)):
        x = anything(shape, dtype)
        path.write_bytes(written(fits, fits.PrimaryHDU(), fits.ImageHDU(x)))
        for unit in (-1, 1):
            same_bytes(gnd.load_fits(str(path), unit), x)
        path.write_bytes(written(fits, fits.PrimaryHDU(x)))
        same_bytes(gnd.load_fits(str(path), 0), x)


@pytest.mark.parametrize("dtype", FITS_DTYPES[:6])
@pytest.mark.filterwarnings("ignore:Invalid 'BLANK'")
@pytest.mark.parametrize("scale, zero, blank", [(2.5, 0, None), (1, 32768.5, None), (1e-3, -7, None), (0.1, 3, -5),
                                                (1, 0, 9), (1, 32768, 9), (1, 0, 2**40)])
def test_fits_scaled(tmp_path, dtype, scale, zero, blank):
    fits = other("astropy.io.fits")
    path = str(tmp_path / "a.fits")
    x = g.integers(0, 100, (15, 20)).astype(dtype)
    if blank is not None and dtype[0] != "f":
        x[::2, 1] = np.array(blank).astype(dtype)
    unit = fits.ImageHDU(x)
    unit.header["BSCALE"], unit.header["BZERO"] = scale, zero
    if blank is not None:
        unit.header["BLANK"] = blank
    open(path, "wb").write(written(fits, fits.PrimaryHDU(), unit))
    want_dtype = np.dtype("f4" if np.dtype(dtype).itemsize < 4 or dtype == "float32" else "f8")
    if np.dtype(dtype).kind == "f" or blank is None:
        want = x.astype(want_dtype)
    else:
        want = np.where(x.astype(object) == blank, np.nan, x.astype(want_dtype)).astype(want_dtype)
    want = want * want_dtype.type(scale) + want_dtype.type(zero)
    if np.dtype(dtype).kind == "f" and scale == 1 and zero == 0:
        want = x
    got = gnd.load_fits(path, 1)
    assert_same(got, want)
    if blank is None:
        with fits.open(path) as file:
            assert_same(got, np.asarray(file[1].data).astype(want_dtype))


def test_fits_finds_units(tmp_path):
    fits = other("astropy.io.fits")
    path = str(tmp_path / "a.fits")
    x = anything((20, 30), "int16")
    table = fits.BinTableHDU.from_columns([fits.Column("a", "J", array=np.arange(1000))])
    open(path, "wb").write(written(fits, fits.PrimaryHDU(), table, fits.ImageHDU(x), fits.CompImageHDU(x)))
    same_bytes(gnd.load_fits(path, -1), x)
    same_bytes(gnd.load_fits(path, 2), x)
    for unit, text in ((0, "without data"), (1, "BINTABLE"), (3, "RICE_1")):
        refused(lambda: gnd.load_fits(path, unit), gnd.ERROR_IO, text)
    refused(lambda: gnd.load_fits(path, 4), gnd.ERROR_INDEX, "units 0 to 3, not 4")
    refused(lambda: gnd.load_fits(path, -2), gnd.ERROR_INDEX, "-2")
    refused(lambda: gnd.load_image(path), gnd.ERROR_IO, "gnd_load_fits")
    open(path, "wb").write(written(fits, fits.PrimaryHDU(), table))
    refused(lambda: gnd.load_fits(path, -1), gnd.ERROR_IO, "no image")


def test_fits_is_refused(tmp_path):
    fits = other("astropy.io.fits")
    path = tmp_path / "a.fits"
    data = written(fits, fits.PrimaryHDU(anything((50, 60), "int16")))
    for length in (0, 79, 2879, 2880, 5000, 2880 + 5999):
        path.write_bytes(data[:length])
        refused(lambda: gnd.load_fits(str(path), 0), gnd.ERROR_IO, "a.fits")
    path.write_bytes(data[:2880 + 6000])  # the last block may be cut
    assert gnd.load_fits(str(path), 0).numpy().shape == (50, 60)
    for old, new in ((b"NAXIS1  =                   60", b"NAXIS1  =  9223372036854775807"),
                     (b"NAXIS1  =                   60", b"NAXIS1  =                  -60"),
                     (b"NAXIS   =                    2", b"NAXIS   =                   99"),
                     (b"BITPIX  =                   16", b"BITPIX  =                   12"),
                     (b"BITPIX  =                   16", b"BITPIX  =                    x"),
                     (b"SIMPLE  ", b"SIMPLY  "), (b"SIMPLE  ", b"\x1f\x8bMPLE  "), (b"END     ", b"ONE     ")):
        assert old in data
        path.write_bytes(data.replace(old, new, 1))
        refused(lambda: gnd.load_fits(str(path), 0), gnd.ERROR_IO, "a.fits")
