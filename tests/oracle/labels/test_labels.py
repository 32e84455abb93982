"""Connected components and sums over labels against scipy.ndimage's: dimensions 0 to 5, structures of any kind, dtypes,
strides, shapes around the sizes of words and tiles, indices of any kind, and what is refused."""

import ctypes
import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import dtypes
import gnd
from check import refused
from test_resample import strided
from values import generator

REAL = [d for d in dtypes.NAMES if d not in dtypes.COMPLEX]


def label(a, structure=None):
    count = ctypes.c_int64(-1)
    got = gnd.label(a, None if structure is None else gnd.from_numpy(structure), ctypes.addressof(count))
    return got, count.value


def check_label(a, x, structure=None):
    """Labels and their number are SciPy's, to the element."""
    got, count = label(a, structure)
    want, number = ndimage.label(x, structure)
    context = f"{x.dtype} {x.shape}, structure {None if structure is None else structure.astype(int).tolist()}"
    want = np.asarray(want)
    assert got.dtype == "int32" and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}"
    assert count == number, f"{context}: {count} components, not {number}"
    assert (got.numpy() == want).all(), f"{context}: {got.numpy()}, not {want}"


def symmetric(g, ndim, share):
    """A random symmetric structure."""
    s = g.random((3,) * ndim) < share
    return s | s[(slice(None, None, -1),) * ndim]


# ---- components -------------------------------------------------------------------------------------------

SHAPES = [(), (1,), (31,), (33,), (70_000,), (1, 1), (1, 40), (40, 1), (2, 33), (65, 130), (300, 40), (3, 700),
          (5, 6, 7), (9, 17, 140), (20, 1, 35), (2, 3, 4, 5), (4, 9, 3, 33), (2, 1, 3, 1, 2, 40), (3, 2, 3, 2, 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_label_has_scipys_numbers(shape):
    g = generator("label", shape)
    for share in (0.05, 0.4, 0.6, 0.9):
        x = g.random(shape) < share
        x = np.asarray(x)
        check_label(gnd.from_numpy(x), x)
        check_label(gnd.from_numpy(x), x, np.ones((3,) * x.ndim, bool))
        if x.ndim:
            for density in (0.1, 0.3, 0.7):
                check_label(gnd.from_numpy(x), x, symmetric(g, x.ndim, density))


@pytest.mark.parametrize("dtype", REAL)
def test_label_takes_what_is_not_zero(dtype):
    g = generator("label dtypes", dtype)
    for shape in [(50,), (12, 70), (3, 5, 34), (131, 140)]:
        a, x = strided(g, shape, dtype)
        keep = g.random(shape) < 0.5
        plain = dtypes.wide(x) * keep
        a = gnd.multiply(a, gnd.from_numpy(keep))
        check_label(gnd.astype(a, dtype), plain)
        check_label(gnd.transpose(gnd.astype(a, dtype)), plain.T)
    if dtype in dtypes.FLOATS:
        x = np.array([0.0, -0.0, np.nan, np.inf, -0.0, 1e-300])
        a = gnd.astype(gnd.from_numpy(x), dtype)
        check_label(a, dtypes.wide(a.numpy()))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32", "float64"])
def test_label_of_arrays_that_begin_anywhere(dtype):
    """Views whose rows begin at any byte that an element can begin at."""
    g = generator("begin anywhere", dtype)
    for shape in [(140, 132), (70, 260), (33, 131), (1000,)]:
        size = int(np.prod(shape))
        flat = (g.random(size + 17) < 0.55).astype(dtype)
        for first in (0, 1, 2, 3, 4, 7, 15, 16):
            a = gnd.slice(gnd.from_numpy(flat), f"{first}:{first + size}")
            check_label(gnd.reshape(a, shape), flat[first:first + size].reshape(shape))


def test_label_joins_every_pair_of_neighbours():
    """Two elements anywhere around the edges of words and tiles, by each structure of one pair of neighbours."""
    for step in itertools.product((-1, 0, 1), repeat=2):
        structure = np.zeros((3, 3), bool)
        structure[1 + step[0], 1 + step[1]] = structure[1 - step[0], 1 - step[1]] = True
        x = np.zeros((130, 260), bool)
        for row, column in itertools.product((62, 63, 64, 127, 128), (30, 31, 32, 95, 96, 127, 128, 129, 255)):
            x[:] = False
            x[row, column] = x[row + step[0], column + step[1]] = True
            check_label(gnd.from_numpy(x), x, structure)


def test_label_joins_what_crosses_borders():
    """Lines of a few elements across the edges of words, strips and tiles, apart from others that end there."""
    for shape in [(130, 261), (32, 128), (97, 515)]:
        for step in range(1, 6):
            x = np.zeros(shape, bool)
            x[::step] = True
            for row in (x, ~x):
                for column in (31, 32, 63, 64, 127, 128, 255, 256):
                    row[:, column:column + 1 + step % 2] ^= True
                check_label(gnd.from_numpy(row), row)


def test_label_of_a_large_picture():
    """Many tiles; components of noise are largest, and have the longest borders, with 59% of elements."""
    g = generator("large")
    for shape in [(700, 1100), (1025, 513)]:
        for share in (0.3, 0.59, 0.8):
            x = g.random(shape) < share
            check_label(gnd.from_numpy(x), x)


def test_label_follows_long_ways():
    """Components that go through all tiles: spirals, combs and snakes, and their opposites."""
    n = 200
    rows, columns = np.mgrid[:n, :n]
    comb = (columns % 2 == 0) | (rows == n - 1)
    snake = (rows % 2 == 0) | ((rows % 4 == 1) & (columns == n - 1)) | ((rows % 4 == 3) & (columns == 0))
    spiral = np.maximum(abs(rows - n // 2), abs(columns - n // 2)) % 2 == 0
    spiral[:n // 2, n // 2] = True
    for x in (comb, snake, spiral, np.ones((n, n), bool), np.zeros((n, n), bool), (rows + columns) % 2 == 0):
        for picture in (x, ~x, x.T, x[::-1], x[:, ::-1]):
            picture = np.ascontiguousarray(picture)
            check_label(gnd.from_numpy(picture), picture)
            check_label(gnd.from_numpy(picture), picture, np.ones((3, 3), bool))


def test_label_of_nothing():
    for shape in [(0,), (0, 5), (3, 0, 2)]:
        got, count = label(gnd.zeros(shape, "bool"))
        assert got.shape == shape and got.dtype == "int32" and count == 0


def test_label_without_the_number():
    x = np.array([1, 0, 1, 1])
    assert (gnd.label(gnd.from_numpy(x), None, None).numpy() == [1, 0, 2, 2]).all()


def test_label_leaves_out_axes_of_length_1():
    """12 axes, of which 8 are longer."""
    shape = (2, 1, 2, 2, 1, 3, 2, 1, 2, 2, 1, 2)
    x = generator("many").random(shape) < 0.4
    got, count = label(gnd.from_numpy(x))
    want, number = ndimage.label(x.squeeze())
    assert count == number and (got.numpy().squeeze() == want).all()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_label_property(data):
    ndim = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.integers(1, [400, 80, 12, 6][ndim - 1])) for _ in range(ndim))
    g = generator("property", shape, data.draw(st.integers(0, 1000)))
    x = g.random(shape) < g.random()
    structure = symmetric(g, ndim, g.random()) if g.random() < 0.7 else None
    check_label(gnd.from_numpy(x), x, structure)


def test_label_refuses():
    a, count = gnd.zeros((4, 4), "bool"), ctypes.c_int64(-1)
    at = ctypes.addressof(count)
    refused(lambda: gnd.label(None, None, at), gnd.ERROR_INVALID, "'input' is NULL")
    refused(lambda: gnd.label(gnd.zeros((4,), "complex64"), None, at), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.label(a, gnd.zeros((3,), "bool"), at), gnd.ERROR_SHAPE, "of length 3, not shape (3,)")
    refused(lambda: gnd.label(a, gnd.zeros((3, 5), "bool"), at), gnd.ERROR_SHAPE, "(3, 5)")
    skew = np.zeros((3, 3), bool)
    skew[0, 0] = True
    refused(lambda: gnd.label(a, gnd.from_numpy(skew), at), gnd.ERROR_VALUE, "elements 0 and 8")
    refused(lambda: gnd.label(gnd.zeros((2,) * 9, "bool"), None, at), gnd.ERROR_SHAPE, "at most 8 axes")
    assert count.value == -1


# ---- sums -------------------------------------------------------------------------------------------------

def near(got, want, scale, context, dtype="float64"):
    want = np.asarray(want)
    x = got.numpy()
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}, not {want.shape}"
    good = np.allclose(x, want, 1e-12, 1e-13 * scale, equal_nan=True)
    assert good, f"{context}: {x}, not {want}"


def measured(name, x, labels, index):
    """SciPy's, of all of an index at once, in float64."""
    index = np.asarray(index)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            want = np.array(getattr(ndimage, name)(x, labels, index.ravel()), "float64")
    return want.reshape(index.shape + ((np.ndim(x),) if name == "center_of_mass" else ()))


CALLS = {"sum_labels": "sum_labels", "mean_labels": "mean", "center_of_mass": "center_of_mass"}


def check_sums(a, x, b, labels, index, context, names=CALLS):
    """All measurements; quotients are as good as what is divided by."""
    finite = np.where(np.isfinite(x), x, 0).astype("float64")
    scale = max(1.0, float(np.abs(finite).sum()) * max(x.shape))
    for name in names:
        got = gnd.function("gnd_" + name)(a, b, gnd.from_numpy(np.asarray(index)))
        want = measured(CALLS[name], x.astype("float64"), labels, index)
        below = np.ones(np.shape(index))
        if name == "center_of_mass":
            below = np.maximum(np.abs(measured("sum_labels", finite, labels, index)), 1e-9)[..., None]
        values = got.numpy()
        assert got.dtype == "float64" and got.shape == want.shape, f"{name} {context}: {got.dtype} {got.shape}"
        with np.errstate(all="ignore"):
            good = np.abs(values - want) <= 1e-11 * np.abs(want) + 1e-13 * scale / below
        good |= (values == want) | (np.isnan(values) & np.isnan(want))
        assert good.all(), f"{name} {context}: {values}, not {want}"


@pytest.mark.parametrize("shape", [(1,), (5,), (131,), (70_001,), (40, 50), (129, 260), (7, 8, 9), (3, 4, 5, 6),
                                   (2, 3, 2, 3, 2)])
def test_sums_over_labels(shape):
    g = generator("sums", shape)
    for kind in ("random", "blocks", "components"):
        x = g.random(shape).astype(["float32", "float64"][g.integers(2)])
        if kind == "random":
            labels = g.integers(0, 12, shape).astype("int32")
        elif kind == "blocks":
            labels = (np.arange(x.size).reshape(shape) // 37 % 9).astype("int64")
        else:
            labels = ndimage.label(g.random(shape) < 0.3)[0]
        most = int(labels.max()) + 2
        for index in (np.arange(most), np.arange(1, most), np.array([3]), np.array([5, 2, 9, 2, -1, 1000]),
                      g.integers(0, most, (2, 3)), np.zeros((0,), "int64")):
            check_sums(gnd.from_numpy(x), x, gnd.from_numpy(labels), labels, index, f"{shape} {kind} {index}")


@pytest.mark.parametrize("dtype", REAL)
def test_sums_of_dtypes(dtype):
    g = generator("sums dtypes", dtype)
    a, x = strided(g, (20, 30), dtype)
    plain = dtypes.wide(x)
    for label_dtype in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        b, labels = strided(g, (20, 30), label_dtype)
        index = np.unique(labels)[:7]
        check_sums(a, plain, b, labels.astype("int64"), index.astype("int64"), f"{dtype} {label_dtype}")
        got = gnd.sum_labels(a, b, gnd.from_numpy(index)).numpy()
        want = [plain[labels == k].sum(dtype="float64") for k in index]
        assert np.allclose(got, want, 1e-12), f"{dtype} {label_dtype}: {got}, not {want}"


def test_sums_of_labels_far_apart():
    g = generator("far apart")
    values = np.array([-2**62, -7, 0, 3, 4096, 2**31, 2**40 + 1, 2**62], "int64")
    labels = values[g.integers(0, len(values), (30, 41))]
    x = g.normal(size=labels.shape)
    index = np.array([2**40 + 1, -7, 5, 2**62, -2**62, 2**31, -7], "int64")
    got = gnd.sum_labels(gnd.from_numpy(x), gnd.from_numpy(labels), gnd.from_numpy(index))
    near(got, [x[labels == k].sum() for k in index], 1000, "far apart")
    # All of a hash table's entries in one place would still be found.
    index = np.arange(0, 300) * 4096
    labels = index[g.integers(0, 300, (30, 41))]
    got = gnd.sum_labels(gnd.from_numpy(x), gnd.from_numpy(labels), gnd.from_numpy(index))
    near(got, [x[labels == k].sum() for k in index], 1000, "multiples")


def test_sums_of_many_labels():
    """More than a block of a GPU has memory for."""
    g = generator("many labels")
    x = g.random((150, 300)).astype("float32")
    labels = g.integers(0, 20_000, x.shape).astype("int32")
    index = np.concatenate([np.arange(20_001), [7, 7, -3]])
    check_sums(gnd.from_numpy(x), x, gnd.from_numpy(labels), labels, index, "many")
    volume, cells = x.reshape(5, 3, 10, 300), labels.reshape(5, 3, 10, 300)
    check_sums(gnd.from_numpy(volume), volume, gnd.from_numpy(cells), cells, index, "many of 4 axes")


@pytest.mark.parametrize("groups", [1, 30, 200, 400, 700, 1500, 2048, 2049])
def test_sums_of_so_many_labels(groups):
    """Up to what a block of a GPU has memory for, and beyond; labels at random, in runs, and in views."""
    g = generator("so many labels", groups)
    x = g.random((130, 264)).astype("float32")
    for labels in (g.integers(-1, groups + 1, x.shape).astype("int32"),
                   (np.arange(x.size).reshape(x.shape) // 300 % groups).astype("int64")):
        a, b = gnd.from_numpy(x), gnd.from_numpy(labels)
        for index in (np.arange(groups), np.arange(groups)[::-1], np.arange(5, groups + 7)):
            check_sums(a, x, b, labels, index, f"{groups}")
        index = np.arange(groups)
        cut, cells = x.ravel()[3:30_000].copy(), labels.ravel()[3:30_000].copy()
        part, its = [gnd.slice(gnd.reshape(v, (x.size,)), "3:30000") for v in (a, b)]
        check_sums(part, cut, its, cells, index, f"{groups}, a view")
        got = gnd.variance_labels(part, its, gnd.from_numpy(index)).numpy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = np.array([cut[cells == k].astype("float64").var() for k in index])
        assert np.allclose(got, want, 1e-9, 1e-12, equal_nan=True), f"{groups}"


def test_sums_without_an_index_or_labels():
    g = generator("no index")
    labels = g.integers(-2, 3, (20, 30))
    for dtype in dtypes.NAMES:
        a, x = strided(g, (20, 30), dtype)
        plain = dtypes.wide(x)
        for b, chosen in ((gnd.from_numpy(labels), labels > 0), (None, np.ones(labels.shape, bool))):
            got = gnd.sum_labels(a, b, None)
            small = dtype in ("float16", "bfloat16")
            want = plain[chosen].sum()
            assert got.dtype == (dtype if small else str(x[chosen].sum().dtype)), f"sum {dtype}: {got.dtype}"
            near_enough = (0.02, 0.1) if small else (1e-5, 1e-4)
            assert np.allclose(dtypes.wide(got.numpy()), want, *near_enough), f"sum {dtype}"
            assert got.shape == ()
            if dtype in dtypes.COMPLEX:
                continue
            wide = plain.astype("float64")
            near(gnd.mean_labels(a, b, None), wide[chosen].mean(), 1, f"mean {dtype}")
            centre = ndimage.center_of_mass(wide, None if b is None else labels > 0, None if b is None else 1)
            got = gnd.center_of_mass(a, b, None)
            assert got.shape == (2,) and np.allclose(got.numpy(), centre, 1e-9, 1e-9), f"centre {dtype}"


def test_sums_broadcast():
    g = generator("broadcast")
    x, labels, index = g.random((6, 40)), g.integers(0, 4, (40,)), np.arange(4)
    whole = np.broadcast_to(labels, x.shape)
    a, b, i = gnd.from_numpy(x), gnd.from_numpy(labels), gnd.from_numpy(index)
    near(gnd.sum_labels(a, b, i), ndimage.sum_labels(x, labels, index), 100, "labels")
    near(gnd.center_of_mass(a, b, i), ndimage.center_of_mass(x, whole, index), 100, "labels")
    row = x[0]
    got = gnd.sum_labels(gnd.from_numpy(row), gnd.from_numpy(whole.copy()), i)
    near(got, ndimage.sum_labels(row, whole, index), 100, "x")


def test_sums_of_special_values():
    x = np.array([np.inf, 1, np.nan, -np.inf, np.inf, 0, 0, -1, 1])
    labels = np.array([1, 1, 2, 3, 3, 4, 4, 5, 5])
    index = np.arange(7)
    check_sums(gnd.from_numpy(x), x, gnd.from_numpy(labels), labels, index, "special")
    d = np.array([-1.0, 1.0])
    assert np.isposinf(gnd.center_of_mass(gnd.from_numpy(d), None, None).numpy()).all()  # as in SciPy's manual
    empty = gnd.zeros((0, 3), "float32")
    cells = gnd.zeros((0, 3), "int32")
    i = gnd.from_numpy(np.arange(2))
    assert (gnd.sum_labels(empty, cells, i).numpy() == 0).all()
    assert np.isnan(gnd.mean_labels(empty, cells, i).numpy()).all()
    centre = gnd.center_of_mass(empty, cells, i)
    assert centre.shape == (2, 2) and np.isnan(centre.numpy()).all()
    assert gnd.center_of_mass(gnd.zeros((), None), None, None).shape == (0,)


def test_sums_are_the_same_every_time():
    g = generator("reproducible")
    x = (g.normal(size=(500, 700)) * 10.0 ** g.integers(-8, 8, (500, 700))).astype("float32")
    labels = g.integers(0, 50, x.shape)
    a, b, i = gnd.from_numpy(x), gnd.from_numpy(labels), gnd.from_numpy(np.arange(50))
    first = gnd.center_of_mass(a, b, i).numpy()
    for _ in range(5):
        assert (gnd.center_of_mass(a, b, i).numpy() == first).all()


@pytest.mark.parametrize("shape", [(37, 2048), (5, 4096), (1, 2176), (2, 3, 2, 5, 2176), (31, 2050), (40, 1920)])
@pytest.mark.parametrize("kinds", [("float32", "int32"), ("float64", "int64")])
def test_centres_of_mass_in_long_rows(shape, kinds):
    """Rows of a multiple of 128 elements are a way of their own on a GPU, as long as the groups are few enough."""
    g = generator("long rows", shape, kinds)
    names = {"center_of_mass": "center_of_mass"}
    x = (g.random(shape) * 10.0 ** g.integers(-3, 4, shape)).astype(kinds[0])
    noise = g.integers(-1, 202, shape)
    blocks = noise.copy()
    blocks[...] = np.arange(shape[-1]) // 290 + 14 * (np.arange(shape[-2]) // 7)[:, None]
    few = np.where(g.random(shape) < 0.01, noise, 3)
    for labels in (noise, blocks, few, noise % 2):
        labels = labels.astype(kinds[1])
        a, b = gnd.from_numpy(x), gnd.from_numpy(labels)
        for index in (np.arange(1, 201), np.arange(200)[::-1], np.array([3, 7, 3, -1, 500]), np.array([3])):
            check_sums(a, x, b, labels, index, f"{shape} {kinds} {index}", names)
    got = gnd.center_of_mass(a, None, None)
    near(got, ndimage.center_of_mass(x.astype("float64")), max(shape), "alone")
    got = gnd.center_of_mass(a, b, None)
    near(got, ndimage.center_of_mass(x.astype("float64"), labels > 0, 1), max(shape), "above 0")


@pytest.mark.parametrize("groups", [300, 390, 420, 600, 680])
def test_centres_of_mass_of_many_labels_in_long_rows(groups):
    g = generator("many in long rows", groups)
    x = g.random((24, 2048)).astype("float32")
    labels = g.integers(0, groups, x.shape).astype("int32")
    index = np.arange(groups)
    a, b, i = gnd.from_numpy(x), gnd.from_numpy(labels), gnd.from_numpy(index)
    check_sums(a, x, b, labels, index, f"{groups}", {"center_of_mass": "center_of_mass"})
    first = gnd.center_of_mass(a, b, i).numpy()
    for _ in range(3):
        assert (gnd.center_of_mass(a, b, i).numpy() == first).all()
    part, its = [gnd.reshape(gnd.slice(gnd.reshape(v, (x.size,)), "1:45057"), (22, 2048)) for v in (a, b)]
    cut, cells = [v.ravel()[1:45057].reshape(22, 2048) for v in (x, labels)]
    check_sums(part, cut, its, cells, index, f"{groups}, a view", {"center_of_mass": "center_of_mass"})


def test_sums_refuse():
    x, labels, index = gnd.zeros((4, 5), "float32"), gnd.zeros((4, 5), "int32"), gnd.zeros((2,), "int64")
    for call in (gnd.sum_labels, gnd.mean_labels, gnd.center_of_mass):
        refused(lambda: call(None, labels, index), gnd.ERROR_INVALID, "'input' is NULL")
        refused(lambda: call(gnd.zeros((4, 5), "complex64"), labels, index), gnd.ERROR_DTYPE, "complex64")
        refused(lambda: call(x, gnd.zeros((4, 5), "float32"), index), gnd.ERROR_DTYPE, "integers, not float32")
        refused(lambda: call(x, labels, gnd.zeros((2,), "float32")), gnd.ERROR_DTYPE, "index is of integers")
        refused(lambda: call(x, gnd.zeros((4, 4), "int32"), index), gnd.ERROR_SHAPE, "(4, 4)")
