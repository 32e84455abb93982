"""Out of memory at every allocation: each public call, with its n-th allocation failing for n = 1, 2, ...
until it succeeds, either works or reports GND_ERROR_MEMORY, writes nothing half, and leaks nothing."""

import ctypes

import numpy as np
import pytest

import gnd
import headers
from check import assert_same
from folds import FOLDS
from test_elementwise import dtypes_to_lay_out, other_inputs

fail_at = gnd.lib.gndi_fail_alloc_at
fail_at.argtypes, fail_at.restype = [ctypes.c_int64], None


def stats():
    result = gnd.STRUCTS["gnd_memory_stats"]()
    gnd.memory_stats_of(gnd.current_device(), ctypes.addressof(result))
    return result.in_use, result.blocks


def fill_free_lists():
    """Headers and buffers that the library keeps for reuse are no allocation: empty the lists."""
    return [gnd.empty((2,) * k, "float32") for k in (1, 9) for _ in range(40)]


def run_with_failures(call, before=None):
    """Calls `call()` again and again, the n-th allocation failing, until it succeeds."""
    failures = 0
    for n in range(1, 400):
        kept = fill_free_lists()
        gnd.memory_trim(gnd.current_device())
        state = (gnd.live_arrays(), stats())
        fail_at(n)
        try:
            result = call()
        except gnd.Error as error:
            fail_at(0)
            assert error.code == gnd.ERROR_MEMORY, f"allocation {n}: {error}"
            assert error.message
            result, failed = None, True
        else:
            fail_at(0)
            failed = False
        if failed:
            gnd.memory_trim(gnd.current_device())  # taps that are kept for the next call
            now = (gnd.live_arrays(), stats())
            assert now[0] <= state[0] and now[1] <= state[1], f"allocation {n}: leaked"
            failures += 1
        del kept
        if not failed:
            return result, failures
    raise AssertionError("still failing after 400 allocations")


def check_with_failures(call, context):
    """call(a, v), of a matrix and a view, gives after all failures what it gave before them, one array or a list, and
    leaves its argument alone."""
    x = np.arange(12.0).reshape(3, 4)
    a, v = gnd.from_numpy(x), gnd.from_numpy(np.arange(24.0).reshape(3, 8))["::-1, ::2"]
    want = call(a, v)
    got, failures = run_with_failures(lambda: call(a, v))
    assert failures > 0
    for p, q in zip(*[r if isinstance(r, list) else [r] for r in (got, want)], strict=True):
        assert_same(p, q.numpy(), context, strides=False)
    assert_same(a, x, "the argument is as it was")


def make():
    """Operands for the calls below."""
    g = np.random.default_rng(0)
    x = g.random((6, 8)).astype(np.float32)
    deep = g.random((2,) * 10)
    return x, gnd.from_numpy(x), deep, Deep(deep)


class Deep(gnd.Array):
    """An array of ten axes, with a long one beside it."""

    __slots__ = ("long",)

    def __init__(self, values):
        array = gnd.from_numpy(values)
        super().__init__(array.pointer)
        array.pointer = None
        self.long = gnd.from_numpy(LONG)


def apply(name, *operands, **options):
    packed = (gnd.STRUCTS["gnd_arg"] * len(operands))(*[gnd.arg(x) for x in operands])
    return gnd.apply(name, len(operands), packed, gnd.apply_options(**options))


def text(name, *arguments):
    pointer = gnd.function(name)(*arguments)
    result = ctypes.string_at(pointer)
    gnd.string_free(pointer)
    return result


def two(name, *operands):
    found = [ctypes.c_void_p(), ctypes.c_void_p()]
    gnd.function(name)(*[ctypes.addressof(f) for f in found], *operands)
    return [gnd.Array(f.value) for f in found]


def broadcast_arrays(a):
    inputs = (ctypes.c_void_p * 2)(a.pointer, a.pointer)
    outputs = (ctypes.c_void_p * 2)()
    gnd.broadcast_arrays(2, inputs, outputs)
    return [gnd.Array(p) for p in outputs]


def gradients(a):
    room = gnd.outputs(2)
    gnd.gradient_axes(room, a, None, 0, None, 1)
    return gnd.take(room)


def averages(a):
    first, second = gnd.outputs(1), gnd.outputs(1)
    gnd.average_two(first, second, a, 0, gnd.ones((6,), "float32"))
    return gnd.take(first) + gnd.take(second)


def divmod_outer(a):
    first, second = gnd.outputs(1), gnd.outputs(1)
    gnd.outer_two(first, second, "divmod", a, gnd.slice(a, "0"))
    return gnd.take(first) + gnd.take(second)


def weighted_cov(a):
    options = gnd.STRUCTS["gnd_cov_options"]()
    weights = gnd.ones((8,), "float64")
    options.aweights = gnd.arg(weights)
    return gnd.cov(a, gnd.slice(a, "::-1"), options)


# Arrays that are long enough for several blocks and stages, with and without an axis in the way.
LONG = np.random.default_rng(1).random((3, 50_001)).astype(np.float32)
HOST = np.arange(100.0)
STARTS = np.array([0, 3, 1], np.int64)


def reductions():
    """Every reduction and scan of folds.py: whole, over an axis, of a view, of a long array."""
    calls = {}
    for key, f in FOLDS.items():
        def call(x, axis, f=f):
            return getattr(gnd, f.name)(x, *f.before, axis, *f.after)
        calls[key] = lambda a, d, call=call: [call(a, None), call(gnd.transpose(a), 0)]
        calls[key + " of a view"] = lambda a, d, call=call: call(gnd.slice(d, "::-1, :, 1:"), (1,))
        calls[key + " of many"] = lambda a, d, call=call: [call(d.long, None), call(d.long, 1),
                                                           call(gnd.transpose(d.long), 1)]
    return calls

CALLS = {
    "empty": lambda a, d: gnd.empty((30, 40), "float32"),
    "zeros": lambda a, d: gnd.zeros((2,) * 12, None),
    "full": lambda a, d: gnd.full((6, 8), a, None),
    "ones_like": lambda a, d: gnd.ones_like(a, None),
    "arange": lambda a, d: gnd.arange(0, 100, 3, None),
    "linspace": lambda a, d: gnd.linspace(0, 1, 50, True, None),
    "linspace of arrays": lambda a, d: gnd.linspace(a, 1, 5, True, None),
    "logspace": lambda a, d: gnd.logspace(0, 3, 10, True, 10, None),
    "geomspace": lambda a, d: gnd.geomspace(1, 1000, 10, True, None),
    "geomspace, complex": lambda a, d: gnd.geomspace(1, 5j, 10, True, None),
    "eye": lambda a, d: gnd.eye(9, 4, 1, None),
    "from_host_strided": lambda a, d: gnd.from_host_strided(
        HOST.ctypes.data, (4, 5), (ctypes.c_int64 * 2)(8, 32), "float64"),
    "slice": lambda a, d: gnd.slice(a, "::2, ::-1"),
    "slice of ten axes": lambda a, d: gnd.slice(d, "0, ..., None"),
    "permute": lambda a, d: gnd.transpose(d),
    "reshape with a copy": lambda a, d: gnd.reshape(gnd.transpose(a), (4, 12)),
    "ravel": lambda a, d: gnd.ravel(gnd.transpose(a)),
    "broadcast_to": lambda a, d: gnd.broadcast_to(a, (3, 6, 8)),
    "broadcast_arrays": lambda a, d: broadcast_arrays(a),
    "imag": lambda a, d: gnd.imag(a),
    "astype": lambda a, d: gnd.astype(gnd.transpose(a), "int32"),
    "ascontiguous": lambda a, d: gnd.ascontiguous(gnd.transpose(d)),
    "copyto with overlap": lambda a, d: gnd.copyto(gnd.slice(a, "1:"), gnd.slice(a, ":-1")),
    "add": lambda a, d: gnd.add(a, 2.5),
    "add of mixed dtypes": lambda a, d: gnd.add(gnd.transpose(a), gnd.ones((8, 6), "int16")),
    "add of ten axes": lambda a, d: gnd.add(d, gnd.transpose(d)),
    "add into, with overlap": lambda a, d: gnd.add_into(gnd.slice(a, "1:"), gnd.slice(a, ":-1"), 1),
    "apply into": lambda a, d: apply("add", gnd.slice(a, ":-1"), 1, out=gnd.slice(a, "1:")),
    "where=": lambda a, d: apply("exp", a, where=gnd.greater(a, 0.5)),
    "divmod": lambda a, d: two("gnd_divmod", a, 0.3),
    "where": lambda a, d: gnd.where(gnd.less(a, 0.5), a, 0),
    "sum": lambda a, d: gnd.sum(a, None),
    "sum over an axis": lambda a, d: gnd.sum(d, (0, 3)),
    "mean, masked": lambda a, d: gnd.mean(a, gnd.Axes(0, where=gnd.greater(a, -1))),
    "max with initial": lambda a, d: gnd.max(a, gnd.Axes(1, initial=gnd.zeros((), "float32"))),
    "sum into": lambda a, d: gnd.sum(a, gnd.Axes(0, out=gnd.slice(a, "0"))),
    "any": lambda a, d: gnd.any(d, (1,)),
    "mean into another dtype": lambda a, d: gnd.mean(a, gnd.Axes(0, out=gnd.zeros((8,), "float64"))),
    "vdot": lambda a, d: gnd.vdot(a, gnd.transpose(gnd.ones((8, 6), "float64"))),
    "vecdot": lambda a, d: gnd.vecdot(a, gnd.slice(a, "0"), -1),
    "average": lambda a, d: gnd.average(a, 1, gnd.ones((8,), "float64")),
    "average_two": lambda a, d: averages(a),
    "cov": lambda a, d: gnd.cov(a, None, None),
    "cov with weights": lambda a, d: weighted_cov(a),
    "corrcoef": lambda a, d: gnd.corrcoef(a, None, None),
    "median": lambda a, d: [gnd.median(a, None), gnd.median(d, (0, 3)), gnd.median(d.long, None)],
    "nanmedian": lambda a, d: [gnd.nanmedian(gnd.transpose(a), 1), gnd.nanmedian(d.long, 1)],
    "quantile": lambda a, d: gnd.quantile(a, 0.3, 0, gnd.QUANTILE_HAZEN),
    "percentile of many": lambda a, d: gnd.percentile(
        d.long, gnd.from_numpy(np.array([1.0, 50.0])), None, gnd.QUANTILE_LINEAR),
    "nanquantile": lambda a, d: gnd.nanquantile(a, gnd.from_numpy(np.array([0.1, 0.9])), 1,
                                                gnd.QUANTILE_LINEAR),
    "nanpercentile": lambda a, d: gnd.nanpercentile(d, 10, (2, 0), gnd.QUANTILE_NEAREST),
    "cumsum into itself": lambda a, d: gnd.cumsum(gnd.transpose(a), gnd.Axes(
        0, out=gnd.transpose(a))),
    "cumulative_sum": lambda a, d: gnd.cumulative_sum(a, 1, True),
    "cumulative_prod": lambda a, d: gnd.cumulative_prod(a, 0, False),
    "diff": lambda a, d: gnd.diff(a, 2, 0, 1, gnd.slice(a, ":1")),
    "ediff1d": lambda a, d: gnd.ediff1d(gnd.transpose(a), 3, gnd.slice(a, "0")),
    "gradient": lambda a, d: gnd.gradient(a, gnd.from_numpy(np.arange(6.0)**2), 0, 2),
    "gradient_axes": lambda a, d: gradients(a),
    "trapezoid": lambda a, d: gnd.trapezoid(a, gnd.from_numpy(np.arange(8.0)), 1),
    "reduce": lambda a, d: [gnd.reduce("hypot", d, (0, 2)), gnd.reduce("subtract", a, 1)],
    "reduce of many": lambda a, d: gnd.reduce("logaddexp", d.long, None),
    "accumulate": lambda a, d: [gnd.accumulate("subtract", a, 0), gnd.accumulate("hypot", d.long, 1)],
    "reduceat": lambda a, d: gnd.reduceat("add", gnd.transpose(a), gnd.from_numpy(STARTS), 1),
    "outer": lambda a, d: gnd.outer("multiply", a, gnd.slice(a, "0")),
    "outer_two": lambda a, d: divmod_outer(a),
    "add at, into": lambda a, d: gnd.at("add", a, 1, [gnd.from_numpy(STARTS)], gnd.slice(a, "3:")),
    "to_string": lambda a, d: text("gnd_to_string", a),
    "to_repr": lambda a, d: text("gnd_to_repr", gnd.astype(d, "complex64")),
    "to_host of a view": lambda a, d: gnd.transpose(a).numpy(),
    "item": lambda a, d: gnd.item_double(gnd.slice(a, "1, 2")),
    "stream_new": lambda a, d: gnd.stream_release(gnd.stream_new()),
    "event_new": lambda a, d: gnd.event_release(gnd.event_new(True)),
    "pinned_alloc": lambda a, d: gnd.pinned_free(gnd.pinned_alloc(1000)),
    **reductions(),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_allocation_may_fail(name):
    x, a, deep, d = make()
    call = CALLS[name]
    call(a, d)  # opens whatever is opened once
    a, d = gnd.from_numpy(x), Deep(deep)
    writes = any(word in name for word in ("into", "copyto"))
    for attempt in range(2):
        result, failures = run_with_failures(lambda: call(a, d))
        if not writes:
            assert_same(a, x)
            assert_same(d, deep)
        del result
        if writes:
            a = gnd.from_numpy(x)
    assert failures or name in ("item", "event_new", "slice", "stream_new"), "nothing was allocated"


@pytest.mark.parametrize("name", ["add into, with overlap", "apply into", "copyto with overlap",
                                  "sum into", "cumsum into itself", "add at, into"])
def test_a_failed_call_writes_nothing(name):
    x, a, _, d = make()
    for n in range(1, 60):
        kept = fill_free_lists()
        fail_at(n)
        try:
            CALLS[name](a, d)
        except gnd.Error as error:
            assert error.code == gnd.ERROR_MEMORY
            fail_at(0)
            assert_same(a, x)
        else:
            fail_at(0)
            return
        finally:
            del kept


def test_files(tmp_path):
    x, a, _, _ = make()
    path = str(tmp_path / "a.npy")
    np.save(path, x)
    result, failures = run_with_failures(lambda: gnd.load(path))
    assert failures
    assert_same(result, x)
    del result
    other = str(tmp_path / "b.npy")
    run_with_failures(lambda: gnd.save(other, gnd.transpose(a)))
    assert np.array_equal(np.load(other), x.T)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.npy", "b.npy"]


@pytest.mark.parametrize("row", headers.read_operators(), ids=lambda row: row.name)
def test_every_operator(row):
    """The plain call of each operator, contiguous and strided."""
    for shape, text_ in (((24,), ":"), ((6, 4), "::-1, ::2")):
        names = other_inputs(row, [dtypes_to_lay_out(row)[0]] * 3)
        base = [gnd.ones(shape, name) for name in names]
        operands = [gnd.slice(b, text_) for b in base]
        if len(row.outputs) == 2:
            run_with_failures(lambda: two("gnd_" + row.name, *operands))
        else:
            run_with_failures(lambda: apply(row.name, *operands))
