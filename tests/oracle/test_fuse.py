"""Fusion by name: each operator in a block, expressions that people write against NumPy, what must not become
slower or wrong by being late (values needed early, operands written, views, errors, memory), and the calls
that steer it. Random programs are in test_fuse_random.py."""

import ctypes
import os
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
from fused import ROWS, Block, fused, same_array
from test_elementwise import other_inputs, refused as refused_dtypes, repair
from test_faults import apply, fail_at, fill_free_lists, run_with_failures, stats, two
from test_fuse_random import FIXED
from test_threads import in_threads

INTERPRET, COMPILE, APART, AUTO = gnd.FUSE_INTERPRET, gnd.FUSE_COMPILE, gnd.FUSE_APART, gnd.FUSE_AUTO
KEEP = gnd.Axes(-1, keepdims=True)
g = np.random.default_rng(0)


# ---- operators ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROWS)
def test_operator(name):
    """Each operator in each dtype, between a sum and a product so that there is something to fuse, over special
    values; the operator's own result is kept."""
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
    check_expression(name, "float32", SHAPES[shape], None, APART)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_compiled_expression(name):
    check_expression(name, "float32", SHAPES["rows"], "contiguous", COMPILE)
    if on_gpu():
        for dtype in ("float64", "float16"):
            for shape in ("long", "few long rows", "deep"):
                check_expression(name, dtype, SHAPES[shape], None, COMPILE)


# ---- sizes of programs -----------------------------------------------------------------------------------


def line(size=257, dtype="float32"):
    x = values.random_values(dtype, (size,), g, 0)
    return gnd.from_numpy(x), x


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
    made = [line()[0] for _ in range(200)]

    def work():
        total = made[0]
        for a in made[1:]:
            total = gnd.add(total, a)
        return total

    same_array(fused(work, INTERPRET).numpy(), work().numpy(), "200 operands", "")


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
    assert peak_of(work, APART) >= 8 * n


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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=os.path.dirname(__file__))
    assert done.returncode == 0, done.stderr


def explain():
    room = ctypes.create_string_buffer(gnd.fuse_explain_text(None, 0) + 1)
    gnd.fuse_explain_text(room, len(room))
    return room.value.decode()


# ---- what is needed early ---------------------------------------------------------------------------------


def test_values_read_inside():
    a, x = line()
    with Block(INTERPRET) as block:
        b = gnd.add(a, 1)
        c = gnd.multiply(b, 2)
        assert_same(c, (x + np.float32(1)) * np.float32(2))
        d = block.keep(gnd.subtract(c, b))
        assert gnd.item_double(gnd.slice(d, "3")) == (x[3] + np.float32(1)) * np.float32(2) - (x[3] + np.float32(1))
    assert_same(d, (x + np.float32(1)) * np.float32(2) - (x + np.float32(1)))


def test_functions_that_do_not_fuse():
    x = g.random((20, 20))
    a = gnd.from_numpy(x)
    with Block(INTERPRET) as block:
        b = gnd.add(a, 1)
        p = gnd.matmul(b, gnd.multiply(b, 2))
        c = gnd.cumsum(gnd.subtract(b, 0.5), 1)
        s = gnd.sort(gnd.negative(b), -1, gnd.ASCENDING)
        places = gnd.argmax(gnd.absolute(b), 1)
        picked = gnd.function("gnd_take")(gnd.add(b, 1), places, 0, gnd.RAISE)
        z = block.keep([gnd.add(p, c), gnd.add(s, 1), places, picked])
    y = x + 1
    assert np.allclose(z[0].numpy(), y @ (y * 2) + np.cumsum(y - 0.5, 1))
    assert_same(z[1], np.sort(-y, -1) + 1)
    assert_same(z[2], np.abs(y).argmax(1))
    assert_same(z[3], np.take(y + 1, np.abs(y).argmax(1), 0))


def test_printing_and_files(tmp_path):
    a = gnd.from_numpy(np.arange(5.0))
    with Block(INTERPRET):
        b = gnd.add(a, 0.5)
        text = gnd.to_string(b)
        assert ctypes.string_at(text).decode() == "[0.5 1.5 2.5 3.5 4.5]"
        gnd.string_free(text)
        gnd.save(str(tmp_path / "b.npy"), gnd.multiply(b, 2))
    assert np.array_equal(np.load(tmp_path / "b.npy"), (np.arange(5.0) + 0.5) * 2)


def test_operands_written_before_the_end():
    """What was recorded reads what its operands held then."""
    a, x = line()
    with Block(INTERPRET) as block:
        b = block.keep(gnd.multiply(a, 2))
        gnd.fill(a, 7)
        c = block.keep(gnd.add(a, b))
    assert_same(b, x * 2)
    assert_same(c, 7 + x * 2)
    assert_same(a, np.full(257, 7, np.float32))


def test_operands_written_through_every_door():
    doors = {
        "fill": lambda a: gnd.fill(a, 0),
        "copyto": lambda a: gnd.copyto(a, gnd.zeros((257,), "float32")),
        "an operator": lambda a: gnd.multiply_into(a, a, 0),
        "from the host": lambda a: gnd.copy_from_host(a, np.zeros(257, np.float32), 257 * 4),
        "a view": lambda a: gnd.fill(gnd.slice(a, "::-1"), 0),
        "a random draw": lambda a: gnd.random_fill(gnd.random_default(), a, "random", 0, None),
        "a scan": lambda a: gnd.cumsum(gnd.zeros((257,), "float32"), gnd.Axes(0, out=a)),
        "sorting": lambda a: gnd.sort_inplace(a, 0, gnd.ASCENDING),
        "a sum": lambda a: gnd.sum(gnd.zeros((2, 257), "float32"), gnd.Axes(0, out=a)),
        "at": lambda a: gnd.at("multiply", a, 1, [gnd.from_numpy(np.arange(257))], 0),
        "set": lambda a: gnd.set(a, 1, [slice(None)], 0),
        "its address": lambda a: ctypes.memset(a.address, 0, 257 * 4) if not on_gpu() else gnd.fill(a, 0),
        "transfer": lambda a: gnd.transfer(a, gnd.zeros((257,), "float32")),
    }
    for name, write in doors.items():
        a, x = line()
        with Block(INTERPRET) as block:
            b = block.keep(gnd.multiply(a, 2))
            late = gnd.add(b, gnd.square(a))
            write(a)
            block.keep(late)
        same_array(b.numpy(), x * 2, name, "")
        same_array(late.numpy(), x * 2 + x * x, name, "")


def test_memory_of_the_host():
    """It is read and written by the call, not at the end of the block."""
    a, x = line(64, "float64")
    source = np.arange(32.0)
    strides = (ctypes.c_int64 * 2)(8, 64)
    with Block(INTERPRET) as block:
        b = block.keep(gnd.multiply(a, 2))
        for view in (a, gnd.slice(a, "::-1"), gnd.slice(a, "::2"), b, gnd.slice(b, "::-2")):
            out = np.empty(view.size)
            gnd.to_host(view, out.ctypes.data, out.nbytes)
            want = {64: x if view is a else x * 2 if view is b else x[::-1], 32: x[::2]}[view.size]
            assert (out == (want if view.size == 64 or view.strides[0] > 0 else (x * 2)[::-2])).all()
        gnd.copy_from_host(gnd.slice(a, "::2"), source, source.nbytes)
        made = block.keep(gnd.from_host_strided(source.ctypes.data, (8, 4), strides, "float64"))
        doubled = block.keep(gnd.multiply(made, 2))
        source[:] = -1
    want = x.copy()
    want[::2] = np.arange(32.0)
    assert_same(a, want)
    assert_same(made, np.arange(32.0).reshape(4, 8).T, strides=False)
    assert_same(doubled, np.arange(32.0).reshape(4, 8).T * 2, strides=False)
    assert_same(b, x * 2)


def test_pending_values_written():
    a, x = line()
    with Block(INTERPRET) as block:
        b = gnd.multiply(a, 2)
        c = gnd.add(b, 1)
        gnd.fill(gnd.slice(b, "::2"), 5)
        d = block.keep([b, c, gnd.add(b, c)])
    want = x * 2
    want[::2] = 5
    assert_same(d[0], want)
    assert_same(d[1], x * 2 + 1)
    assert_same(d[2], want + (x * 2 + 1))


def test_into():
    """Into arrays from outside, over operands, over parts of them, and into pending ones."""
    a, x = line()
    out = gnd.zeros((257,), "float64")
    with Block(INTERPRET) as block:
        b = gnd.add(a, 1)
        gnd.multiply_into(out, b, 2)
        gnd.add_into(gnd.slice(a, "1:"), gnd.slice(a, "1:"), gnd.slice(a, ":-1"))
        gnd.add_into(b, b, b)
        gnd.subtract_into(gnd.slice(b, ":10"), gnd.slice(b, "9::-1"), 1)
        block.keep(b)
    want = x.copy()
    want[1:] += x[:-1]
    twice = (x + np.float32(1)) + (x + np.float32(1))
    twice[:10] = twice[:10][::-1] - np.float32(1)
    assert_same(out, ((x + np.float32(1)) * 2).astype(np.float64))
    assert_same(a, want)
    assert_same(b, twice)


def test_views_of_pending_values():
    x = g.random((6, 8)).astype(np.float32)
    a = gnd.from_numpy(x)
    with Block(INTERPRET) as block:
        b = gnd.add(a, 1)
        kept = block.keep([gnd.slice(b, "::-1, 2:5"), gnd.transpose(b), gnd.reshape(b, (48,)),
                           gnd.broadcast_to(gnd.slice(b, "0"), (3, 8)),
                           gnd.add(gnd.transpose(b), gnd.slice(gnd.transpose(b), "::-1"))])
        assert not gnd.shares_buffer(a, b) and gnd.shares_buffer(kept[0], b)
    y = x + np.float32(1)
    for got, want in zip(kept, [y[::-1, 2:5], y.T, y.reshape(48), np.broadcast_to(y[0], (3, 8)), y.T + y.T[::-1]]):
        assert_same(got, want)


def test_the_address():
    a, x = line()
    with Block(INTERPRET) as block:
        b = block.keep(gnd.add(a, 1))
        address = b.address
        if not on_gpu():
            assert ctypes.string_at(address, 257 * 4) == (x + np.float32(1)).tobytes()
        c = block.keep(gnd.add(b, 1))
    assert b.address == address
    assert_same(c, x + np.float32(1) + np.float32(1))


def test_uniform_numbers():
    """The same numbers, and the generator stands where it would."""
    def draw(generator):
        u = gnd.random_random(generator, (1000,), "float32")
        v = gnd.random_random(generator, (7, 3), "float64")
        n = gnd.random_standard_normal(generator, (10,), "float32")
        return [gnd.multiply(gnd.subtract(u, 0.5), 2), gnd.add(v, 1), n, gnd.random_random(generator, (5,), "float64")]

    first, second = gnd.random_new(gnd.PHILOX, 5), gnd.random_new(gnd.PHILOX, 5)
    try:
        for got, want in zip(fused(lambda: draw(first), INTERPRET), draw(second)):
            same_array(got.numpy(), want.numpy(), "uniform", "")
        assert gnd.random_save(first).numpy().tobytes() == gnd.random_save(second).numpy().tobytes()
    finally:
        gnd.random_release(first), gnd.random_release(second)


# ---- errors ------------------------------------------------------------------------------------------------


def test_errors_where_they_are_written():
    a, x = line()
    with Block(INTERPRET) as block:
        b = block.keep(gnd.add(a, 1))
        refused(lambda: gnd.add(b, gnd.zeros((3,), "float32")), gnd.ERROR_SHAPE, "add", "257", "3")
        refused(lambda: gnd.bitwise_and(b, b), gnd.ERROR_DTYPE, "bitwise_and", "float32")
        refused(lambda: gnd.sum(b, gnd.Axes(3)), gnd.ERROR_INVALID, "sum")
        refused(lambda: gnd.max(gnd.slice(b, ":0"), None), gnd.ERROR_VALUE, "max")
        refused(lambda: gnd.add_into(gnd.zeros((4,), "float32"), b, 1), gnd.ERROR_SHAPE, "add")
        refused(lambda: gnd.add_into(gnd.zeros((257,), "int8"), b, 1), gnd.ERROR_DTYPE, "add")
        refused(lambda: gnd.astype(None, "int8"), gnd.ERROR_INVALID)
        c = block.keep(gnd.multiply(b, 3))
    assert_same(b, x + np.float32(1))
    assert_same(c, (x + np.float32(1)) * np.float32(3))


@pytest.mark.parametrize("executor", [INTERPRET, APART])
def test_every_allocation_may_fail(executor):
    x = g.random((60, 50)).astype(np.float32)
    a = gnd.from_numpy(x)
    works = {
        "map": lambda: [gnd.square(gnd.add(a, 1)), gnd.add(a, 2)],
        "softmax": lambda: softmax(a),
        "sums": lambda: [gnd.sum(gnd.square(a), None), gnd.mean(gnd.add(a, 1), gnd.Axes(0))],
        "early": lambda: gnd.add(gnd.sort(gnd.add(a, 1), -1, gnd.ASCENDING), 1),
    }
    for name, work in works.items():
        fused(work, executor)
        got, failures = run_with_failures(lambda: fused(work, executor))
        assert failures > 0, name
        want = work()
        for one, other in zip(*[r if isinstance(r, list) else [r] for r in (got, want)]):
            assert np.allclose(one.numpy(), other.numpy(), 1e-5), name
        assert_same(a, x, "the operand is as it was")


def test_what_could_not_be_computed_says_so():
    """Out of memory at the block's end: using the array gives the error again."""
    a = gnd.ones((1 << 16,), "float32")
    fused(lambda: gnd.square(gnd.add(a, 1)))
    gnd.memory_trim(gnd.current_device())
    spare = fill_free_lists()
    try:
        with pytest.raises(gnd.Error) as caught:
            with Block(INTERPRET) as block:
                z = block.keep(gnd.square(gnd.add(a, 1)))
                whole = block.keep(gnd.add(a, 5))
                fail_at(1)
    finally:
        fail_at(0)
    del spare
    assert caught.value.code == gnd.ERROR_MEMORY
    for use in (z.numpy, lambda: gnd.add(z, 1).numpy(), lambda: gnd.sum(gnd.slice(z, "1:"), None).numpy()):
        refused(use, gnd.ERROR_MEMORY)
    del z, whole
    assert_same(gnd.slice(gnd.add(a, 1), ":2"), np.full(2, 2, np.float32))


# ---- blocks, threads, streams -------------------------------------------------------------------------------


def test_blocks_nest():
    a, x = line()
    with Block(INTERPRET) as outer:
        b = gnd.add(a, 1)
        with Block() as inner:
            c = inner.keep(gnd.multiply(b, 2))
            gnd.add(c, 1)
        d = outer.keep(gnd.subtract(c, a))
    assert_same(d, (x + np.float32(1)) * np.float32(2) - x)


def test_the_end_of_the_macro():
    """GND_FUSE closes its block by gnd_fuse_end_, which has no result."""
    a, x = line()
    block = gnd.STRUCTS["gnd_fuse_block"]()
    gnd.fuse_open(block)
    b = gnd.add(a, 1)
    c = gnd.multiply(b, 2)
    kept, c.pointer = gnd.keep(c), None
    gnd.fuse_end_(block)
    b.pointer = None
    assert_same(kept, (x + np.float32(1)) * np.float32(2))


def test_a_scope_inside():
    a, x = line()
    scope = gnd.STRUCTS["gnd_scope"]()
    with Block(INTERPRET) as block:
        gnd.function("gnd_scope_open")(ctypes.addressof(scope))
        b = block.keep(gnd.add(a, 1))  # to the block
        gnd.scope_close(ctypes.addressof(scope))
        block.keep(b)  # to the caller
    assert_same(b, x + np.float32(1))


def test_flush():
    a, x = line()
    with Block(INTERPRET) as block:
        b = gnd.add(a, 1)
        gnd.fuse_flush()
        c = block.keep(gnd.add(b, 1))
    gnd.fuse_flush()
    assert_same(c, x + np.float32(1) + np.float32(1))


def test_always():
    a, x = line()
    assert gnd.fuse_always(True) is False
    try:
        for _ in range(3000):  # programs end by themselves
            a = gnd.add(a, 1)
        b = gnd.multiply(a, 2)
        assert gnd.fuse_always(True) is True
    finally:
        assert gnd.fuse_always(False) is True
    want = x
    for _ in range(3000):
        want = want + np.float32(1)
    assert_same(a, want)
    assert_same(b, want * 2)


def test_always_ends_at_waits():
    a, x = line()
    event = gnd.event_new(False)
    gnd.fuse_always(True)
    try:
        b = gnd.add(a, 1)
        gnd.event_record(event, None)
        c = gnd.add(b, 1)
        gnd.stream_sync(None)
        d = gnd.add(c, 1)
        gnd.sync()
        assert_same(d, x + np.float32(1) + np.float32(1) + np.float32(1))
        del b, c  # pending or not
    finally:
        gnd.fuse_always(False)
        gnd.event_release(event)


def test_settings():
    before = gnd.fuse_use(APART)
    try:
        assert gnd.fuse_use(INTERPRET) == APART and gnd.fuse_use(AUTO) == INTERPRET
        refused(lambda: gnd.fuse_use(77), gnd.ERROR_INVALID, "77")
        assert gnd.fuse_contract(True) is False
        a, b, c = (line(5000)[0] for _ in range(3))
        loose = fused(lambda: gnd.add(gnd.multiply(a, b), c), INTERPRET)
        assert gnd.fuse_contract(False) is True
        exact = fused(lambda: gnd.add(gnd.multiply(a, b), c), INTERPRET)
        same_array(exact.numpy(), a.numpy() * b.numpy() + c.numpy(), "two roundings", "")
        scale = np.abs(a.numpy() * b.numpy()) + np.abs(c.numpy())
        assert (np.abs(loose.numpy() - exact.numpy()) <= 2.0**-23 * scale).all()
    finally:
        gnd.fuse_contract(False)
        gnd.fuse_use(before)


@pytest.mark.parametrize("word", ["auto", "interpret", "compile", "apart"])
def test_the_environment(word):
    code = ("import gnd; before = gnd.fuse_use(gnd.FUSE_AUTO); "
            f"assert before == gnd.FUSE_{word.upper()}, before")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          cwd=os.path.dirname(__file__), env={**os.environ, "GND_FUSE": word})
    assert done.returncode == 0, done.stderr


def test_closing_on_another_thread():
    block = Block(INTERPRET)
    with block:
        def work(_):
            refused(lambda: gnd.fuse_close(block.block), gnd.ERROR_INVALID)

        in_threads(work, 1)


def test_threads():
    """Programs of several threads with operands in common; one of them lazy throughout."""
    x = g.random((40, 300)).astype(np.float32)
    a = gnd.from_numpy(x)
    want = [np.square(x + np.float32(k)) - x for k in range(4)]

    def work(k):
        if k == 3:
            gnd.fuse_always(True)
        for turn in range(40):
            b = fused(lambda: gnd.subtract(gnd.square(gnd.add(a, k)), a), (AUTO, INTERPRET, APART)[turn % 3])
            assert_same(b, want[k])
            biggest = fused(lambda: gnd.max(gnd.multiply(a, k + 1), gnd.Axes(turn % 2)))
            assert_same(biggest, (x * np.float32(k + 1)).max(turn % 2))
        if k == 3:
            gnd.fuse_always(False)

    in_threads(work)


def test_values_handed_to_another_thread():
    """A thread that uses what is pending in another one gets it computed, or waits until it is."""
    a, x = line()
    with Block(INTERPRET) as block:
        b = block.keep(gnd.add(a, 1))
        gnd.fuse_flush()

        def work(k):
            assert_same(gnd.add(b, k), x + np.float32(1) + np.float32(k))

        in_threads(work)


def test_streams():
    """A program runs on the stream that was current where its block began."""
    streams = [gnd.stream_new() for _ in range(2)]
    a, x = line(100_003)
    try:
        for turn in range(20):
            gnd.use_stream(streams[turn % 2])
            with Block(INTERPRET) as block:
                b = gnd.add(a, turn)
                gnd.use_stream(streams[(turn + 1) % 2])
                c = block.keep(gnd.multiply(b, 2))
            d = gnd.subtract(c, 1)
            gnd.add_into(a, a, 0)
            assert_same(d, (x + np.float32(turn)) * np.float32(2) - np.float32(1))
    finally:
        gnd.use_stream(None)
        for stream in streams:
            gnd.stream_release(stream)
