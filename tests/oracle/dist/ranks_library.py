"""As ranks.py, of what stands on it: products, systems, transforms, orders, scans, counts, indices, random numbers,
convolutions and files, against NumPy and SciPy."""

import ctypes
import itertools
import sys
from pathlib import Path

import numpy as np
import scipy.signal
import scipy.special

import ranks  # first: it says where the others are
from ranks import fails, generator, gnd, layouts, meshes, places, same, split, values
from split import COPIES, Layout, Split, arg, call, pointer

FULL, SAME, VALID = gnd.FULL, gnd.SAME, gnd.VALID
NORMS = {"backward": gnd.FFT_BACKWARD, "ortho": gnd.FFT_ORTHO, "forward": gnd.FFT_FORWARD}


def close(got, want, context="", factor=1.0):
    """As NumPy's, but for the rounding of sums."""
    assert got.dtype == want.dtype.name and got.shape == want.shape, f"{context}: {got.dtype}{got.shape}"
    actual = got.gather().numpy()
    eps = np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
    allowed = 40 * factor * eps * np.max(np.abs(want), initial=0)
    wrong = ~(np.abs(actual - want) <= allowed)
    assert not wrong.any(), f"{context}: {actual[wrong][:3]}, not {want[wrong][:3]}"


def finite(dtype, shape, *seed):
    x = generator(dtype, shape, *seed).standard_normal((2, *shape))
    return (x[0] + 1j * x[1] if dtype.startswith("c") else 10 * x[0]).astype(dtype)


def drawn(some, count, *seed):
    """At most so many of them."""
    list_ = list(some)
    chosen = generator(*seed).permutation(len(list_))[:count]
    return [list_[k] for k in chosen]


def some(mesh, *shapes):
    """Shapes, and two layouts of each of them, one split along axis 0 and one drawn."""
    for shape in shapes:
        yield shape, Layout(0)
        yield shape, *drawn(layouts(mesh, shape), 1, shape, mesh.size)


# ---- products and systems -------------------------------------------------------------------------------------------


def check_products(mesh, case):
    pairs = [((7, 5), (5, 6)), ((8, 8), (8, 8)), ((5,), (5,)), ((3, 7, 5), (5, 4)), ((1, 9), (9, 1)), ((4, 0), (0, 3))]
    for (a, b), dtype in itertools.product(pairs, ("float64", "int32", "complex64")):
        x, y = finite(dtype, a), finite(dtype, b, 1)
        want = np.asarray(x @ y)
        for m in meshes(mesh):
            for left, right in drawn(itertools.product(layouts(m, a), layouts(m, b)), 10, a, b, dtype):
                (result,) = drawn(layouts(m, want.shape), 1, str(left), str(right))
                with case(f"{dtype}{a} {left} @ {b} {right} to {result}"):
                    p, q = split.scatter(m, x, left), split.scatter(m, y, right)
                    got = Split(call("gnd_dist_matmul", pointer(p), pointer(q), result.c()))
                    close(got, want, factor=10)
    x, y = finite("complex128", (9, 4)), finite("complex128", (9, 4), 1)
    with case("vdot"):
        p, q = split.scatter(mesh, x, Layout(0)), split.scatter(mesh, y, Layout(0))
        close(Split(call("gnd_dist_vdot", pointer(p), pointer(q))), np.asarray(np.vdot(x, y)), factor=10)


def check_systems(mesh, case):
    for dtype, name in itertools.product(("float32", "float64", "complex128"), ("solve", "cholesky", "lstsq")):
        n = 12
        a = finite(dtype, (n + 4, n) if name == "lstsq" else (n, n))
        a = (a @ a.conj().T + 50 * n * np.eye(n)).astype(dtype) if name == "cholesky" else a
        b = finite(dtype, (a.shape[0], 3), 1)
        with case(f"{name} of {dtype}"):
            p, q = split.scatter(mesh, a, Layout(0)), split.scatter(mesh, b, Layout(1))
            try:
                if name == "cholesky":
                    got = Split(call("gnd_dist_cholesky", pointer(p), Layout(1).c()))
                else:
                    got = Split(call("gnd_dist_" + name, pointer(p), pointer(q), Layout(0).c()))
            except gnd.Error as error:
                assert error.code == gnd.ERROR_UNAVAILABLE, error
                continue
            if name == "cholesky":
                close(got, np.linalg.cholesky(a), factor=20)
            else:
                want = np.linalg.solve(a, b) if name == "solve" else np.linalg.lstsq(a, b, rcond=None)[0]
                close(got, want.astype(dtype), factor=100 * np.linalg.cond(a))


# ---- transforms -----------------------------------------------------------------------------------------------------


def check_transforms(mesh, case):
    for m in meshes(mesh):
        for shape, layout in some(m, (24,), (8, 6), (7, 5), (4, 6, 5), (4096,)):
            x = finite("complex128", shape)
            for k, axis in enumerate(range(len(shape))):
                norm = list(NORMS)[k % 3]
                for result in (COPIES, Layout(0), Layout(len(shape) - 1)):
                    with case(f"fft of {shape} {layout} along {axis} to {result}"):
                        a = split.scatter(m, x, layout)
                        got = Split(call("gnd_dist_fft", pointer(a), ctypes.c_int64(-1), axis, NORMS[norm], result.c()))
                        close(got, np.fft.fft(x, axis=axis, norm=norm))
                        close(Split(call("gnd_dist_ifft", pointer(got), ctypes.c_int64(-1), axis, NORMS[norm],
                                         result.c())), x)
            with case(f"fftn of {shape} {layout}"):
                a = split.scatter(m, x, layout)
                close(Split(call("gnd_dist_fftn", pointer(a), gnd.shape(()), gnd.axes(None), 0, Layout(0).c())),
                      np.fft.fftn(x))
            real = x.real.copy()
            with case(f"rfftn of {shape} {layout}, and back"):
                a = split.scatter(m, real, layout)
                half = Split(call("gnd_dist_rfftn", pointer(a), gnd.shape(()), gnd.axes(None), 0, Layout(0).c()))
                close(half, np.fft.rfftn(real))
                axes = gnd.axes(tuple(range(len(shape))))
                close(Split(call("gnd_dist_irfftn", pointer(half), gnd.shape(shape), axes, 0, COPIES.c())), real)


# ---- orders, scans, counts ------------------------------------------------------------------------------------------


def check_orders(mesh, case):
    for m, shape, layout in places(mesh, [(13,), (40,), (7, 5), (4, 3, 5)]):
        for axis in range(len(shape)):
            dtype = ("float32", "int8", "float64")[(axis + len(str(layout))) % 3]
            x = values.random_values(dtype, shape, generator(shape, axis, dtype))
            with case(f"sort {dtype}{shape} {layout} along {axis}"):
                a = split.scatter(m, x, layout)
                same(Split(call("gnd_dist_sort", pointer(a), axis, gnd.ASCENDING)), np.sort(x, axis=axis))
                same(Split(call("gnd_dist_argsort", pointer(a), axis, gnd.ASCENDING)),
                     np.argsort(x, axis=axis, kind="stable"))
                first, places_ = ctypes.c_void_p(), ctypes.c_void_p()
                call("gnd_dist_topk", ctypes.byref(first), ctypes.byref(places_), pointer(a), ctypes.c_int64(2), axis,
                     gnd.ASCENDING, result=ctypes.c_int)
                same(Split(first.value), np.take(np.sort(x, axis=axis), range(2), axis=axis))
                Split(places_.value)
        x = generator(shape).integers(0, 9, shape)
        with case(f"unique {shape} {layout}"):
            a = split.scatter(m, x, layout)
            same(Split(call("gnd_dist_unique", pointer(a), None)), np.unique(x))


def check_scans(mesh, case):
    numpy = {"cumsum": np.cumsum, "cumprod": np.cumprod, "cummax": np.maximum.accumulate,
             "cummin": np.minimum.accumulate}
    for m, shape, layout in places(mesh, [(13,), (7, 5), (4, 3, 5), (0, 3)]):
        for axis, name in itertools.product(range(len(shape)), numpy):
            x = generator(shape, axis, name).integers(-3, 4, shape)
            x = x.astype(("int64", "float64")[axis % 2])
            with case(f"{name} {shape} {layout} along {axis}"):
                a = split.scatter(m, x, layout)
                same(Split(call("gnd_dist_scan", name.encode(), pointer(a), gnd.axes(axis))), numpy[name](x, axis=axis))
            if name != "cumsum":
                continue
            with case(f"accumulate subtract {shape} {layout} along {axis}"):
                a = split.scatter(m, x, layout)
                same(Split(call("gnd_dist_accumulate", b"subtract", pointer(a), gnd.axes(axis))),
                     np.subtract.accumulate(x, axis=axis))


def check_softmax(mesh, case):
    """Rows with infinities among them, and rows that are long enough to be taken in parts."""
    for m, shape, layout in places(mesh, [(13,), (7, 5), (4, 3, 5), (3, 9001)]):
        x = generator(shape).normal(0, 30, shape).astype("float32") + np.float32(1000)
        x[..., 0], x[..., 1] = x[..., 0] - np.inf, x[..., 1] - (np.inf if shape[0] == 4 else 0)
        for axis in (None, *range(len(shape))):
            wide, given = x.astype("float64"), gnd.axes(axis)
            with case(f"softmax {shape} {layout} along {axis}"), np.errstate(all="ignore"):
                a = split.scatter(m, x, layout)
                got = Split(call("gnd_dist_softmax", pointer(a), given)).gather().numpy()
                assert np.allclose(got, scipy.special.softmax(wide, axis), 1e-5, 1e-30, equal_nan=True)
                got = Split(call("gnd_dist_log_softmax", pointer(a), given)).gather().numpy()
                assert np.allclose(got, scipy.special.log_softmax(wide, axis), 1e-5, 1e-6, equal_nan=True)
                got = a.reduce("logsumexp", gnd.Axes(*(() if axis is None else (axis,))), COPIES).gather().numpy()
                assert np.allclose(got, scipy.special.logsumexp(wide, axis), 1e-6, equal_nan=True)


def check_counts(mesh, case):
    for m, shape, layout in places(mesh, [(50,), (7, 5)]):
        x = generator(shape).integers(0, 6, shape)
        if len(shape) == 1:
            with case(f"bincount {shape} {layout}"):
                a = split.scatter(m, x, layout)
                same(Split(call("gnd_dist_bincount", pointer(a), None, ctypes.c_int64(8))), np.bincount(x, minlength=8))
        y = finite("float64", shape)
        with case(f"histogram {shape} {layout}"):
            edges = ctypes.c_void_p()
            a = split.scatter(m, y, layout)
            got = Split(call("gnd_dist_histogram", pointer(a), gnd.arg(5), None, ctypes.byref(edges)))
            same(got, np.histogram(y, 5)[0])
            assert np.allclose(gnd.Array(edges.value).numpy(), np.histogram(y, 5)[1])


# ---- indices --------------------------------------------------------------------------------------------------------


def check_indices(mesh, case):
    for m, shape, layout in places(mesh, [(13,), (7, 5), (4, 3, 5)]):
        for axis in range(len(shape)):
            g = generator(shape, axis)
            x, k = values.random_values("int32", shape, g), g.integers(-shape[axis], shape[axis], 9)
            with case(f"take {shape} {layout} along {axis}"):
                a, i = split.scatter(m, x, layout), gnd.from_numpy(k)
                same(Split(call("gnd_dist_take", pointer(a), arg(i), axis, gnd.RAISE)), np.take(x, k, axis=axis))
            kept = g.integers(0, 2, shape[axis]).astype(bool)
            with case(f"compress {shape} {layout} along {axis}"):
                a, chosen = split.scatter(m, x, layout), gnd.from_numpy(kept)
                same(Split(call("gnd_dist_compress", arg(chosen), pointer(a), axis)), np.compress(kept, x, axis=axis))
            if axis:
                continue
            with case(f"at {shape} {layout}"):
                a, i, want = split.scatter(m, x, layout), gnd.from_numpy(k), x.copy()
                try:
                    call("gnd_dist_at", b"add", pointer(a), arg(i), axis, arg(3), result=ctypes.c_int)
                except gnd.Error as error:
                    assert error.code == gnd.ERROR_INVALID, error
                    continue
                np.add.at(want, k, 3)
                same(a, want)


# ---- random numbers, convolutions, files ----------------------------------------------------------------------------


def check_random_numbers(mesh, case):
    """Those of one array, for any layout."""
    for m, shape, layout in places(mesh, [(13,), (7, 5), (4, 3, 5)]):
        for distribution, dtype in (("random", "float64"), ("standard_normal", "float32"), ("integers", "int64")):
            with case(f"{distribution} {dtype}{shape} {layout}"):
                given = [0, 100] if distribution == "integers" else []
                one, all_ = (gnd.random_new(gnd.PHILOX, 42) for _ in range(2))
                want = gnd.from_numpy(np.zeros(shape, dtype))
                gnd.random_fill(one, want, distribution, len(given), given)
                got = split.full(m, shape, 0, dtype, layout)
                list_ = (split.CArg * max(len(given), 1))(*map(arg, given))
                call("gnd_dist_random_fill", ctypes.c_void_p(all_), pointer(got), distribution.encode(), len(given),
                     list_, result=ctypes.c_int)
                same(got, want.numpy())
                gnd.random_release(one)
                gnd.random_release(all_)


def check_convolutions(mesh, case):
    for m, shape, layout in places(mesh, [(13,), (40,)]):
        x, kernel = generator(shape).integers(-9, 9, shape), np.array([1, -2, 3, 5])
        for (mode, text), name in itertools.product(((FULL, "full"), (SAME, "same"), (VALID, "valid")),
                                                    ("convolve", "correlate")):
            with case(f"{name} {text} {shape} {layout}"):
                a, k = split.scatter(m, x, layout), gnd.from_numpy(kernel)
                same(Split(call("gnd_dist_" + name, pointer(a), pointer(k), mode)), getattr(np, name)(x, kernel, text))
    for m, shape, layout in places(mesh, [(7, 5)]):
        x, kernel = generator(shape).integers(-9, 9, shape), np.array([[1, -2, 3], [4, 5, -6]])
        with case(f"convolve_nd {shape} {layout}"):
            a, k = split.scatter(m, x, layout), gnd.from_numpy(kernel)
            got = Split(call("gnd_dist_convolve_nd", pointer(a), pointer(k), SAME, gnd.CONVOLVE_DIRECT))
            same(got, scipy.signal.convolve(x, kernel, "same", "direct"))


def check_files(mesh, case):
    folder = Path(sys.argv[1])
    for k, (m, shape, layout) in enumerate(places(mesh, [(13,), (7, 5), (4, 3, 5), (0,)])):
        x = values.random_values("float32", shape, generator(shape))
        path = str(folder / f"saved-{k}.npy")
        with case(f"{shape} {layout}"):
            a = split.scatter(m, x, layout)
            call("gnd_dist_save", path.encode(), pointer(a), result=ctypes.c_int)
            assert np.array_equal(np.load(path), x, equal_nan=True)
            mesh.barrier()
            same(Split(call("gnd_dist_load", pointer(m), path.encode(), layout.c())), x)
    with case("a file that is not there"):
        fails(lambda: call("gnd_dist_load", pointer(mesh), str(folder / "none.npy").encode(), COPIES.c()), gnd.ERROR_IO)


if __name__ == "__main__":
    ranks.main(dict(globals()))
