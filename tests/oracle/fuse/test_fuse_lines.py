"""Fused programs over lines and rows of every length and alignment, which have interpreters of their own on a GPU: the
same bits as the operators one by one, where each element is computed by itself."""

import ctypes
import functools

import numpy as np
import pytest

import gnd
from fused import fused, same_array

INTERPRET, OFF = gnd.FUSE_INTERPRET, gnd.FUSE_OFF
LENGTHS = (1, 2, 3, 4, 5, 127, 511, 512, 513, 2047, 2048, 2051, 8190, 10_000, 70_001)
ROWS = ((3, 5), (7, 128), (5, 1000), (2, 1031), (3, 4096), (140, 301), (300, 64), (4, 9000))
KEEP = gnd.Axes(-1, keepdims=True)
g = np.random.default_rng(7)


def numbers(shape, dtype):
    """Numbers with zeros of both signs, huge, tiny and odd ones among them."""
    x = g.normal(size=shape).astype(dtype)
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e-30, 1e-40, 3e38], dtype)
    places = g.random(shape) < 0.02
    x[places] = g.choice(special, places.sum())
    return x


MAPS = {
    "squared difference": lambda x, y, s: gnd.square(gnd.subtract(x, y)),
    "the other way round": lambda x, y, s: gnd.divide(1, gnd.subtract(y, gnd.multiply(y, gnd.add(x, s)))),
    "twice the same": lambda x, y, s: gnd.multiply(gnd.add(x, x), gnd.subtract(y, x)),
    "divisions": lambda x, y, s: gnd.divide(gnd.divide(gnd.divide(gnd.divide(x, 1.3), 3), 255), -0.7),
    "huge and tiny divisors": lambda x, y, s: gnd.add(gnd.divide(x, 1e25), gnd.divide(y, 1e-25)),
    "gaussian": lambda x, y, s: gnd.divide(gnd.exp(gnd.multiply(-0.5, gnd.square(gnd.divide(x, 1.3)))), 3.26),
    "hidden layer": lambda x, y, s: gnd.tanh(gnd.multiply(gnd.divide(x, 255), y)),
    "choices": lambda x, y, s: gnd.where(gnd.logical_and(gnd.less(x, y), gnd.greater_equal(s, x)), x, gnd.negative(y)),
    "a comparison": lambda x, y, s: gnd.logical_or(gnd.greater(gnd.add(x, y), s), gnd.equal(x, 0)),
    "clipped": lambda x, y, s: gnd.clip(gnd.fma(x, y, s), -1, gnd.absolute(y)),
    "elementary": lambda x, y, s: gnd.add(gnd.sin(x), gnd.multiply(gnd.log(gnd.square(y)), gnd.sqrt(gnd.square(x)))),
    "many numbers": lambda x, y, s: functools.reduce(gnd.add, [i / 7 for i in range(1, 23)], x),
    "many live": lambda x, y, s: gnd.multiply(gnd.add(gnd.subtract(x, y), gnd.add(x, s)),
                                              gnd.add(gnd.multiply(x, y), gnd.subtract(s, y))),
}


# What is no fixed sequence of roundings: the compiler may join a product and a sum in one place and not in another.
LOOSE = ("gaussian", "hidden layer", "elementary")


def both(work):
    return fused(work, INTERPRET), fused(work, OFF)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MAPS)
def test_map(name, dtype):
    for n in LENGTHS:
        for skip in (0, 1) if n < 3000 else (0,):
            x, y = (gnd.from_numpy(numbers(n + skip, dtype))[f"{skip}:"] for _ in range(2))
            s = gnd.from_numpy(np.array(0.75, dtype))
            got, want = both(lambda: MAPS[name](x, y, s))
            context = f"{name}, {dtype}, {n} from {skip} on"
            if name in LOOSE:
                tolerance = 2e-6 if dtype == "float32" else 1e-13
                np.testing.assert_allclose(got.numpy(), want.numpy(), tolerance, tolerance, err_msg=context)
            else:
                same_array(got.numpy(), want.numpy(), context, "")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_broadcast_rows(dtype):
    for shape in ROWS:
        x = gnd.from_numpy(numbers(shape, dtype))
        row = gnd.from_numpy(numbers(shape[1], dtype))
        column = gnd.from_numpy(numbers((shape[0], 1), dtype))
        got, want = both(lambda: gnd.divide(gnd.subtract(gnd.multiply(x, row), column), 1.7))
        same_array(got.numpy(), want.numpy(), f"{dtype}{shape}", "")
        got, want = both(lambda: gnd.add(gnd.multiply(column, row), column))
        same_array(got.numpy(), want.numpy(), f"{dtype}{shape}, an outer product", "")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_many_operands(dtype):
    """More than are on their way before the first step, the last one a number in memory, or one for each row."""
    for shape in (1, 513, 8190, (5, 1000), (300, 64)):
        arrays = [gnd.from_numpy(numbers(shape, dtype)) for _ in range(9)]
        for last in {(), np.shape(np.empty(shape))[:-1] + (1,)}:
            one = gnd.from_numpy(np.full(last, 0.75, dtype))
            got, want = both(lambda: functools.reduce(gnd.add, [*arrays, one]))
            same_array(got.numpy(), want.numpy(), f"{dtype}{shape} and {last}", "")


def test_in_place_and_several_results():
    for n in LENGTHS:
        x, y = numbers(n, "float32"), numbers(n, "float32")
        results = []
        for executor in (INTERPRET, OFF):
            a, b = gnd.from_numpy(x), gnd.from_numpy(y)

            def work():
                gnd.add_into(a, gnd.multiply(a, b), a)
                return [gnd.less(a, b), gnd.subtract(b, a)]

            results.append(fused(work, executor) + [a])
        for one, other in zip(*results, strict=True):
            same_array(one.numpy(), other.numpy(), f"{n}", "")


REDUCTIONS = {
    "sum of squared differences": (lambda x, y, axes: gnd.sum(gnd.square(gnd.subtract(x, y)), axes),
                                   lambda x, y, axis: np.sum((x - y) ** 2, axis)),
    "norm": (lambda x, y, axes: gnd.sqrt(gnd.mean(gnd.multiply(x, x), axes)),
             lambda x, y, axis: np.sqrt(np.mean(x * x, axis))),
    "range": (lambda x, y, axes: gnd.subtract(gnd.max(gnd.add(x, y), axes), gnd.min(gnd.add(x, y), axes)),
              lambda x, y, axis: np.max(x + y, axis) - np.min(x + y, axis)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction(name, dtype):
    ours, theirs = REDUCTIONS[name]
    for shape in [(n,) for n in LENGTHS] + [(1_000_003,)] + list(ROWS):
        x, y = (g.normal(size=shape).astype(dtype) for _ in range(2))
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        for axis in (None, -1) if len(shape) > 1 else (None,):
            got = fused(lambda: ours(a, b, None if axis is None else gnd.Axes(axis)), INTERPRET)
            want = theirs(x.astype("float64"), y.astype("float64"), axis)
            tolerance = 3e-6 if dtype == "float32" else 1e-13
            np.testing.assert_allclose(got.numpy(), want, tolerance, tolerance, err_msg=f"{name}, {dtype}{shape}")


def softmax(x):
    e = gnd.exp(gnd.subtract(x, gnd.max(x, KEEP)))
    return gnd.divide(e, gnd.sum(e, KEEP))


def softmax_numpy(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x):
    return gnd.divide(gnd.subtract(x, gnd.mean(x, KEEP)), gnd.sqrt(gnd.add(gnd.var(x, KEEP, 0), 0.05)))


def layer_norm_numpy(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 0.05)


@pytest.mark.parametrize("executor", [INTERPRET, gnd.FUSE_COMPILE])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows(dtype, executor):
    """Far from zero, too: a variance must not lose what a mean has."""
    for shape in ROWS if executor == INTERPRET else ROWS[::3]:
        for offset in (0, 1000):
            x = (g.normal(size=shape) + offset).astype(dtype)
            wide, a = x.astype("float64"), gnd.from_numpy(x)
            for ours, theirs in ((softmax, softmax_numpy), (layer_norm, layer_norm_numpy)):
                got = fused(lambda: ours(a), executor).numpy()
                error = np.abs(got - theirs(wide)).max()
                bound = (2e-5 + 1e-6 * offset) if dtype == "float32" else 1e-11
                assert error < bound, f"{ours.__name__}, {dtype}{shape} about {offset}: off by {error}"


def zscore(x, axes):
    return gnd.divide(gnd.subtract(x, gnd.mean(x, axes)), gnd.std(x, axes, 0))


def softmax_along(x, axes):
    e = gnd.exp(gnd.subtract(x, gnd.max(x, axes)))
    return gnd.divide(e, gnd.sum(e, axes))


def layer_norm_along(x, axes):
    centred = gnd.subtract(x, gnd.mean(x, axes))
    return gnd.divide(centred, gnd.sqrt(gnd.add(gnd.mean(gnd.square(centred), axes), 0.05)))


def launches():
    room = ctypes.create_string_buffer(gnd.fuse_explain_text(None, 0) + 1)
    gnd.fuse_explain_text(room, len(room))
    return sum(line.startswith("launch") for line in room.value.decode().splitlines())


@pytest.mark.parametrize("axes", [(-1,), (0,), (0, 1)])
def test_launches(axes):
    """Rows that can be kept are read once; of longer ones each pass over the elements is a launch."""
    for shape, most in (((60, 60), 1), ((300, 13), 1), ((13, 300), 1), ((1000, 400), 2)):
        a = gnd.from_numpy(g.normal(size=shape).astype("float32"))
        along = gnd.Axes(*axes, keepdims=True)
        for work in (zscore, softmax_along, layer_norm_along):
            got = fused(lambda: work(a, along), INTERPRET)
            passes = 3 if len(axes) == 2 and most == 2 and work is not zscore else most
            assert launches() <= passes, f"{work.__name__} of {shape} along {axes}: {launches()} launches"
            np.testing.assert_allclose(got.numpy(), work(a, along).numpy(), 2e-5, 2e-5)
