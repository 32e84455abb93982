"""What is measured of labels, beyond sums, against scipy.ndimage's: variances, extremes and where they are, boxes,
medians, histograms, functions of the elements, where values are. Dimensions 0 to 4, dtypes, strides, NaN, indices of
any kind."""

import ctypes
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
SHAPES = [(1,), (5,), (131,), (20_001,), (40, 50), (129, 260), (7, 8, 9), (3, 4, 5, 6)]


def array(x):
    return None if x is None else gnd.from_numpy(np.asarray(x))


def cases(g, shape):
    """Labels and indices of all kinds."""
    size = int(np.prod(shape))
    yield g.integers(0, 12, shape).astype("int32"), np.array([3, 0, 11, 5, 5, 70])
    yield (np.arange(size).reshape(shape) // 37 % 9).astype("int64"), np.arange(1, 9)
    yield g.integers(-3, 4, shape) * 2**40, np.array([[-3, 2], [0, 1]]) * 2**40
    yield g.integers(0, 3, shape).astype("uint8"), np.array(1)
    yield g.integers(0, 3, shape), np.zeros(0, "int64")


def present(labels, index):
    return np.isin(index, labels)


def extrema(*args):
    room = gnd.outputs(4)
    gnd.extrema(*[ctypes.addressof(room) + 8 * k for k in range(4)], *args)
    return gnd.take(room)


# ---- variances ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_variances(shape):
    g = generator("variances", shape)
    for dtype in ("float32", "float64", "int16", "int64", "bool"):
        x = (g.normal(size=shape) * 50 + 1000).astype(dtype)
        for labels, index in cases(g, shape):
            for name, call in (("variance", gnd.variance_labels),
                               ("standard_deviation", gnd.standard_deviation_labels)):
                got = call(array(x), array(labels), array(index))
                chosen = [x[labels == k].astype("float64") for k in index.ravel()]
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = np.array([c.var() if name == "variance" else c.std() for c in chosen]).reshape(index.shape)
                assert got.dtype == "float64" and got.shape == index.shape
                assert np.allclose(got.numpy(), want, 1e-11, 1e-9, equal_nan=True), f"{name} {shape} {dtype}"


def test_variances_of_one_group_and_of_many():
    g = generator("variance of one")
    x, labels = g.normal(size=(30, 41)).astype("float32"), g.integers(-2, 3, (30, 41))
    for b, chosen in ((None, np.ones(x.shape, bool)), (labels, labels > 0)):
        got = gnd.variance_labels(array(x), array(b), None)
        assert got.shape == () and np.allclose(got.numpy(), x[chosen].astype("float64").var(), 1e-12)
    labels = g.integers(0, 5000, (150, 300))
    x = g.random(labels.shape) + 1e6
    index = np.concatenate([np.arange(5001)[::-1], [7, 7]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = ndimage.variance(x, labels, np.arange(5001))
    got = gnd.variance_labels(array(x), array(labels), array(index)).numpy()
    want = np.append(want, np.nan)[np.where(np.isin(index, labels), index, -1)]
    assert np.allclose(got, want, 1e-7, 1e-12, equal_nan=True)
    a = gnd.standard_deviation_labels(array(x), array(labels), array(index)).numpy()
    assert (a[~np.isnan(a)] == gnd.standard_deviation_labels(array(x), array(labels), array(index)).numpy()[
        ~np.isnan(a)]).all()


# ---- extremes -------------------------------------------------------------------------------------------


def check_extremes(a, x, labels, index, context):
    """All four, and each alone; x: the values, of a dtype that NumPy has."""
    b, i = array(labels), array(index)
    got = extrema(a, b, i)
    alone = [f(a, b, i) for f in (gnd.minimum_labels, gnd.maximum_labels, gnd.minimum_position, gnd.maximum_position)]
    flat, cells = x.ravel(), labels.ravel()
    for k, (low, one) in enumerate(zip(got, alone)):
        assert low.dtype == one.dtype == (a.dtype if k < 2 else "int64")
        assert low.shape == one.shape == index.shape + ((x.ndim,) if k > 1 else ())
        assert np.array_equal(dtypes.wide(low.numpy()), dtypes.wide(one.numpy()), equal_nan=k < 2), context
    values = [dtypes.wide(v.numpy()).ravel() for v in got[:2]]
    places = [v.numpy().reshape(-1, x.ndim) for v in got[2:]]
    for k, which in enumerate(index.ravel()):
        at = np.flatnonzero(cells == which)
        order = at[np.argsort(flat[at], kind="stable")]
        for side in range(2):
            if len(at) == 0:
                assert values[side][k] == 0 and not places[side][k].any(), context
                continue
            best = flat[order[-side]]
            first = at[np.flatnonzero((flat[at] == best) | ((best != best) & (flat[at] != flat[at])))[0]]
            assert np.array_equal(values[side][k], best, equal_nan=True), f"{context}: {which}"
            assert tuple(places[side][k]) == np.unravel_index(first, x.shape), f"{context}: {which}"


@pytest.mark.parametrize("shape", SHAPES)
def test_extremes(shape):
    g = generator("extremes", shape)
    for dtype in ("float32", "float64", "int8", "uint64", "int64"):
        x = (g.normal(size=shape) * 20).astype(dtype)
        if dtype == "int64":
            x = g.integers(-2**63, 2**63 - 1, shape)
        for labels, index in cases(g, shape):
            check_extremes(array(x), x, labels, index, f"{shape} {dtype} {index}")


@pytest.mark.parametrize("dtype", REAL)
def test_extremes_of_dtypes(dtype):
    g = generator("extremes of dtypes", dtype)
    a, x = strided(g, (20, 30), dtype)
    plain = dtypes.wide(x)
    for label_dtype in ("bool", "int8", "uint16", "uint32", "int64", "uint64"):
        _, labels = strided(g, (20, 30), label_dtype)
        labels = (labels % 5 if label_dtype != "bool" else labels).astype(label_dtype)
        check_extremes(a, plain, labels.astype("int64"), np.arange(7), f"{dtype} {label_dtype}")


def test_extremes_are_scipys():
    g = generator("SciPy's extremes")
    x, labels = g.permutation(1200).reshape(30, 40).astype("float32"), g.integers(0, 9, (30, 40))
    index = np.arange(11)
    want = ndimage.extrema(x, labels, index)
    for k, got in enumerate(extrema(array(x), array(labels), array(index))):
        assert (got.numpy() == np.array(want[k])).all()
    for b in (None, labels):
        want = ndimage.extrema(x, b)
        for k, got in enumerate(extrema(array(x), array(b), None)):
            assert (got.numpy() == np.array(want[k])).all() and got.shape == (() if k < 2 else (2,))
    got = gnd.minimum_labels(array(x), array(labels[0]), array(index)).numpy()
    assert (got == ndimage.minimum(x, labels[0], index)).all()


def test_extremes_of_special_values():
    x = np.array([np.nan, 1, np.inf, -np.inf, np.nan, np.nan, -0.0, 0.0, 0.0, -0.0])
    labels = np.array([1, 1, 1, 2, 2, 3, 4, 4, 5, 5])
    index = np.arange(7)
    for dtype in ("float32", "float64"):
        check_extremes(array(x.astype(dtype)), x.astype(dtype), labels, index, "special")
        a = array(x.astype(dtype))
        for call in (gnd.minimum_labels, gnd.maximum_labels):
            assert np.isnan(call(a, None, None).numpy())
        assert gnd.minimum_position(a, None, None).numpy() == 0
        assert gnd.minimum_labels(array(x[6:].astype(dtype)), None, None).numpy() == 0
    big = np.array([2**64 - 1, 0, 2**63], "uint64")
    check_extremes(array(big), big, np.array([1, 1, 1]), np.array([1]), "uint64")
    ends = np.array([2**63 - 1, -2**63])
    check_extremes(array(ends), ends, np.array([1, 2]), np.array([1, 2, 3]), "int64")
    empty = extrema(gnd.zeros((0, 3), "float32"), gnd.zeros((0, 3), "int32"), array(np.arange(2)))
    assert all((e.numpy() == 0).all() for e in empty) and empty[2].shape == (2, 2)


def test_extremes_of_many_labels():
    g = generator("extremes of many")
    x = g.random((150, 300)).astype("float32")
    labels = g.integers(0, 20_000, x.shape).astype("int32")
    index = np.concatenate([np.arange(20_001), [7, 7, -3]])
    for name in ("minimum", "maximum"):
        got = gnd.function(f"gnd_{name}_labels")(array(x), array(labels), array(index)).numpy()
        assert (got == getattr(ndimage, name)(x, labels, index)).all()


# ---- boxes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(9,), (70_000,), (30, 40), (5, 6, 7), (3, 4, 5, 6), (1, 50)])
def test_boxes(shape):
    g = generator("boxes", shape)
    for labels in (ndimage.label(g.random(shape) < 0.4)[0], g.integers(-2, 9, shape), np.zeros(shape, "int8"),
                   g.integers(0, 4, shape).astype("uint16") * 3):
        for most in (0, 1, 5, int(labels.max()) + 3):
            got = gnd.find_objects(array(labels), most)
            want = ndimage.find_objects(labels.astype("int64"), most)
            assert got.dtype == "int64" and got.shape == (len(want), len(shape), 2)
            boxes = [[(0, 0)] * len(shape) if w is None else [(k.start, k.stop) for k in w] for w in want]
            assert (got.numpy() == np.array(boxes).reshape(got.shape)).all(), f"{shape} {most}"


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_boxes_in_many_rows(dtype):
    """Runs longer and shorter than words, in rows that threads share."""
    g = generator("boxes in rows", dtype)
    for shape in [(700, 900), (60, 70, 130), (9, 8, 7, 30), (400_001,)]:
        lengths = g.integers(1, 40, int(np.prod(shape)))
        labels = np.repeat(g.integers(0, 100, lengths.size) * (g.random(lengths.size) < 0.3), lengths)[:lengths.size]
        labels = labels.reshape(shape).astype(dtype)
        got = gnd.find_objects(array(labels), 0).numpy()
        want = ndimage.find_objects(labels.astype("int64"))
        boxes = [[(0, 0)] * len(shape) if w is None else [(k.start, k.stop) for k in w] for w in want]
        assert (got == np.array(boxes).reshape(got.shape)).all(), f"{shape}"


def test_boxes_of_nothing():
    assert gnd.find_objects(gnd.zeros((0, 3), "int32"), 0).shape == (0, 2, 2)
    got = gnd.find_objects(gnd.zeros((0, 3), "int32"), 2)
    assert got.shape == (2, 2, 2) and (got.numpy() == 0).all()


# ---- medians, histograms --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REAL)
def test_medians(dtype):
    g = generator("medians", dtype)
    for shape in [(1,), (40,), (20, 30), (5, 6, 7)]:
        a, x = strided(g, shape, dtype)
        plain = dtypes.wide(x)
        for labels, index in cases(g, shape):
            got = gnd.median_labels(a, array(labels), array(index))
            kept = dtype if dtype in dtypes.FLOATS else "float64"
            assert got.dtype == kept and got.shape == index.shape
            value = dtypes.wide(got.numpy()).ravel()
            for k, which in enumerate(index.ravel()):
                own = np.sort(plain[labels == which])
                want = np.nan
                if own.size:
                    pair = [own[(own.size - 1) // 2], own[own.size // 2]]
                    with np.errstate(all="ignore"):
                        want = (np.float64(pair[0]) + np.float64(pair[1])) / 2
                limit = {"float16": 65504.0, "bfloat16": 3.3e38, "float32": 3.3e38}.get(dtype, np.inf)
                if np.abs(want) > limit / 2:
                    continue
                near = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6}.get(dtype, 1e-15)
                assert np.allclose(value[k], want, near, near / 10, equal_nan=True), f"{dtype} {shape} {which}"


def test_medians_are_scipys():
    g = generator("SciPy's medians")
    x, labels = g.random((30, 40)).astype("float32"), g.integers(0, 9, (30, 40))
    got = gnd.median_labels(array(x), array(labels), array(np.arange(9)))
    assert got.dtype == "float32" and (got.numpy() == ndimage.median(x, labels, np.arange(9))).all()
    for b in (None, labels):
        assert np.allclose(gnd.median_labels(array(x), array(b), None).numpy(), ndimage.median(x, b), 1e-7)
    assert np.isnan(gnd.median_labels(gnd.zeros((0,), "float32"), gnd.zeros((0,), "int32"),
                                      array(np.arange(2))).numpy()).all()


@pytest.mark.parametrize("dtype", REAL)
def test_histograms(dtype):
    g = generator("histograms", dtype)
    for shape in [(1,), (300,), (20, 30), (5, 6, 7)]:
        x = g.integers(0, 2, shape) if dtype == "bool" else g.integers(0, 60, shape)
        a = gnd.astype(gnd.divide(array(x), 2.0 if dtype in dtypes.FLOATS else 1.0), dtype)
        plain = dtypes.wide(a.numpy())
        for low, high, bins in ((0.0, 25.0, 5), (3.0, 17.5, 29), (1.0, 1.0, 2), (-5.0, 0.0, 1)):
            for labels, index in cases(g, shape):
                got = gnd.histogram_labels(a, low, high, bins, array(labels), array(index))
                want = [np.histogram(plain[labels == k], np.linspace(low, high, bins + 1))[0] for k in index.ravel()]
                assert got.dtype == "int64" and got.shape == index.shape + (bins,)
                assert (got.numpy() == np.array(want).reshape(got.shape)).all(), f"{dtype} {shape} {bins}"
            for b in (None, labels):
                want = ndimage.histogram(plain.astype("float64"), low, high, bins, b)
                assert (gnd.histogram_labels(a, low, high, bins, array(b), None).numpy() == want).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elements_on_edges(dtype):
    """Edges are float64, whatever the elements have."""
    for bins in range(2, 40):
        x = np.linspace(0.1, 0.7, bins + 1).astype(dtype)
        labels, want = np.ones(x.shape, "int32"), ndimage.histogram(x, 0.1, 0.7, bins)
        assert (gnd.histogram_labels(array(x), 0.1, 0.7, bins, None, None).numpy() == want).all(), bins
        got = gnd.histogram_labels(array(x), 0.1, 0.7, bins, array(labels), array(np.array([1])))
        assert (got.numpy()[0] == want).all(), bins


# ---- functions of the elements --------------------------------------------------------------------------

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def comprehension(a, labels, index, f, dtype="float64", missing=-1.0):
    """f gets NumPy arrays, and gives a number."""
    def call(values, positions, context):
        own = [gnd.borrowed(p, lambda v: v.numpy().copy()) for p in (values, positions)]
        return gnd.given_away(gnd.from_numpy(np.asarray(f(*own))))
    return gnd.labeled_comprehension(a, array(labels), array(index), FUNCTION(call), None, dtype, missing)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool", "complex128"])
def test_functions_of_elements(dtype):
    g = generator("comprehension", dtype)

    def last(values, positions):
        assert positions.dtype == "int64" and (np.diff(positions) > 0).all() and values.dtype == dtype
        return float((np.abs(values).astype("float64") * (positions % 7)).sum())

    for shape in [(1,), (40,), (20, 30), (3, 4, 5)]:
        x = (g.normal(size=shape) * 30).astype(dtype)
        for labels, index in cases(g, shape):
            got = comprehension(array(x), labels, index, last)
            flat, places = x.ravel(), np.arange(x.size)
            want = [last(flat[labels.ravel() == k], places[labels.ravel() == k]) if (labels == k).any() else -1
                    for k in index.ravel()]
            assert got.dtype == "float64" and got.shape == index.shape
            assert np.allclose(got.numpy(), np.reshape(want, index.shape), 1e-12), f"{shape} {index}"
    want = ndimage.labeled_comprehension(x, labels=labels, index=None, func=len, out_dtype=int, default=0)
    for b, expected in ((None, x.size), (labels, want)):
        got = comprehension(array(x), b, None, lambda values, positions: values.size, "int32")
        assert got.dtype == "int32" and got.shape == () and got.numpy() == expected


def test_a_function_that_fails():
    x, labels, index = array(np.arange(6.0)), np.array([1, 1, 2, 2, 3, 3]), np.arange(4)
    refused(lambda: comprehension(x, labels, index, lambda v, p: v), gnd.ERROR_SHAPE, "shape (2,), not a number")
    nothing = FUNCTION(lambda values, positions, context: None)
    refused(lambda: gnd.labeled_comprehension(x, array(labels), array(index), nothing, None, "float64", 0.0),
            gnd.ERROR_INVALID, "gave no array")


# ---- values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_values(dtype):
    g = generator("values", dtype)
    for shape in [(1,), (200,), (20, 30), (4, 5, 6), (0, 3), ()]:
        a, x = strided(g, shape, dtype)
        x = np.asarray(x % 7).astype(dtype)
        a = array(x)
        for ignored in (None, 0, 3, 100):
            room = gnd.outputs(3)
            gnd.value_indices(*[ctypes.addressof(room) + 8 * k for k in range(3)], a,
                              None if ignored is None else ctypes.addressof(ctypes.c_int64(ignored)))
            values, starts, indices = gnd.take(room)
            want = ndimage.value_indices(x, ignore_value=ignored) if x.ndim else {}
            if x.ndim == 0:
                want = {} if x == ignored else {int(x): ()}
            assert values.dtype == dtype and starts.dtype == indices.dtype == "int64"
            assert values.numpy().tolist() == sorted(int(k) for k in want)
            at, rows = starts.numpy(), indices.numpy()
            assert at.shape == (len(want) + 1,) and rows.shape == (x.ndim, at[-1])
            for k, value in enumerate(values.numpy().tolist()):
                own = rows[:, at[k]:at[k + 1]]
                for axis in range(x.ndim):
                    assert (own[axis] == want[value][axis]).all(), f"{dtype} {shape} {ignored} {value}"


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "uint64"])
def test_values_of_many_elements(dtype):
    """More than a GPU's threads take at once; views; an ignored number that the dtype does not have."""
    g = generator("values of many", dtype)
    x = g.integers(0, 100, (9, 250, 300)).astype(dtype)
    views = [(array(x), x), (gnd.slice_text(array(x), ":, ::-1, 5:"), x[:, ::-1, 5:]),
             (gnd.slice_text(array(x), "2:7"), x[2:7]), (array(np.full((5, 70), 3, dtype)), np.full((5, 70), 3, dtype))]
    for a, y in views:
        for ignored in (None, 3, -1, 2**40 + 3):
            room = gnd.outputs(3)
            gnd.value_indices(*[ctypes.addressof(room) + 8 * k for k in range(3)], a,
                              None if ignored is None else ctypes.addressof(ctypes.c_int64(ignored)))
            values, starts, indices = [part.numpy() for part in gnd.take(room)]
            flat = y.ravel()
            order = np.argsort(flat, kind="stable")
            if ignored == 3:
                order = order[flat[order] != 3]
            want, firsts = np.unique(flat[order], return_index=True)
            assert np.array_equal(values, want) and np.array_equal(starts, [*firsts, order.size])
            assert np.array_equal(indices, np.unravel_index(order, y.shape)), f"{dtype} {y.shape} {ignored}"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_property(data):
    ndim = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.integers(1, [300, 40, 12, 6][ndim - 1])) for _ in range(ndim))
    g = generator("measurements property", shape, data.draw(st.integers(0, 1000)))
    x, labels = g.integers(-9, 9, shape).astype("float32"), g.integers(0, 1 + g.integers(1, 40), shape)
    index = g.integers(0, 45, int(g.integers(0, 30)))
    check_extremes(array(x), x, labels, index, f"{shape}")


def test_refused():
    x, labels, index = gnd.zeros((4, 5), "float32"), gnd.zeros((4, 5), "int32"), gnd.zeros((2,), "int64")
    calls = [gnd.variance_labels, gnd.standard_deviation_labels, gnd.minimum_labels, gnd.maximum_labels,
             gnd.minimum_position, gnd.maximum_position, extrema, gnd.median_labels,
             lambda a, b, i: gnd.histogram_labels(a, 0.0, 1.0, 3, b, i)]
    for call in calls:
        refused(lambda c=call: c(None, labels, index), gnd.ERROR_INVALID, "'input' is NULL")
        refused(lambda c=call: c(gnd.zeros((4, 5), "complex64"), labels, index), gnd.ERROR_DTYPE, "complex64")
        refused(lambda c=call: c(x, gnd.zeros((4, 5), "float32"), index), gnd.ERROR_DTYPE, "integers, not float32")
        refused(lambda c=call: c(x, labels, gnd.zeros((2,), "float32")), gnd.ERROR_DTYPE, "index is of integers")
        refused(lambda c=call: c(x, gnd.zeros((4, 4), "int32"), index), gnd.ERROR_SHAPE, "(4, 4)")
    refused(lambda: gnd.minimum_labels(gnd.zeros((0,), "float32"), None, None), gnd.ERROR_VALUE, "no extremes")
    refused(lambda: gnd.find_objects(gnd.zeros((3,), "float32"), 0), gnd.ERROR_DTYPE, "float32")
    refused(lambda: gnd.find_objects(None, 0), gnd.ERROR_INVALID, "'input' is NULL")
    refused(lambda: gnd.histogram_labels(x, 0.0, 1.0, 0, labels, index), gnd.ERROR_VALUE, "0 bins")
    refused(lambda: gnd.histogram_labels(x, 2.0, 1.0, 3, labels, index), gnd.ERROR_VALUE, "from 2 to 1")
    refused(lambda: gnd.labeled_comprehension(x, labels, index, None, None, "float64", 0.0), gnd.ERROR_INVALID,
            "'function' is NULL")
    refused(lambda: comprehension(x, None, np.arange(2), lambda v, p: 0), gnd.ERROR_INVALID, "no labels")
    room = gnd.outputs(3)
    refused(lambda: gnd.value_indices(ctypes.addressof(room), None, None, x, None), gnd.ERROR_DTYPE, "float32")
    refused(lambda: gnd.value_indices(ctypes.addressof(room), None, None, None, None), gnd.ERROR_INVALID, "'a' is NULL")
