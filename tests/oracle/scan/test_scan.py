"""Scans: layouts, options and refusals of cumsum and its kin, accumulate of every binary operator, and
cumulative_sum and cumulative_prod, against NumPy. (Random values and axes are in test_folds_random.py.)"""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import headers
import reference
import values

INEXACT = dtypes.FLOATS + dtypes.COMPLEX


def running(ufunc):
    def call(x, axis=None, **options):
        return ufunc.accumulate(np.ravel(x) if axis is None else x, axis or 0, **options)
    return call


SCANS = {"cumsum": np.cumsum, "cumprod": np.cumprod, "nancumsum": np.nancumsum,
         "nancumprod": np.nancumprod, "cummax": running(np.maximum), "cummin": running(np.minimum)}


def quiet(function, *arguments, **options):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def sample(name, dtype, shape, g):
    """Values whose running results say something: products neither vanish nor overflow."""
    if dtype in INEXACT:
        x = g.normal(size=shape)
        if "prod" in name or name == "multiply":
            x = np.sign(x) * g.uniform(0.9, 1.1, shape)
        if dtype in dtypes.COMPLEX:
            x = x * np.exp(1j * g.uniform(0, 6, shape))
        if name.startswith("nan"):
            x = np.where(g.random(shape) < 0.2, np.nan, x)
        return dtypes.cast(x, dtype)
    low = 0 if dtype[0] in "bu" else -4
    return dtypes.cast(g.integers(low, 2 if dtype == "bool" else 6, shape), dtype)


def assert_scan(got, x, function, axis=None, **options):
    """Exactly NumPy's where nothing is rounded, else within some roundings of the true value."""
    narrow = dtypes.is_bfloat16(x)
    wide = dtypes.widen(x)
    want = quiet(function, wide, axis=axis, **options)
    want = dtypes.to_bfloat16(want) if narrow and want.dtype == np.float32 else want
    context = f"{function}({dtypes.name_of(x.dtype)}{x.shape} strides {x.strides}, {axis}, {options})"
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    actual = got.numpy()
    good = reference.same_values(actual, want)
    if got.dtype in INEXACT:
        dtype, higher, more = options.get("dtype"), wide, {}
        if wide.dtype.kind == "c" and dtype in dtypes.FLOATS:
            more["dtype"] = np.longdouble
        elif dtype is not None:
            higher = wide.astype(dtype)
        higher = higher.astype(np.clongdouble if higher.dtype.kind == "c" else np.longdouble)
        true = quiet(function, higher, axis=axis, **more)
        scale = quiet(function, np.abs(higher), axis=axis)
        real = {"complex64": "float32", "complex128": "float64"}.get(got.dtype, got.dtype)
        unit = reference.EPSILON["float32" if real in ("float16", "bfloat16") else real]
        length = x.size if axis is None else x.shape[axis]
        error = (8 + 2 * length) * unit * np.abs(scale) + reference.EPSILON[real] * np.abs(true)
        error = error + 2 * reference.SMALLEST[real]
        if more:  # the elements' own rounding
            error = error + reference.EPSILON[real] * np.abs(scale)
        with np.errstate(all="ignore"):
            good = good | (np.abs(dtypes.widen(actual) - true) <= error)
            good = good | (np.abs(true) > 0.99 * reference.LARGEST[real])
    if not np.all(good):
        at = tuple(np.argwhere(~np.asarray(good))[0])
        raise AssertionError(f"{context}: {(~good).sum()} of {good.size} differ, at {at}: "
                             f"{dtypes.widen(actual)[at]!r}, not {dtypes.widen(want)[at]!r}")


# ---- cumsum, cumprod, nancumsum, nancumprod, cummax, cummin ---------------------------------------------

SHAPES = [(1,), (0,), (9,), (3, 4), (0, 3), (3, 0), (2, 3, 4), (4, 1, 5), (70, 33), (2, 40, 50), (1500, 3)]


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", SCANS)
def test_axes(name, dtype):
    g = np.random.default_rng(1)
    for shape in SHAPES:
        x = sample(name, dtype, shape, g)
        a = gnd.from_numpy(x)
        for axis in (None, *range(-len(shape), len(shape))):
            assert_scan(getattr(gnd, name)(a, axis), x, SCANS[name], axis)


def test_no_dimension():
    x = np.float32(2.5)
    for name, function in SCANS.items():
        for axis in (None, 0, -1):
            got = getattr(gnd, name)(gnd.from_numpy(np.asarray(x)), axis)
            assert got.shape == (1,) and got.numpy() == [2.5], name
        with pytest.raises(gnd.Error, match="axis"):
            getattr(gnd, name)(gnd.from_numpy(np.asarray(x)), 1)


# Views of an array of shape (6, 20, 40), as values.apply_numpy and gnd.view make them.
LAYOUTS = {
    "contiguous": [],
    "sliced": [("slice", "1:5, ::3, 2:30")],
    "transposed": [("permute", (2, 1, 0))],
    "permuted": [("permute", (1, 0, 2))],
    "turned": [("permute", (1, 2, 0))],
    "reversed": [("slice", "::-1, ::-1, ::-1")],
    "reversed along one axis": [("slice", ":, ::-1, :")],
    "reversed in part": [("slice", ":, 18:3:-2, ::2"), ("permute", (2, 0, 1))],
    "broadcast": [("slice", ":, :1, :"), ("broadcast", (6, 35, 40))],
    "broadcast row": [("slice", "0, 0, :"), ("broadcast", (70, 40))],
    "broadcast row, transposed": [("slice", "0, 0, :"), ("broadcast", (70, 40)), ("permute", (1, 0))],
    "broadcast column": [("slice", "0, :, :1"), ("broadcast", (20, 70))],
    "one value": [("slice", "0, 0, 0"), ("broadcast", (40, 50))],
    "fortran matrix": [("slice", "0, :, :"), ("permute", (1, 0))],
    "a row": [("slice", "3, 4, :")],
    "a column": [("slice", "3, :, 7")],
    "one element wide": [("slice", ":, :1, :1")],
}


def view_of(x, layout):
    return values.apply_numpy(x, LAYOUTS[layout]), gnd.view(x, LAYOUTS[layout])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["cumsum", "cummax", "nancumprod"])
def test_layouts(name, layout):
    g = np.random.default_rng(2)
    for dtype in ("int16", "float16", "float32", "complex128"):
        view, a = view_of(sample(name, dtype, (6, 20, 40), g), layout)
        for axis in (None, *range(view.ndim)):
            got = getattr(gnd, name)(a, axis)
            assert_scan(got, view, SCANS[name], axis)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_lie_as_numpys(layout):
    """K order: strides are NumPy's, but of axes of size 1."""
    x = np.arange(6 * 20 * 40, dtype=np.float32).reshape(6, 20, 40)
    view, a = view_of(x, layout)
    for axis in range(view.ndim):
        for dtype in (None, "float64"):
            got = gnd.cumsum(a, gnd.Axes(axis, dtype=dtype))
            want = np.cumsum(view, axis, dtype=dtype)
            long = [k for k in range(view.ndim) if view.shape[k] > 1]
            assert [got.strides[k] for k in long] == [want.strides[k] for k in long], (axis, dtype)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum"])
def test_dtype(name, dtype):
    g = np.random.default_rng(3)
    for source in dtypes.NAMES:
        if "bfloat16" in (source, dtype):
            continue
        x = sample(name, source, (5, 30), g)
        if source in INEXACT and dtype not in INEXACT:
            x = np.abs(x) * 3 if source not in dtypes.COMPLEX else np.rint(x * 3)
            x = np.where(np.isnan(x), 1, x).astype(source) if dtype[0] in "ui" else x.astype(source)
        if source not in INEXACT and dtype[0] == "u":
            x = np.abs(x.astype(int)).astype(source)
        a = gnd.from_numpy(x)
        if name == "cumprod" and dtype == "float16":
            continue  # overflows
        for axis in (None, 0, 1):
            given = () if axis is None else (axis,)
            got = getattr(gnd, name)(a, gnd.Axes(*given, dtype=dtype))
            assert_scan(got, x, SCANS[name], axis, dtype=dtype)


def test_dtype_bfloat16():
    x = np.array([[1.5, 2.25, -0.5], [3, 4, 1000]])
    for source in ("float64", "int32", "bool"):
        got = gnd.cumsum(gnd.from_numpy(x.astype(source)), gnd.Axes(1, dtype="bfloat16"))
        want = dtypes.to_bfloat16(np.cumsum(x.astype(source).astype(np.float32), 1))
        assert got.dtype == "bfloat16" and np.array_equal(got.numpy(), want)
    for to in ("float64", "float32", "int8", "complex64"):
        got = gnd.cumsum(gnd.from_numpy(dtypes.to_bfloat16(x[:1])), gnd.Axes(1, dtype=to))
        assert got.dtype == to and np.array_equal(got.numpy(), np.cumsum(x[:1].astype(to), 1))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("to", ["bool", "int8", "uint64", "float16", "float32", "float64", "complex128"])
def test_out_of_any_dtype(dtype, to):
    """x and out are promoted together, the result is cast."""
    g = np.random.default_rng(4)
    for name in ("cumsum", "cummax"):
        x = np.abs(sample(name, dtype, (4, 25), g)).astype(dtype)
        for axis in (None, 0, 1):
            want = np.zeros(100 if axis is None else x.shape, to)
            quiet(SCANS[name], x, axis=axis, out=want)
            out = gnd.from_numpy(np.zeros_like(want))
            given = () if axis is None else (axis,)
            got = getattr(gnd, name)(gnd.from_numpy(x), gnd.Axes(*given, out=out))
            assert got.address == out.address and got.dtype == to
            tolerance = 2e-2 if "16" in dtype + to else 1e-5
            if to[0] in "iub" and dtype in INEXACT:
                tolerance = 1.1  # a sum just below a whole number
            assert np.allclose(out.numpy(), want, tolerance, tolerance), (name, axis)


@given(st.data())
def test_out_that_overlaps(data):
    """As if x had been copied first: shifted, reversed, transposed, the same places."""
    n = data.draw(st.sampled_from([6, 40, 70]))
    base = np.arange(2.0 * n * n).reshape(2 * n, n) % 7
    views = {
        "same": lambda b: b[:n], "rows": lambda b: b[1:n + 1], "other rows": lambda b: b[::2],
        "reversed": lambda b: b[n - 1::-1], "transposed": lambda b: b[:n].T, "odd": lambda b: b[1::2],
        "columns": lambda b: b[:n, ::-1],
    }
    here, there = (data.draw(st.sampled_from(sorted(views))) for _ in range(2))
    axis = data.draw(st.sampled_from([0, 1]))
    dtype = data.draw(st.sampled_from(["float64", "float32", "int64"]))
    x = base.astype(dtype)
    a = gnd.from_numpy(x)
    texts = {"same": ":%d" % n, "rows": "1:%d" % (n + 1), "other rows": "::2", "odd": "1::2",
             "reversed": "%d::-1" % (n - 1), "transposed": ":%d" % n, "columns": ":%d, ::-1" % n}
    arrays = []
    for which in (here, there):
        part = a[texts[which]]
        arrays.append(gnd.transpose(part) if which == "transposed" else part)
    want = np.cumsum(views[here](x).copy(), axis)
    gnd.cumsum(arrays[0], gnd.Axes(axis, out=arrays[1]))
    views[there](x)[...] = want
    assert np.array_equal(a.numpy(), x), (here, there, axis, dtype)


def test_out_flat():
    """All elements to a strided vector, from any layout; and to x's own memory."""
    x = np.arange(120.0).reshape(10, 12)
    for steps in ([], [("permute", (1, 0))], [("slice", ":, ::2")], [("slice", "::-1, ::-1")]):
        source = values.apply_numpy(x, steps)
        target = gnd.from_numpy(np.zeros(2 * source.size))
        out = target["::2"]
        gnd.cumsum(gnd.view(x, steps), gnd.Axes(out=out))
        assert np.array_equal(out.numpy(), np.cumsum(source))
        assert not target["1::2"].numpy().any()
    for turn in (False, True):
        a = gnd.from_numpy(x)
        gnd.cumsum(gnd.transpose(a) if turn else a, gnd.Axes(out=gnd.reshape(a, (120,))))
        assert np.array_equal(a.numpy().ravel(), np.cumsum(x.T if turn else x))


# ---- special values -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_special_values(dtype):
    nan, inf = np.nan, np.inf
    rows = np.array([[1, nan, 2, 3, 4, 5], [inf, 1, -inf, 2, 3, 4], [-0.0, -0.0, -0.0, 0.0, -0.0, 0.0],
                     [nan, 0, nan, 1, nan, nan], [-inf, inf, 0, 1, 2, 3], [0.0, -0.0, 1, nan, -1, inf]])
    if dtype in dtypes.COMPLEX:
        rows = np.concatenate([rows, rows + 1j, rows + 1j * rows[::-1], np.array([[complex(1, nan)] * 6])])
    x = rows.astype(dtype)
    turn, many = [("permute", (1, 0))], np.repeat(x, 20, 0)
    for base, steps, axis in ((x, [], 1), (x, turn, 0), (many, [], 1), (many, turn, 0), (many.T, [], 0)):
        y = values.apply_numpy(np.ascontiguousarray(base), steps)
        for name, function in SCANS.items():
            if dtype in dtypes.COMPLEX and "prod" in name:
                continue  # which part of a product of infinities is NaN is not said
            got = getattr(gnd, name)(gnd.view(base, steps), axis).numpy()
            want = quiet(function, y, axis=axis)
            same = reference.same_values(got, want)
            if dtype in dtypes.COMPLEX:
                same = same | (np.isnan(got) & np.isnan(want))
            if name in ("cummax", "cummin"):
                same = same | (got == want)  # which of 0.0 and -0.0 is not said
            assert np.all(same), (name, got, want)
            if name == "cumsum" and dtype in dtypes.FLOATS:
                assert np.array_equal(np.signbit(got) & (want == 0), np.signbit(want) & (want == 0))


def test_positive_sums_never_fall():
    """On the CPU; GPUs round the sums of neighbouring pieces apart."""
    g = np.random.default_rng(5)
    steps = 4 if gnd.current_device().kind == gnd.GPU else 0
    for dtype in ("float32", "float64"):
        for shape, axis in (((200003,), 0), ((3, 70001), 1), ((70001, 3), 0), ((900, 70), 0)):
            x = (g.random(shape) * (g.random(shape) < 0.5)).astype(dtype)
            got = gnd.cumsum(gnd.from_numpy(x), axis).numpy()
            fall = -np.diff(got, axis=axis) / np.take(got, -1, axis).max()
            assert np.all(fall <= steps * np.finfo(dtype).eps), (dtype, shape, fall.max())


@pytest.mark.parametrize("shape, axis", [((300007,), 0), ((2, 100003), 1), ((100003, 5), 0), ((5000, 130), 0),
                                         ((130, 5000), 1), ((40000, 7), 1), ((3, 9000, 40), 1)])
@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "bfloat16", "float32", "float64", "complex64"])
def test_long(shape, axis, dtype):
    """Lines that are cut into blocks, scanned as rows, and scanned one by one."""
    g = np.random.default_rng(6)
    x = sample("cumsum", dtype, shape, g)
    a = gnd.from_numpy(x)
    for name in ("cumsum", "cummin"):
        assert_scan(getattr(gnd, name)(a, axis), x, SCANS[name], axis)


@pytest.mark.parametrize("width", range(2, 18))
def test_few_columns(width):
    """Matrices of a few columns, whole numbers, so that nothing is rounded: as long as many tiles or a part of
    one, several of them, from odd addresses, and in place."""
    g = np.random.default_rng(9)
    for dtype in ("int8", "uint16", "float32", "int64", "complex64", "complex128"):
        for shape, axis in (((4001, width), 0), ((97, width), 0), ((3, 1501, width), 1), ((40, 120, width), 1)):
            flat = g.integers(0, 100, int(np.prod(shape)) + 1).astype(dtype)
            for start in (0, 1):
                x = flat[start:][:-1 if start == 0 else None].reshape(shape)
                a = gnd.reshape(gnd.from_numpy(flat)[f"{start}:{start + x.size}"], shape)
                for name in ("cumsum", "cummax"):
                    want = SCANS[name](x, axis=axis, **({"dtype": dtype} if name == "cumsum" else {}))
                    got = getattr(gnd, name)(a, gnd.Axes(axis, dtype=dtype) if name == "cumsum" else axis)
                    assert np.array_equal(got.numpy(), want), (dtype, shape, start, name)
                gnd.cummax(a, gnd.Axes(axis, out=a))
                assert np.array_equal(a.numpy(), want), (dtype, shape, start, "in place")


def test_few_columns_of_a_million():
    """Many groups of tiles, on a GPU."""
    x = np.random.default_rng(10).integers(-9, 9, (1_300_000, 10)).astype("int32")
    got = gnd.cumsum(gnd.from_numpy(x), gnd.Axes(0, dtype="int32"))
    assert np.array_equal(got.numpy(), np.cumsum(x, 0, dtype="int32"))
    y = np.where(x == 3, np.nan, x).astype("float32")
    assert np.array_equal(gnd.nancumsum(gnd.from_numpy(y), 0).numpy(), np.nancumsum(y, 0, dtype="float64"))


RUN = """
import sys; sys.path.insert(0, {folder!r})
import hashlib, numpy as np, gnd
g, digest = np.random.default_rng(7), hashlib.sha256()
for shape, axis in (((300007,), 0), ((2, 100003), 1), ((70003, 5), 0), ((5000, 130), 0), ((300, 500), 1)):
    x = g.normal(size=shape)
    for dtype in ("float16", "float32", "float64", "complex64"):
        a = gnd.from_numpy(x.astype(dtype))
        for name in ("cumsum", "cummax"):
            digest.update(np.ascontiguousarray(getattr(gnd, name)(a, axis).numpy()).tobytes())
        digest.update(gnd.accumulate("hypot" if dtype != "complex64" else "add", a, axis).numpy().tobytes())
print(digest.hexdigest())
"""


def test_same_bits_with_any_number_of_threads():
    code = RUN.format(folder=os.path.dirname(gnd.__file__))
    seen = set()
    for threads in ("1", "2", "3", "7"):
        environment = dict(os.environ, GND_NUM_THREADS=threads, GND_LIBRARY=gnd.LIBRARY)
        seen.add(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                                env=environment).stdout)
    assert len(seen) == 1, seen


# ---- accumulate -----------------------------------------------------------------------------------------

BINARY = [row for row in headers.read_operators()
          if row.inputs == "TT" and row.outputs in ("T", "B") and "PARAMS" not in row.flags]
ROUNDS = {"power", "float_power", "arctan2", "hypot", "logaddexp", "logaddexp2", "multiply", "add"}


def operands(name, dtype, shape, g):
    if name in ("power", "float_power"):
        values = g.integers(0, 3, shape) if dtype not in INEXACT else g.uniform(0.7, 1.4, shape)
        return dtypes.cast(values, dtype)
    if name.endswith("_shift"):
        return dtypes.cast(g.integers(0, 3, shape), dtype)
    if dtype in INEXACT:
        values = np.where(g.random(shape) < 0.5, g.normal(size=shape), g.integers(-3, 4, shape))
        if name in ("multiply", "divide"):
            values = np.sign(values + 0.1) * g.uniform(0.7, 1.4, shape)
        return dtypes.cast(values + (1j * g.integers(-1, 2, shape) if dtype in dtypes.COMPLEX else 0), dtype)
    low = 0 if dtype[0] in "bu" else -9
    return dtypes.cast(g.integers(low, 2 if dtype == "bool" else 10, shape), dtype)


def stepwise(ufunc, x, axis, associative):
    """NumPy's accumulate; of bfloat16 in float32, rounded at each step or, if associative, at the end."""
    if not dtypes.is_bfloat16(x):
        return quiet(ufunc.accumulate, x, axis)
    wide = np.moveaxis(dtypes.from_bfloat16(x), axis, 0)
    out = np.array(wide)
    for i in range(1, len(out)):
        out[i] = quiet(ufunc, out[i - 1], wide[i])
        if not associative:
            out[i] = dtypes.from_bfloat16(dtypes.to_bfloat16(out[i]))
    return dtypes.to_bfloat16(np.moveaxis(out, 0, axis))


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_accumulate(row, dtype):
    g = np.random.default_rng(8)
    ufunc = getattr(np, row.name)
    associative = "ASSOCIATIVE" in row.flags
    for shape in [(1,), (7,), (40,), (3, 5), (0, 4), (4, 0), (6, 40), (40, 6), (50, 40), (2, 9, 4)]:
        x = operands(row.name, dtype, shape, g)
        a = gnd.from_numpy(x)
        for axis in range(len(shape)):
            try:
                quiet(ufunc.accumulate, dtypes.widen(x), axis)
            except TypeError:
                with pytest.raises(gnd.Error, match=row.name) as caught:
                    gnd.accumulate(row.name, a, axis)
                assert caught.value.code == gnd.ERROR_DTYPE
                continue
            if dtype == "bfloat16" and row.name == "nextafter":
                continue  # on the grid of bfloat16, which NumPy does not have
            got = gnd.accumulate(row.name, a, axis)
            want = quiet(ufunc.accumulate, dtypes.widen(x), axis)
            if want.dtype == np.float32:
                want = stepwise(ufunc, x, axis, associative)
            assert got.dtype == dtypes.name_of(want.dtype) and got.shape == want.shape
            actual = got.numpy()
            good = reference.same_values(actual, want)
            if row.name == "nextafter":  # of 0.0 and -0.0 NumPy's float16 gives the first before 2.5
                good = good | (actual == want)
            if got.dtype in INEXACT and (row.name in ROUNDS or got.dtype in dtypes.COMPLEX):
                tolerance = {"float16": 2e-2, "bfloat16": 6e-2, "float32": 1e-4, "complex64": 1e-4}.get(
                    got.dtype, 1e-11)
                good = good | np.isclose(dtypes.widen(actual), dtypes.widen(want), tolerance, tolerance)
            assert np.all(good), (shape, axis, actual[~good], want[~good], x)


@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_accumulate_dtype(row):
    """dtype= and out=: which loops there are, and what is refused."""
    g = np.random.default_rng(9)
    ufunc = getattr(np, row.name)
    for source in ("bool", "int8", "uint32", "float32", "complex64"):
        x = np.abs(operands(row.name, source, (6,), g)).astype(source)
        a = gnd.from_numpy(x)
        for dtype in ("bool", "uint8", "int64", "float16", "float64", "complex128"):
            try:
                want = quiet(ufunc.accumulate, x, dtype=dtype)
            except TypeError:
                want = None
            try:
                got = gnd.accumulate(row.name, a, gnd.Axes(0, dtype=dtype))
            except gnd.Error as error:
                assert error.code == gnd.ERROR_DTYPE and want is None, (source, dtype, error)
                continue
            assert want is not None and got.dtype == dtype, (source, dtype)
            assert np.allclose(got.numpy(), want, 1e-2, 1e-2, equal_nan=True), (source, dtype, x)


def test_accumulate_default_axis():
    x = np.arange(12).reshape(3, 4)
    assert np.array_equal(gnd.accumulate("add", gnd.from_numpy(x), None).numpy(), np.add.accumulate(x))


def test_accumulate_refuses():
    x = gnd.from_numpy(np.arange(6.0).reshape(2, 3))
    for name, code, text in (("divmod", gnd.ERROR_INVALID, "two results"), ("sqrt", gnd.ERROR_INVALID, "two arg"),
                             ("ldexp", gnd.ERROR_INVALID, "dtypes"), ("isclose", gnd.ERROR_INVALID, "param"),
                             ("copy", gnd.ERROR_INVALID, "copy"), ("nonsense", gnd.ERROR_INVALID, "nonsense"),
                             ("less", gnd.ERROR_DTYPE, "less"), ("gcd", gnd.ERROR_DTYPE, "gcd")):
        with pytest.raises(gnd.Error, match=text) as caught:
            gnd.accumulate(name, x, 0)
        assert caught.value.code == code, name
    with pytest.raises(gnd.Error, match="one axis; 2"):
        gnd.accumulate("add", x, (0, 1))
    with pytest.raises(gnd.Error, match="one axis; 0"):
        gnd.accumulate("add", x, ())
    with pytest.raises(gnd.Error, match="0-d"):
        gnd.accumulate("add", gnd.from_numpy(np.asarray(1.0)), None)


def test_power_reports_negative_powers():
    for shape, axis in (((5,), 0), ((5, 60), 0), ((60, 5), 1)):
        x = np.full(shape, 2)
        gnd.accumulate("power", gnd.from_numpy(x), axis).numpy()
        x[(..., 3) if axis else 3] = -1
        with pytest.raises(gnd.Error, match="negative power") as caught:
            gnd.accumulate("power", gnd.from_numpy(x), axis)
            gnd.sync()
        assert caught.value.code == gnd.ERROR_VALUE


# ---- cumulative_sum and cumulative_prod -----------------------------------------------------------------


@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_cumulative(name, initial):
    g = np.random.default_rng(10)
    call, function = getattr(gnd, name), getattr(np, name)
    plain = "cumprod" if name.endswith("prod") else "cumsum"
    for dtype in ("bool", "int16", "uint8", "float16", "float32", "complex64"):
        for shape in [(5,), (0,), (3, 4), (0, 3), (3, 0), (2, 3, 4)]:
            x = sample(plain, dtype, shape, g)
            for steps in ([], [("permute", tuple(range(len(shape))[::-1]))], [("slice", "::-1")]):
                y, a = values.apply_numpy(x, steps), gnd.view(x, steps)
                for axis in range(-len(shape), len(shape)):
                    got = call(a, axis, initial)
                    want = quiet(function, y, axis=axis, include_initial=initial)
                    assert got.dtype == want.dtype.name and got.shape == want.shape
                    assert np.allclose(got.numpy(), want, 1e-2 if dtype == "float16" else 1e-5, 1e-3)
                    if want.size and min(want.shape) > 1:
                        assert got.strides == want.strides
                    out = gnd.from_numpy(np.full(want.shape, 7.0))
                    assert call(a, gnd.Axes(axis, out=out), initial).address == out.address or dtype == "complex64"
                    if dtype != "complex64":
                        assert np.allclose(out.numpy(), want, 1e-2 if dtype == "float16" else 1e-5, 1e-3)
        got = call(gnd.from_numpy(x), gnd.Axes(1, dtype="float64"), initial)
        assert got.dtype == "float64" and got.shape == (2, 3 + initial, 4)
    assert call(gnd.from_numpy(np.float32(3)), None, initial).shape == (1 + initial,)
    assert call(gnd.from_numpy(np.arange(3)), None, initial).shape == (3 + initial,)
    with pytest.raises(gnd.Error, match="axis must be named"):
        call(gnd.from_numpy(np.ones((2, 3))), None, initial)


def test_cumulative_overlap():
    a = gnd.from_numpy(np.arange(8.0))
    gnd.cumulative_sum(a[":7"], gnd.Axes(0, out=a), True)
    assert np.array_equal(a.numpy(), np.cumulative_sum(np.arange(7.0), include_initial=True))


# ---- refusals -------------------------------------------------------------------------------------------


def test_refuses():
    x = gnd.from_numpy(np.arange(6.0).reshape(2, 3))
    mask = gnd.from_numpy(np.ones((2, 3), bool))
    one = gnd.from_numpy(np.asarray(1.0))
    fixed = gnd.broadcast_to(one, (2, 3))
    calls = [lambda axes, n=n: getattr(gnd, n)(x, axes) for n in SCANS] + [
        lambda axes: gnd.accumulate("add", x, axes), lambda axes: gnd.cumulative_sum(x, axes, True),
        lambda axes: gnd.cumulative_prod(x, axes, False)]
    for call in calls:
        for axes, code, text in (
                (gnd.Axes(2), gnd.ERROR_AXIS, "axis 2"), (gnd.Axes(-3), gnd.ERROR_AXIS, "axis -3"),
                (gnd.Axes(0, 1), gnd.ERROR_INVALID, "one axis; 2 were"),
                (gnd.Axes(none=True), gnd.ERROR_INVALID, "one axis; 0 were"),
                (gnd.Axes(0, keepdims=True), gnd.ERROR_INVALID, "keepdims"),
                (gnd.Axes(0, where=mask), gnd.ERROR_INVALID, "where"),
                (gnd.Axes(0, dtype=77), gnd.ERROR_DTYPE, "77"),
                (gnd.Axes(0, out=one), gnd.ERROR_SHAPE, r"out has shape \(\)"),
                (gnd.Axes(0, out=gnd.from_numpy(np.ones(3))), gnd.ERROR_SHAPE, r"\(3,\)")):
            with pytest.raises(gnd.Error, match=text) as caught:
                call(axes)
            assert caught.value.code == code, caught.value
    with pytest.raises(gnd.Error, match="read-only"):
        gnd.cumsum(x, gnd.Axes(0, out=fixed))
    with pytest.raises(gnd.Error, match="NULL"):
        gnd.cumsum(None, 0)
