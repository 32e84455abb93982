"""Permutations, shuffles and choices of gnd/random.h: the orders that the words mean, bit for bit; that all orders
and all choices are as likely as they should be; shapes, axes, layouts, dtypes; and what is refused."""

import itertools

import numpy as np
import pytest
from scipy import stats

import gnd
import random_words
from check import refused
from test_faults import run_with_failures
from test_random import CPU, KINDS, LEAST, SEED, new, sobol, using

g = np.random.default_rng(0)


def choose(gen, a, shape, replace=True, p=None, axis=0):
    options = gnd.STRUCTS["gnd_choice_options"]()
    options.without_replacement, options.axis = not replace, axis
    held = gnd.from_numpy(p) if isinstance(p, np.ndarray) else p
    if held is not None:
        options.p = held.pointer
    given = gnd.from_numpy(a) if isinstance(a, np.ndarray) else a
    return gnd.random_choice(gen.pointer, given, shape, options).numpy()


def order(position, n):
    """The permutation that Philox's words from `position` on mean."""
    key, second, third = (random_words.words(SEED, position, n, attempt=a).astype("uint64") for a in range(3))
    assert np.unique(key).size < n or n < 100000, "no two keys are equal: the test needs more"
    return np.lexsort((third, second, key))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17, 1000, 300000])
def test_permutations_are_the_words(n):
    gen = new()
    got = gen.permutation(n, 0)
    assert got.dtype == "int64" and (got == order(0, n)).all()
    assert (gen.permutation(n, 0) == order(n, n)).all()
    x = g.normal(size=n).astype("float32")
    assert (gen.permutation(x, 0) == x[order(2 * n, n)]).all()


def test_rows_have_orders_of_their_own():
    rows, n = 60, 30000
    got = new().permuted(np.broadcast_to(np.arange(n), (rows, n)).copy(), 1)
    key, second, third = (random_words.words(SEED, 0, rows * n, attempt=a).reshape(rows, n) for a in range(3))
    assert any(np.unique(k).size < n for k in key), "no two keys of a row are equal"
    assert (got == np.lexsort((third, second, key), axis=-1)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_orders_are_the_same_on_all_devices(kind):
    x = g.integers(0, 99, (30, 7, 50))
    with using(CPU):
        gen = new(kind)
        want = [gen.permutation(100001, 0), gen.permuted(x, 1), gen.permuted(x, None), choose(gen, 9999, 77, False),
                choose(gen, 9, (5, 5))]
    gen = new(kind)
    got = [gen.permutation(100001, 0), gen.permuted(x, 1), gen.permuted(x, None), choose(gen, 9999, 77, False),
           choose(gen, 9, (5, 5))]
    for a, b in zip(got, want):
        assert (a == b).all()


def even(rows, cases):
    """Whether all cases come about as often."""
    numbers = {case: i for i, case in enumerate(cases)}
    counts = np.bincount([numbers[tuple(row)] for row in rows.tolist()], minlength=len(numbers))
    return stats.chisquare(counts).pvalue > LEAST


@pytest.mark.parametrize("kind", [*KINDS, "sobol"])
def test_all_orders_are_as_likely(kind):
    gen = sobol(1) if kind == "sobol" else new(kind)
    n = 24000 if kind != "sobol" else 4
    rows = gen.permuted(np.broadcast_to(np.arange(4), (n, 4)).copy(), 1)
    assert (np.sort(rows, axis=1) == np.arange(4)).all()
    if kind == "sobol":
        return
    assert even(rows, itertools.permutations(range(4)))
    columns = gen.permuted(np.broadcast_to(np.arange(4)[:, None], (4, n)).copy(), 0)
    assert even(columns.T, itertools.permutations(range(4)))
    # Where one of many goes, and what comes before it.
    long = np.stack([gen.permutation(64, 0) for _ in range(2000)])
    for column in (0, 31, 63):
        assert stats.chisquare(np.bincount(long[:, column], minlength=64)).pvalue > LEAST
    assert stats.chisquare(np.bincount((long[:, 0] < long[:, 1]), minlength=2)).pvalue > LEAST


LAYOUTS = {"C": lambda x: x, "turned": lambda x: x.T, "backwards": lambda x: x[::-1, :, ::-1],
           "thin": lambda x: x[:, ::2], "broadcast": lambda x: np.broadcast_to(x[:, :1], x.shape)}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "int64", "complex64", "complex128"])
def test_arrays_in_any_layout(layout, dtype):
    base = g.integers(0, 2 if dtype == "bool" else 100, (5, 6, 7)).astype(dtype)
    y = LAYOUTS[layout](base)
    device = gnd.from_numpy(base)
    x = {"C": lambda: device, "turned": lambda: gnd.swapaxes(device, 0, 2),
         "backwards": lambda: device["::-1, :, ::-1"], "thin": lambda: device[":, ::2"],
         "broadcast": lambda: gnd.broadcast_to(device[":, :1"], base.shape)}[layout]()
    for axis in (0, 1, 2, -1, -3):
        n = y.shape[axis]
        want = np.take(y, order(0, n), axis=axis)
        got = new().permutation(x, axis)
        assert got.dtype == want.dtype and (got == want).all()
        moved = np.moveaxis(y, axis, -1)
        indices = np.concatenate([order_of_row(r, n) for r in range(y.size // n)]).reshape(moved.shape)
        want = np.moveaxis(np.take_along_axis(moved, indices, -1), -1, axis)
        got = new().permuted(x, axis)
        assert got.dtype == want.dtype and (got == want).all()
    got = new().permuted(x, None)
    assert (got == y.ravel()[order(0, y.size)].reshape(y.shape)).all()
    if layout == "broadcast":
        refused(lambda: new().shuffle(x, 0), gnd.ERROR_INVALID, "read-only")
        return
    for axis in (0, 1, -1):
        want = np.take(y, order(0, y.shape[axis]), axis=axis)
        new().shuffle(x, axis)
        assert (x.numpy() == want).all()
        y = want
    whole = gnd.Axes(1, out=x)
    want = new().permuted(gnd.from_numpy(np.ascontiguousarray(y)), 1)
    new().permuted(x, whole)
    assert (x.numpy() == want).all()


def order_of_row(row, n):
    return order(row * n, n)


def test_parts_outside_of_a_shuffled_view_stay():
    base = np.arange(60).reshape(6, 10)
    x = gnd.from_numpy(base)
    new().shuffle(x["1:5, ::3"], 0)
    got = x.numpy()
    want = base.copy()
    want[1:5, ::3] = base[1:5, ::3][order(0, 4)]
    assert (got == want).all()


def test_nothing_to_permute():
    for shape in [(0,), (3, 0), (0, 3), (1, 1)]:
        x = np.zeros(shape)
        assert new().permutation(x, 0).shape == shape and new().permuted(x, None).shape == shape
        assert new().permuted(x, len(shape) - 1).shape == shape
        new().shuffle(gnd.from_numpy(x), 0)
    assert choose(new(), 0, 0).size == 0 and choose(new(), 5, (0, 3), False).shape == (0, 3)
    assert choose(new(), np.zeros((0, 4)), 0).shape == (0, 4)
    assert choose(new(), 3, 0, False, np.array([0.5, 0.25, 0.25])).size == 0


# ---- choices ------------------------------------------------------------------------------------------


def test_choices_are_what_numpy_would_choose():
    for shape in [(), (7,), (3, 4, 5)]:
        got = choose(new(), 10, shape)
        assert got.dtype == "int64" and got.shape == shape
        assert (got == new().integers(0, 10, shape, None, False)).all()
        a = g.normal(size=(3, 10, 2)).astype("float32")
        assert (choose(new(), a, shape, axis=1) == np.take(a, got, axis=1)).all()
        p = g.random(10)
        p[[0, 4, 9]] = 0
        p /= p.sum()
        gen = new()
        gen.random(10, None)  # what the chances take
        u = gen.random(shape, None)
        cdf = np.cumsum(p)
        want = np.searchsorted(cdf / cdf[-1], u, "right")
        assert (choose(new(), 10, shape, True, p) == want).all()
        assert (choose(new(), 10, shape, True, p.astype("float32")) == want).mean() > 0.99
    got = choose(new(), 100, (10, 10), False)
    assert (np.sort(got.ravel()) == np.arange(100)).all()
    a = g.normal(size=(4, 100))
    got = choose(new(), a, 30, False, axis=-1)
    indices = choose(new(), 100, 30, False)
    assert (got == a[:, indices]).all() and np.unique(indices).size == 30


def test_choices_are_as_likely_as_they_should_be():
    gen = new(seed=4)
    p = np.array([0.1, 0.0, 0.4, 0.25, 0.25])
    counts = np.bincount(choose(gen, 5, 100000, True, p), minlength=5)
    assert counts[1] == 0 and stats.chisquare(counts[p > 0], 100000 * p[p > 0]).pvalue > LEAST
    rows = np.stack([choose(gen, 5, 2, False) for _ in range(4000)])
    assert even(rows, itertools.permutations(range(5), 2))
    rows = np.stack([choose(gen, 5, 2, False, p) for _ in range(6000)])
    cases = [c for c in itertools.permutations(range(5), 2) if 1 not in c]
    want = np.array([p[i] * p[k] / (1 - p[i]) for i, k in cases])  # one after the other
    counts = np.array([(rows == c).all(axis=1).sum() for c in cases])
    assert counts.sum() == 6000 and stats.chisquare(counts, 6000 * want).pvalue > LEAST
    whole = choose(gen, 4, 4, False, p[p > 0])
    assert (np.sort(whole) == np.arange(4)).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_chances_add_up_to_their_precision(dtype):
    digits = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[dtype]
    for off in (0.9, -0.9, 1.2, -1.2):
        p = np.full(128, (1 + off * 2**(-digits / 2)) / 128)
        given = gnd.astype(gnd.from_numpy(p), dtype)
        if dtype != "bfloat16":
            p = p.astype(dtype)
            total = abs(p.astype("float64").sum() - 1)
            assert (total < 2**(-digits / 2)) == (abs(off) < 1)
        for replace in (True, False):
            if abs(off) < 1:
                assert choose(new(), 128, 5, replace, given).shape == (5,)
                if dtype != "bfloat16":
                    np.random.default_rng(1).choice(128, 5, replace, p)
                continue
            refused(lambda: (choose(new(), 128, 5, replace, given), gnd.sync()), gnd.ERROR_VALUE, "add up to 1")
            if dtype != "bfloat16":
                with pytest.raises(ValueError):
                    np.random.default_rng(1).choice(128, 5, replace, p)
    assert choose(new(), 2, 5, True, np.array([False, True])).tolist() == [1] * 5


def test_refused():
    gen = new()
    refused(lambda: choose(gen, 3, 4, False), gnd.ERROR_VALUE, "gnd_random_choice", "4 of 3")
    refused(lambda: choose(gen, 0, 4), gnd.ERROR_VALUE, "nothing")
    refused(lambda: choose(gen, -3, 4), gnd.ERROR_VALUE)
    refused(lambda: choose(gen, 2.5, 4), gnd.ERROR_INVALID)
    refused(lambda: choose(gen, np.array(3.0), 4), gnd.ERROR_SHAPE, "dimension")
    refused(lambda: choose(gen, np.zeros((3, 4)), 4, axis=2), gnd.ERROR_AXIS, "axis")
    refused(lambda: choose(gen, 3, 4, True, np.array([0.5, 0.5])), gnd.ERROR_SHAPE, "(2,)")
    refused(lambda: choose(gen, 3, (-4,)), gnd.ERROR_SHAPE)
    refused(lambda: choose(gen, 2, 4, True, np.array([0.5j, 0.5])), gnd.ERROR_DTYPE)
    refused(lambda: gen.permutation(-1, 0), gnd.ERROR_VALUE)
    refused(lambda: gen.permutation(1.5, 0), gnd.ERROR_INVALID)
    refused(lambda: gen.permutation(np.array(1.5), 0), gnd.ERROR_SHAPE)
    refused(lambda: gen.permutation(np.zeros(3), 1), gnd.ERROR_AXIS, "axis")
    refused(lambda: gen.permuted(np.zeros((3, 3)), (0, 1)), gnd.ERROR_INVALID, "one axis")
    refused(lambda: gen.permuted(np.zeros((3, 3)), gnd.Axes(0, keepdims=True)), gnd.ERROR_INVALID)
    refused(lambda: gen.permuted(np.zeros((3, 3)), gnd.Axes(0, out=gnd.from_numpy(np.zeros(3)))), gnd.ERROR_SHAPE)
    refused(lambda: gnd.random_shuffle(gen.pointer, None, 0), gnd.ERROR_INVALID, "NULL")
    refused(lambda: gnd.random_permutation(None, 3, 0), gnd.ERROR_INVALID, "NULL")
    assert (gen.random(10, None) == new().random(10, None)).all()
    for p in ([0.5, -0.5, 1.0], [0.5, 0.3, 0.1], [np.nan, 0.5, 0.5]):
        for replace in (True, False):
            with pytest.raises(gnd.Error, match="gnd_random_choice") as error:
                choose(gen, 3, 1, replace, np.array(p))
                gnd.sync()
            assert error.value.code == gnd.ERROR_VALUE
            refused(lambda: (choose(gen, 3, (0, 2), replace, np.array(p)), gnd.sync()), gnd.ERROR_VALUE, "choice")
    with pytest.raises(gnd.Error, match="as many numbers above 0"):
        choose(gen, 3, 3, False, np.array([0.5, 0.5, 0.0]))
        gnd.sync()


def test_allocations_may_fail():
    x = gnd.from_numpy(np.arange(30.0).reshape(5, 6))
    p = gnd.from_numpy(np.full(5, 0.2))
    gens = [new(), new("xorwow")]
    for gen in gens:
        run_with_failures(lambda: gnd.random_permutation(gen.pointer, 100, 0))
        run_with_failures(lambda: gnd.random_permutation(gen.pointer, x, 1))
        run_with_failures(lambda: gnd.random_permuted(gen.pointer, x, 1))
        run_with_failures(lambda: gnd.random_shuffle(gen.pointer, x, 0))
        run_with_failures(lambda: choose(gen, 5, 3, False, p))
        run_with_failures(lambda: choose(gen, 5, 30, True, p))
