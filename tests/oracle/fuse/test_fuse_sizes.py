"""Fusion of programs that are long or wide: many values, operations, operands and reductions, in one launch or more."""

import itertools

import numpy as np
import pytest

import gnd
import values
from check import assert_same
from fused import Block, explain, fused, line, matrices, same_array

INTERPRET = gnd.FUSE_INTERPRET
KEEP = gnd.Axes(-1, keepdims=True)
g = np.random.default_rng(0)


def test_many_live_values():
    """Sixty values that are all needed at the end."""
    a, x = line()

    def work():
        alive = [gnd.multiply(a, k + 1) for k in range(60)]
        total = alive.pop()
        while alive:
            total = gnd.subtract(alive.pop(0), total)
        return total

    same_array(fused(work, INTERPRET).numpy(), work().numpy(), "60 live values", "")


def test_many_operations():
    """Over a thousand operators in one line."""
    a, x = line()

    def work():
        b = a
        for k in range(600):
            b = gnd.add(gnd.multiply(b, 1.001), 0.01 * k)
        return b

    same_array(fused(work, INTERPRET).numpy(), work().numpy(), "1200 operators", "")


def test_many_outputs():
    a, x = line()
    work = lambda: [gnd.add(gnd.square(a), k) for k in range(300)]
    for k, (got, want) in enumerate(zip(fused(work, INTERPRET), work())):
        same_array(got.numpy(), want.numpy(), f"output {k} of 300", "")


def test_many_operands():
    made = [line(seed=k)[0] for k in range(200)]

    def work():
        total = made[0]
        for a in made[1:]:
            total = gnd.add(total, a)
        return total

    same_array(fused(work, INTERPRET).numpy(), work().numpy(), "200 operands", "")


def total_of(values):
    total = values[0]
    for a in values[1:]:
        total = gnd.add(total, a)
    return total


def ranges(count=40, size=40):
    """Sequences: each is one more thing that a launch reads."""
    return [gnd.arange(0, size * (k + 1), k + 1, "float64") for k in range(count)]


def too_much_for_rows_and_elements(made):
    rows, elements = gnd.sum(made[0], gnd.Axes(0)), made[0]
    for r in ranges(38):
        rows, elements = gnd.add(rows, r), gnd.subtract(elements, r)
    return [gnd.add(elements, rows), rows, gnd.sum(elements, KEEP)]


def too_much_of_two_reductions(made):
    rows, columns = gnd.sum(made[0], KEEP), gnd.max(made[1], gnd.Axes(0, keepdims=True))
    values = [gnd.add(rows, k) for k in range(40)] + [gnd.multiply(columns, k) for k in range(40)]
    return [total_of([made[0]] + values), *values[:3]]


def too_much_to_reduce(made):
    total = total_of(ranges() + made)
    return [gnd.sum(total, KEEP), gnd.max(total, gnd.Axes(0)), gnd.sum(total, None), total,
            gnd.add(gnd.sum(total, KEEP), total)]


TOO_MUCH = {  # one value that reads more arrays than a launch has: it is cut up
    "map": lambda made: [total_of(ranges() + made)],
    "tree": lambda made: [gnd.add(total_of(ranges(20) + made[:14]), total_of(ranges(20) + made[14:]))],
    "each_kept": lambda made: list(itertools.accumulate(ranges() + made, gnd.add)),
    "reduced": too_much_to_reduce,
    "rows_and_elements": too_much_for_rows_and_elements,
    "two_reductions": too_much_of_two_reductions,
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_too_much_for_one_launch(name):
    made = matrices()
    work = lambda: TOO_MUCH[name](made)
    for got, want in zip(fused(work, INTERPRET), work()):
        assert_same(got, want.numpy())
    with Block(INTERPRET) as block:
        kept = block.keep(work())
        told = explain()
    assert kept and "launch 2" in told, told


def test_many_values_of_a_sum():
    """More of them than a launch stores: the second one is over rows, not over all that was summed."""
    (a,) = matrices(1)
    work = lambda: [gnd.add(total, k) if k else total for total in [gnd.sum(a, gnd.Axes(0))] for k in range(75)]
    for got, want in zip(fused(work, INTERPRET), work()):
        assert_same(got, want.numpy())
    launches = [line for line in explain().splitlines() if line.startswith("launch")]
    assert len(launches) == 2 and "map and reduce over" in launches[0] and "map over (40,)" in launches[1]


def test_many_reductions():
    a, x = line(1000, "int64")
    work = lambda: [gnd.sum(gnd.multiply(a, k), None) for k in range(70)]
    for k, got in enumerate(fused(work, INTERPRET)):
        assert_same(got, np.asarray((x * k).sum()))


def test_many_in_place():
    """Each array is read, summed and written by the same program."""
    made = [g.integers(-9, 9, (8, 16)).astype(np.float64) for _ in range(40)]
    arrays = [gnd.from_numpy(x) for x in made]
    with Block(INTERPRET):
        for a in arrays:
            gnd.subtract_into(a, a, gnd.mean(a, KEEP))
        gnd.add_into(arrays[0], arrays[1], arrays[0])
    want = [x - x.mean(-1, keepdims=True) for x in made]
    want[0] = want[1] + want[0]
    for a, x in zip(arrays, want):
        assert_same(a, x)


def test_many_values_of_rows():
    """What comes of one sum, thirty times, each needed by elements; and operators with parameters among it."""
    x = g.integers(-9, 9, (6, 500)).astype(np.float64)
    a = gnd.from_numpy(x)

    def work():
        total = gnd.sum(a, KEEP)
        return [gnd.multiply(a, gnd.add(total, k)) for k in range(30)] + [
            gnd.add(a, gnd.round(gnd.divide(gnd.add(total, k), 3), 1)) for k in range(20)] + [
            gnd.round(gnd.divide(gnd.add(total, k), 3), 1) for k in range(20)]

    for got, want in zip(fused(work, INTERPRET), work()):
        assert_same(got, want.numpy())


def test_one_sum_for_many():
    x = g.integers(-9, 9, 5000).astype(np.float64)
    a = gnd.from_numpy(x)

    def work():
        total = gnd.sum(a, None)
        return [gnd.multiply(a, gnd.add(total, k)) for k in range(30)]

    for k, got in enumerate(fused(work, INTERPRET)):
        assert_same(got, x * (x.sum() + k))


def test_many_parameters():
    """A product of sums that are rounded, for rows and for elements."""
    x, c = g.random((50, 60)), g.random((50, 1))
    a, b = gnd.from_numpy(x), gnd.from_numpy(c)

    def work():
        total, e = gnd.sum(a, KEEP), a
        for k in range(14):
            y = gnd.round(gnd.multiply(b, k), k)
            total, e = gnd.add(total, y), gnd.multiply(e, y)
        return [total, e]

    for got, want in zip(fused(work, INTERPRET), work()):
        assert np.allclose(got.numpy(), want.numpy(), 1e-13)


def test_a_tower_of_reductions():
    """Each reduction needs the one before."""
    x = g.integers(-5, 5, (40, 30)).astype(np.float64)
    a, want = gnd.from_numpy(x), x
    with Block(INTERPRET) as block:
        for _ in range(12):
            a = gnd.subtract(a, gnd.max(gnd.where(gnd.greater(a, 0), 0, a), KEEP))
            want = want - np.where(want > 0, 0, want).max(-1, keepdims=True)
        block.keep(a)
    assert_same(a, want)


def test_32_dimensions():
    x = g.random((2, 1) * 5 + (1,) * 21 + (3,)).astype(np.float32)
    a = gnd.from_numpy(x)
    got = fused(lambda: gnd.add(gnd.multiply(a, 2), gnd.sum(a, gnd.Axes(0, 31, keepdims=True))), INTERPRET)
    wide = x.astype(np.float64)
    assert np.allclose(got.numpy(), wide * 2 + wide.sum((0, 31), keepdims=True), 1e-6)


@pytest.mark.gpu_only
def test_more_than_2_to_the_31():
    n = 2**31 + 1001
    a = gnd.full((n,), 3, "int8")
    work = lambda: [gnd.multiply(gnd.add(a, 1), a), gnd.sum(gnd.add(a, 1), gnd.Axes(dtype="int64"))]
    z, total = fused(work, INTERPRET)
    assert gnd.item_int(total) == 4 * n
    assert_same(gnd.slice(z, "-3:"), np.full(3, 12, np.int8))
    assert gnd.item_int(gnd.sum(gnd.not_equal(z, 12), None)) == 0
