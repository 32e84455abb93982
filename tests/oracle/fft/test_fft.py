"""Fourier transforms against NumPy and SciPy: every kind over random shapes (primes and large primes among them), axes
(named twice, too), lengths, norms, layouts and dtypes; round trips; writing into arrays, the input itself among them;
frequencies, shifts, fast lengths; and what is refused."""

import numpy as np
import pytest
import scipy.fft

import dtypes
import gnd
from check import assert_same, refused, same_layout
from test_faults import run_with_failures
from values import finite_operand, finite_values, generator

NORMS = {"backward": gnd.FFT_BACKWARD, "ortho": gnd.FFT_ORTHO, "forward": gnd.FFT_FORWARD}
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2"]
MANY = ["fftn", "ifftn", "rfftn", "irfftn"]
EVERY = """gnd_fft gnd_fft_into gnd_ifft gnd_ifft_into gnd_rfft gnd_rfft_into gnd_irfft gnd_irfft_into
gnd_hfft gnd_hfft_into gnd_ihfft gnd_ihfft_into gnd_fft2 gnd_fft2_into gnd_ifft2 gnd_ifft2_into gnd_rfft2 gnd_rfft2_into
gnd_irfft2 gnd_irfft2_into gnd_fftn gnd_fftn_into gnd_ifftn gnd_ifftn_into gnd_rfftn gnd_rfftn_into gnd_irfftn
gnd_irfftn_into gnd_fftfreq gnd_rfftfreq gnd_fftshift gnd_ifftshift""".split()
REAL_INPUT = ["rfft", "ihfft", "rfft2", "rfftn"]
NEAR = {"complex64": 4e-6, "float32": 4e-6, "float16": 2e-3, "bfloat16": 1e-2, "float64": 1e-14, "complex128": 1e-14}


def reference(name, x, *arguments):
    """NumPy's answer, of float16 with float32's factors (NumPy rounds them to float16), and of bfloat16."""
    if dtypes.is_bfloat16(x):
        want = getattr(np.fft, name)(dtypes.widen(x).astype("float32"), *arguments)
        return dtypes.cast(want, "bfloat16") if name in ("irfft", "hfft") else want
    if x.dtype == np.float16:
        return getattr(np.fft, name)(x.astype("float32"), *arguments).astype(
            getattr(np.fft, name)(x, *arguments).dtype)
    return getattr(np.fft, name)(x, *arguments)


def near(got, want, context, dtype=None):
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: dtype {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: shape {got.shape}, not {want.shape}"
    actual, want = dtypes.widen(got.numpy()), dtypes.widen(want)
    size = max(np.abs(want).max(initial=0), 1e-30)
    error = np.abs(actual - want).max(initial=0)
    bound = NEAR[dtype or got.dtype] * size * np.log2(max(want.size, 2) + 2)
    assert error <= bound, f"{context}: off by {error}, of {size}"


def call(name, a, *arguments):
    assert "gnd_" + name in EVERY
    return gnd.function("gnd_" + name)(a, *arguments)


def values_of(dtype, shape, g):
    x = finite_values(dtype, shape, g)
    return x // np.array(2, dtype) if dtype in dtypes.INTEGERS else x


# ---- one axis -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", ONE)
def test_one_axis(name, dtype):
    if name in REAL_INPUT and dtype in dtypes.COMPLEX:
        return
    g = generator("one axis", name, dtype)
    for _ in range(40):
        ndim = g.integers(1, 5)
        shape = tuple(int(n) for n in g.integers(1, 9, ndim))
        a, x = finite_operand(shape, dtype, g)
        axis, n = int(g.integers(-ndim, ndim)), [None, int(g.integers(1, 20))][g.integers(2)]
        if name in ("irfft", "hfft") and n is None and shape[axis] == 1:
            n = 1
        norm = list(NORMS)[g.integers(3)]
        context = f"{name} {dtype} {shape} strides {x.strides} axis {axis} n {n} {norm}"
        near(call(name, a, -1 if n is None else n, axis, NORMS[norm]), reference(name, x, n, axis, norm), context)


@pytest.mark.parametrize("n",
                         [1, 2, 3, 4, 7, 11, 13, 16, 17, 31, 64, 97, 100, 121, 127, 128, 243, 257, 1000, 1009, 1024,
                               2048, 3125, 4099, 8191, 10007, 16807, 65536, 65537, 99991])
def test_lengths(n):
    g = generator("lengths", n)
    for dtype in ("complex64", "complex128", "float32", "float64"):
        x = finite_values(dtype, (3, n), g)
        a = gnd.from_numpy(x)
        for name in ONE:
            if name in REAL_INPUT and dtype in dtypes.COMPLEX:
                continue
            near(call(name, a, n, -1, gnd.FFT_BACKWARD), getattr(np.fft, name)(x, n), f"{name} {dtype} {n}")


def test_known_transforms():
    n = 12
    t = np.arange(n)
    for k in range(n):
        got = gnd.fft(gnd.from_numpy(np.exp(2j * np.pi * k * t / n)), -1, 0, gnd.FFT_BACKWARD).numpy()
        assert abs(got - n * (t == k)).max() < 1e-13
        got = gnd.rfft(gnd.from_numpy(np.cos(2 * np.pi * k * t / n)), -1, 0, gnd.FFT_FORWARD).numpy()
        want = ((t == k) | (t == (n - k) % n)) * (1 if k in (0, 6) else 0.5)
        assert abs(got - want[:7]).max() < 1e-14


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32", "float64"])
def test_round_trips(dtype):
    g = generator("round", dtype)
    for shape in [(5,), (64,), (3, 7), (4, 5, 6), (2, 3, 4, 5), (2, 3, 2, 3, 2)]:
        x = finite_values(dtype, shape, g)
        a = gnd.from_numpy(x)
        for norm in NORMS.values():
            near(gnd.ifftn(gnd.fftn(a, (), None, norm), (), None, norm), x.astype(np.result_type(x, np.complex64)),
                 dtype)
            if dtype not in dtypes.COMPLEX:
                near(gnd.irfftn(gnd.rfftn(a, (), None, norm), shape, None, norm), x, dtype)
                near(gnd.hfft(gnd.ihfft(a, -1, -1, norm), shape[-1], -1, norm), x, dtype)


# ---- several axes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype",
                         ["bool", "int8", "uint64", "float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", TWO + MANY)
def test_several_axes(name, dtype):
    if name in REAL_INPUT and dtype in dtypes.COMPLEX:
        return
    g = generator("several axes", name, dtype)
    for _ in range(40):
        ndim = int(g.integers(2 if name in TWO else 1, 6))
        shape = tuple(int(n) for n in g.integers(1, 7, ndim))
        a, x = finite_operand(shape, dtype, g)
        count = 2 if name in TWO else int(g.integers(1, ndim + 1))
        axes = tuple(int(i) for i in g.permutation(ndim)[:count] - ndim * g.integers(2))
        if g.integers(5) == 0 and name in MANY:
            axes += axes[:1]
        sizes = [None, tuple(int(n) for n in g.integers(1, 9, len(axes)))][g.integers(2)]
        if sizes and g.integers(3) == 0:
            sizes = (-1,) + sizes[1:]
        if name.startswith("irfft") and sizes is None and shape[axes[-1]] == 1:
            sizes = (-1,) * len(axes)
        norm = list(NORMS)[g.integers(3)]
        context = f"{name} {dtype} {shape} strides {x.strides} axes {axes} s {sizes} {norm}"
        near(call(name, a, sizes or (), axes, NORMS[norm]), reference(name, x, sizes, axes, norm), context)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_axes_that_are_not_named():
    g = generator("unnamed")
    x = finite_values("float64", (3, 4, 5, 6), g)
    a = gnd.from_numpy(x)
    for name in TWO + MANY:
        near(call(name, a, (), None, gnd.FFT_BACKWARD), getattr(np.fft, name)(x), name)
        want = getattr(np.fft, name)(x, (4, 7)) if name in TWO else getattr(np.fft, name)(x, (4, 7), (-2, -1))
        near(call(name, a, (4, 7), None, gnd.FFT_BACKWARD), want, name)
    for name in ("fftn", "ifftn"):
        assert_same(call(name, a, (), (), gnd.FFT_BACKWARD), x)
        assert_same(call(name, gnd.from_numpy(np.float32(3)), (), None, gnd.FFT_BACKWARD), np.float32(3))


def test_more_axes_than_libraries_take():
    g = generator("many axes")
    for shape in [(2,) * 8, (3, 2, 4, 3, 2), (2, 3, 2, 3, 2, 3)]:
        for dtype in ("float32", "complex128"):
            a, x = finite_operand(shape, dtype, g)
            near(gnd.fftn(a, (), None, gnd.FFT_ORTHO), np.fft.fftn(x, norm="ortho"), f"{shape} {dtype}")
            near(gnd.ifftn(a, (), None, gnd.FFT_BACKWARD), np.fft.ifftn(x), f"{shape} {dtype}")
            near(gnd.irfftn(a, (), None, gnd.FFT_BACKWARD), np.fft.irfftn(x), f"{shape} {dtype}")
            if dtype == "float32":
                near(gnd.rfftn(a, (), None, gnd.FFT_BACKWARD), np.fft.rfftn(x), f"{shape} {dtype}")


@pytest.mark.parametrize("shape,axes", [((40, 30, 20), (1,)), ((6, 300, 7), (1,)), ((100, 3, 100), (0, 2)),
                                        ((64, 64, 16), (0, 1)), ((9, 8, 7, 6), (0, 2)), ((2, 90, 90, 3), (1, 2)),
                                        ((5, 6, 7, 8), (3, 0)), ((300, 2, 20, 3), (2,))])
def test_batches_on_both_sides(shape, axes):
    g = generator("batches", shape)
    for dtype in ("complex64", "float64"):
        x = finite_values(dtype, shape, g)
        whole = gnd.from_numpy(x)
        for view, a in [(x, whole), (x[::-1], whole["::-1"]), (x[..., ::2], whole["..., ::2"])]:
            for name in ("fftn", "ifftn", "irfftn") + (("rfftn",) if dtype == "float64" else ()):
                near(call(name, a, (), axes, gnd.FFT_BACKWARD), getattr(np.fft, name)(view, axes=axes),
                     f"{name} {dtype} {view.shape} {view.strides} {axes}")


@pytest.mark.parametrize("shape,axes", [((700, 130), (0,)), ((3, 600, 50), (1,)), ((300, 260, 11), (0, 1)),
                                        ((300, 260, 11), (1, 0)), ((256, 257, 9), (0,)), ((1000, 3, 37), (0, 2)),
                                        ((290, 5, 300), (2, 0))])
def test_long_axes_far_apart(shape, axes):
    g = generator("far", shape, axes)
    for dtype in ("complex64", "float64", "float32"):
        x = finite_values(dtype, shape, g)
        a = gnd.from_numpy(x)
        for name in ("fftn", "ifftn", "irfftn") + (() if dtype == "complex64" else ("rfftn",)):
            near(call(name, a, (), axes, gnd.FFT_BACKWARD), getattr(np.fft, name)(x, axes=axes), f"{name} {dtype}")
            near(call(name, a["..., ::-1"], (), axes, gnd.FFT_ORTHO),
                 getattr(np.fft, name)(x[..., ::-1], axes=axes, norm="ortho"), f"{name} {dtype} backwards")


@pytest.mark.parametrize("shape,axes", [((4096, 132), (0,)), ((2048, 4, 72), (0,)), ((1024, 513), (0,)),
                                        ((2048, 258), (0, 1)), ((3, 4096, 65), (1, 2)),
                                        ((512, 1024), (0, 1)), ((512, 128, 16), (0, 1)), ((3, 256, 7, 112), (1,)),
                                        ((128, 64, 80), (1, 0)), ((64, 3, 64, 48), (0, 2)), ((64, 128, 70), (0, 1, 2))])
def test_columns(shape, axes):
    """Of 4 MiB and more, which a GPU has kernels for."""
    g = generator("columns", shape, axes)
    x = finite_values("complex64", shape, g)
    a = gnd.from_numpy(x)
    want = np.fft.fftn(x, axes=axes)
    near(gnd.fftn(a, (), axes, gnd.FFT_BACKWARD), want, "forward")
    near(gnd.ifftn(a, (), axes, gnd.FFT_ORTHO), np.fft.ifftn(x, axes=axes, norm="ortho"), "inverse")
    near(gnd.fftn(a["..., 1:"], (), axes, gnd.FFT_FORWARD), np.fft.fftn(x[..., 1:], axes=axes, norm="forward"), "part")
    near(gnd.fftn(a["::-1"], (), axes, gnd.FFT_BACKWARD), np.fft.fftn(x[::-1], axes=axes), "backwards")
    near(gnd.rfftn(gnd.real(a), (), axes, gnd.FFT_BACKWARD), np.fft.rfftn(x.real, axes=axes), "real")
    near(gnd.fftn(gnd.real(a), (), axes, gnd.FFT_ORTHO), np.fft.fftn(x.real, axes=axes, norm="ortho"), "whole")
    gnd.fftn_into(a, a, (), axes, gnd.FFT_BACKWARD)
    near(a, want, "in place")
    gnd.ifftn_into(a, a, (), axes, gnd.FFT_BACKWARD)
    near(a, x, "and back")


@pytest.mark.gpu_only
@pytest.mark.parametrize("shape", [(4096, 4096), (2, 4096, 2048), (64, 256, 1024), (2, 5, 512, 4096), (4100, 64, 64)])
def test_large_real_matrices(shape):
    """Of 64 MiB and more, which a GPU transforms in two passes of its own."""
    g = generator("matrices", shape)
    x = g.standard_normal(shape).astype("float32")
    a = gnd.from_numpy(x)
    near(gnd.rfft2(a, (), (-2, -1), gnd.FFT_BACKWARD), np.fft.rfft2(x), "forward")
    near(gnd.rfft2(a["::-1"], (), (-2, -1), gnd.FFT_ORTHO), np.fft.rfft2(x[::-1], norm="ortho"), "backwards")
    if len(shape) == 4:
        near(gnd.rfft2(gnd.permute(a, (1, 0, 2, 3)), (), (-2, -1), gnd.FFT_FORWARD),
             np.fft.rfft2(x.transpose(1, 0, 2, 3), norm="forward"), "batch the other way round")


@pytest.mark.parametrize("shape,axis", [((1 << 20,), 0), ((2, 1 << 20), 1), ((130, 4096), 1),
                                        ((9, 1025, 64), 2), ((520, 2, 512), 2)])
def test_lines(shape, axis):
    """Long ones, and short ones with a factor: a GPU has kernels for those, too."""
    x = finite_values("complex64", shape, generator("lines", shape))
    a = gnd.from_numpy(x)
    near(gnd.fft(a, -1, axis, gnd.FFT_BACKWARD), np.fft.fft(x, axis=axis), "forward")
    near(gnd.ifft(a, -1, axis, gnd.FFT_BACKWARD), np.fft.ifft(x, axis=axis), "inverse")
    near(gnd.ifft(a["::-1"], -1, axis, gnd.FFT_ORTHO), np.fft.ifft(x[::-1], axis=axis, norm="ortho"), "backwards")
    gnd.fft_into(a, a, -1, axis, gnd.FFT_ORTHO)
    near(a, np.fft.fft(x, axis=axis, norm="ortho"), "in place")


@pytest.mark.parametrize("n", [64, 512, 2048, 4096])
def test_many_lines(n):
    """64 MiB and more, beyond the L2 cache: without a factor, too, a GPU has a kernel for these lengths."""
    x = finite_values("complex64", ((1 << 23) // n + 3, n), generator("many lines", n))
    a = gnd.from_numpy(x)
    want = np.fft.fft(x)
    near(gnd.fft(a, -1, -1, gnd.FFT_BACKWARD), want, "forward")
    near(gnd.ifft(a, -1, -1, gnd.FFT_FORWARD), np.fft.ifft(x, norm="forward"), "inverse")
    gnd.fft_into(a, a, -1, -1, gnd.FFT_BACKWARD)
    near(a, want, "in place")


@pytest.mark.gpu_only
@pytest.mark.parametrize("shape", [(8192, 1030), (9000, 940), (3, 8192, 350)])
def test_far_lines(shape):
    """Long ones along an axis that is not the last, of 64 MiB and more: a GPU copies them to dense lines."""
    axis = len(shape) - 2
    x = finite_values("complex64", shape, generator("far lines", shape))
    a = gnd.from_numpy(x)
    want = np.fft.fft(x, axis=axis)
    near(gnd.fft(a, -1, axis, gnd.FFT_BACKWARD), want, "forward")
    near(gnd.ifft(a["..., ::-1"], -1, axis, gnd.FFT_ORTHO),
         np.fft.ifft(x[..., ::-1], axis=axis, norm="ortho"), "turned")
    near(gnd.rfft(gnd.real(a), -1, axis, gnd.FFT_BACKWARD), np.fft.rfft(x.real, axis=axis), "real")
    last = gnd.ascontiguous(gnd.swapaxes(a, axis, -1))
    near(gnd.fft(gnd.swapaxes(last, axis, -1), -1, axis, gnd.FFT_FORWARD), np.fft.fft(x, axis=axis, norm="forward"),
         "dense on one side")
    gnd.fft_into(a, a, -1, axis, gnd.FFT_BACKWARD)
    near(a, want, "in place")


def test_layout_of_results():
    x = finite_values("complex64", (4, 5, 6), generator("layout"))
    for order in [(0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)]:
        view, a = x.transpose(order), gnd.permute(gnd.from_numpy(x), order)
        for axis in range(3):
            got, want = gnd.fft(a, 7, axis, gnd.FFT_BACKWARD), np.fft.fft(view, 7, axis)
            near(got, want, f"{order} {axis}")
            layouts = [want.strides]
            if gnd.current_device().kind != gnd.CPU and order[axis] == 1:
                # Between the axes of a batch; a GPU may prefer it last, behind the others as they were.
                behind = sorted(range(3), key=lambda i: (i == axis, -want.strides[i]))
                layouts.append([8 * int(np.prod([want.shape[k] for k in behind[behind.index(i) + 1:]]))
                                for i in range(3)])
            assert any(same_layout(got.strides, strides, want.shape) for strides in layouts), f"{order} {axis}"


# ---- into ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ONE + TWO + MANY)
def test_into(name):
    g = generator("into", name)
    for _ in range(60):
        ndim = int(g.integers(2, 5))
        shape = tuple(int(n) for n in g.integers(2, 7, ndim))
        dtype = str(g.choice(["float32", "float64", "int8"]
                             + ([] if name in REAL_INPUT else ["complex64", "complex128"])))
        a, x = finite_operand(shape, dtype, g)
        if name in ONE:
            arguments = (-1, int(g.integers(-ndim, ndim)), gnd.FFT_ORTHO)
            want = getattr(np.fft, name)(x, None, arguments[1], "ortho")
        else:
            axes = tuple(int(i) for i in g.permutation(ndim)[:2])
            arguments = ((), axes, gnd.FFT_ORTHO)
            want = getattr(np.fft, name)(x, None, axes, "ortho")
        kind = "float" if name in ("irfft", "hfft", "irfft2", "irfftn") else "complex"
        out_dtype = str(g.choice({"float": ["float16", "float32", "float64", "complex64"],
                                  "complex": ["complex64", "complex128"]}[kind]))
        out, y = finite_operand(want.shape, out_dtype, g)
        if 0 in y.strides:
            refused(lambda: call(name + "_into", out, a, *arguments), gnd.ERROR_INVALID, "read-only")
            continue
        call(name + "_into", out, a, *arguments)
        dtype = min([out_dtype, dtypes.name_of(want.dtype)], key=lambda d: -NEAR[d])
        near(out, want.astype(out_dtype), f"{name} {shape} {dtype} into {out_dtype} {y.strides}", dtype)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_in_place(dtype):
    g = generator("in place", dtype)
    for _ in range(40):
        ndim = int(g.integers(1, 5))
        shape = tuple(int(n) for n in g.integers(1, 7, ndim))
        a, x = finite_operand(shape, dtype, g)
        if 0 in x.strides:
            continue
        x = x.copy()
        axes = tuple(int(i) for i in g.permutation(ndim)[:g.integers(1, ndim + 1)])
        gnd.fftn_into(a, a, (), axes, gnd.FFT_BACKWARD)
        near(a, np.fft.fftn(x, axes=axes), f"{shape} {axes} {x.strides}")
        gnd.ifftn_into(a, a, (), axes, gnd.FFT_BACKWARD)
        near(a, x, f"{shape} {axes} {x.strides} and back")


def test_overlapping():
    """As if the input had been copied."""
    g = generator("overlap")
    x = finite_values("complex128", (40,), g)
    for to, take in [("1:33", "0:32"), ("0:32", "5:37"), ("::-1", ":"), ("0:20", "::2"), ("::2", "0:20")]:
        base = gnd.from_numpy(x)
        out, a = base[to], base[take]
        want = np.fft.fft(eval(f"x[{take}]", {"x": x}))
        gnd.fft_into(out, a, -1, 0, gnd.FFT_BACKWARD)
        near(out, want, f"{to} {take}")
    base = gnd.from_numpy(x)
    halves = gnd.real(base)  # the real parts lie within the complex array
    gnd.fft_into(base, halves, -1, 0, gnd.FFT_BACKWARD)
    near(base, np.fft.fft(x.real), "real parts")
    base = gnd.from_numpy(x)
    gnd.irfft_into(gnd.real(base["0:38"]), base["0:20"], -1, 0, gnd.FFT_BACKWARD)
    near(gnd.real(base["0:38"]), np.fft.irfft(x[:20]), "into real parts")


def test_inputs_are_not_modified():
    g = generator("unmodified")
    for name in ONE + MANY:
        for dtype in ("float64", "complex64"):
            if name in REAL_INPUT and dtype == "complex64":
                continue
            x = finite_values(dtype, (8, 9, 16), g)
            a = gnd.from_numpy(x)
            call(name, a, *((-1, 1) if name in ONE else ((), None)), gnd.FFT_BACKWARD)
            assert_same(a, x, name)


# ---- special cases ------------------------------------------------------------------------------------------


def test_empty_arrays():
    for name in ONE:
        dtype = "float32" if name in REAL_INPUT else "complex64"
        x = np.empty((0, 5), dtype)
        near(call(name, gnd.from_numpy(x), -1, 1, gnd.FFT_BACKWARD), getattr(np.fft, name)(x), name)
        shape = (3, 5) if name in ("rfft", "ihfft") else (4, 5)
        kind = "float32" if name in ("irfft", "hfft") else "complex64"  # NumPy's irfft leaves it unset
        near(call(name, gnd.from_numpy(x), 4, 0, gnd.FFT_BACKWARD), np.zeros(shape, kind), name)
        refused(lambda: call(name, gnd.from_numpy(x), -1, 0, gnd.FFT_BACKWARD), gnd.ERROR_VALUE, "axis 0", "(0, 5)",
                "gnd_" + name)
    near(gnd.fftn(gnd.zeros((0, 3, 4), "float64"), (), (1, 2), 0), np.fft.fftn(np.zeros((0, 3, 4)), axes=(1, 2)), "")


def test_values_that_are_not_finite():
    for value in (np.nan, np.inf):
        x = np.ones((3, 8))
        x[1, 3] = value
        with np.errstate(all="ignore"):
            got = gnd.rfft(gnd.from_numpy(x), -1, 1, gnd.FFT_BACKWARD).numpy()
        assert np.isfinite(got[[0, 2]]).all() and not np.isfinite(got[1]).any()

    # Real numbers times the factor are real: infinity must not become a NaN on the way into complex ones.
    for dtype in ("float16", "float32", "float64"):
        x = np.array([1, np.inf, 1, 2], dtype)
        for name in ("irfft", "hfft"):
            results = {norm: call(name, gnd.from_numpy(x), 4, 0, NORMS[norm]) for norm in NORMS}
            for norm, got in results.items():
                assert_same(got, results["forward" if name == "irfft" else "backward"].numpy(),
                            f"{name} {dtype} {norm}")
                if gnd.current_device().kind == gnd.CPU:  # how far infinities reach depends on the library
                    assert_same(got, np.array([np.inf, 0, -np.inf, 0], dtype), f"{name} {dtype} {norm}")


def test_imaginary_parts_without_meaning():
    x = finite_values("complex128", (5, 6), generator("hermitian"))
    a = gnd.from_numpy(x)
    for n in (10, 9, 11):
        near(gnd.irfft(a, n, 1, gnd.FFT_BACKWARD), np.fft.irfft(x, n, 1), f"{n}")
        near(gnd.irfft2(a, (5, n), None, gnd.FFT_BACKWARD), np.fft.irfft2(x, (5, n)), f"{n}")


def test_refused():
    x, z = gnd.zeros((3, 4), "float32"), gnd.zeros((3, 4), "complex64")
    for name in ONE:
        a = x if name in REAL_INPUT else z
        refused(lambda: call(name, a, 0, 0, 0), gnd.ERROR_VALUE, "0 elements", "(3, 4)", name)
        refused(lambda: call(name, a, -2, 0, 0), gnd.ERROR_VALUE, "-2 elements")
        refused(lambda: call(name, a, -1, 2, 0), gnd.ERROR_AXIS, "axis 2")
        refused(lambda: call(name, a, -1, 0, 3), gnd.ERROR_INVALID, "norm number 3")
        refused(lambda: call(name, None, -1, 0, 0), gnd.ERROR_INVALID, "'a' is NULL")
        refused(lambda: call(name + "_into", None, a, -1, 0, 0), gnd.ERROR_INVALID, "'out' is NULL")
        refused(lambda: call(name + "_into", a, None, -1, 0, 0), gnd.ERROR_INVALID, "'a' is NULL")
        refused(lambda: call(name + "_into", gnd.zeros((4, 4), "complex64"), a, -1, 1, 0), gnd.ERROR_SHAPE, "out",
                "(4, 4)")
        refused(lambda: call(name, gnd.zeros((), "float32"), -1, 0, 0), gnd.ERROR_AXIS, "axis 0")
    for name in REAL_INPUT:
        arguments = ((-1, 0) if name in ONE else ((), None)) + (0,)
        refused(lambda: call(name, z, *arguments), gnd.ERROR_DTYPE, "complex64", "gnd_" + name)
    for name in TWO + MANY:
        a = x if name in REAL_INPUT else z
        refused(lambda: call(name, a, (2, 3), (0,), 0), gnd.ERROR_SHAPE, "2 sizes", "1 axes")
        refused(lambda: call(name, a, (), (0, -3), 0), gnd.ERROR_AXIS, "axis -3")
        refused(lambda: call(name, a, (), None, -1), gnd.ERROR_INVALID, "norm number -1")
        refused(lambda: call(name, a, (0, 3), None, 0), gnd.ERROR_VALUE, "0 elements")
        refused(lambda: call(name + "_into", a, None, (), None, 0), gnd.ERROR_INVALID, "'a' is NULL")
    for name in TWO:
        refused(lambda: call(name, gnd.zeros(3, "float32"), (), None, 0), gnd.ERROR_AXIS, "axis -2")
    for name in ("rfftn", "irfftn"):
        refused(lambda: call(name, x, (), (), 0), gnd.ERROR_INVALID, "no axis")
        refused(lambda: call(name, gnd.zeros((), "float32"), (), None, 0), gnd.ERROR_INVALID, "no axis")
    refused(lambda: gnd.fft_into(x, z, -1, 0, 0), gnd.ERROR_DTYPE, "complex64", "float32")
    refused(lambda: gnd.rfft_into(gnd.zeros((3, 3), "int64"), x, -1, 1, 0), gnd.ERROR_DTYPE, "complex64", "int64")
    refused(lambda: gnd.fft_into(gnd.broadcast_to(gnd.zeros(4, "complex64"), (3, 4)), z, -1, 0, 0), gnd.ERROR_INVALID,
            "read-only")
    for name in ("fftn_into", "ifftn_into"):  # no axes: a copy
        refused(lambda: call(name, gnd.zeros((3, 4), "float64"), z, (), (), 0), gnd.ERROR_DTYPE, "complex64", "float64",
                name)
        refused(lambda: call(name, gnd.zeros((3, 3, 4), "complex64"), z, (), (), 0), gnd.ERROR_SHAPE, "(3, 3, 4)", name)
        refused(lambda: call(name, gnd.broadcast_to(gnd.zeros(4, "complex64"), (3, 4)), z, (), (), 0),
                gnd.ERROR_INVALID,
                "read-only")
    refused(lambda: gnd.fft(gnd.from_numpy(np.ones(1, "complex64")), 2**62, 0, 0), gnd.ERROR_MEMORY)


def test_out_of_memory_at_every_allocation():
    g = generator("memory")
    x = finite_values("complex64", (3, 4, 6), g)
    a, r = gnd.from_numpy(x), gnd.from_numpy(x.real.copy())
    i = gnd.from_numpy(np.arange(24).reshape(4, 6))
    calls = [lambda: gnd.fft(a, 7, 1, 0), lambda: gnd.ifftn(i, (), None, 0), lambda: gnd.irfftn(a, (), None, 0),
             lambda: gnd.hfft(a["..., ::-1"], -1, 0, 0), lambda: gnd.rfftn(r, (2, 5), (0, 2), 0),
             lambda: gnd.fftn(r, (), (1, 1), 0), lambda: gnd.fftfreq(9, 0.5), lambda: gnd.fftshift(a, None)]
    for make in calls:
        result, failures = run_with_failures(make)
        assert failures > 0
        assert_same(result, make().numpy(), strides=False)


# ---- frequencies --------------------------------------------------------------------------------------------


def test_frequencies():
    for n in (1, 2, 3, 8, 9, 1001):
        for d in (1.0, 0.1, 3.7, -2.0, 1e300):
            assert_same(gnd.fftfreq(n, d), np.fft.fftfreq(n, d))
            assert_same(gnd.rfftfreq(n, d), np.fft.rfftfreq(n, d))
    for name in ("fftfreq", "rfftfreq"):
        refused(lambda: call(name, 0, 1.0), gnd.ERROR_VALUE, "at least 1")
        refused(lambda: call(name, -5, 1.0), gnd.ERROR_VALUE, "-5")
        refused(lambda: call(name, 5, 0.0), gnd.ERROR_VALUE, "d is 0")


def test_shifts():
    g = generator("shifts")
    for _ in range(40):
        ndim = int(g.integers(1, 4))
        shape = tuple(int(n) for n in g.integers(0, 7, ndim))
        a, x = finite_operand(shape, str(g.choice(dtypes.NAMES)), g)
        axes = [None, int(g.integers(-ndim, ndim)), tuple(int(i) for i in g.integers(-ndim, ndim, 2))][g.integers(3)]
        for name in ("fftshift", "ifftshift"):
            assert_same(call(name, a, axes), getattr(np.fft, name)(x, axes), f"{name} {shape} {axes}", strides=False)
    for name in ("fftshift", "ifftshift"):
        assert_same(call(name, gnd.full((), 3, "int8"), None), np.int8(3))
        assert_same(call(name, gnd.from_numpy(np.arange(5)), ()), np.arange(5))
        refused(lambda: call(name, gnd.zeros(3, "int8"), 1), gnd.ERROR_AXIS, "axis 1", name)
        refused(lambda: call(name, None, None), gnd.ERROR_INVALID, "'a' is NULL")


def test_fast_lengths():
    g = generator("fast")
    for target in list(range(1, 600)) + [int(n) for n in g.integers(1, 2**40, 300)]:
        for real in (False, True):
            assert gnd.next_fast_len(target, real) == scipy.fft.next_fast_len(target, real), target
    assert gnd.next_fast_len(0, True) == 0
    assert gnd.next_fast_len(2**59, False) == 2**59
    refused(lambda: gnd.next_fast_len(-1, False), gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.next_fast_len(2**59 + 1, False), gnd.ERROR_VALUE)


def test_without_the_library(tmp_path):
    """The error says which package has it."""
    import os
    import subprocess
    import sys
    program = ("import gnd, numpy\n"
               "for x in (gnd.zeros(4, 'float32'), gnd.zeros(4, 'float64')):\n"
               "    try: gnd.rfft(x, -1, 0, 0)\n"
               "    except gnd.Error as e: print(e.code == gnd.ERROR_UNAVAILABLE, e)\n")
    environment = dict(os.environ, GND_DEVICE="cpu", GND_WITHOUT="FFTW,FFTW single", GND_LIBRARY=gnd.LIBRARY,
                       PYTHONPATH=os.path.dirname(gnd.__file__))
    text = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    lines = text.stdout.splitlines()
    assert "True" in lines[0] and "libfftw3-single3" in lines[0] and "gnd_rfft" in lines[0], text
    assert "True" in lines[1] and "libfftw3-double3" in lines[1], text


# ---- hermitian arrays ---------------------------------------------------------------------------------------

HERMITIAN = """gnd_hfft2 gnd_hfft2_into gnd_ihfft2 gnd_ihfft2_into gnd_hfftn gnd_hfftn_into gnd_ihfftn
gnd_ihfftn_into""".split()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["hfft2", "ihfft2", "hfftn", "ihfftn"])
def test_hermitian(name, dtype):
    """Against SciPy, in random shapes, lengths, axes and layouts, and into arrays."""
    function = getattr(scipy.fft, name)
    g = generator("hermitian", name, dtype)
    if name.startswith("i") and dtype in dtypes.COMPLEX:
        refused(lambda: gnd.function("gnd_" + name)(gnd.ones((3, 4), dtype), (), None, 0), gnd.ERROR_DTYPE, "real")
        return
    for _ in range(40):
        ndim = int(g.integers(2, 5))
        shape = tuple(int(n) for n in g.integers(2, 7, ndim))
        a, x = finite_operand(shape, dtype, g)
        count = 2 if name.endswith("2") else int(g.integers(1, ndim + 1))
        axes = [None, tuple(int(i) for i in g.permutation(ndim)[:count])][g.integers(2)]
        sizes = [None, tuple(int(n) for n in g.integers(2, 9, count))][g.integers(2)]
        norm = list(NORMS)[g.integers(3)]
        given = {} if axes is None and count == 2 and name.endswith("2") else {"axes": axes}
        want = function(x, s=sizes, norm=norm, **given)
        context = f"{name} {dtype} {shape} strides {x.strides} axes {axes} s {sizes} {norm}"
        near(gnd.function("gnd_" + name)(a, sizes or (), axes, NORMS[norm]), want, context)
        out = gnd.zeros(want.shape, dtypes.name_of(want.dtype))
        gnd.function(f"gnd_{name}_into")(out, a, sizes or (), axes, NORMS[norm])
        near(out, want, context)


def test_hermitian_there_and_back():
    x = generator("there and back").normal(size=(3, 4, 6))
    a = gnd.from_numpy(x)
    for norm in NORMS.values():
        near(gnd.hfftn(gnd.ihfftn(a, (), None, norm), x.shape, None, norm), x, "n")
        near(gnd.hfft2(gnd.ihfft2(a, (), None, norm), (4, 6), None, norm), x, "2")


def test_refusals_of_hermitian():
    a = gnd.ones((3, 4), "float32")
    for name in ("hfftn", "ihfftn"):
        call = gnd.function("gnd_" + name)
        refused(lambda: call(a, (), (), 0), gnd.ERROR_INVALID, "no axis")
        refused(lambda: call(a, (), (1, 1), 0), gnd.ERROR_AXIS, "twice")
        refused(lambda: call(a, (), (2,), 0), gnd.ERROR_AXIS)
        refused(lambda: call(a, (2, 2), (1,), 0), gnd.ERROR_SHAPE)
        refused(lambda: call(a, (0,), (1,), 0), gnd.ERROR_VALUE)
        refused(lambda: call(None, (), None, 0), gnd.ERROR_INVALID, "NULL")
