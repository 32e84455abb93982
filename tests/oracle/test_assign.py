"""fill, copyto and copyto_where into arrays and views, overlapping ones too."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import values
from check import assert_same

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
