"""Fusion by name: each operator in a block, expressions that people write against NumPy, options, and that it fuses.
test_fuse_sizes.py has programs that are long or wide, test_fuse_late.py what being late must not make wrong,
test_fuse_random.py programs at random."""

import ctypes
import functools
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.special

import dtypes
import gnd
import values
from check import assert_same, call_operator, check_outputs, refused
from conftest import on_gpu
from folds import FOLDS, gnd_result
from fused import ROWS, Block, explain, fused, line, matrices, same_array
from graphs import recorded
from test_elementwise import other_inputs, refused as refused_dtypes, repair
from test_faults import apply, stats, two
from test_fuse_random import FIXED

INTERPRET, COMPILE, OFF, AUTO = gnd.FUSE_INTERPRET, gnd.FUSE_COMPILE, gnd.FUSE_OFF, gnd.FUSE_AUTO
KEEP = gnd.Axes(-1, keepdims=True)
g = np.random.default_rng(0)


# ---- operators ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROWS)
def test_operator(name):
    """Each operator in each dtype, over special values, of copies of its operands, so that there is something to
    fuse."""
    row = ROWS[name]
    for dtype in dtypes.NAMES:
        special = [values.specials(n) for n in other_inputs(row, [dtype] * 3)]
        size = 45 if len(special) > 1 else 150
        made = repair(row, [np.resize(g.permutation(v), size) for v in special])
        if refused_dtypes(row, made):
            continue
        arrays = [gnd.from_numpy(x) for x in made]
        plain = call_operator(row, arrays)

        def work():
            copies = [gnd.where(True, a, a) for a in arrays]
            return call_operator(row, copies)

        with Block(INTERPRET) as block:
            outputs = block.keep(work())
        check_outputs(row, made, outputs)
        if name in FIXED:
            for got, want in zip(outputs, plain):
                same_array(got.numpy(), want.numpy(), f"{name} of {dtype}", "")


def test_casts():
    """Every dtype to every other one, with special values, as a copy does it."""
    for source in dtypes.NAMES:
        x = np.concatenate([values.specials(source), values.random_values(source, (50,), g)])
        a = gnd.from_numpy(x)
        with Block(INTERPRET) as block:
            late = block.keep([gnd.astype(gnd.where(True, a, a), target) for target in dtypes.NAMES])
        for target, got in zip(dtypes.NAMES, late):
            same_array(got.numpy(), gnd.astype(a, target).numpy(), f"{source} to {target}", "")


def test_power_of_integers():
    """An operator that can fault is not fused, and its fault is reported."""
    a, b = gnd.from_numpy(np.arange(1, 9)), gnd.from_numpy(np.arange(8) % 3)
    assert_same(fused(lambda: gnd.add(gnd.power(gnd.add(a, 1), b), 1)), np.arange(2, 10)**(np.arange(8) % 3) + 1)
    bad = gnd.from_numpy(np.array([1, -1]))

    def late():
        fused(lambda: gnd.power(gnd.from_numpy(np.array([2, 2])), gnd.multiply(bad, 1)))
        gnd.sync()

    refused(late, gnd.ERROR_VALUE, "power")


# ---- expressions ----------------------------------------------------------------------------------------


def softmax(x, axis=-1):
    keep = gnd.Axes(axis, keepdims=True)
    e = gnd.exp(gnd.subtract(x, gnd.max(x, keep)))
    return gnd.divide(e, gnd.sum(e, keep))


def layer_norm(x, axis=-1):
    keep = gnd.Axes(axis, keepdims=True)
    centred = gnd.subtract(x, gnd.mean(x, keep))
    return gnd.divide(centred, gnd.sqrt(gnd.add(gnd.var(x, keep, 0), 0.05)))


def layer_norm_numpy(x, axis=-1):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 0.05)


def gaussian(x):
    t = gnd.divide(gnd.subtract(x, 0.1), 1.3)
    return gnd.divide(gnd.exp(gnd.multiply(-0.5, gnd.square(t))), 1.3 * np.sqrt(2 * np.pi))


# name: (with gnd, with NumPy, whether it works along the last axis)
EXPRESSIONS = {
    "squared difference": (lambda x, y: gnd.square(gnd.subtract(x, y)), lambda x, y: (x - y)**2),
    "gaussian": (lambda x, y: gaussian(x),
                 lambda x, y: np.exp(-0.5 * ((x - 0.1) / 1.3)**2) / (1.3 * np.sqrt(2 * np.pi))),
    "hidden layer": (lambda x, y: gnd.tanh(gnd.multiply(gnd.divide(x, 255), y)), lambda x, y: np.tanh(x / 255 * y)),
    "zero suppression": (lambda x, y: gnd.where(gnd.less(gnd.absolute(x), 0.5), 0, x),
                         lambda x, y: np.where(np.abs(x) < 0.5, 0, x)),
    "squared distance": (lambda x, y: gnd.sum(gnd.square(gnd.subtract(x, y)), None), lambda x, y: ((x - y)**2).sum()),
    "norms of rows": (lambda x, y: gnd.sqrt(gnd.sum(gnd.square(x), KEEP)),
                      lambda x, y: np.sqrt((x**2).sum(-1, keepdims=True))),
    "of columns": (lambda x, y: gnd.mean(gnd.multiply(x, y), gnd.Axes(0)), lambda x, y: (x * y).mean(0)),
    "softmax": (lambda x, y: softmax(x), lambda x, y: scipy.special.softmax(x, -1)),
    "softmax of columns": (lambda x, y: softmax(x, 0), lambda x, y: scipy.special.softmax(x, 0)),
    "log of a sum": (lambda x, y: gnd.add(gnd.log(gnd.sum(gnd.exp(gnd.subtract(x, gnd.max(x, KEEP))), KEEP)),
                                          gnd.max(x, KEEP)),
                     lambda x, y: scipy.special.logsumexp(x, -1, keepdims=True)),
    "layer norm": (lambda x, y: layer_norm(x), lambda x, y: layer_norm_numpy(x)),
    "layer norm of columns": (lambda x, y: layer_norm(x, 0), lambda x, y: layer_norm_numpy(x, 0)),
    "z-score": (lambda x, y: gnd.divide(gnd.subtract(x, gnd.mean(x, None)), gnd.add(gnd.std(x, None, 0), 0.1)),
                lambda x, y: (x - x.mean()) / (x.std() + 0.1)),
    "several": (lambda x, y: [gnd.add(x, y), gnd.multiply(gnd.add(x, y), 2), gnd.sum(gnd.add(x, y), None),
                              gnd.less(x, y)],
                lambda x, y: [x + y, (x + y) * 2, (x + y).sum(), x < y]),
    "with a range": (lambda x, y: gnd.multiply(gnd.add(x, gnd.divide(gnd.arange(0, x.shape[-1], 1, x.dtype), 100)), y),
                     lambda x, y: (x + np.arange(x.shape[-1], dtype=x.dtype) / 100) * y),
}
SHAPES = {"a line": (1000,), "long": (70_003,), "rows": (37, 129), "few long rows": (3, 5001), "deep": (3, 40, 17),
          "short rows": (700, 3), "one": (1, 1)}
LOOSE = {"float16": 2e-2, "bfloat16": 1.5e-1, "float32": 2e-5, "float64": 1e-12}


def check_expression(name, dtype, shape, layout, executor):
    ours, theirs = EXPRESSIONS[name]
    a, x = values.finite_operand(shape, dtype, g, layout)
    b, y = values.finite_operand(shape, dtype, g, layout)
    wide_x, wide_y = (dtypes.wide(v) for v in (x, y))
    got, want = fused(lambda: ours(a, b), executor), theirs(wide_x, wide_y)
    for one, wanted in zip(*[r if isinstance(r, list) else [r] for r in (got, want)], strict=True):
        assert one.dtype == (dtype if wanted.dtype != bool else "bool") and one.shape == np.shape(wanted)
        error = np.abs(dtypes.wide(one.numpy()) - wanted.astype(np.float64))
        scale = max(1.0, np.abs(wanted.astype(np.float64)).max(initial=0))
        scale += np.sqrt(x.size / max(1, wanted.size)) / 40  # what a sum adds up is rounded, too
        context = f"{name}, {dtype}{shape}, {layout}"
        if wanted.dtype == bool:
            continue  # said by random programs to the bit
        assert (error <= LOOSE[dtype] * scale).all(), f"{context}: off by {error.max()} of {scale}"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expression(name, shape):
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        if "16" in dtype and shape == "long":
            continue
        check_expression(name, dtype, SHAPES[shape], "contiguous", INTERPRET)
    for layout in ("transposed", "negative", "strided", "broadcast row"):
        check_expression(name, "float32", SHAPES[shape], layout, INTERPRET)
    check_expression(name, "float32", SHAPES[shape], None, OFF)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_compiled_expression(name):
    check_expression(name, "float32", SHAPES["rows"], "contiguous", COMPILE)
    if on_gpu():
        for dtype in ("float32", "float64", "float16"):
            for shape in ((3, 40, 17), (700, 3), (64, 36)):
                check_expression(name, dtype, shape, "contiguous", COMPILE)
            for shape in ("long", "few long rows", "deep"):
                if "16" in dtype and shape == "long":
                    continue  # sums and ranges beyond 65504
                check_expression(name, dtype, SHAPES[shape], None, COMPILE)


# ---- options ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", FOLDS)
def test_folds_of_pending_values(key):
    """Every reduction and scan, whether it fuses or not, with what follows from it."""
    f = FOLDS[key]
    x = g.integers(1, 5, (9, 14)).astype(np.float64)
    a = gnd.from_numpy(x)
    for axis in (None, 0, -1):
        def work():
            b = gnd.where(gnd.greater(a, 1), gnd.subtract(a, 0.5), np.nan) if "nan" in f.name else gnd.add(a, 0.5)
            return gnd.multiply(gnd_result(f, b, axis, {}), 2)
        got, want = fused(work, INTERPRET).numpy(), work().numpy()
        assert got.dtype == want.dtype and np.allclose(got, want, 1e-13, equal_nan=True), key


def test_fold_options():
    x, mask = g.integers(-50, 50, (6, 9)), g.random((6, 9)) < 0.5
    a, m = gnd.from_numpy(x), gnd.from_numpy(mask)
    start, out = gnd.from_numpy(np.array(7)), gnd.zeros((9,), "float64")
    with Block(INTERPRET) as block:
        b = gnd.multiply(a, 2)
        masked = block.keep(gnd.sum(b, gnd.Axes(0, where=gnd.logical_not(m))))
        begun = block.keep(gnd.max(gnd.add(b, 1), gnd.Axes(1, initial=start)))
        wide = block.keep(gnd.sum(b, gnd.Axes(dtype="float64", keepdims=True)))
        gnd.mean(b, gnd.Axes(0, out=out))
        wrapped = block.keep(gnd.prod(b, gnd.Axes(1, dtype="int8")))
    assert_same(masked, (x * 2).sum(0, where=~mask))
    assert_same(begun, (x * 2 + 1).max(1, initial=7))
    assert_same(wide, (x * 2).sum(dtype="float64", keepdims=True))
    assert_same(out, (x * 2).mean(0))
    assert_same(wrapped, (x * 2).prod(1, dtype="int8"))


def test_operators_with_options():
    x, mask = g.integers(-50, 50, (6, 9)), g.random((6, 9)) < 0.5
    a, m, out = gnd.from_numpy(x), gnd.from_numpy(mask), gnd.full((6, 9), 3, "float32")
    with Block(INTERPRET) as block:
        b = gnd.multiply(a, 2)
        apply("add", b, 1, where=m, out=out, casting="unsafe")
        narrow = block.keep(apply("add", b, b, dtype="int8", casting="unsafe"))
        quotient, rest = block.keep(two("gnd_divmod", b, 7))
    with np.errstate(all="ignore"):
        assert_same(out, np.where(mask, (x * 2 + 1).astype(np.float32), np.float32(3)))
        assert_same(narrow, (x * 2).astype(np.int8) + (x * 2).astype(np.int8))
    assert_same(quotient, x * 2 // 7)
    assert_same(rest, x * 2 % 7)


@pytest.mark.parametrize("executor", [INTERPRET, AUTO])
@pytest.mark.parametrize("which", [0, 1])
def test_one_of_two_results(which, executor):
    """The other one is computed, too, and kept nowhere."""
    x = g.integers(-50, 50, (300, 300))
    a = gnd.from_numpy(x)
    for axis in (0, 1):
        work = lambda: gnd.sum(two("gnd_divmod", a, 7)[which], gnd.Axes(axis))
        assert_same(fused(work, executor), divmod(x, 7)[which].sum(axis))
    work = lambda: gnd.subtract(a, two("gnd_divmod", gnd.max(a, KEEP), 7)[which])
    assert_same(fused(work, executor), x - divmod(x.max(1, keepdims=True), 7)[which])


# ---- that it fuses ----------------------------------------------------------------------------------------


def peak_of(work, executor):
    """The memory that the block needs at most, beside what is there."""
    gnd.memory_reset_peak(gnd.current_device())
    before = stats()[0]
    result = fused(work, executor)
    made = gnd.STRUCTS["gnd_memory_stats"]()
    gnd.memory_stats_of(gnd.current_device(), ctypes.addressof(made))
    del result
    return made.peak - before


@pytest.mark.parametrize("name", ["squared difference", "gaussian", "hidden layer", "softmax", "layer norm"])
def test_what_is_not_kept_is_never_in_memory(name):
    n = 1 << 20
    a, b = gnd.ones((64, n // 64), "float32"), gnd.ones((64, n // 64), "float32")
    work = lambda: EXPRESSIONS[name][0](a, b)
    # The result, and what a launch needs for itself.
    assert 4 * n <= peak_of(work, INTERPRET) < 4 * n * 1.2
    assert peak_of(work, OFF) >= 8 * n


@pytest.mark.skipif(on_gpu(), reason="of the CPU")
def test_operators_one_by_one_give_memory_back():
    """Where the operators of a block run one by one, no more is in memory than one of them reads and writes."""
    a = gnd.ones((1024, 1024), "float32")
    work = lambda: gnd.sum(functools.reduce(gnd.multiply, range(1, 9), a), gnd.Axes(0))
    assert peak_of(work, AUTO) < 4 * 2**20 * 2.5
    assert "; fallback," in explain(), explain()


@pytest.mark.skipif(on_gpu(), reason="the GPU leaves large maps of several dtypes to the operators")
def test_casts_take_no_memory():
    """Copies in another dtype are steps of the program, as other operators are."""
    n = 1 << 20
    a = gnd.ones((n,), "float32")
    work = lambda: gnd.multiply(gnd.astype(gnd.add(a, 1), "float64"), 2)
    assert 8 * n <= peak_of(work, INTERPRET) < 8 * n * 1.2


@pytest.mark.gpu_only
def test_what_a_graph_records_is_compiled():
    """A graph is launched as it was recorded, so its programs have kernels of their own from the first run on."""
    (x, _), y = line(1000), gnd.zeros((1000,), "float32")
    work = lambda: gnd.cbrt(gnd.add(gnd.multiply(x, x), 0.5))
    graph, _ = recorded(lambda: gnd.copyto(y, fused(work)))
    gnd.graph_launch(graph)
    again = fused(work)
    assert "; compiled," in explain(), explain()
    assert_same(y, again.numpy())
    gnd.graph_release(graph)


def test_explain():
    """The program as text, while it is pending and after it has run."""
    a, b = gnd.ones((1000,), "float32"), gnd.ones((1000,), "float32")
    with Block(INTERPRET) as block:
        d = gnd.subtract(a, b)
        z = block.keep(gnd.multiply(d, d))
        pending = explain()
    ran = explain()
    for text in (pending, ran):
        assert "subtract" in text and "multiply" in text and "float32" in text, text
        assert "1 launch" in text or "launch 1" in text and "launch 2" not in text, text
        assert "0.012 MB" in text, text  # that it moves
    assert_same(z, np.zeros(1000, np.float32))
    needed = gnd.fuse_explain_text(None, 0)
    short = ctypes.create_string_buffer(10)
    assert gnd.fuse_explain_text(short, 10) == needed and short.value == ran.encode()[:9]
    code = "import gnd; gnd.fuse_explain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          cwd=os.path.dirname(gnd.__file__),
                          env={**os.environ, "GND_LIBRARY": os.path.abspath(gnd.LIBRARY)})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("dtype, number, text", [
    ("float32", 2.5, "2.5"), ("float64", 2.5, "2.5"), ("float64", -1e-30, "-1e-30"), ("complex64", 1 - 2j, "1-2i"),
    ("complex128", 0.5 + 3j, "0.5+3i"), ("int8", -7, "-7"), ("int64", -2**40, "-1099511627776"),
    ("uint64", 2**64 - 1, "18446744073709551615"), ("float16", 1.5, "bits 0x3e00"), ("bfloat16", 1.5, "bits 0x3fc0")])
def test_explain_numbers(dtype, number, text):
    """The numbers of a program, in each dtype."""
    a = gnd.ones((3000,), dtype)
    with Block(INTERPRET) as block:
        kept = block.keep(gnd.multiply(gnd.add(a, number), a))
        told = explain()
    assert re.search(rf"(?<![\w.+-]){re.escape(text)}(?![\w.])", told), told
    assert kept.shape == (3000,)


@pytest.mark.skipif(on_gpu(), reason="of the CPU")
@pytest.mark.parametrize("dtype",
                         ["float16", "bfloat16", "float32", "float64", "int8", "uint64", "complex64", "complex128"])
def test_ranges(dtype):
    """Longer than a piece of a tile, in every kind of number that a range is computed in."""
    first, step, length = (2 - 1j, 1 + 3j, 1100 + 1100j) if "complex" in dtype else (3, 2, 1100)
    work = lambda: gnd.multiply(gnd.arange(first, first + length * step, step, dtype), 1)
    assert work().shape == (1100,)
    assert_same(fused(work, INTERPRET), work().numpy())


def test_memory_that_a_block_wrote_is_not_read_again():
    """What was computed into given memory is at hand for the next operator, whatever else is written: one launch."""
    a, x = line(1000, "float64")
    first, second = gnd.zeros((1000,), "float64"), gnd.zeros((1000,), "float64")
    with Block(INTERPRET):
        gnd.add_into(first, a, 1)
        gnd.multiply_into(second, first, 2)
        gnd.add_into(first, first, second)
        told = explain()
    assert "launch 2" not in told and told.count("add") == 2 and told.count("multiply") == 1, told
    assert_same(first, x + 1 + (x + 1) * 2)
    assert_same(second, (x + 1) * 2)


def test_what_is_small_runs_at_once():
    """On the CPU, unless it needs what is pending; with an executor asked for, and on a GPU, it is recorded."""
    a, large = gnd.ones((1000,), "float32"), gnd.ones((200000,), "float32")
    work = lambda: [gnd.add(a, 1), gnd.multiply(a, large["0:1000"]), gnd.sum(a, None), gnd.zeros((5,), "float64"),
                    gnd.arange(0, 5, 1, "int64"), gnd.astype(a, "int8")]
    want = [x.numpy() for x in work()]
    for executor, launched in ((gnd.FUSE_AUTO, on_gpu()), (INTERPRET, True)):
        with Block(executor) as block:
            kept = block.keep(work())
            assert ("moves" in explain()) == launched  # "moved" it says of what ran before
        for got, expected in zip(kept, want):
            assert_same(got, expected)
    with Block(gnd.FUSE_AUTO) as block:
        total = gnd.sum(gnd.multiply(large, 2), None)
        kept = block.keep([gnd.add(total, 1), gnd.multiply(total, a)])
        told = explain()
    assert "multiply" in told and "add" in told and "sum" in told, told
    assert_same(kept[0], np.float32(400001))
    assert_same(kept[1], np.full(1000, 400000, np.float32))


@pytest.mark.skipif(on_gpu(), reason="of the CPU")
@pytest.mark.parametrize("name, ours", [
    ("fallback", lambda x: gnd.add(x, 1)), ("fallback", lambda x: gnd.sum(x, gnd.Axes(1))),
    ("fallback", lambda x: gnd.subtract(x, gnd.max(x, gnd.Axes(1, keepdims=True)))),
    ("fallback", lambda x: gnd.sum(gnd.multiply(x, 2), gnd.Axes(0))),
    ("tiles", lambda x: gnd.multiply(gnd.add(x, 1), 2)), ("tiles", lambda x: gnd.sum(gnd.multiply(x, 2), gnd.Axes(1))),
])
def test_who_is_quicker_on_the_cpu(name, ours):
    """One operator alone, and rows that fit the caches, go through the ordinary loops; the bits are theirs."""
    (x,) = matrices(1, (400, 400))
    want = ours(x).numpy()
    with Block(gnd.FUSE_AUTO) as block:
        got = block.keep(ours(x))
        told = explain()
    assert f"; {name}," in told and "launch 2" not in told, told
    assert_same(got, want)


@pytest.mark.skipif(on_gpu(), reason="of the CPU")
@pytest.mark.parametrize("from_dtype, to_dtype", [("int32", "float64"), ("float64", "float32"), ("float32", "float32"),
                                                  ("int8", "float16"), ("uint16", "complex128"),
                                                  ("complex128", "complex64")])
def test_one_operator_with_casts_is_as_without_a_block(from_dtype, to_dtype):
    """The ordinary loops cast what they read and store; they write where they read, if nothing else reads it."""
    x = g.integers(1, 100, (300, 401)).astype(from_dtype)
    for view, part in ((":", x), (":, ::2", x[:, ::2]), ("::-1", x[::-1])):
        def operands():
            a = gnd.from_numpy(x)[view]
            return a, gnd.astype(a, to_dtype)

        a, out = operands()
        gnd.add_into(out, a, a)
        gnd.sqrt_into(out, out)
        b, late = operands()
        for work in (lambda: gnd.add_into(late, b, b), lambda: gnd.sqrt_into(late, late)):
            with Block(gnd.FUSE_AUTO):
                work()
                told = explain()
            assert "; fallback," in told and "launch 2" not in told, told
        assert_same(late, out.numpy())
        first, second = operands()[1], operands()[1]
        with Block(gnd.FUSE_AUTO):  # of two that read it, the first must not write there
            gnd.negative_into(first, second)
            gnd.add_into(second, second, second)
        assert_same(first, -part.astype(to_dtype))
        assert_same(second, part.astype(to_dtype) * np.dtype(to_dtype).type(2))


NUMBERS = {"float64": (2.5, "2.5"), "float32": (0.375, "0.375"), "complex64": (1.5 - 2j, "1.5-2i"),
           "complex128": (3 + 0.5j, "3+0.5i"),
           "int8": (-7, "-7"), "uint8": (200, "200"), "int16": (-30000, "-30000"), "uint16": (65535, "65535"),
           "int32": (-2147483648, "-2147483648"), "uint32": (4294967295, "4294967295"),
           "int64": (-(2**62), str(-(2**62))),
           "uint64": (2**64 - 1, str(2**64 - 1)), "bool": (True, "true"), "float16": (1.0, "bits 0x3c00")}


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_in_a_listing(dtype):
    """A number stands there as what it is in the dtype that it has."""
    number, text = NUMBERS[dtype]
    a = gnd.ones((50,), dtype)
    with Block(INTERPRET) as block:
        kept = block.keep(gnd.logical_and(a, number) if dtype == "bool" else gnd.multiply(a, number))
        assert re.search(rf"(?<![\w.+-]){re.escape(text)}(?![\w.+-])", explain()), explain()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_numbers_that_repeat_and_end(dtype):
    """A tile draws as many numbers as it has: one for a row that repeats it, none behind the last."""
    def draw(a, b):
        made = gnd.random_random(generator, (a, b), dtype)
        return [gnd.add(gnd.broadcast_to(made, (a, 70)), 0) if b == 1 else gnd.transpose(made)]

    for shape in ((300, 1), (7, 11), (1, 41)):
        results = []
        for executor in (OFF, INTERPRET):
            generator, base = gnd.random_new(gnd.PHILOX, 5), gnd.full((300 * 70 + 9,), -1, dtype)
            with Block(executor) as block:
                made, = draw(*shape)
                ends = gnd.slice(base, f":{made.size}")
                gnd.copyto(gnd.reshape(ends, made.shape), made)
                flat = gnd.random_random(generator, (5,), dtype)
                gnd.copyto(gnd.slice(base, f"{made.size}:{made.size + 5}"), flat)
            results.append(base.numpy())
            gnd.random_release(generator)
        np.testing.assert_array_equal(*results)
        drawn = shape[0] * shape[1] * (70 if shape[1] == 1 else 1) + 5
        assert (results[1][drawn:] == -1).all() and (results[1][:drawn] >= 0).all()
