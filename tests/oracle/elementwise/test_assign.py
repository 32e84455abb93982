"""fill, copyto and copyto_where into arrays and views, overlapping ones too; asarray and its kin."""

import ctypes
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import values
from check import assert_same
from test_faults import run_with_failures

FILLS = (True, 0, -1, 7, 200, 2.75, -0.0, float("nan"), float("inf"), 3 - 4j)


def fits(number, name):
    if name in dtypes.INTEGERS and isinstance(number, int):
        info = np.iinfo(name)
        return info.min <= number <= info.max
    return not (isinstance(number, complex) and name not in dtypes.COMPLEX)


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_fill(name):
    for number in FILLS:
        for shape in ((), (0,), (3, 4), (7, 33)):
            for layout in values.layouts(shape):
                if "broadcast" in layout.name:
                    continue
                base = values.random_values(name, layout.base, np.random.default_rng(1))
                a = gnd.from_numpy(base)
                target = a
                for kind, argument in layout.steps:
                    target = (gnd.slice_text(target, argument) if kind == "slice"
                              else gnd.permute(target, argument))
                if not fits(number, name):
                    with pytest.raises(gnd.Error):
                        gnd.fill(target, number)
                    assert_same(a, base)
                    continue
                if isinstance(number, float) and name in dtypes.INTEGERS and number != 2.75:
                    continue
                gnd.fill(target, number)
                want = base.copy()
                values.apply_numpy(want, layout.steps)[...] = dtypes.cast(number, name)
                assert_same(a, want, f"{name} {number} {layout.name}")


@pytest.mark.parametrize("to", dtypes.NAMES)
@pytest.mark.parametrize("name", dtypes.NAMES)
def test_copyto_casts(name, to):
    g = np.random.default_rng(2)
    if name in dtypes.INTEGERS or name == "bool":
        x = values.random_values(name, (3, 5), g)
    else:
        x = dtypes.cast(g.uniform(0, 100, (3, 5)), name)
    base = values.random_values(to, (6, 10), g)
    a = gnd.from_numpy(base)
    gnd.copyto(gnd.slice_text(a, "::-2, 1::2"), gnd.from_numpy(x))
    want = base.copy()
    with np.errstate(all="ignore"):
        want[::-2, 1::2] = dtypes.cast(x, to)
    assert_same(a, want, f"{name} to {to}")


def test_copyto_broadcasts():
    for source, target in (((), (3, 4)), ((4,), (3, 4)), ((3, 1), (3, 4)), ((1,), (0,)), ((1, 5), (5,))):
        x = np.arange(np.prod(source, dtype=int), dtype=np.float64).reshape(source)
        out = np.full(target, 9.0)
        a = gnd.from_numpy(out)
        gnd.copyto(a, gnd.from_numpy(x))
        np.copyto(out, x) if x.ndim <= out.ndim else np.copyto(out, x.reshape(x.shape[-out.ndim:]))
        assert_same(a, out)


def test_copyto_refusals():
    a = gnd.zeros((3, 4), "float32")
    with pytest.raises(gnd.Error) as caught:
        gnd.copyto(a, gnd.zeros((3,), "float32"))
    assert caught.value.code == gnd.ERROR_SHAPE
    assert "(3,)" in caught.value.message and "(3, 4)" in caught.value.message
    with pytest.raises(gnd.Error):
        gnd.copyto(gnd.broadcast_to(a, (2, 3, 4)), a)
    with pytest.raises(gnd.Error):
        gnd.fill(gnd.broadcast_to(a, (2, 3, 4)), 1)
    assert (a.numpy() == 0).all()


@pytest.mark.parametrize("casting", ["no", "safe", "same_kind", "unsafe"])
def test_copyto_where(casting):
    g = np.random.default_rng(3)
    code = gnd.NO_CASTING if casting == "no" else getattr(gnd, casting.upper())
    for name, to in (("float32", "float32"), ("float64", "float32"), ("int8", "int64"),
                     ("float32", "int32"), ("complex64", "float64"), ("uint8", "int8")):
        x = dtypes.cast(g.uniform(0, 100, (4, 1)), name)
        mask = g.random((5,)) < 0.5
        out = dtypes.cast(g.uniform(0, 100, (4, 5)), to)
        a = gnd.from_numpy(out)
        call = lambda: gnd.copyto_where(a, gnd.from_numpy(x), gnd.from_numpy(mask), code)
        if not dtypes.can_cast(name, to, casting):
            with pytest.raises(gnd.Error) as caught:
                call()
            assert caught.value.code == gnd.ERROR_DTYPE
        else:
            call()
            with np.errstate(all="ignore"):
                np.copyto(out, x, where=mask, casting="unsafe")
        assert_same(a, out)


@given(data=st.data())
def test_overlapping_copies(data):
    """b[i:i+n] = b[j:j+n], with steps either way, as if the source had been copied first."""
    size = data.draw(st.integers(2, 400))
    base = np.arange(size * 3, dtype=data.draw(st.sampled_from(["int8", "float32", "complex128"])))
    n = data.draw(st.integers(1, size))
    texts = []
    for _ in range(2):
        step = data.draw(st.sampled_from([1, 2, 3, -1, -2, -3]))
        room = 3 * size - (n - 1) * abs(step)
        if room <= 0:
            step, room = (1 if step > 0 else -1), 3 * size - n + 1
        low = data.draw(st.integers(0, room - 1))
        high = low + (n - 1) * abs(step)
        texts.append(f"{low}:{high + 1}:{step}" if step > 0 else
                     f"{high}:{low - 1 if low else 'None'}:{step}")
    a = gnd.from_numpy(base)
    gnd.copyto(gnd.slice_text(a, texts[0]), gnd.slice_text(a, texts[1]))
    eval(f"base.__setitem__(np.s_[{texts[0]}], base[{texts[1]}].copy())")
    assert_same(a, base, str(texts))


def test_overlapping_transpose():
    for n in (3, 33, 300):
        base = np.arange(n * n, dtype=np.float32).reshape(n, n)
        a = gnd.from_numpy(base)
        gnd.copyto(a, gnd.transpose(a))
        assert_same(a, np.ascontiguousarray(base.T))


# ---- asarray, require -------------------------------------------------------------------------------------------


CPU = gnd.STRUCTS["gnd_device"](gnd.CPU, 0)


def wanted(dtype=None, order=None, device=None, copy=gnd.COPY_IF_NEEDED):
    result = gnd.STRUCTS["gnd_asarray_options"]()
    result.dtype, result.copy = gnd.dtype_code(dtype), copy
    result.order = order.encode() if order else b"\0"
    if device is not None:
        result.device = ctypes.addressof(device)
    result.kept = device
    return result


SHAPES = ((), (0,), (5,), (3, 4), (1, 6), (2, 3, 4), (2, 0, 3))


@pytest.mark.parametrize("name", [n for n in dtypes.NAMES if n != "bfloat16"])
def test_asarray(name):
    g = np.random.default_rng(5)
    others = [None, name, "float32", "complex128", "int16"]
    for shape in SHAPES:
        for layout in values.layouts(shape):
            base = values.random_values(name, layout.base, g, 0)
            a, x = gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)
            dtype, order = others[g.integers(5)], [None, "K", "C", "F", "A"][g.integers(5)]
            context = f"{layout.name} {shape} {dtype} {order}"
            for copy, mode in ((None, gnd.COPY_IF_NEEDED), (True, gnd.COPY_ALWAYS), (False, gnd.COPY_NEVER)):
                options = wanted(dtype, order, [None, gnd.device_of(a)][g.integers(2)], mode)
                try:
                    with np.errstate(all="ignore"), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        want = np.array(x, dtype=dtype, order=order or "K", copy=copy)
                except ValueError:
                    with pytest.raises(gnd.Error) as caught:
                        gnd.asarray(a, options)
                    assert caught.value.code == gnd.ERROR_VALUE, context
                    word = "dtype" if dtype not in (None, name) else "order"
                    assert f"its {word}" in caught.value.message, caught.value.message
                    continue
                got = gnd.asarray(a, options)
                if want.dtype.kind in "iu" and x.dtype.kind in "fc":
                    assert got.dtype == dtype  # what C makes of numbers beyond the range is nobody's business
                else:
                    assert_same(got, want, context, strides=layout.name.find("broadcast") < 0)
                if x.size:
                    assert gnd.shares_buffer(a, got) == np.shares_memory(x, want), context


def test_asarray_as_it_is():
    a = gnd.from_numpy(np.arange(6.0).reshape(2, 3))["::-1"]
    got = gnd.asarray(a, None)
    assert gnd.shares_buffer(a, got) and got.strides == a.strides and got.address == a.address


@pytest.mark.gpu_only
def test_asarray_elsewhere():
    x = np.arange(6).reshape(2, 3)
    a = gnd.from_numpy(x)["::-1"]
    for dtype, order in ((None, None), ("float32", "F"), ("int64", "C")):
        got = gnd.asarray(a, wanted(dtype, order, CPU))
        assert gnd.device_of(got).kind == gnd.CPU
        assert (got.numpy() == x[::-1]).all() and got.dtype == (dtype or "int64")
        assert order != "F" or gnd.is_f_contiguous(got)
    with pytest.raises(gnd.Error) as caught:
        gnd.asarray(a, wanted(device=CPU, copy=gnd.COPY_NEVER))
    assert caught.value.code == gnd.ERROR_VALUE and "its device" in caught.value.message


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_asarray_chkfinite(name):
    g = np.random.default_rng(6)
    for shape in SHAPES:
        a, x = values.operand(shape, name, g)
        finite = np.isfinite(dtypes.widen(x)).all()
        if finite:
            assert_same(gnd.asarray_chkfinite(a, None), x)
            continue
        with pytest.raises(gnd.Error) as caught:
            gnd.asarray_chkfinite(a, None)
        assert caught.value.code == gnd.ERROR_VALUE and "infinity" in caught.value.message
    if name not in dtypes.COMPLEX:
        # It is the result that is looked at, as NumPy does.
        a = gnd.from_numpy(dtypes.cast(np.array([1.0, np.nan]), "float32"))
        if name in ("float16", "bfloat16", "float32", "float64"):
            with pytest.raises(gnd.Error):
                gnd.asarray_chkfinite(a, wanted(name))
        else:
            assert gnd.asarray_chkfinite(a, wanted(name)).dtype == name


@pytest.mark.parametrize("name", ["int8", "float32", "complex128"])
def test_require(name):
    g = np.random.default_rng(7)
    for shape in SHAPES:
        for layout in values.layouts(shape):
            base = values.random_values(name, layout.base, g, 0).copy()  # the owner of its memory
            a, x = gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)
            for letters in ("", "C", "F", "A", "W", "O", "E", "CW", "FO", "AWE", "CWOE"):
                for dtype in (None, name, "complex128"):
                    context = f"{layout.name} {shape} {letters} {dtype}"
                    want = np.require(x, dtype, list(letters))
                    got = gnd.require(a, dtype, letters)
                    assert_same(got, want, context, strides=layout.name.find("broadcast") < 0)
                    assert "C" not in letters or gnd.is_c_contiguous(got)
                    assert "F" not in letters or gnd.is_f_contiguous(got)
                    assert "W" not in letters or not gnd.is_readonly(got)
                    if x.size and not (x is want and "O" in letters):
                        assert gnd.shares_buffer(a, got) == np.shares_memory(x, want), context


@pytest.mark.parametrize("call, code, text", [
    (lambda a: gnd.asarray(None, None), "INVALID", "x"),
    (lambda a: gnd.asarray(a, wanted(99)), "DTYPE", "99"),
    (lambda a: gnd.asarray(a, wanted(order="Q")), "INVALID", "'Q'"),
    (lambda a: gnd.asarray(a, wanted(copy=7)), "INVALID", "7"),
    (lambda a: gnd.asarray(a, wanted(device=gnd.STRUCTS["gnd_device"](gnd.GPU, 99))), "DEVICE", "gnd_asarray"),
    (lambda a: gnd.asarray_chkfinite(None, None), "INVALID", "x"),
    (lambda a: gnd.require(None, None, "C"), "INVALID", "x"),
    (lambda a: gnd.require(a, None, None), "INVALID", "requirements"),
    (lambda a: gnd.require(a, 99, "C"), "DTYPE", "99"),
    (lambda a: gnd.require(a, None, "CF"), "INVALID", "both"),
    (lambda a: gnd.require(a, None, "CX"), "INVALID", "'X'"),
])
def test_asarray_refuses(call, code, text):
    with pytest.raises(gnd.Error) as caught:
        call(gnd.zeros((2, 3), None))
    assert caught.value.code == getattr(gnd, "ERROR_" + code) and text in caught.value.message, caught.value


def test_asarray_without_memory():
    a = gnd.from_numpy(np.ones((30, 40)))
    run_with_failures(lambda: gnd.asarray(a, wanted("float32", "F")))
    run_with_failures(lambda: gnd.asarray_chkfinite(a, wanted("float32")))
    run_with_failures(lambda: gnd.require(a, "int8", "F"))


def test_copyto_where_drops_leading_ones():
    """Those of the value that `out` does not have, not those of the mask, as numpy.copyto."""
    for out, value, where in (((3,), (1, 3), (3,)), ((2, 3), (1, 1, 2, 3), (3,)), ((), (1,), ()), ((0,), (1, 0), (0,)),
                              ((2, 3), (1, 1, 3), (2, 1)), ((2, 3), (1, 1, 1), ())):
        y, v = np.zeros(out), np.arange(1.0, 1 + np.prod(value)).reshape(value)
        mask = np.arange(np.prod(where, dtype=int)).reshape(where) % 2 == 0
        a = gnd.from_numpy(y)
        gnd.copyto_where(a, gnd.from_numpy(v), gnd.from_numpy(mask), gnd.SAME_KIND)
        np.copyto(y, v, where=mask)
        assert_same(a, y, f"{value} into {out} where {where}")
    for value, where in (((3,), (1, 3)), ((2, 3), (3,)), ((1, 2), (3,))):
        with pytest.raises(gnd.Error) as error:
            gnd.copyto_where(gnd.zeros((3,), "float64"), gnd.ones(value, "float64"), gnd.ones(where, "bool"),
                             gnd.SAME_KIND)
        assert error.value.code == gnd.ERROR_SHAPE
