"""One of the ranks that test_ranks.py starts by mpirun: split arrays against NumPy, on all ranks of the mesh.

    mpirun -n 4 python ranks.py FOLDER          every function `check_...` below; FOLDER/RANK.json tells what is wrong
    mpirun -n 2 python ranks.py FOLDER die      rank 1 dies instead of calling what the others call

All ranks draw the same numbers, and all compare the whole result. A new operation is a function `check_...(mesh, case)`
here or in ranks_library.py: `case(text)` begins a case, whose failure is recorded; the ranks make the same calls in any
case.
"""

import contextlib
import ctypes
import functools
import itertools
import json
import os
import signal
import sys
import traceback
import warnings
import zlib
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(FOLDER), *(str(topic) for topic in sorted(FOLDER.iterdir()) if topic.is_dir())]

import numpy as np  # noqa: E402

import check as compare  # noqa: E402
import dtypes  # noqa: E402
import gnd  # noqa: E402
import reference  # noqa: E402
import split  # noqa: E402
import values  # noqa: E402
from split import COPIES, Layout  # noqa: E402
from test_elementwise import ROWS, operands, other_inputs, refused  # noqa: E402

SHAPES = [(), (0,), (2,), (13,), (3, 0), (7, 5), (4, 3, 5)]


def generator(*seed):
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


@functools.cache
def meshes(mesh):
    """The mesh, and of four ranks a grid."""
    return [mesh, mesh.grid(2, 2)] if mesh.size == 4 else [mesh]


def layouts(mesh, shape):
    """Every way to lie on the mesh: copies, each axis, uneven cuts with empty blocks, two axes of a grid."""
    rows = mesh.extent(0)
    yield COPIES
    for axis in range(len(shape)):
        yield Layout(axis)
    if shape:
        n = shape[-1]
        yield Layout(len(shape) - 1, cuts=[n * k * k // rows**2 for k in range(rows)] + [n])
        yield Layout(0, cuts=[0] * rows + [shape[0]])
    if len(shape) > 1 and mesh.extent(1) > 1:
        yield Layout(1, 0)
        yield Layout(split.WHOLE, 1)


def all_places(mesh, shapes):
    """Every mesh, shape and layout."""
    for m in meshes(mesh):
        for shape in shapes:
            for layout in layouts(m, shape):
                yield m, shape, layout


def places(mesh, shapes=SHAPES):
    """Of more than two ranks, which mostly wait for a core here, every fifth."""
    return itertools.islice(all_places(mesh, shapes), None, None, 5 if mesh.size > 2 else 1)


def same(got, want, context=""):
    """A Split has NumPy's dtype, shape and values on every rank."""
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    compare.assert_same(got.gather(), np.ascontiguousarray(want).reshape(want.shape), context, strides=False)


def fails(call, code, *words):
    try:
        call()
    except gnd.Error as error:
        assert error.code == code and all(word in error.message for word in words), error
    else:
        raise AssertionError(f"it is no error, but should be one with {words}")


# ---- making and moving --------------------------------------------------------------------------------------------


def check_made(mesh, case):
    for m, shape, layout in places(mesh):
        g = generator("made", shape)
        with case(f"{shape} {layout}"):
            same(split.full(m, shape, 2.5, "float32", layout), np.full(shape, 2.5, "float32"))
            x = values.random_values("complex64", shape, g)
            for root in range(m.size):
                a = split.scatter(m, x, layout, root)
                same(a, x, f"from {root}")
                whole = a.gather(root)
                assert (whole is not None) == (m.rank == root)
                if whole is not None:
                    compare.assert_same(whole, x, strides=False)
            assert np.array_equal(a.local().numpy(), x[a.part(m.rank)], equal_nan=True)
            if len(shape) == 1:
                n = shape[0]
                same(split.arange(m, 5, 5 - 3 * n, -3, "int16", layout), np.arange(5, 5 - 3 * n, -3, "int16"))
                same(split.arange(m, None, n, None, None, layout), np.arange(n))


def check_blocks_of_any_length(mesh, case):
    for name in dtypes.NAMES:
        with case(name):
            lengths = generator(name, mesh.size).integers(0, 5, mesh.size)
            starts = np.cumsum([0, *lengths])
            x = values.random_values(name, (starts[-1], 3), generator(name))
            a = split.from_local(mesh, x[starts[mesh.rank]:starts[mesh.rank + 1]], Layout(0))
            same(a, x)
            same(a.redistribute(Layout(0)), x)
            same(a.redistribute(Layout(1)), x)


def check_redistribute(mesh, case):
    for m, shape, layout in places(mesh):
        for k, to in enumerate(layouts(m, shape)):
            name = dtypes.NAMES[(k + len(shape) * 5) % len(dtypes.NAMES)]
            x = values.random_values(name, shape, generator(shape, k))
            with case(f"{name}{shape} {layout} to {to}"):
                same(split.scatter(m, x, layout).redistribute(to), x)


# ---- views --------------------------------------------------------------------------------------------------------


def numpy_slice(x, text):
    return eval(f"x[{text}]", {"x": x, "None": None})


def check_slices(mesh, case):
    texts = ["1:-1", "::3", "5:2", "-3:", "...", "None", "1:, ::2", "..., 1:3", "None, 2:, None", "..., ::-1", "2",
             "..., 0", ":0", "1::2, 1:, ::2", "-1:, -1:"]
    for m, shape, layout in places(mesh):
        x = values.random_values("int32", shape, generator(shape))
        for text in texts:
            with case(f"{shape} {layout} [{text}]"):
                a = split.scatter(m, x, layout)
                try:
                    want = numpy_slice(x, text)
                except IndexError:
                    fails(lambda: a.slice(text), gnd.ERROR_INDEX)
                    continue
                try:
                    got = a.slice(text)
                except gnd.Error as error:  # an integer, or a step backwards, along a split axis
                    moves = any("-1" == part.strip().split(":")[-1] and part.count(":") == 2 or part.strip().isdigit()
                                for part in text.split(","))
                    assert error.code == gnd.ERROR_INVALID and moves and layout is not COPIES, error
                    continue
                same(got, want)


def check_permute_and_reshape(mesh, case):
    for m, shape, layout in places(mesh):
        x = values.random_values("float64", shape, generator(shape))
        for axes in itertools.permutations(range(len(shape))):
            with case(f"{shape} {layout} permuted to {axes}"):
                if axes:
                    same(split.scatter(m, x, layout).permute(*axes), x.transpose(axes))
    x = values.random_values("int64", (6, 4, 5), generator("reshape"))
    for axis, shape in ((0, (6, 20)), (0, (6, 2, 10)), (2, (24, 5)), (2, (4, 6, -1)), (1, (6, 4, 1, 5))):
        with case(f"(6, 4, 5) to {shape}"):
            same(split.scatter(mesh, x, Layout(axis)).reshape(shape), x.reshape(shape))
    with case("a split axis that goes"):
        fails(lambda: split.scatter(mesh, x, Layout(1)).reshape((24, 5)), gnd.ERROR_SHAPE)


# ---- operators ----------------------------------------------------------------------------------------------------


def check_operators(mesh, case):
    """Every operator in every dtype, in a layout drawn for it."""
    for name, row in ROWS.items():
        if name in compare.DEFAULTS:
            continue  # its parameters have no names here: see the C tests
        g = generator(name)
        for dtype in dtypes.NAMES:
            m = meshes(mesh)[g.integers(len(meshes(mesh)))]
            shape = [(13,), (7, 5), (4, 3, 5)][g.integers(3)]
            possible = list(layouts(m, shape))
            layout = possible[g.integers(len(possible))]
            made = operands(row, other_inputs(row, [dtype] * len(row.inputs)), shape, g)
            if refused(row, made):
                continue
            with case(f"{name}({dtype}) {shape} {layout}"):
                lie = [layout if k == 0 or g.integers(2) else COPIES for k in range(len(made))]
                arrays = [split.scatter(m, x, where) for x, where in zip(made, lie)]
                results = (split.apply_two if len(row.outputs) == 2 else lambda *a: [split.apply(*a)])(name, *arrays)
                compare.check_outputs(row, made, [r.gather() for r in results], layout=False)


def check_broadcasting(mesh, case):
    pairs = [((7, 5), (5,)), ((7, 5), (7, 1)), ((7, 1), (1, 5)), ((4, 3, 5), (3, 1)), ((7, 5), ()), ((0, 5), (5,)),
             ((1, 5), (7, 5))]
    for (first, second), dtype in itertools.product(pairs, ("float32", "int8", "complex128")):
        g = generator(first, second, dtype)
        x, y = values.finite_values(dtype, first, g), values.finite_values(dtype, second, g)
        want = x + y
        for m in meshes(mesh):
            for a, b in itertools.product(layouts(m, first), layouts(m, second)):
                with case(f"{dtype}{first} {a} + {second} {b}"):
                    try:
                        got = split.apply("add", split.scatter(m, x, a), split.scatter(m, y, b))
                    except gnd.Error as error:
                        assert error.code == gnd.ERROR_INVALID and "gnd_dist_redistribute" in error.message, error
                        continue
                    same(got, want)


def check_edges_move(mesh, case):
    """x[1:] - x[:-1] and its kin: cuts that differ."""
    x = values.finite_values("float64", (17, 6), generator("edges"))
    for axis, layout in itertools.product((0, 1), layouts(mesh, x.shape)):
        with case(f"differences along {axis} {layout}"):
            a = split.scatter(mesh, x, layout)
            head, tail = (":-2", "2:") if axis == 0 else (":, :-2", ":, 2:")
            same(split.apply("subtract", a.slice(tail), a.slice(head)), numpy_slice(x, tail) - numpy_slice(x, head))


def check_where_and_dtype(mesh, case):
    for m, shape, layout in places(mesh, [(13,), (7, 5)]):
        g = generator(shape)
        x, y, mask = (values.finite_values(n, shape, g) for n in ("float32", "int16", "bool"))
        with case(f"{shape} {layout}"):
            a, b, chosen = (split.scatter(m, v, layout) for v in (x, y, mask))
            want = np.add(x, y, where=mask, dtype="float64", out=np.zeros(shape))
            same(split.apply("add", a, b, where=chosen, dtype="float64"), want)
            same(split.apply("maximum", gnd.from_numpy(y), a), np.maximum(y, x))
            same(split.apply("subtract", 3, b), 3 - y)


def check_casts(mesh, case):
    for name, to in itertools.product(dtypes.NAMES, dtypes.NAMES):
        x = values.finite_values(name, (7, 5), generator(name))
        with np.errstate(all="ignore"):
            want = dtypes.cast(x, to)
        wide = np.real(dtypes.widen(x))
        if to in dtypes.INTEGERS and not (np.trunc(wide) == np.trunc(np.real(dtypes.widen(want)))).all():
            continue  # out of range: see test_cast.py
        with case(f"{name} to {to}"):
            same(split.scatter(mesh, x, Layout(len(name) % 2)).astype(to), want)


# ---- reductions ---------------------------------------------------------------------------------------------------

EXACT = ("min", "max", "any", "all", "count_nonzero")


def true_value(name, x, axes, keepdims, where, ddof):
    """The reduction in a wider dtype, and the size of what was added up."""
    wide = dtypes.widen(x)
    wide = wide.astype(np.clongdouble if wide.dtype.kind == "c" else np.longdouble)
    options = dict(axis=axes, keepdims=keepdims, where=where)
    if name in ("var", "std"):
        largest = np.max(np.abs(wide), initial=0)
        return getattr(np, name)(wide, ddof=ddof, **options), largest**(2 if name == "var" else 1)
    scale = np.sum(np.abs(wide), **options) if name == "sum" else np.max(np.abs(wide), initial=0)
    true = getattr(np, name)(wide, **options)
    return true, np.abs(true) if name == "prod" else scale


def check_reductions(mesh, case):
    for m, shape, layout in places(mesh, [(13,), (7, 5), (4, 3, 5), (3, 0), ()]):
        every = [None, *range(len(shape)), *itertools.combinations(range(len(shape)), 2)]
        for name, axes in itertools.product(("sum", "prod", "mean", "var", "std", *EXACT), every):
            g = generator(name, axes, shape)
            dtype = dtypes.NAMES[g.integers(len(dtypes.NAMES))]
            if name in ("min", "max", "var", "std", "mean") and 0 in shape:
                continue
            if dtype == "bfloat16" or name in ("min", "max") and dtype in dtypes.COMPLEX:
                dtype = "float32"
            x = values.finite_values(dtype, shape, g)
            keepdims, ddof = bool(g.integers(2)), float(g.integers(2)) if name in ("var", "std") else 0.0
            masked = bool(g.integers(3) == 0) and name not in ("min", "max", "count_nonzero")
            mask = g.integers(0, 2, shape).astype(bool) if masked else np.True_
            with case(f"{name}({dtype}{shape}) {layout} axes={axes} keepdims={keepdims} where={masked}"):
                reduction(m, name, x, layout, axes, keepdims, mask, masked, ddof)


def reduction(m, name, x, layout, axes, keepdims, mask, masked, ddof):
    a = split.scatter(m, x, layout)
    chosen = split.scatter(m, mask, layout) if masked else None
    listed = () if axes is None else axes if isinstance(axes, tuple) else (axes,)
    got = a.reduce(name, gnd.Axes(*listed, keepdims=keepdims), COPIES, where=chosen, ddof=ddof).gather()
    with np.errstate(all="ignore"):
        if name == "count_nonzero":
            want = np.asarray(np.sum(x != 0, axis=axes, keepdims=keepdims, where=mask))
        else:
            options = dict(ddof=ddof) if name in ("var", "std") else {}
            options |= dict(where=mask) if masked else {}
            want = np.asarray(getattr(np, name)(x, axis=axes, keepdims=keepdims, **options))
        assert got.dtype == dtypes.name_of(want.dtype), f"{got.dtype}, not {want.dtype}"
        assert got.shape == want.shape, f"{got.shape}, not {want.shape}"
        actual = got.numpy()
        if name in EXACT or want.dtype.kind in "iub":
            assert np.array_equal(actual, want, equal_nan=want.dtype.kind in "fc"), f"{actual}, not {want}"
            return
        true, scale = true_value(name, x, axes, keepdims, mask, ddof)
        allowed = (x.size + 8) * np.finfo(want.dtype).eps * scale + np.finfo(want.dtype).tiny
        finite = np.isfinite(want) & (np.abs(true) < np.finfo(want.dtype).max)
        wrong = finite & ~(np.abs(actual.astype(true.dtype) - true) <= allowed)
        assert not wrong.any(), f"{actual}, not {want}"


def check_places_of_extremes(mesh, case):
    for m, shape, layout in places(mesh, [(13,), (7, 5), (4, 3, 5)]):
        for name, axis in itertools.product(("argmin", "argmax"), (None, *range(len(shape)))):
            for dtype in ("int8", "float32", "bool", "float16"):
                x = values.finite_values(dtype, shape, generator(name, axis, dtype))
                if dtype == "float32":
                    x.flat[x.size // 2] = np.nan
                with case(f"{name}({dtype}{shape}) {layout} axis {axis}"):
                    got = split.scatter(m, x, layout).reduce(name, gnd.Axes(*([] if axis is None else [axis])), COPIES)
                    same(got, np.asarray(getattr(np, name)(x, axis=axis)))


def check_layouts_of_results(mesh, case):
    """What is reduced may lie in any layout that the result has room for."""
    x = values.finite_values("int32", (8, 6, 5), generator("results"))
    for m in meshes(mesh):
        for layout, axis in itertools.product(layouts(m, x.shape), range(3)):
            want = x.sum(axis=axis)
            for result in layouts(m, want.shape):
                with case(f"{layout} sum over {axis} to {result}"):
                    same(split.scatter(m, x, layout).reduce("sum", gnd.Axes(axis), result), want)


def check_items_and_norms(mesh, case):
    x = values.finite_values("float64", (9, 4), generator("items"))
    for layout in layouts(mesh, x.shape):
        with case(f"{layout}"):
            a = split.scatter(mesh, x, layout)
            assert a.reduce("max", gnd.Axes(), COPIES).item() == x.max()
            assert a.reduce("argmin", gnd.Axes(), COPIES).item("int") == x.argmin()
            norm = a.reduce("norm", gnd.Axes(), COPIES, order=2.0).item()
            assert abs(norm - np.linalg.norm(x)) <= 1e-13 * norm
            fails(a.item, gnd.ERROR_SHAPE)


# ---- halos --------------------------------------------------------------------------------------------------------


def check_halos(mesh, case):
    widths = {1: [(1,), (3,), (0,), (13,)], 2: [(1, 1), (2, 0), (0, 3), (5, 5)], 3: [(1, 2, 1)]}
    for m, shape, layout in places(mesh, [(13,), (7, 5), (4, 3, 5)]):
        x = values.random_values("float32", shape, generator(shape))
        for before, after, wrap in itertools.product(widths[len(shape)], widths[len(shape)], (False, True)):
            if wrap and any(w > n for w, n in zip(map(max, before, after), shape)):
                continue
            with case(f"{shape} {layout} {before} {after} wrap={wrap}"):
                a = split.scatter(m, x, layout)
                padded = np.pad(x, list(zip(before, after)), mode="wrap" if wrap else "constant")
                # Block from start to stop of x is from start to stop + before + after of what is padded.
                around = tuple(slice(p.start, p.stop + b + e) for p, b, e in zip(a.part(m.rank), before, after))
                got = a.halo(before, after, wrap).numpy()
                assert np.array_equal(got, padded[around], equal_nan=True), f"{got}, not {padded[around]}"


# ---- products, transforms, systems ---------------------------------------------------------------------------------


def close(got, want, context=""):
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    limit = 1e-4 if want.dtype.char in "fF" else 1e-10
    np.testing.assert_allclose(got.gather().numpy(), want, limit, limit * max(1, np.abs(want).max(initial=0)), context)


def small(dtype, shape, g):
    """Whole numbers whose products and sums are exact in every dtype."""
    return g.integers(0, 2 if dtype in ("bool", "float16", "bfloat16") else 4, shape).astype(dtypes.DTYPES[dtype])


def check_products(mesh, case):
    pairs = [((7, 5), (5, 6)), ((5,), (5,)), ((5,), (5, 3)), ((4, 5), (5,)), ((2, 3, 4), (2, 4, 3)),
             ((3, 4), (5, 4, 2))]
    for m, (of_a, of_b) in itertools.product(meshes(mesh), pairs):
        for dtype in ("float64", "int16", "complex64", "bool", "float16") if len(of_b) == 2 else ("float32",):
            a, b = (small(dtype, shape, generator(dtype, shape)) for shape in (of_a, of_b))
            want = np.asarray(a @ b)
            results = itertools.cycle(layouts(m, want.shape))
            for x, y in itertools.product(layouts(m, of_a), layouts(m, of_b)):
                result = next(results)
                with case(f"{dtype} {of_a} {x} @ {of_b} {y} to {result}"):
                    same(split.scatter(m, a, x).matmul(split.scatter(m, b, y), result), want)


def check_transforms(mesh, case):
    for m, shape, layout in places(mesh, [(12,), (7, 6), (4, 3, 5)]):
        for name, norm in itertools.product(("fftn", "ifftn", "rfftn", "irfftn"), ("backward", "ortho", "forward")):
            dtype = "float64" if name == "rfftn" else "complex128"
            a = values.finite_values(dtype, shape, generator(name, shape))
            a = a / max(1, np.abs(a).max())
            last = len(shape) - 1
            for axes, sizes in ((tuple(range(last + 1)), None), ((0,), None), ((last, 0), (5, 8)), ((last,), (9,))):
                want = getattr(np.fft, name)(a, sizes, axes, norm)
                for result in (Layout(0), Layout(last), COPIES):
                    with case(f"{name} {shape} {layout} axes {axes} sizes {sizes} {norm} to {result}"):
                        code = ("backward", "ortho", "forward").index(norm)
                        close(split.scatter(m, a, layout).transform(name, sizes, gnd.Axes(*axes), code, result), want)


def check_systems(mesh, case):
    """Over MPI by ScaLAPACK, over NCCL by cuSOLVERMp: where they are."""
    n = 19
    for m, dtype in itertools.product(meshes(mesh), ("float32", "float64", "complex64", "complex128")):
        g = generator("systems", dtype)
        a = (g.normal(size=(n, n)) + 3 * np.eye(n)).astype(dtype)
        a = a + a[::-1].T * 1j if dtype.startswith("complex") else a
        a = a.astype(dtype)
        b, tall = g.normal(size=(n, 4)).astype(dtype), np.concatenate([a, a[:5] * 2]).astype(dtype)
        h = (a @ a.conj().T + np.eye(n)).astype(dtype)
        c = g.normal(size=n + 5).astype(dtype)
        for layout, other in itertools.product(layouts(m, a.shape), (Layout(0), COPIES)):
            with case(f"{dtype} {layout} {other}"):
                try:
                    x = split.scatter(m, a, layout).solve("solve", split.scatter(m, b, other), other)
                except gnd.Error as error:
                    assert error.code == gnd.ERROR_UNAVAILABLE and "which is missing" in error.message, error
                    return
                close(x, np.linalg.solve(a, b))
                close(split.scatter(m, h, layout).solve("cholesky", None, layout), np.linalg.cholesky(h))
                y = split.scatter(m, h, layout).solve("cholesky_solve", split.scatter(m, b[:, 0], other), other)
                close(y, np.linalg.solve(h, b[:, 0]))
                z = split.scatter(m, tall, Layout(0)).solve("lstsq", split.scatter(m, c, other), other)
                close(z, np.linalg.lstsq(tall, c, rcond=None)[0])


def check_conjugate_gradients(mesh, case):
    g = generator("gradients")
    a = g.normal(size=(12, 12))
    a, b = a @ a.T + 20 * np.eye(12), g.normal(size=12)
    for layout in layouts(mesh, a.shape):
        with case(f"{layout}"):
            matrix = split.scatter(mesh, a, layout)

            def operator(x):
                return split.lib.gnd_dist_matmul(split.pointer(matrix), ctypes.c_void_p(x), Layout(0).c())

            split.lib.gnd_dist_matmul.restype = ctypes.c_void_p
            x = split.scatter(mesh, b, Layout(0)).conjugate_gradients(operator)
            assert np.linalg.norm(a @ x.gather().numpy() - b) <= 2e-5 * np.linalg.norm(b)


# ---- calls that do not match --------------------------------------------------------------------------------------


def check_mismatched_calls(mesh, case):
    """GND_MESH_CHECK names both calls on all ranks, and the mesh goes on."""
    x = np.arange(24.0).reshape(4, 6)

    def differ(first, second, *words):
        fails(first if mesh.rank != 1 else second, gnd.ERROR_INVALID, "calls do not match", "rank 0", "rank 1", *words)
        mesh.barrier()

    with case("functions"):
        a = split.scatter(mesh, x, Layout(0))
        differ(lambda: a.gather(0), lambda: a.redistribute(Layout(1)), "gnd_dist_gather", "gnd_dist_redistribute")
    with case("arguments"):
        differ(lambda: a.gather(0), lambda: a.gather(1), "to 0", "to 1")
    with case("shapes"):
        b = split.scatter(mesh, x[:, :3], Layout(0))
        differ(lambda: a.gather(0), lambda: b.gather(0), "(4, 6)", "(4, 3)")
    with case("layouts"):
        c = a.redistribute(Layout(1))
        differ(lambda: a.gather(0), lambda: c.gather(0), "axis 0", "axis 1")
    with case("reductions"):
        differ(lambda: a.reduce("sum", gnd.Axes(0), COPIES), lambda: a.reduce("mean", gnd.Axes(0), COPIES), "sum",
               "mean")


# ---- the program --------------------------------------------------------------------------------------------------


class Record:
    """What one function found: the number of cases, and those that failed, with the last lines of why."""

    def __init__(self):
        self.cases, self.wrong = 0, []

    @contextlib.contextmanager
    def case(self, text):
        self.cases += 1
        try:
            yield
        except Exception:
            self.wrong.append(f"{text}: {traceback.format_exc(limit=-1)[-600:]}")


def die(mesh, out):
    mesh.set_timeout(2)
    mesh.barrier()
    if mesh.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        mesh.barrier()
    except gnd.Error as error:
        (out / f"{mesh.rank}.txt").write_text(error.message)
        os._exit(3)


def main(functions):
    out = Path(sys.argv[1])
    mesh = split.world()
    if sys.argv[2:] == ["die"]:
        die(mesh, out)
    found = {}
    warnings.simplefilter("ignore")  # NumPy's: of variances of too few elements
    for name, function in functions.items():
        if name.startswith("check_") and (not sys.argv[2:] or name.removeprefix("check_") in sys.argv[2:]):
            record = Record()
            with np.errstate(all="ignore"):
                function(mesh, record.case)
            found[name] = {"cases": record.cases, "wrong": record.wrong}
            (out / f"{mesh.rank}.json").write_text(json.dumps(found))
    split.mpi.oracle_end()


if __name__ == "__main__":
    main(dict(globals()))
