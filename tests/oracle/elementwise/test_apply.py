"""The operators' other forms: into an existing array, under a mask, with a dtype, a casting rule or an
order, in place and with overlapping operands; and what refused calls say."""

import ctypes
import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import headers
import reference
import values
from check import DEFAULTS, assert_same, check_outputs, expected_strides, same_layout
from test_elementwise import ROWS, dtypes_to_lay_out, generator, operands, other_inputs

SINGLE = [name for name, row in ROWS.items() if len(row.outputs) == 1]
DOUBLE = [name for name, row in ROWS.items() if len(row.outputs) == 2]


def apply(name, operands_, nargs=None, **options):
    packed = (gnd.STRUCTS["gnd_arg"] * max(len(operands_), 1))(*[gnd.arg(x) for x in operands_])
    return gnd.apply(name, len(operands_) if nargs is None else nargs, packed,
                     gnd.apply_options(**options))


def parameters_of(row):
    extra = len(gnd.FUNCTIONS["gnd_" + row.name].parameters) - len(row.inputs) - (
        2 if len(row.outputs) == 2 else 0)
    return DEFAULTS.get(row.name, ())[:extra]


def made_for(row, shape=(4, 6), dtype=None, seed=0):
    name = dtype or dtypes_to_lay_out(row)[0]
    names = other_inputs(row, [name] * len(row.inputs))
    return operands(row, names, shape, generator(row.name, seed))


# ---- every operator, every form -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", SINGLE)
def test_into(name):
    """gnd_X_into writes what gnd_X returns, into arrays, views, and one of its own arguments."""
    row = ROWS[name]
    x = made_for(row)
    e = reference.expect(row, x)[0]
    arrays = [gnd.from_numpy(a) for a in x]
    into = gnd.function(f"gnd_{name}_into")
    out = gnd.empty((4, 6), e.dtype)
    into(out, *arrays, *parameters_of(row))
    check_outputs(row, x, [out], layout=False)
    surroundings = values.random_values(e.dtype, (8, 14), np.random.default_rng(1))
    whole = gnd.from_numpy(surroundings)
    view = gnd.slice_text(whole, "::-2, 1:13:2")
    into(view, *arrays, *parameters_of(row))
    check_outputs(row, x, [view], layout=False)
    after = whole.numpy()
    untouched = np.ones((8, 14), bool)
    untouched[::-2, 1:13:2] = False
    assert reference.same_values(after, surroundings)[untouched].all()
    for k, a in enumerate(x):
        if dtypes.name_of(a.dtype) == e.dtype:
            copies = [gnd.from_numpy(b) for b in x]
            into(copies[k], *copies, *parameters_of(row))
            check_outputs(row, x, [copies[k]], layout=False)


@pytest.mark.parametrize("name", DOUBLE)
def test_into_two(name):
    row = ROWS[name]
    x = made_for(row)
    first, second = reference.expect(row, x)
    outs = [gnd.empty((4, 6), first.dtype), gnd.empty((4, 6), second.dtype)]
    gnd.function(f"gnd_{name}_into")(*outs, *[gnd.from_numpy(a) for a in x])
    check_outputs(row, x, outs, layout=False)


@pytest.mark.parametrize("name", SINGLE)
def test_apply_by_name(name):
    row = ROWS[name]
    x = made_for(row)
    check_outputs(row, x, [apply(name, [gnd.from_numpy(a) for a in x])])


@pytest.mark.parametrize("name", SINGLE)
def test_where(name):
    """Elsewhere an output keeps its values; a new array is 0 there."""
    row = ROWS[name]
    x = made_for(row)
    mask = np.random.default_rng(2).random((4, 6)) < 0.5
    e = reference.expect(row, x)[0]
    arrays = [gnd.from_numpy(a) for a in x]
    before = values.random_values(e.dtype, (4, 6), np.random.default_rng(3))
    for chosen, given_mask in ((mask, mask), (np.broadcast_to(mask[2], (4, 6)), mask[2]),
                               (np.broadcast_to(mask[:, 1:2], (4, 6)), mask[:, 1:2])):
        out = gnd.from_numpy(before)
        back = apply(name, arrays, where=gnd.from_numpy(np.ascontiguousarray(given_mask)), out=out)
        assert back.address == out.address
        back.release()
        actual = out.numpy()
        assert np.asarray(reference.close_values(actual, e))[chosen].all()
        assert reference.same_values(actual, before)[~chosen].all()
    fresh = apply(name, arrays, where=gnd.from_numpy(mask)).numpy()
    assert np.asarray(reference.close_values(fresh, e))[mask].all()
    zero = np.zeros((4, 6), dtypes.DTYPES[e.dtype])
    assert reference.same_values(fresh, zero)[~mask].all()


@pytest.mark.parametrize("name", DOUBLE)
def test_apply_two(name):
    row = ROWS[name]
    x = made_for(row)
    arrays = [gnd.from_numpy(a) for a in x]
    packed = (gnd.STRUCTS["gnd_arg"] * len(x))(*[gnd.arg(a) for a in arrays])
    found = [ctypes.c_void_p(), ctypes.c_void_p()]
    gnd.apply_two(ctypes.addressof(found[0]), ctypes.addressof(found[1]), name, len(x), packed,
                  gnd.apply_options())
    check_outputs(row, x, [gnd.Array(f.value) for f in found])


# ---- dtype and casting --------------------------------------------------------------------------------------


# NumPy takes ldexp's dtype= for both of its inputs.
UFUNCS = [n for n in SINGLE if isinstance(getattr(np, n, None), np.ufunc) and n != "ldexp"]


@pytest.mark.parametrize("dtype", [n for n in dtypes.NAMES if n != "bfloat16"])
@pytest.mark.parametrize("name", UFUNCS)
def test_dtype(name, dtype):
    """dtype= asks for a loop, as NumPy's does; arguments are cast to it within a kind."""
    row = ROWS[name]
    function = getattr(np, name)
    for source in ("int8", "uint16", "float32", "float64", "complex64"):
        names = other_inputs(row, [source] * len(row.inputs))
        x = [dtypes.cast(np.array([1, 2, 3, 5]), n) for n in names]
        try:
            with np.errstate(all="ignore"):
                want = function(*x, dtype=dtype)
        except (TypeError, ValueError):
            want = None
        arrays = [gnd.from_numpy(a) for a in x]
        try:
            got = apply(name, arrays, dtype=dtype)
        except gnd.Error as error:
            assert want is None, f"{name}({source}, dtype={dtype}): {error}"
            assert error.code == gnd.ERROR_DTYPE
            continue
        assert want is not None, f"{name}({source}, dtype={dtype}) gave {got.dtype}, NumPy refuses"
        assert got.dtype == want.dtype.name
        assert np.allclose(got.numpy(), want, rtol=1e-2 if want.itemsize < 4 else 1e-5, equal_nan=True)


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting_into_out(casting):
    """out= of every dtype, for a sum of every dtype, under each casting rule."""
    for source, target in itertools.product(dtypes.NAMES, repeat=2):
        x = dtypes.cast(np.array([1, 0, 1, 1]), source)
        out = gnd.zeros((4,), target)
        arrays = [gnd.from_numpy(x), gnd.from_numpy(x)]
        if dtypes.can_cast(source, target, casting):
            apply("maximum", arrays, out=out, casting=casting)
            assert_same(out, dtypes.cast(x, target), f"{source} to {target}")
        else:
            with pytest.raises(gnd.Error) as caught:
                apply("maximum", arrays, out=out, casting=casting)
            assert caught.value.code == gnd.ERROR_DTYPE
            assert source in caught.value.message and target in caught.value.message
            assert not dtypes.widen(out.numpy()).any()


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
def test_order(order):
    x = np.random.default_rng(0).random((3, 4, 5))
    for axes in itertools.permutations(range(3)):
        a = gnd.permute(gnd.from_numpy(x), axes)
        view = x.transpose(axes)
        options = gnd.apply_options()
        options.order = order.encode()
        packed = (gnd.STRUCTS["gnd_arg"] * 1)(gnd.arg(a))
        got = gnd.apply("negative", 1, packed, options)
        assert_same(got, np.negative(view, order=order), f"{order} {axes}")


# ---- overlap ------------------------------------------------------------------------------------------------


@given(data=st.data())
def test_overlapping_out(data):
    """out and the inputs are views of one buffer: as if the inputs had been copied first."""
    base = np.arange(1, 401, dtype=data.draw(st.sampled_from(["int16", "float32", "float64"])))
    n = data.draw(st.integers(1, 120))
    texts = []
    for _ in range(3):
        step = data.draw(st.sampled_from([1, -1, 2, -2, 3]))
        low = data.draw(st.integers(0, 400 - (n - 1) * abs(step) - 1))
        high = low + (n - 1) * abs(step)
        texts.append(f"{low}:{high + 1}:{step}" if step > 0 else
                     f"{high}:{low - 1 if low else 'None'}:{step}")
    a = gnd.from_numpy(base)
    out, x, y = (gnd.slice_text(a, t) for t in texts)
    gnd.subtract_into(out, x, y)
    out, x, y = (eval(f"base[{t}]", {"base": base}) for t in texts)
    out[...] = x.copy() - y.copy()
    assert_same(a, base, str(texts))


@pytest.mark.parametrize("n", [3, 64, 257])
def test_in_place_with_transpose(n):
    x = np.random.default_rng(n).integers(-100, 100, (n, n)).astype(np.float32)
    a = gnd.from_numpy(x)
    gnd.add_into(a, a, gnd.transpose(a))
    assert_same(a, x + x.T)


def test_in_place_with_wider_dtype_view():
    """The same bytes as input and as output of another dtype."""
    x = np.arange(64, dtype=np.float64)
    a = gnd.from_numpy(x)
    narrow = gnd.slice_text(gnd.function("gnd_view")(a, "float32"), ":64")
    gnd.multiply_into(narrow, a, 2)
    assert_same(narrow, (x * 2).astype(np.float32))


def test_in_place_broadcast():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    a = gnd.from_numpy(x)
    gnd.add_into(a, a, gnd.slice_text(a, "1"))
    assert_same(a, x + x[1])
    a = gnd.from_numpy(x)
    gnd.add_into(a, gnd.slice_text(a, ":, 2:3"), a)
    assert_same(a, x[:, 2:3] + x)


# ---- refusals -----------------------------------------------------------------------------------------------


def refusal(call, code, *texts):
    with pytest.raises(gnd.Error) as caught:
        call()
    assert caught.value.code == code, caught.value
    for text in texts:
        assert text in caught.value.message, f"{text!r} is not in {caught.value.message!r}"


def test_messages():
    f = gnd.zeros((3,), "float32")
    g4 = gnd.zeros((4,), "float32")
    i = gnd.zeros((3,), "int64")
    mask = gnd.zeros((3,), "bool")
    refusal(lambda: gnd.add(f, g4), gnd.ERROR_SHAPE, "gnd_add", "(3,)", "(4,)")
    refusal(lambda: gnd.add_into(g4, f, f), gnd.ERROR_SHAPE, "gnd_add", "(3,)", "(4,)")
    refusal(lambda: gnd.add_into(i, f, f), gnd.ERROR_DTYPE, "gnd_add", "float32", "int64")
    refusal(lambda: gnd.add_into(gnd.broadcast_to(f, (2, 3)), f, f), gnd.ERROR_INVALID, "gnd_add")
    refusal(lambda: gnd.bitwise_and(f, i), gnd.ERROR_DTYPE, "gnd_bitwise_and", "float32", "int64")
    refusal(lambda: gnd.subtract(mask, mask), gnd.ERROR_DTYPE, "gnd_subtract", "bool")
    refusal(lambda: gnd.add(f, gnd.Array(None)), gnd.ERROR_INVALID, "gnd_add")
    refusal(lambda: gnd.add(None, f), gnd.ERROR_INVALID, "gnd_add")
    refusal(lambda: apply("no_such", [f]), gnd.ERROR_INVALID, "no_such")
    refusal(lambda: apply("copy", [f]), gnd.ERROR_INVALID, "copy")
    refusal(lambda: apply("add", [f]), gnd.ERROR_INVALID, "add")
    refusal(lambda: apply("add", [f, f, f, f]), gnd.ERROR_INVALID, "add")
    refusal(lambda: apply("add", [f, f], where=f), gnd.ERROR_DTYPE, "float32")
    refusal(lambda: apply("add", [f, f], where=gnd.zeros((2,), "bool")), gnd.ERROR_SHAPE, "(2,)")
    refusal(lambda: apply("add", [f, f], dtype=77), gnd.ERROR_DTYPE)
    refusal(lambda: apply("add", [f, f], out=(f, f)), gnd.ERROR_INVALID, '"add" has one result; out[1] must be NULL')


@pytest.mark.parametrize("dtype", dtypes.INTEGERS)
def test_numbers_that_do_not_fit(dtype):
    """NumPy's OverflowError for Python integers out of range; nothing is written."""
    info = np.iinfo(dtype)
    x = np.array([1, 2, 3], dtype)
    a = gnd.from_numpy(x)
    for number in (info.max + 1, info.min - 1):
        if not -(2**63) <= number < 2**64:
            continue
        for order in ((a, number), (number, a)):
            refusal(lambda: gnd.multiply(*order), gnd.ERROR_VALUE, str(number), dtype)
        refusal(lambda: gnd.add_into(a, a, number), gnd.ERROR_VALUE, str(number), dtype)
    assert_same(a, x)
    for number in (info.max, info.min):
        with np.errstate(all="ignore"):
            assert_same(gnd.add(a, number), x + number)


def test_the_first_error_stays():
    x, y = gnd.zeros((3,), "float32"), gnd.zeros((4,), "float32")
    add = gnd.lib.gnd_add
    gnd.function("gnd_add")
    broken = add(gnd.arg(x), gnd.arg(y))
    assert not broken
    again = add(gnd.arg(gnd.Array(None)), gnd.arg(y))
    assert not again
    error = gnd.pending_error()
    assert error.code == gnd.ERROR_SHAPE and "(3,)" in error.message
