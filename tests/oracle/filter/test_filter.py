"""Recursive and FIR filters against scipy.signal: every dtype, axis and layout, states in and out, chunks, unstable
filters, empty signals, forward and backward filtering, and what is refused."""

import ctypes

import numpy as np
import pytest
import scipy.signal as ss

import dtypes
import gnd
from check import refused
from test_faults import run_with_failures
from values import generator

NEAR = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-11, "complex64": 2e-6, "complex128": 1e-11}
LENGTHS = [0, 1, 2, 7, 130, 5000]


def wide(x):
    x = np.asarray(x)
    return x.astype("complex128") if x.dtype.kind == "c" else dtypes.widen(x).astype("float64")


def near(got, want, context, factor=1):
    """Within what the dtype allows of the scale of the result."""
    values = wide(got.numpy())
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    if want.size == 0:
        return
    scale = max(np.abs(want).max(), 1e-30)
    error = np.abs(values - want).max() / scale
    assert error <= factor * NEAR[got.dtype], f"{context}: off by {error:.3g} of the scale"


def signal(shape, dtype, g):
    x = g.normal(size=shape)
    if dtype in dtypes.COMPLEX:
        x = x + 1j * g.normal(size=shape)
    if dtype in dtypes.INTEGERS or dtype == "bool":
        x = x * 5 if dtype.startswith("int") else abs(x) * 5
    return dtypes.cast(x, dtype)


def lfilter(b, a, x, axis=-1, zi=None):
    """gnd's, of NumPy arrays or Arrays: the result, or the result and zf if there is a zi."""
    arrays = [v if v is None or isinstance(v, gnd.Array) else gnd.from_numpy(v) for v in (b, a, x, zi)]
    room = gnd.outputs(1) if zi is not None else None
    y = gnd.lfilter(*arrays[:3], axis, arrays[3], room)
    return y if room is None else (y, gnd.take(room)[0])


def sosfilt(sos, x, axis=-1, zi=None):
    arrays = [v if v is None or isinstance(v, gnd.Array) else gnd.from_numpy(v) for v in (sos, x, zi)]
    room = gnd.outputs(1) if zi is not None else None
    y = gnd.sosfilt(*arrays[:2], axis, arrays[2], room)
    return y if room is None else (y, gnd.take(room)[0])


KEPT = []  # structs whose addresses calls are given


def options(**values):
    result = gnd.STRUCTS["gnd_filtfilt_options"]()
    for name, value in values.items():
        setattr(result, name, value)
    KEPT.append(result)
    return ctypes.addressof(result)


def filters():
    return {"order 1": ([0.2, 0.3], [1.0, -0.5]), "order 4": ss.butter(4, 0.2), "scaled": ([1.0, 2.0], [2.0, 0.4, 0.1]),
            "many zeros": (np.linspace(1, 2, 9), [1.0, -0.3]), "order 11": ss.cheby1(11, 1, 0.5),
            "narrow": ss.butter(2, 1e-3),
            "order 20": (np.ones(5), np.r_[1.0, np.zeros(19), -0.5])}


@pytest.mark.parametrize("name", filters())
def test_lfilter(name):
    g = generator("lfilter", name)
    b, a = map(np.asarray, filters()[name])
    for n in LENGTHS:
        for shape, axis in [((n,), 0), ((3, n), -1), ((n, 5), 0), ((2, n, 9), 1)]:
            x = g.normal(size=shape)
            context = f"{name} {shape} {axis}"
            y, zf = lfilter(b, a, x, axis, np.zeros([max(len(a), len(b)) - 1 if k == axis % x.ndim else m for k, m in
                                                     enumerate(shape)]))
            near(lfilter(b, a, x, axis), ss.lfilter(b, a, x, axis), context, 10)
            if n:
                zi = g.normal(size=zf.shape)
                want, want_zf = ss.lfilter(b, a, x, axis, zi)
                got, zf = lfilter(b, a, x, axis, zi)
                near(got, want, context, 10)
                near(zf, want_zf, context + " zf", 10)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_dtypes(dtype):
    g = generator("filter dtypes", dtype)
    x = signal((4, 300), dtype, g)
    for b, a in [([0.5, 0.25], [1.0, -0.5, 0.25]), ([0.5, 0.25, 1.0], [2.0])]:
        for coefficients in ("float64", "float32", dtype, "complex64"):
            if coefficients in dtypes.INTEGERS or coefficients == "bool":
                b, a = [1, 1, 0], [1, 0, 1] if len(a) > 1 else [1]
            kb, ka = dtypes.cast(np.array(b), coefficients), dtypes.cast(np.array(a), coefficients)
            y = lfilter(kb, ka, x)
            promoted = dtypes.promote(coefficients, dtype)
            promoted = "float64" if promoted in dtypes.INTEGERS or promoted == "bool" else promoted
            assert y.dtype == promoted, f"{coefficients} {dtype}: {y.dtype}"
            near(y, ss.lfilter(wide(kb), wide(ka), wide(x)), f"{coefficients} {dtype} {a}", 4)
    for coefficients in ("float64", "float32"):
        sos = dtypes.cast(ss.butter(5, 0.3, output="sos"), coefficients)
        y = sosfilt(sos, x)
        assert y.dtype == dtypes.promote(coefficients, dtype) or y.dtype == "float64"
        near(y, ss.sosfilt(wide(sos), wide(x)), f"sos {coefficients} {dtype}", 4)


@pytest.mark.parametrize("sections", [1, 2, 3, 4, 5, 6, 7, 8, 9, 17])
def test_sosfilt(sections):
    g = generator("sosfilt", sections)
    sos = ss.cheby2(2 * sections, 40, 0.4, output="sos")
    for n in LENGTHS:
        for shape, axis in [((n,), 0), ((3, n), -1), ((n, 17), 0), ((2, n, 9), 1)]:
            x = g.normal(size=shape)
            context = f"{sections} {shape} {axis}"
            state = list(shape)
            state[axis] = 2
            zi = g.normal(size=[sections] + state)
            if n == 0:  # which SciPy does not take in several dimensions
                y, zf = sosfilt(sos, x, axis, zi)
                assert y.shape == shape and (zf.numpy() == zi).all()
                continue
            near(sosfilt(sos, x, axis), ss.sosfilt(sos, x, axis), context)
            want, want_zf = ss.sosfilt(sos, x, axis, zi)
            got, zf = sosfilt(sos, x, axis, zi)
            near(got, want, context)
            near(zf, want_zf, context + " zf")


def test_views():
    g = generator("filter views")
    sos, (b, a) = ss.butter(4, 0.3, output="sos"), ss.butter(3, 0.3)
    base = g.normal(size=(6, 40, 10))
    for text in ("::2, ::-1, :", ":, 3:30, ::3", "::-1, :, 4", "5, ::-2, ::-1", ":, :, ::2"):
        x = eval(f"base[{text}]", {"base": base})
        for axis in range(x.ndim):
            view = gnd.from_numpy(base)[text]
            near(sosfilt(sos, view, axis), ss.sosfilt(sos, x, axis), text)
            near(lfilter(b, a, view, axis), ss.lfilter(b, a, x, axis), text)
            near(lfilter(b, [1.0], view, axis), ss.lfilter(b, [1.0], x, axis), text)
            near(gnd.filtfilt(gnd.from_numpy(b), gnd.from_numpy(a), view, axis, options(padlen=2)),
                 ss.filtfilt(b, a, x, axis, padlen=2), text)
    many = g.normal(size=(2,) * 10 + (5,))
    turned = gnd.permute(gnd.from_numpy(many), gnd.Axes(9, 7, 5, 3, 1, 0, 2, 4, 6, 8, 10))
    near(sosfilt(sos, turned), ss.sosfilt(sos, many.transpose(9, 7, 5, 3, 1, 0, 2, 4, 6, 8, 10)), "ten axes")


def test_many_lines_and_long_lines():
    g = generator("filter sizes")
    sos = ss.butter(8, 0.1, output="sos").astype("float32")
    for shape in [(3000, 40), (9000, 3), (1, 150000), (5, 20000)]:
        x = g.normal(size=shape).astype("float32")
        near(sosfilt(sos, x), ss.sosfilt(wide(sos), wide(x)), f"{shape}")
    x = g.normal(size=(40, 3000)).astype("float32")
    near(sosfilt(sos, x, 0), ss.sosfilt(wide(sos), wide(x), 0), "columns")


def test_broadcast_state():
    g = generator("filter zi")
    b, a = ss.butter(3, 0.3)
    x = g.normal(size=(4, 50, 5))
    for shape in [(1, 3, 1), (4, 3, 1), (1, 3, 5)]:
        zi = g.normal(size=shape)
        full = np.ascontiguousarray(np.broadcast_to(zi, (4, 3, 5)))
        for taps, poles in ((b, a), (b, [1.0])):
            want, want_zf = ss.lfilter(taps, poles, x, 1, full)
            got, zf = lfilter(taps, poles, x, 1, zi)
            near(got, want, f"{shape}")
            near(zf, want_zf, f"{shape} zf")


def test_complex():
    g = generator("filter complex")
    b, a = np.array([0.3 + 0.1j, 0.2, -0.1j]), np.array([1.0 + 1j, -0.4j, 0.2])
    for dtype in ("complex64", "complex128", "float64"):
        x = signal((3, 400), dtype, g)
        zi = g.normal(size=(3, 2)) + 1j * g.normal(size=(3, 2))
        for taps, poles in ((b, a), (b, a[:1]), (ss.butter(2, 0.3)), (b, ss.butter(2, 0.3)[1])):
            want, want_zf = ss.lfilter(np.asarray(taps).astype("complex128"), np.asarray(poles), wide(x), -1, zi)
            got, zf = lfilter(np.asarray(taps), np.asarray(poles), x, -1, zi)
            near(got, want, dtype)
            near(zf, want_zf, dtype)
    sos = ss.butter(4, 0.3, output="sos")
    x, zi = signal((3, 400), "complex128", g), signal((2, 3, 2), "complex128", g)
    want, want_zf = ss.sosfilt(sos, x, zi=zi)
    got, zf = sosfilt(sos, x, zi=zi)
    near(got, want, "sos")
    near(zf, want_zf, "sos zf")


@pytest.mark.parametrize("taps", [1, 2, 3, 31, 128, 300, 1500])
def test_sliding_sums(taps):
    g = generator("fir", taps)
    for dtype in ("float32", "float64", "complex64", "complex128"):
        b = signal((taps,), dtype, g)
        for shape, axis in [((1,), 0), ((taps,), 0), ((5000,), 0), ((3, 700), 1), ((700, 3), 0), ((300, 20), 1)]:
            x = signal(shape, dtype, g)
            context = f"{taps} {dtype} {shape}"
            near(lfilter(b, np.ones(1, "float32"), x, axis), ss.lfilter(wide(b), [1.0], wide(x), axis), context, 2)
            state = list(shape)
            state[axis] = taps - 1
            zi = signal(state, dtype, g)
            want, want_zf = ss.lfilter(wide(b), [1.0], wide(x), axis, wide(zi))
            got, zf = lfilter(b, np.ones(1, "float32"), x, axis, zi)
            near(got, want, context, 2)
            near(zf, want_zf, context + " zf", 2)


def test_coefficients_on_the_cpu():
    """They may lie there whatever the device of the signal."""
    cpu = gnd.STRUCTS["gnd_device"]()
    cpu.kind = gnd.CPU
    x = generator("filter cpu").normal(size=(3, 900))
    b, a = ss.butter(3, 0.2)
    sos = ss.butter(4, 0.2, output="sos")
    on_cpu = [gnd.to_device(gnd.from_numpy(v), cpu) for v in (b, a, sos, np.ones(1))]
    near(gnd.lfilter(on_cpu[0], on_cpu[1], gnd.from_numpy(x), 1, None, None), ss.lfilter(b, a, x), "lfilter")
    near(gnd.lfilter(on_cpu[0], on_cpu[3], gnd.from_numpy(x), 1, None, None), ss.lfilter(b, [1.0], x), "fir")
    near(gnd.sosfilt(on_cpu[2], gnd.from_numpy(x), 1, None, None), ss.sosfilt(sos, x), "sosfilt")
    near(gnd.filtfilt(on_cpu[0], on_cpu[1], gnd.from_numpy(x), 1, None), ss.filtfilt(b, a, x), "filtfilt")
    near(gnd.sosfiltfilt(on_cpu[2], gnd.from_numpy(x), 1, None), ss.sosfiltfilt(sos, x), "sosfiltfilt")


def test_chunks_are_the_whole():
    g = generator("filter chunks")
    x = g.normal(size=(3, 9000))
    sos, (b, a) = ss.ellip(7, 1, 50, 0.2, output="sos"), ss.butter(3, 0.1)
    cuts = [0, *sorted(g.integers(0, 9001, 6)), 9000]
    for call, zi in [(lambda part, zi: sosfilt(sos, part, zi=zi), np.zeros((4, 3, 2))),
                     (lambda part, zi: lfilter(b, a, part, zi=zi), np.zeros((3, 3))),
                     (lambda part, zi: lfilter(b, [1.0], part, zi=zi), np.zeros((3, 3)))]:
        whole, last = call(x, zi)
        parts, state = [], zi
        for start, stop in zip(cuts, cuts[1:]):
            y, state = call(x[:, start:stop], state)
            parts.append(y.numpy())
        near(whole, np.concatenate(parts, 1), "chunks")
        near(last, state.numpy(), "state")


def test_unstable():
    g = generator("unstable")
    with np.errstate(all="ignore"):
        for b, a in [([1.0], [1.0, -1.1]), ([1.0, 0.5], [1.0, -2.5, 1.2]), ([1.0], [1.0, -1.0]),
                     ([1.0], [1.0, -2.0, 1.0]),
                     ([1.0], [1.0, 0.0, 1.0])]:
            for n in (100, 6000, 20000):
                x = g.normal(size=n)
                got, want = lfilter(b, a, x).numpy(), ss.lfilter(b, a, x)
                assert (np.isfinite(got) == np.isfinite(want)).all(), f"{a} {n}"
                finite = np.isfinite(want)
                scale = np.maximum.accumulate(np.abs(want[finite]))
                assert (np.abs(got[finite] - want[finite]) <= 1e-9 * scale).all(), f"{a} {n}"


def test_not_a_number():
    """What comes before one is as it was, and nothing behind it is a number."""
    x = np.ones(10000)
    x[7000] = np.nan
    sos = ss.butter(4, 0.3, output="sos")
    y = sosfilt(sos, x).numpy()
    assert np.allclose(y[:7000], ss.sosfilt(sos, x)[:7000]) and np.isnan(y[7000:]).all()


@pytest.mark.parametrize("name", filters())
def test_states(name):
    b, a = map(np.asarray, filters()[name])
    near(gnd.lfilter_zi(gnd.from_numpy(b), gnd.from_numpy(a)), ss.lfilter_zi(b, a), name, 1e4)
    g = generator("lfiltic", name)
    for ny, nx in [(0, 0), (1, 2), (len(a) - 1, len(b) - 1), (len(a) + 3, len(b) + 3)]:
        y, x = g.normal(size=ny), g.normal(size=nx)
        arrays = [gnd.from_numpy(v) for v in (b, a, y, x)]
        near(gnd.lfiltic(*arrays), ss.lfiltic(b, a, y, x), name)
        near(gnd.lfiltic(*arrays[:3], None), ss.lfiltic(b, a, y), name)


def test_states_of_others():
    for sections in (1, 2, 5):
        sos = ss.butter(2 * sections, 0.2, output="sos")
        near(gnd.sosfilt_zi(gnd.from_numpy(sos)), ss.sosfilt_zi(sos), "sos", 1e3)
    b, a = np.array([1.0, 2.0]), np.array([0.0, 0.0, 2.0, 0.5, 0.1])
    # SciPy drops leading zeros up to 1.17 and refuses them since.
    near(gnd.lfilter_zi(gnd.from_numpy(b), gnd.from_numpy(a)), ss.lfilter_zi(b, a[2:]), "leading zeros")
    b, a = np.array([1j, 2.0]), np.array([2.0j, 0.5, 0.1])
    near(gnd.lfilter_zi(gnd.from_numpy(b), gnd.from_numpy(a)), ss.lfilter_zi(b, a), "complex")
    narrow = [gnd.from_numpy(v.astype("float32")) for v in (b.real, a.imag)]
    assert gnd.lfilter_zi(*narrow).dtype == "float32"


PADS = {"odd": gnd.FILTER_PAD_ODD, "even": gnd.FILTER_PAD_EVEN, "constant": gnd.FILTER_PAD_CONSTANT,
        None: gnd.FILTER_PAD_NONE}


@pytest.mark.parametrize("pad", PADS)
def test_forward_and_backward(pad):
    g = generator("filtfilt", pad)
    b, a = ss.butter(3, 0.2)
    sos = ss.butter(5, 0.2, output="sos")
    arrays = [gnd.from_numpy(v) for v in (b, a, sos)]
    for dtype in ("float64", "float32", "complex128", "int32"):
        for shape, axis in [((60,), 0), ((3, 200), -1), ((90, 4), 0), ((2, 6000, 2), 1)]:
            x = signal(shape, dtype, g)
            for padlen in (None, 1, 30) + ((100,) if shape[axis] > 100 else ()):
                chosen = options(pad=PADS[pad], padlen=padlen or 0)
                context = f"{pad} {dtype} {shape} {padlen}"
                near(gnd.filtfilt(*arrays[:2], gnd.from_numpy(x), axis, chosen),
                     ss.filtfilt(b, a, wide(x), axis, padtype=pad, padlen=padlen), context, 10)
                near(gnd.sosfiltfilt(arrays[2], gnd.from_numpy(x), axis, chosen),
                     ss.sosfiltfilt(sos, wide(x), axis, padtype=pad, padlen=padlen), context, 10)
                near(gnd.filtfilt(arrays[0], gnd.from_numpy(np.array([2.0])), gnd.from_numpy(x), axis, chosen),
                     ss.filtfilt(b, [2.0], wide(x), axis, padtype=pad, padlen=padlen), context, 10)
    x = signal((300,), "float32", g)
    narrow = [gnd.from_numpy(v.astype("float32")) for v in (b, a)]
    got = gnd.filtfilt(*narrow, gnd.from_numpy(x), 0, options(pad=PADS[pad]))
    assert got.dtype == "float32"
    near(got, ss.filtfilt(wide(b.astype("float32")), wide(a.astype("float32")), wide(x), padtype=pad), "float32", 10)


def test_gust():
    g = generator("gust")
    for b, a in [ss.butter(2, 0.2), ss.ellip(4, 0.01, 120, 0.125), ([1.0, 0.5, 0.2], [1.0]), ([3.0], [2.0])]:
        b, a = np.asarray(b), np.asarray(a)
        for shape, axis in [((100,), 0), ((3, 150), -1), ((120, 2), 0)]:
            x = g.normal(size=shape)
            for irlen in (None, 20, 500):
                got = gnd.filtfilt(gnd.from_numpy(b), gnd.from_numpy(a), gnd.from_numpy(x), axis,
                                   options(method=gnd.FILTER_METHOD_GUST, irlen=irlen or 0))
                near(got, ss.filtfilt(b, a, x, axis, method="gust", irlen=irlen), f"{len(a)} {shape} {irlen}", 1e4)
    x = signal((100,), "complex128", g)
    b, a = ss.butter(2, 0.2)
    got = gnd.filtfilt(gnd.from_numpy(b), gnd.from_numpy(a), gnd.from_numpy(x), 0,
                       options(method=gnd.FILTER_METHOD_GUST))
    near(got, ss.filtfilt(b, a, x, method="gust"), "complex", 1e4)


def test_refused():
    one, two, x = gnd.zeros(1, "float64"), gnd.ones(2, "float64"), gnd.zeros((3, 4), "float64")
    sos = gnd.from_numpy(ss.butter(4, 0.3, output="sos"))
    bad = gnd.from_numpy(np.ones((2, 6)) * 2)
    refused(lambda: gnd.lfilter(two, gnd.zeros(2, "float64"), x, -1, None, None), gnd.ERROR_VALUE, "a[0] is 0")
    refused(lambda: gnd.lfilter(x, two, x, -1, None, None), gnd.ERROR_SHAPE, "b must be 1-dimensional", "(3, 4)")
    refused(lambda: gnd.lfilter(two, gnd.zeros(0, "float64"), x, -1, None, None), gnd.ERROR_SHAPE, "not empty")
    refused(lambda: gnd.lfilter(two, two, gnd.zeros((), "float64"), -1, None, None), gnd.ERROR_SHAPE, "0-d")
    refused(lambda: gnd.lfilter(two, two, x, 2, None, None), gnd.ERROR_AXIS, "axis 2")
    refused(lambda: gnd.lfilter(two, two, x, 1, one, None), gnd.ERROR_SHAPE, "zi has shape (1,)", "(3, 1)")
    refused(lambda: gnd.lfilter(two, two, None, 1, one, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.sosfilt(x, x, 1, None, None), gnd.ERROR_SHAPE, "(sections, 6)", "(3, 4)")
    refused(lambda: gnd.sosfilt(bad, x, 1, None, None), gnd.ERROR_VALUE, "sos[0, 3] is 2")
    refused(lambda: gnd.sosfilt(sos, x, 1, gnd.zeros((2, 1, 2), "float64"), None), gnd.ERROR_SHAPE, "(2, 3, 2)")
    refused(lambda: gnd.sosfilt(gnd.zeros((1, 6), "complex64"), x, 1, None, None), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.lfilter_zi(two, one), gnd.ERROR_VALUE, "coefficients of a are 0")
    refused(lambda: gnd.lfilter_zi(two, gnd.from_numpy(np.array([1.0, -1.0]))), gnd.ERROR_VALUE, "pole at 1")
    refused(lambda: gnd.lfiltic(two, one, two, None), gnd.ERROR_VALUE, "a[0] is 0")
    refused(lambda: gnd.lfiltic(two, two, x, None), gnd.ERROR_SHAPE, "(3, 4)")
    refused(lambda: gnd.filtfilt(two, two, x, 1, None), gnd.ERROR_VALUE, "4 samples", "6")
    refused(lambda: gnd.filtfilt(two, two, x, 1, options(pad=9)), gnd.ERROR_INVALID, "padding number 9")
    refused(lambda: gnd.filtfilt(two, two, x, 1, options(padlen=-1)), gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.filtfilt(two, two, x, 1, options(method=5)), gnd.ERROR_INVALID, "method number 5")
    refused(lambda: gnd.sosfiltfilt(sos, x, 1, None), gnd.ERROR_VALUE, "4 samples")


def test_out_of_memory_at_every_allocation():
    g = generator("filter memory")
    b, a, sos = (gnd.from_numpy(v) for v in (*ss.butter(2, 0.3), ss.butter(2, 0.3, output="sos")))
    x, zi = gnd.from_numpy(g.normal(size=(3, 60))), gnd.from_numpy(g.normal(size=(3, 2)))
    one = gnd.ones(1, "float64")

    def with_state():
        room = gnd.outputs(1)
        y = gnd.lfilter(b, a, x, 1, zi, room)
        gnd.take(room)
        return y

    for call in [with_state, lambda: gnd.sosfilt(sos, x, 1, None, None), lambda: gnd.lfilter(b, one, x, 0, None, None),
                 lambda: gnd.lfilter_zi(b, a), lambda: gnd.filtfilt(b, a, x, 1, None),
                 lambda: gnd.filtfilt(b, a, x, 1, options(method=gnd.FILTER_METHOD_GUST))]:
        result, failures = run_with_failures(call)
        assert failures > 0
        near(result, call().numpy(), "again")
