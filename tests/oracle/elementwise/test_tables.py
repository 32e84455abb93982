"""Long arrays take other ways than short ones: results that are looked up, quotients by a number, tiles beside one.
Each is compared, to the last bit, with the same elements in short arrays, or with NumPy."""

import numpy as np
import pytest

import gnd
import headers
from fused import fused

BYTES, WORDS = ["bool", "int8", "uint8"], ["int16", "uint16", "float16"]
SPECIAL = [f"gnd_{row.name}" for row in headers.read_operators()
           if row.name in ("erf", "erfc", "erfinv", "gamma", "lgamma", "i0")] + ["gnd_i1e", "gnd_digamma", "gnd_expit"]


def all_values(dtype):
    if dtype == "bool":
        return np.array([False, True])
    size = np.dtype(dtype).itemsize
    return np.arange(256**size, dtype=f"u{size}").view(dtype)


def long(values):
    """Enough that a table is worth its entries, and not a whole number of them."""
    return np.resize(values, 8 * 256**values.itemsize + 13)


def short_results(name, values):
    """By a call on few elements; enough of them for whole vectors, which differ in the last bit from what is left."""
    few = np.resize(values, 1024 if values.itemsize == 1 else values.size)
    return gnd.function(name)(gnd.from_numpy(few)).numpy()[:values.size]


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("dtype", BYTES)
def test_functions_of_bytes(name, dtype):
    values = all_values(dtype)
    x = long(values)
    want = np.resize(short_results(name, values), x.size)
    f, into = gnd.function(name), gnd.function(name + "_into")
    assert f(gnd.from_numpy(x)).numpy().tobytes() == want.tobytes()
    assert f(gnd.slice_text(gnd.from_numpy(np.repeat(x, 2)), "::-2")).numpy().tobytes() == want[::-1].tobytes()
    square = np.resize(x, (50, 60))
    turned = f(gnd.slice_text(gnd.from_numpy(square), "::2, ::-1")).numpy()
    assert turned.tobytes() == np.resize(want, (50, 60))[::2, ::-1].tobytes()
    out = gnd.zeros(x.shape, "float64")
    into(out, gnd.from_numpy(x))
    assert out.numpy().tobytes() == want.astype("float64").tobytes()


@pytest.mark.parametrize("name", ["gnd_erf", "gnd_erfinv", "gnd_lgamma", "gnd_expit"])
@pytest.mark.parametrize("dtype", WORDS)
def test_functions_of_words(name, dtype):
    values = all_values(dtype)
    x = long(values)
    want = np.resize(short_results(name, values), x.size)
    assert gnd.function(name)(gnd.from_numpy(x)).numpy().tobytes() == want.tobytes()


def test_masked_functions_of_bytes():
    x = long(all_values("uint8"))
    mask = np.arange(x.size) % 3 == 0
    a, where = gnd.from_numpy(x), gnd.from_numpy(mask)
    want = np.where(mask, np.resize(short_results("gnd_lgamma", all_values("uint8")), x.size), np.float32(0))
    got = gnd.apply("lgamma", 1, gnd.args([a]), gnd.apply_options(where=where))
    assert got.numpy().tobytes() == want.tobytes()


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_quotients_of_bytes(dtype):
    values = all_values(dtype)
    for n in (256, 255, 20001):
        x = np.resize(values, n)
        a = gnd.from_numpy(x)
        for d in all_values(dtype):
            with np.errstate(all="ignore"):
                want = x // d
            assert np.array_equal(gnd.floor_divide(a, int(d)).numpy(), want), d
            if n == 255:
                assert np.array_equal(gnd.floor_divide(a, gnd.from_numpy(np.full(n, d))).numpy(), want), d


@pytest.mark.parametrize("dtype", ["int16", "uint16"])
def test_quotients_of_words(dtype):
    x = np.resize(all_values(dtype), 70001)
    for d in (1, 2, 3, 7, 255, 256, 10007, np.iinfo(dtype).max, np.iinfo(dtype).min or 5):
        with np.errstate(all="ignore"):
            want = x // np.dtype(dtype).type(d)
        assert np.array_equal(gnd.floor_divide(gnd.from_numpy(x), int(d)).numpy(), want), d


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64", "complex128"])
def test_tiles_beside_a_number(dtype):
    for n in (1, 511, 512, 1023, 1024, 1025, 4095, 4096, 4097, 100003):
        x = (np.arange(n) % 100).astype(dtype)
        a, one = gnd.from_numpy(x), gnd.from_numpy(np.array([3], dtype))
        three = np.dtype(dtype).type(3)
        for name in ("add", "multiply", "maximum", "not_equal"):
            want = getattr(np, name)(x, three)
            f = getattr(gnd, name)
            assert f(a, 3).numpy().tobytes() == want.tobytes()
            assert f(a, one).numpy().tobytes() == want.tobytes()
            assert f(3, a).numpy().tobytes() == want.tobytes()
        out = gnd.from_numpy(x)
        gnd.add_into(out, out, 3)
        assert out.numpy().tobytes() == (x + three).tobytes()


@pytest.mark.parametrize("source", ["int64", "float32", "bool"])
@pytest.mark.parametrize("target", ["uint8", "int16", "float64", "complex64", "bool"])
def test_long_casts(source, target):
    x = (np.arange(70001) % 120).astype(source)
    want = x.astype(target)
    assert gnd.astype(gnd.from_numpy(x), target).numpy().tobytes() == want.tobytes()
    out = gnd.zeros(x.shape, target)
    gnd.copyto(out, gnd.from_numpy(x[::-1].copy()))
    assert out.numpy().tobytes() == want[::-1].tobytes()
    assert gnd.astype(gnd.slice_text(gnd.from_numpy(x), "::-3"), target).numpy().tobytes() == want[::-3].tobytes()


def test_large_cube_roots():
    """Beyond what the caches hold."""
    x = np.resize(np.random.default_rng(0).normal(size=1009), 900_001) * 1e3
    want = np.resize(gnd.cbrt(gnd.from_numpy(x[:1009])).numpy(), x.size)
    assert gnd.cbrt(gnd.from_numpy(x)).numpy().tobytes() == want.tobytes()


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite", "isposinf", "isneginf"])
@pytest.mark.parametrize("dtype", ["bool", "int32", "uint64"])
def test_constant_results_in_a_block(name, dtype):
    """Of an array in memory, and of one that is recorded."""
    x = (np.arange(40003) % 2).astype(dtype)
    f, a = getattr(gnd, name), gnd.from_numpy(x)
    want = np.full(x.shape, name == "isfinite")
    assert np.array_equal(fused(lambda: f(a)).numpy(), want)
    assert np.array_equal(fused(lambda: gnd.logical_or(f(a), f(gnd.maximum(a, a)))).numpy(), want)
