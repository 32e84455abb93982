"""What being late must not make wrong: values needed early, operands that are written, views, errors, memory that
runs out, threads and streams; and the calls that steer fusion."""

import ctypes
import functools
import os
import subprocess
import sys

import numpy as np
import pytest

import gnd
from check import assert_same, call_operator, refused
from conftest import on_gpu
from fused import ROWS, Block, fused, line, same_array
from test_faults import fail_at, fill_free_lists, run_with_failures
from test_fuse import softmax
from test_threads import in_threads

INTERPRET, COMPILE, OFF, AUTO = gnd.FUSE_INTERPRET, gnd.FUSE_COMPILE, gnd.FUSE_OFF, gnd.FUSE_AUTO
g = np.random.default_rng(0)


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
        indices = gnd.argmax(gnd.absolute(b), 1)
        picked = gnd.function("gnd_take")(gnd.add(b, 1), indices, 0, gnd.RAISE)
        z = block.keep([gnd.add(p, c), gnd.add(s, 1), indices, picked])
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


def test_uniform_numbers_that_are_repeated():
    """Broadcast, transposed and reversed in the block: each number goes to all of its elements, once."""
    def draw(generator):
        results = []
        for dtype in ("float32", "float64"):
            grid = gnd.zeros((90, 110), dtype)
            row, column = gnd.random_random(generator, (1, 110), dtype), gnd.random_random(generator, (90, 1), dtype)
            whole = gnd.random_random(generator, (110, 90), dtype)
            results += [gnd.add(grid, row), gnd.add(column, grid), gnd.subtract(gnd.multiply(column, 2), row),
                        gnd.add(gnd.transpose(whole), grid)]
        return results

    first, second = gnd.random_new(gnd.PHILOX, 6), gnd.random_new(gnd.PHILOX, 6)
    try:
        for got, want in zip(fused(lambda: draw(first), INTERPRET), draw(second)):
            same_array(got.numpy(), want.numpy(), "uniform", "")
    finally:
        gnd.random_release(first), gnd.random_release(second)


# ---- errors ------------------------------------------------------------------------------------------------


def test_errors_where_they_are_written():
    a, x = line()
    with Block(INTERPRET) as block:
        b = block.keep(gnd.add(a, 1))
        refused(lambda: gnd.add(b, gnd.zeros((3,), "float32")), gnd.ERROR_SHAPE, "add", "257", "3")
        refused(lambda: gnd.bitwise_and(b, b), gnd.ERROR_DTYPE, "bitwise_and", "float32")
        refused(lambda: gnd.sum(b, gnd.Axes(3)), gnd.ERROR_AXIS, "sum")
        refused(lambda: gnd.max(gnd.slice(b, ":0"), None), gnd.ERROR_VALUE, "max")
        refused(lambda: gnd.add_into(gnd.zeros((4,), "float32"), b, 1), gnd.ERROR_SHAPE, "add")
        refused(lambda: gnd.add_into(gnd.zeros((257,), "int8"), b, 1), gnd.ERROR_DTYPE, "add")
        refused(lambda: gnd.astype(None, "int8"), gnd.ERROR_INVALID)
        c = block.keep(gnd.multiply(b, 3))
    assert_same(b, x + np.float32(1))
    assert_same(c, (x + np.float32(1)) * np.float32(3))


# ---- more than a launch reads and writes --------------------------------------------------------------------


@pytest.mark.parametrize("arrays", [10, 23, 24, 25, 27])
def test_written_in_place_and_read_by_the_next_launch(arrays):
    """What `out` held is read once: a launch behind the one that writes it has to have it from elsewhere."""
    made = [gnd.full((6, 40), k + 1, "float64") for k in range(arrays + 1)]
    with Block(INTERPRET) as block:
        ranges = [gnd.arange(0, 40 * (k + 1), k + 1, "float64") for k in range(38)]
        gnd.add_into(made[0], made[0], 1)
        z = block.keep(functools.reduce(gnd.add, ranges + made))
    row = np.arange(40.0) * sum(range(1, 39)) + sum(range(arrays + 2)) + 1
    assert_same(z, np.tile(row, (6, 1)))
    assert_same(made[0], np.full((6, 40), 2.0))


@pytest.mark.parametrize("before", [0, 1, 2])
def test_second_results_of_a_later_launch(before):
    """More results than a launch stores: the first one of an operator in one launch, the second in the next."""
    x = g.normal(size=50) * 9
    a = gnd.from_numpy(x)

    def work():
        made = [gnd.add(a, k) for k in range(before)]
        for k in range(40):
            made += call_operator(ROWS["modf"], [gnd.multiply(a, k + 1)], None)
        total = gnd.sum(gnd.square(a), gnd.Axes(0, keepdims=True))  # and of rows
        for k in range(40):
            made += call_operator(ROWS["divmod"], [gnd.add(total, k), 0.25 * k + 1], None)
        return made

    for got, want in zip(fused(work, INTERPRET), work()):
        np.testing.assert_allclose(got.numpy(), want.numpy(), 1e-12, 1e-12)


@pytest.mark.parametrize("executor", [INTERPRET, OFF])
def test_every_allocation_may_fail(executor):
    x = g.random((60, 50)).astype(np.float32)
    a = gnd.from_numpy(x)
    others = [gnd.full((60, 50), k, "float32") for k in range(28)]
    ranges = lambda: [gnd.arange(0, 50 * (k + 1), k + 1, "float32") for k in range(40)]
    works = {
        "too much for one launch": lambda: functools.reduce(gnd.add, ranges() + others),
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


def test_blocks_are_closed_once():
    """An outer block closes those inside it; none is closed twice."""
    a, x = line()
    out = gnd.zeros_like(a, gnd.DTYPE_NONE)
    outer, inner = gnd.STRUCTS["gnd_fuse_block"](), gnd.STRUCTS["gnd_fuse_block"]()
    gnd.fuse_open(outer)
    gnd.fuse_open(inner)
    gnd.add_into(out, a, 1)
    gnd.fuse_close(outer)
    for block in (inner, outer):
        with pytest.raises(gnd.Error, match="not open on the calling thread"):
            gnd.fuse_close(block)
    assert_same(out, x + np.float32(1))


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
    before = gnd.fuse_use(OFF)
    try:
        assert gnd.fuse_use(INTERPRET) == OFF and gnd.fuse_use(AUTO) == INTERPRET
        refused(lambda: gnd.fuse_use(77), gnd.ERROR_INVALID, "77")
        assert gnd.fuse_contract(True) is False
        a, b, c = (line(5000, seed=k)[0] for k in range(3))
        loose = fused(lambda: gnd.add(gnd.multiply(a, b), c), INTERPRET)
        assert gnd.fuse_contract(False) is True
        exact = fused(lambda: gnd.add(gnd.multiply(a, b), c), INTERPRET)
        same_array(exact.numpy(), a.numpy() * b.numpy() + c.numpy(), "two roundings", "")
        scale = np.abs(a.numpy() * b.numpy()) + np.abs(c.numpy())
        assert (np.abs(loose.numpy() - exact.numpy()) <= 2.0**-23 * scale).all()
    finally:
        gnd.fuse_contract(False)
        gnd.fuse_use(before)


@pytest.mark.parametrize("word", ["auto", "interpret", "compile", "off"])
def test_the_environment(word):
    code = ("import gnd; before = gnd.fuse_use(gnd.FUSE_AUTO); "
            f"assert before == gnd.FUSE_{word.upper()}, before")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          cwd=os.path.dirname(gnd.__file__),
                          env={**os.environ, "GND_LIBRARY": os.path.abspath(gnd.LIBRARY), "GND_FUSE": word})
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
            b = fused(lambda: gnd.subtract(gnd.square(gnd.add(a, k)), a), (AUTO, INTERPRET, OFF)[turn % 3])
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
