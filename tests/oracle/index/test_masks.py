"""What a mask names: indices, elements, assignment, in every dtype and layout, against NumPy."""

import ctypes
import zlib

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
from check import assert_same, refused
from test_faults import fill_free_lists, stats
from test_random_graphs import Graph, own_stream
from values import apply_numpy, layouts, random_values

SHAPES = [(0,), (1,), (7,), (40,), (2, 3), (5, 17), (3, 0, 2), (4, 3, 5), (1, 6, 1, 2)]


def generator(*seed):
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def truth(x):
    """Which elements are not zero."""
    wide = dtypes.widen(x)
    return wide if wide.dtype == bool else wide != 0


def mask_values(name, shape, g, share=0.5):
    values = random_values(name, shape, g)
    return np.where(g.random(shape) < share, values, np.zeros((), values.dtype))


def nonzero(x):
    room = gnd.outputs(max(x.ndim, 1))
    gnd.nonzero(x, ctypes.addressof(room))
    return gnd.take(room)


def nonzero_bounded(x, capacity):
    room, count = gnd.outputs(x.ndim), gnd.outputs(1)
    gnd.nonzero_bounded(x, capacity, ctypes.addressof(room), ctypes.addressof(count))
    return gnd.take(room), gnd.take(count)[0]


def extract_bounded(condition, x, capacity):
    count = gnd.outputs(1)
    result = gnd.extract_bounded(condition, x, capacity, ctypes.addressof(count))
    return result, gnd.take(count)[0]


def masked(values, mask):
    """values[mask], of bfloat16 too."""
    return np.ascontiguousarray(values)[mask]


# ---- indices -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_indices(name):
    g = generator("places", name)
    for shape in SHAPES:
        for layout in layouts(shape):
            base = mask_values(name, layout.base, g)
            x, want = gnd.view(base, layout.steps), truth(apply_numpy(base, layout.steps))
            context = f"{name} {shape} {layout.name}"
            for k, (got, expected) in enumerate(zip(nonzero(x), np.nonzero(want))):
                assert_same(got, expected, f"{context}, axis {k}", strides=False)
            assert_same(gnd.flatnonzero(x), np.flatnonzero(want), context)
            assert_same(gnd.argwhere(x), np.ascontiguousarray(np.argwhere(want)), context)


def test_indices_of_no_dimensions():
    for value in (0, 3):
        x = gnd.from_numpy(np.array(value))
        assert_same(gnd.argwhere(x), np.argwhere(np.array(value)))
        assert_same(gnd.flatnonzero(x), np.flatnonzero(np.array(value)))
    with pytest.raises(gnd.Error) as caught:
        nonzero(x)
    assert caught.value.code == gnd.ERROR_SHAPE and "no dimensions" in caught.value.message


def test_zeros_of_all_kinds():
    x = np.array([0.0, -0.0, np.nan, np.inf, 5e-324, -1])
    assert_same(gnd.flatnonzero(gnd.from_numpy(x)), np.flatnonzero(x))
    z = np.array([0j, complex(0, 1), complex(-0.0, -0.0), complex(0, np.nan)])
    assert_same(gnd.flatnonzero(gnd.from_numpy(z)), np.flatnonzero(z))
    h = np.array([0.0, -0.0, 6e-8, np.nan], np.float16)
    assert_same(gnd.flatnonzero(gnd.from_numpy(h)), np.flatnonzero(h))


@pytest.mark.parametrize("size", [1, 15, 16, 17, 511, 512, 513, 4095, 4097, 32767, 32769, 70001, 300007])
@pytest.mark.parametrize("share", [0, 0.001, 0.5, 1])
def test_long_masks(size, share):
    """Around the sizes at which kernels are cut, from every alignment of the mask's first byte."""
    g = generator(size, share)
    base = g.random(size + 17) < share
    x = random_values("float32", (size + 17,), g)
    gmask, gx = gnd.from_numpy(base), gnd.from_numpy(x)
    for start in (0, 1, 13):
        m, v = base[start:start + size], x[:size]
        text = f"{start}:{start + size}"
        got = gnd.flatnonzero(gmask[text])
        assert_same(got, np.flatnonzero(m), f"{size} {share} from {start}")
        assert_same(gnd.extract(gmask[text], gx[f":{size}"]), v[m], f"{size} {share} from {start}")
        y, wanted = gnd.from_numpy(v), v.copy()
        np.place(wanted, m, x[:max(size // 3, 1)])
        gnd.place(y, gmask[text], gx[f":{max(size // 3, 1)}"])
        assert_same(y, wanted, f"{size} {share} from {start}")


@given(data=st.data())
def test_random_masks(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 6), min_size=1, max_size=5)))
    g = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    order = g.permutation(len(shape))
    inverse = tuple(int(k) for k in np.argsort(order))
    covered = data.draw(st.integers(1, len(shape)))
    base = random_values(data.draw(st.sampled_from(["int16", "float32", "float64"])),
                         tuple(np.array(shape)[order]), g)
    a = base.transpose(inverse)
    mask = g.random(a.shape[:covered]) < data.draw(st.sampled_from([0.1, 0.5, 0.95]))
    ga, gmask = gnd.permute(gnd.from_numpy(base), inverse), gnd.from_numpy(mask)
    assert_same(gnd.get(ga, 1, [gmask]), a[mask], f"{a.shape} {covered}", strides=False)
    for value in (3, a[mask][:1], a[mask][::-1].astype("float64"), np.float64(7.5) * np.ones(1)):
        want, got = a.copy(), gnd.copy(ga)
        if isinstance(value, np.ndarray) and value.shape[0] == 0 and mask.any():
            continue
        want[mask] = value
        gnd.set(got, 1, [gmask], gnd.from_numpy(value) if isinstance(value, np.ndarray) else value)
        assert_same(got, want, f"{a.shape} {covered} {np.shape(value)}", strides=False)


# ---- bounded ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0,), (6,), (1000,), (40, 50), (2, 0), (9, 4, 5)])
def test_bounded(shape):
    g = generator(shape)
    x = g.random(shape) < 0.4
    v = random_values("int32", shape, g)
    count = int(x.sum())
    gx, gv = gnd.from_numpy(x), gnd.from_numpy(v)
    for capacity in (0, 1, count, count + 5, x.size + 3):
        indices, got = nonzero_bounded(gx, capacity)
        assert_same(got, np.array(count))
        for a, want in zip(indices, np.nonzero(x)):
            padded = np.zeros(capacity, np.int64)
            padded[:min(count, capacity)] = want[:capacity]
            assert_same(a, padded, f"{shape} {capacity}")
        values, got = extract_bounded(gx, gv, capacity)
        assert_same(got, np.array(count))
        padded = np.zeros(capacity, np.int32)
        padded[:min(count, capacity)] = v[x][:capacity]
        assert_same(values, padded, f"{shape} {capacity}")


# ---- elements -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_extract(name):
    g = generator("extract", name)
    for shape in SHAPES:
        for layout in layouts(shape):
            base = random_values(name, layout.base, g)
            x, values = gnd.view(base, layout.steps), apply_numpy(base, layout.steps)
            mask = g.random(shape) < 0.5
            assert_same(gnd.extract(gnd.from_numpy(mask), x), masked(values, mask),
                        f"{name} {shape} {layout.name}")
            flags = mask_values(name, (mask.size,), g)
            assert_same(gnd.extract(gnd.from_numpy(flags), x), values.ravel()[truth(flags)],
                        f"{name} {shape} {layout.name}, flat")


def test_mask_of_one_element_for_each_row():
    for name in ("uint8", "float32", "complex128"):
        g = generator(name)
        for shape in ((300, 3), (50, 4, 5), (7, 300), (6, 0), (0, 4)):
            a = random_values(name, shape, g)
            mask = g.random(shape[:1]) < 0.5
            assert_same(gnd.get(gnd.from_numpy(a), 1, [gnd.from_numpy(mask)]), a[mask], f"{name} {shape}")


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
def test_compress(axis):
    g = generator("compress", axis)
    a = random_values("float32", (4, 5, 6), g).transpose(2, 0, 1)
    ga = gnd.permute(gnd.from_numpy(a.transpose(1, 2, 0)), (2, 0, 1))
    size = a.size if axis is None else a.shape[axis]
    for length in (0, 1, size - 1, size, size + 3):
        condition = g.random(length) < 0.6
        condition[size:] = False
        for c in (condition, condition.astype(np.float32) * 2):
            want = np.compress(c, a, axis=axis)
            got = gnd.compress(gnd.from_numpy(c), ga, axis)
            assert_same(got, np.ascontiguousarray(want), f"{axis} {length}")
            out = gnd.zeros(want.shape, "int16")
            again = gnd.compress(gnd.from_numpy(c), ga, gnd.Axes(*(() if axis is None else (axis,)), out=out))
            assert gnd.shares_buffer(again, out)
            with np.errstate(invalid="ignore"):
                wanted = np.where(np.abs(want) < 3e4, want, 0).astype(np.int16)
            fits = np.abs(want) < 3e4
            assert np.array_equal(out.numpy()[fits], wanted[fits])


def test_compress_of_nothing_and_of_no_dimensions():
    one = gnd.from_numpy(np.array([True]))
    assert_same(gnd.compress(one, gnd.from_numpy(np.array(5)), None), np.array([5]))
    assert_same(gnd.compress(one, gnd.from_numpy(np.array(5)), 0), np.array([5]))
    empty = np.zeros((3, 0, 2))
    c = np.array([True, False, True])
    assert_same(gnd.compress(gnd.from_numpy(c), gnd.from_numpy(empty), 0), empty[c])
    assert_same(gnd.compress(gnd.from_numpy(np.zeros(4, bool)), gnd.from_numpy(empty), 1), empty)


# ---- assignment ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_place_and_putmask(name):
    g = generator("place", name)
    for shape in SHAPES:
        for layout in layouts(shape):
            if "broadcast" in layout.name:
                continue
            base = random_values(name, layout.base, g)
            mask = g.random(shape) < 0.5
            for count in (1, 3, max(mask.size, 1), mask.size + 4):
                values = random_values(name, (count,), g)
                for function, numpys in (("place", np.place), ("putmask", np.putmask)):
                    a = gnd.view(base, layout.steps)
                    want = apply_numpy(base, layout.steps).copy()
                    bits = want if name != "bfloat16" else want.view(np.uint16)
                    numpys(bits, mask, values if name != "bfloat16" else values.view(np.uint16))
                    gnd.function("gnd_" + function)(a, gnd.from_numpy(mask), gnd.from_numpy(values))
                    assert_same(a, want, f"{function} {name} {shape} {layout.name} {count}", strides=False)


def test_assignment_casts():
    a = gnd.from_numpy(np.arange(5))
    mask = gnd.from_numpy(np.array([1, 0, 1, 0, 1]))
    gnd.place(a, mask, gnd.from_numpy(np.array([1.9, -2.5])))
    assert_same(a, np.array([1, 1, -2, 3, 1]))
    gnd.putmask(a, mask, 2.5)
    assert_same(a, np.array([2, 1, 2, 3, 2]))
    gnd.place(a, gnd.from_numpy(np.array([[0], [1], [0], [1], [0]])), 7)
    assert_same(a, np.array([2, 7, 2, 7, 2]))
    gnd.putmask(a, mask, gnd.zeros((0,), "int64"))
    assert_same(a, np.array([2, 7, 2, 7, 2]))
    for call in (gnd.place, gnd.putmask):
        with pytest.raises(gnd.Error) as caught:
            call(gnd.from_numpy(np.zeros(5, np.uint8)), mask, 300)
        assert caught.value.code == gnd.ERROR_VALUE
        with pytest.raises(gnd.Error) as caught:
            call(a, mask, 1j)
        assert caught.value.code == gnd.ERROR_DTYPE


def test_memory_that_is_shared():
    base = np.arange(12) % 4
    for function, numpys in ((gnd.place, np.place), (gnd.putmask, np.putmask)):
        a, want = gnd.from_numpy(base), base.copy()
        numpys(want, want.copy(), want[::-1].copy())
        function(a, a, gnd.flip(a, None))
        assert_same(a, want)
        a, want = gnd.from_numpy(base), base.copy()
        numpys(want[:8], want[4:].copy(), want[2:5].copy())
        function(a[":8"], a["4:"], a["2:5"])
        assert_same(a, want)


def test_fault_if_the_counts_differ():
    mask = np.array([True, False, True, True])
    a = gnd.zeros((4, 2), "float32")
    for rows in (0, 2, 4):
        gnd.set(a, 1, [gnd.from_numpy(mask)], gnd.ones((rows, 2), None))
        with pytest.raises(gnd.Error) as caught:
            a.numpy()
        assert caught.value.code == gnd.ERROR_VALUE
        assert f"{2 * rows} values for 6 true elements" in caught.value.message, caught.value
    gnd.place(a, gnd.ones((4, 2), "bool"), gnd.zeros((0,), None))
    with pytest.raises(gnd.Error) as caught:
        a.numpy()
    assert "0 values for 8 true elements" in caught.value.message
    gnd.place(a, gnd.zeros((4, 2), "bool"), gnd.zeros((0,), None))
    a.numpy()


MASK = np.array([[True, False, True], [False, False, True]])


@pytest.mark.parametrize("call, code, text", [
    (lambda a, m: gnd.extract(m, a["0"]), "SHAPE", "(2, 3)"),
    (lambda a, m: gnd.place(a["0"], m, 1), "SHAPE", "(3,)"),
    (lambda a, m: gnd.putmask(a["0"], m, 1), "SHAPE", "same number of elements"),
    (lambda a, m: gnd.compress(m, a, 0), "SHAPE", "one dimension"),
    (lambda a, m: gnd.compress(m["0"], a, 0), "SHAPE",
     "3 elements, of which 1 are true behind the end of the axis, which has 2"),
    (lambda a, m: gnd.compress(m["0, ::2"], a[":, :1"], 1), "SHAPE", "2 elements, of which 1 are true behind the end"),
    (lambda a, m: gnd.compress(m["1"], a[":, :1"], 1), "SHAPE", "3 elements, of which 1 are true behind the end"),
    (lambda a, m: gnd.compress(m["0"], a, 2), "AXIS", "axis 2"),
    (lambda a, m: gnd.compress(m["0"], a, (0, 1)), "INVALID", "one axis"),
    (lambda a, m: gnd.compress(m["0"], a, gnd.Axes(1, dtype="int8")), "INVALID", "dtype"),
    (lambda a, m: gnd.compress(m["0"], a, gnd.Axes(1, out=gnd.zeros((2, 3), None))), "SHAPE", "(2, 2)"),
    (lambda a, m: gnd.place(gnd.broadcast_to(a, (2, 2, 3)), gnd.ones((2, 2, 3), "bool"), 1), "INVALID",
     "read-only"),
    (lambda a, m: gnd.putmask(a, m, None), "INVALID", "neither an array nor a number"),
    (lambda a, m: nonzero_bounded(m, -1), "VALUE", "-1"),
    (lambda a, m: extract_bounded(m, a, -1), "VALUE", "-1"),
    (lambda a, m: gnd.flatnonzero(None), "INVALID", "x"),
    (lambda a, m: gnd.argwhere(None), "INVALID", "x"),
    (lambda a, m: gnd.extract(None, a), "INVALID", "condition"),
    (lambda a, m: gnd.set(a, 1, [m], gnd.zeros((1, 2, 2), None)), "SHAPE", "dimensions"),
])
def test_refusals(call, code, text):
    a, m = gnd.from_numpy(np.arange(6).reshape(2, 3)), gnd.from_numpy(MASK)
    with pytest.raises(gnd.Error) as caught:
        call(a, m)
    assert caught.value.code == getattr(gnd, "ERROR_" + code), caught.value
    assert text in caught.value.message, caught.value
    assert_same(a, np.arange(6).reshape(2, 3))


def run_through_failures(call, name):
    """The call with its n-th allocation failing, for every n: some fail, others have another way."""
    call()
    failures = 0
    for n in range(1, 25):
        kept = fill_free_lists()
        gnd.memory_trim(gnd.current_device())
        before = (gnd.live_arrays(), stats())
        gnd.lib.gndi_fail_alloc_at(n)
        try:
            call()
        except gnd.Error as error:
            assert error.code == gnd.ERROR_MEMORY, f"{name}, allocation {n}: {error}"
            failures += 1
        gnd.lib.gndi_fail_alloc_at(0)
        now = (gnd.live_arrays(), stats())
        assert now[0] <= before[0] and now[1] <= before[1], f"{name}, allocation {n}: leaked"
        del kept
    assert failures, name


def test_no_memory():
    """Each allocation may fail: nothing is written, nothing leaks."""
    a = gnd.from_numpy(np.arange(6000).reshape(2000, 3))
    m = gnd.from_numpy(np.arange(2000) % 3)
    wide = gnd.ascontiguous(gnd.broadcast_to(gnd.expand_dims(m, 1), (2000, 3)))
    calls = {
        "nonzero": lambda: nonzero(wide),
        "nonzero_bounded": lambda: nonzero_bounded(wide, 500),
        "flatnonzero": lambda: gnd.flatnonzero(gnd.transpose(wide)),
        "argwhere": lambda: gnd.argwhere(wide),
        "extract": lambda: gnd.extract(gnd.transpose(wide), a),
        "extract_bounded": lambda: extract_bounded(wide, a, 500),
        "compress": lambda: gnd.compress(m, a, 0),
        "a[mask]": lambda: gnd.get(a, 1, [gnd.equal(m, 1)]),
    }
    for name, call in calls.items():
        run_through_failures(call, name)
    for call in (gnd.place, gnd.putmask, lambda a, m, v: gnd.set(a, 1, [gnd.not_equal(m, 0)], v)):
        target = gnd.from_numpy(np.arange(2000))
        before = target.numpy()
        values = gnd.from_numpy(np.arange(1333) / 2)
        for n in range(1, 60):
            gnd.memory_trim(gnd.current_device())
            gnd.lib.gndi_fail_alloc_at(n)
            try:
                call(target, m, values)
            except gnd.Error as error:
                gnd.lib.gndi_fail_alloc_at(0)
                assert error.code == gnd.ERROR_MEMORY
                assert np.array_equal(target.numpy(), before), f"allocation {n}"
            else:
                gnd.lib.gndi_fail_alloc_at(0)
                break
        assert n > 1


@pytest.mark.gpu_only
def test_nobody_waits_for_a_count_in_a_capture():
    """It is refused before the capture is spoiled, and what comes behind it is right."""
    with own_stream() as native:
        x = gnd.from_numpy(np.arange(3000) % 7)
        wide = gnd.from_numpy((np.arange(1 << 20) * 0x9E3779B1).astype(np.int32))
        for call, size in (
            (lambda: gnd.flatnonzero(x), 2571),
            (lambda: gnd.extract(x, x), 2571),
            (lambda: gnd.unique(wide, None, None), 1 << 20),
        ):
            assert gnd.size(call()) == size
            Graph(native, lambda: refused(call, gnd.ERROR_INVALID, "captured into a CUDA graph"))
            assert gnd.size(call()) == size


# ---- axes of length 0 -----------------------------------------------------------------------------------

EMPTY_MASKS = [((3,), (0,)), ((2, 3), (2, 0)), ((2, 3), (0, 3)), ((0, 3), (2, 3)), ((3, 4), (0,)), ((0, 4), (0, 3)),
               ((2, 3, 4), (0, 0)), ((2, 3, 4), (2, 0)), ((2, 3, 4), (0, 4)), ((5, 0), (0,)), ((5, 0), (4, 0)),
               ((5, 0), (5, 3)), ((5, 0), (5, 0))]


def same_or_refused(mine, theirs, context, code=gnd.ERROR_SHAPE):
    """What NumPy gives, or an error where it has one."""
    try:
        want = theirs()
    except (IndexError, ValueError):
        refused(mine, code)
        return
    assert_same(mine(), want, context)


@pytest.mark.parametrize("shape, mask_shape", EMPTY_MASKS)
def test_masks_with_axes_of_length_0(shape, mask_shape):
    """An axis of length 0 fits any other; the other axes must fit."""
    x, mask = np.arange(np.prod(shape), dtype="float32").reshape(shape), np.ones(mask_shape, bool)
    context = f"{shape} under {mask_shape}"

    def written(write):
        a = gnd.from_numpy(x)
        write(a, gnd.from_numpy(mask))
        return a

    def want(write):
        y = x.copy()
        write(y)
        return y

    same_or_refused(lambda: gnd.get(gnd.from_numpy(x), 1, [gnd.from_numpy(mask)]), lambda: x[mask], context)
    same_or_refused(lambda: written(lambda a, m: gnd.set(a, 1, [m], 7.0)),
                    lambda: want(lambda y: y.__setitem__(mask, 7)), context)
    same_or_refused(lambda: written(lambda a, m: gnd.at("add", a, 1, gnd.args([m]), 7.0)),
                    lambda: want(lambda y: np.add.at(y, mask, 7)), context)
    if mask.ndim > 1:
        return
    for axis in (None, *range(x.ndim)):
        same_or_refused(lambda: gnd.compress(gnd.from_numpy(mask), gnd.from_numpy(x), axis),
                        lambda: np.compress(mask, x, axis), f"{context} along {axis}")


def test_masks_of_length_0_among_other_indices():
    x, none = np.arange(24.0).reshape(2, 3, 4), np.ones(0, bool)
    a, m = gnd.from_numpy(x), gnd.from_numpy(none)
    assert_same(gnd.get(a, 2, [slice(0, 1), m]), x[0:1, none])
    assert_same(gnd.get(a, 2, [m, 1]), x[none, 1])
    assert_same(gnd.get(a, 2, [m, gnd.from_numpy(np.array([1]))]), x[none, np.array([1])])
    refused(lambda: gnd.get(a, 2, [m, gnd.from_numpy(np.array([1, 2]))]), gnd.ERROR_SHAPE, "(0,)", "(2,)")
