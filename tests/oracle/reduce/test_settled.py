"""Reductions of bool end where their results are known: wherever that is, in every tile and block, they are NumPy's."""

import numpy as np
import pytest

import gnd

LONG = 3_000_001  # more than one block


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@pytest.mark.parametrize("at", [None, 0, 1, 7, 8, 63, 4095, 4096, 4097, 70000, LONG - 1])
def test_first_of_a_long_line(name, at):
    x = np.full(LONG, name == "argmin")
    if at is not None:
        x[at] = not x[0]
    a = gnd.from_numpy(x)
    assert getattr(gnd, name)(a, None).numpy() == getattr(np, name)(x)
    back = gnd.slice_text(a, "::-1")
    assert getattr(gnd, name)(back, None).numpy() == getattr(np, name)(x[::-1])
    x[100:200] = not x[-1]
    assert getattr(gnd, name)(gnd.from_numpy(x), None).numpy() == getattr(np, name)(x)


@pytest.mark.parametrize("name", ["argmin", "argmax", "nanargmin", "nanargmax"])
def test_first_of_short_rows(name):
    for n in list(range(1, 20)) + [64, 519]:
        x = np.zeros((2 * n + 2, n), bool)
        for k in range(n):  # one true, one false, at each index; none; all
            x[2 * k, k] = True
            x[2 * k + 1] = True
            x[2 * k + 1, k] = False
        x[-1] = True
        for axis in (0, 1, None):
            got, want = getattr(gnd, name)(gnd.from_numpy(x), axis).numpy(), getattr(np, name)(x, axis)
            assert np.array_equal(got, want), (n, axis)


def rare(shape, seed):
    """Few are true, most of them late; some columns have none."""
    g = np.random.default_rng(seed)
    x = g.random(shape) < np.linspace(0, 0.01, shape[0]).reshape(-1, *[1] * (len(shape) - 1))
    x[..., ::97] = False
    return x


@pytest.mark.parametrize("shape", [(2000, 3000), (40, 9000), (9000, 70), (3, 5)])
def test_dots_along_the_first_axis(shape):
    for x, y in ((rare(shape, 0), ~rare(shape, 1)), (np.ones(shape, bool), np.ones(shape, bool)),
                 (np.ones(shape, bool), rare(shape, 2))):
        got = gnd.vecdot(gnd.from_numpy(x), gnd.from_numpy(y), 0).numpy()
        assert np.array_equal(got, np.any(x & y, axis=0))


@pytest.mark.parametrize("name", ["any", "all", "max", "min"])
@pytest.mark.parametrize("shape", [(2000, 3000), (20, 40, 700), (30, 5, 9000), (3, 300_000), (300, 1, 4000)])
def test_truth_along_outer_axes(name, shape):
    x = rare(shape, 3)
    axes = [0, len(shape) - 1, (0, len(shape) - 1), None]
    for values in (x, ~x, np.zeros(shape, bool), np.ones(shape, bool)):
        a = gnd.from_numpy(values)
        for axis in axes:
            got = getattr(gnd, name)(a, axis).numpy()
            assert np.array_equal(got, getattr(np, name)(values, axis=axis)), (shape, axis)


@pytest.mark.parametrize("name", ["greater", "less", "greater_equal", "less_equal", "equal", "not_equal", "logical_xor",
                                  "logical_and", "logical_or"])
def test_folds_of_bool_by_comparisons(name):
    ufunc = getattr(np, name)
    for shape in ((7, 300), (300, 7), (33, 5000), (4001,)):
        x = np.random.default_rng(4).integers(0, 2, shape).astype(bool)
        a = gnd.from_numpy(x)
        for axis in range(len(shape)):
            got = gnd.reduce(name, a, axis).numpy()
            want = np.take(ufunc.accumulate(x, axis=axis), -1, axis=axis)
            assert np.array_equal(got, want), (shape, axis)
            loose = gnd.function("gnd_view")(gnd.from_numpy(np.where(x, 6, 0).astype("int8")), "bool")
            assert np.array_equal(gnd.reduce(name, loose, axis).numpy(), want), (shape, axis)
