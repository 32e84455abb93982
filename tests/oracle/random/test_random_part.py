"""gnd_random_fill_part: every box of a draw is what the whole draw has there, to the bit, and the generator goes on
behind the whole."""

import ctypes

import numpy as np
import pytest

import gnd
import random_words
from check import refused
from test_random import SEED, Generator, new, sobol

g = np.random.default_rng(5)
DRAWS = [("random", (), "float32"), ("random", (), "float64"), ("uniform", (-2, 3), "float32"),
         ("standard_normal", (), "float32"), ("normal", (1, 2), "float64"), ("normal", (1, 2), "float16"),
         ("exponential", (2,), "float32"), ("gamma", (2.5, 3), "float64"), ("beta", (2, 3), "float32"),
         ("poisson", (4,), "int64"), ("geometric", (0.2,), "int64"), ("integers", (0, 10), "int8"),
         ("integers", (-5, 2**40), "int64"), ("integers", (0, 3 * 2**30), "uint32")]
BOXES = [((7, 6, 5), (0, 0, 0), (7, 6, 5)), ((7, 6, 5), (2, 0, 0), (3, 6, 5)), ((7, 6, 5), (0, 2, 0), (7, 3, 5)),
         ((7, 6, 5), (1, 1, 1), (5, 4, 3)), ((7, 6, 5), (0, 0, 4), (7, 6, 1)), ((7, 6, 5), (3, 3, 0), (1, 1, 5)),
         ((7, 6, 5), (2, 2, 2), (1, 1, 1)), ((7, 6, 5), (7, 0, 0), (0, 6, 5)), ((7, 6, 5), (0, 6, 0), (7, 0, 5)),
         ((13,), (4,), (9,)), ((), (), ()), ((3, 1, 900), (1, 0, 17), (2, 1, 700)), ((0, 4), (0, 1), (0, 2)),
         ((3, 2, 4, 2, 3, 2), (1, 0, 1, 0, 1, 0), (2, 1, 2, 1, 2, 1))]


def fill(gen, out, name, parameters, part=None):
    given = [gnd.from_numpy(p) if isinstance(p, np.ndarray) else p for p in parameters]
    if part is None:
        gnd.random_fill(gen.pointer, out, name, len(given), given or None)
    else:
        start = (ctypes.c_int64 * 16)(*part[1])
        gnd.random_fill_part(gen.pointer, out, gnd.shape(part[0]), start, name, len(given), given or None)


def box_of(box):
    return tuple(slice(s, s + n) for s, n in zip(box[1], box[2]))


def compare(make, name, parameters, dtype, box):
    """`parameters` are of the whole draw."""
    whole, part = gnd.zeros(box[0], dtype), gnd.zeros(box[2], dtype)
    one, other = make(), make()
    for gen in (one, other):
        gnd.random_advance(gen.pointer, 3)
    own = [np.broadcast_to(p, box[0])[box_of(box)].copy() if isinstance(p, np.ndarray) else p for p in parameters]
    fill(one, whole, name, parameters)
    fill(other, part, name, own, box)
    assert part.numpy().tobytes() == whole.numpy()[box_of(box)].tobytes()
    assert one.random(9, "float64").tobytes() == other.random(9, "float64").tobytes()


@pytest.mark.parametrize("box", BOXES, ids=str)
@pytest.mark.parametrize("case", DRAWS, ids=str)
def test_numbers_as_parameters(case, box):
    compare(new, *case, box)
    if case[0] in ("uniform", "normal"):
        compare(lambda: sobol(5), *case, box)


@pytest.mark.parametrize("box", [b for b in BOXES if len(b[0]) < 6], ids=str)
@pytest.mark.parametrize("case", [c for c in DRAWS if c[1]], ids=str)
def test_arrays_as_parameters(case, box):
    name, parameters, dtype = case
    kinds = [np.int64 if name == "integers" else np.float64] * len(parameters)
    rows = [np.full(box[0], p, k) + (np.arange(np.prod(box[0])).reshape(box[0]) % 7 if i == 0 and name != "geometric"
                                     else 0) for i, (p, k) in enumerate(zip(parameters, kinds))]
    rows = [r.astype(k) for r, k in zip(rows, kinds)]
    if name == "uniform":
        rows[1] += 7
    compare(new, name, rows, dtype, box)
    compare(new, name, [rows[0], *parameters[1:]] if name not in ("uniform", "integers") else rows, dtype, box)
    if name == "normal":
        compare(lambda: sobol(5), name, rows, dtype, box)


def test_runs_far_apart():
    """Where calls for each run cost less than the numbers between, and where two of them are drawn together."""
    for shape, start, count in [((5, 100_000), (1, 7), (3, 50_000)), ((40, 1000), (0, 900), (40, 100)),
                                ((3, 4, 5000), (0, 1, 100), (3, 2, 4000)), ((3, 4, 300), (0, 1, 17), (3, 2, 250))]:
        for dtype in ("float32", "float64"):
            compare(new, "normal", (0, 1), dtype, (shape, start, count))
    compare(new, "random", (), "float32", ((3, 3_000_000), (0, 1), (3, 1_000_000)))


def test_views_are_filled():
    out, gen, other = gnd.zeros((4, 6), "float32"), new(), new()
    fill(gen, out["::-1, 1::2"], "normal", (0, 1), ((9, 8), (2, 3), (4, 3)))
    want = np.zeros((4, 6), "float32")
    want[::-1, 1::2] = other.normal(0, 1, (9, 8), "float32")[2:6, 3:6]
    assert (out.numpy() == want).all()


def test_words_are_those_of_their_positions():
    part = gnd.zeros((2, 3), "uint32")
    fill(new(), part, "integers", (0, 2**32), ((1000, 1000), (998, 5), (2, 3)))
    want = [[random_words.words(SEED, 1000 * i + j, 1)[0] for j in (5, 6, 7)] for i in (998, 999)]
    assert part.numpy().tolist() == want


def test_what_is_refused():
    out, gen = gnd.zeros((2, 3), None), new()
    refused(lambda: fill(gen, out, "random", (), ((2, 3), (1, 0))), gnd.ERROR_SHAPE, "gnd_random_fill_part", "(2, 3)")
    refused(lambda: fill(gen, out, "random", (), ((2, 3), (-1, 0))), gnd.ERROR_SHAPE)
    refused(lambda: fill(gen, out, "random", (), ((6,), (0,))), gnd.ERROR_SHAPE)
    refused(lambda: fill(gen, out, "random", (), ((2**40, 2**40), (0, 0))), gnd.ERROR_SHAPE, "too large")
    refused(lambda: gnd.random_fill_part(gen.pointer, out, gnd.shape((2, 3)), None, "random", 0, None),
            gnd.ERROR_INVALID, "NULL")
    refused(lambda: fill(gen, out, "normal", (0, -1), ((4, 3), (0, 0))), gnd.ERROR_VALUE, "scale")
    refused(lambda: fill(gen, out[":0"], "normal", (0, -1), ((4, 3), (0, 0))), gnd.ERROR_VALUE, "scale")
    refused(lambda: fill(gen, out, "normal", (np.zeros(4), 1), ((4, 4), (0, 0))), gnd.ERROR_SHAPE)
    refused(lambda: fill(gen, out, "nothing", (), ((4, 3), (0, 0))), gnd.ERROR_INVALID, "nothing")
    for kind in ("xorwow", "mrg32k3a"):
        refused(lambda k=kind: fill(new(k), out, "random", (), ((4, 3), (0, 0))), gnd.ERROR_INVALID, "Philox")
    many = gnd.zeros((1, 2) * 5, None)
    refused(lambda: fill(gen, many, "normal", (np.zeros(2), 1), ((2, 3) * 5, (0,) * 10)), gnd.ERROR_INVALID, "merge")
    assert (out.numpy() == 0).all() and (gen.random(10, None) == new().random(10, None)).all()


def test_the_default_generator():
    gnd.random_seed(gnd.random_default(), 11)
    part = gnd.zeros((3, 2), None)
    fill(type("default", (), {"pointer": gnd.random_default()}), part, "random", (), ((3, 5), (0, 2)))
    want = Generator(gnd.random_new(gnd.PHILOX, 11)).random((3, 5), None)
    assert (part.numpy() == want[:, 2:4]).all()
