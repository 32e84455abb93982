"""The array API standard's linear algebra and Fourier transforms: the properties that data-apis/array-api-tests checks,
against NumPy; decompositions by what they are made for, since their signs are nobody's."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from standard import (ALL, COMPLEX, FLOATING, FLOATS, NUMERIC, arrays, axes, pairs, quick, same, shapes, tolerance)

import gnd

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy's
WHERE = [gnd, gnd.linalg]
OUTER = nps.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=2, min_side=0)


def loose(dtype):
    return None if np.dtype(dtype).kind in "biu" else 2e-3 if np.dtype(dtype) in ("float32", "complex64") else 1e-9


@st.composite
def stacks(draw, dtypes=FLOATING, square=False, least=0, most=4, max_dims=4):
    """Stacks of matrices; square ones are well conditioned: diagonals outweigh the rest."""
    outer = draw(shapes(max_dims=max_dims - 2, max_side=2))
    rows = draw(st.integers(least, most))
    columns = rows if square else draw(st.integers(least, most))
    x = draw(arrays(dtypes, (*outer, rows, columns), wide=False))
    return (x / 64 + 16 * np.eye(rows)).astype(x.dtype) if square and x.dtype.kind in "fc" else x


def near(got, want, dtype):
    """Equal as far as the dtype goes, of whatever shape."""
    got, want = (v.get() if isinstance(v, gnd.ndarray) else np.asarray(v) for v in (got, want))
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=loose(dtype), atol=loose(dtype) * (1 + np.abs(want).max(initial=0)))


# ---- products ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", WHERE, ids=["gnd", "linalg"])
@quick
@given(st.data())
def test_matmul(where, data):
    """Of vectors, matrices and stacks; what does not fit is refused."""
    first, second = data.draw(pairs(NUMERIC), label="dtypes")
    shape = shapes(max_dims=3, max_side=3)
    if data.draw(st.booleans(), label="fits"):
        a, inner, b = data.draw(st.tuples(*[st.integers(0, 3)] * 3))
        outer = data.draw(OUTER).input_shapes
        one = st.sampled_from([(inner,), (*outer[0], a, inner)])
        two = st.sampled_from([(inner,), (*outer[1], inner, b)])
    else:
        one = two = shape
    x, y = data.draw(arrays(first, data.draw(one), wide=False)), data.draw(arrays(second, data.draw(two), wide=False))
    try:
        want = np.asarray(np.matmul(x, y))
    except ValueError:
        for call in (where.matmul, lambda a, b: a @ b):
            with pytest.raises(ValueError):
                call(gnd.asarray(x), gnd.asarray(y))
        return
    same(where.matmul(gnd.asarray(x), gnd.asarray(y)), want, loose(want.dtype))
    same(gnd.asarray(x) @ gnd.asarray(y), want, loose(want.dtype))
    if want.shape == x.shape and want.dtype == x.dtype:
        mine = gnd.asarray(x)
        mine @= gnd.asarray(y)
        same(mine, want, loose(want.dtype))


@pytest.mark.parametrize("where", WHERE, ids=["gnd", "linalg"])
@quick
@given(st.data())
def test_tensordot(where, data):
    first, second = data.draw(pairs(NUMERIC), label="dtypes")
    shared = data.draw(st.lists(st.integers(0, 3), max_size=3), label="contracted")
    left, right = (data.draw(st.lists(st.integers(0, 2), max_size=2)) for _ in range(2))
    x = data.draw(arrays(first, (*left, *shared), wide=False), label="x1")
    y = data.draw(arrays(second, (*shared, *right), wide=False), label="x2")
    want = np.tensordot(x, y, axes=len(shared))
    same(where.tensordot(gnd.asarray(x), gnd.asarray(y), axes=len(shared)), want, loose(want.dtype))
    if len(shared) == 2:
        same(where.tensordot(gnd.asarray(x), gnd.asarray(y)), want, loose(want.dtype))
    order = data.draw(st.permutations(range(y.ndim)), label="order")
    moved = np.transpose(y, order)
    pair = (tuple(range(-len(shared), 0)), tuple(order.index(k) for k in range(len(shared))))
    same(where.tensordot(gnd.asarray(x), gnd.asarray(moved), axes=pair), np.tensordot(x, moved, axes=pair),
         loose(want.dtype))


def test_tensordot_of_what_does_not_fit():
    x = gnd.ones((2, 3))
    for other, count in ((gnd.ones((2, 3)), 1), (gnd.ones((3, 2)), 2), (x, 3), (x, ((0, 1), (0,))), (x, ((0,), (1,)))):
        with pytest.raises((ValueError, IndexError)):
            gnd.tensordot(x, other, axes=count)


@pytest.mark.parametrize("where", WHERE, ids=["gnd", "linalg"])
@quick
@given(st.data())
def test_vecdot(where, data):
    first, second = data.draw(pairs(NUMERIC), label="dtypes")
    drawn = data.draw(nps.mutually_broadcastable_shapes(num_shapes=2, min_dims=1, max_dims=3, max_side=3, min_side=0))
    x, y = (data.draw(arrays(d, s, wide=False)) for d, s in zip((first, second), drawn.input_shapes))
    axis = data.draw(st.integers(-min(x.ndim, y.ndim), -1), label="axis")
    mine = gnd.asarray(x), gnd.asarray(y)
    if x.shape[axis] != y.shape[axis]:
        with pytest.raises(ValueError):
            where.vecdot(*mine, axis=axis)
        return
    want = np.asarray(np.vecdot(x, y, axis=axis))
    same(where.vecdot(*mine, axis=axis), want, loose(want.dtype))
    if axis == -1:
        same(where.vecdot(*mine), want, loose(want.dtype))


@quick
@given(st.data())
def test_cross_and_outer(data):
    first, second = data.draw(pairs(NUMERIC), label="dtypes")
    drawn = data.draw(nps.mutually_broadcastable_shapes(num_shapes=2, min_dims=1, max_dims=3, max_side=3, min_side=0))
    shape = [list(s) for s in drawn.input_shapes]
    axis = data.draw(st.integers(-min(map(len, shape)), -1), label="axis")
    fits = data.draw(st.booleans(), label="fits")
    for s in shape:
        s[axis] = 3 if fits else s[axis]
    x, y = (data.draw(arrays(d, tuple(s), wide=False)) for d, s in zip((first, second), shape))
    if x.shape[axis] == y.shape[axis] == 3:
        want = np.linalg.cross(x, y, axis=axis)
        same(gnd.linalg.cross(gnd.asarray(x), gnd.asarray(y), axis=axis), want, loose(want.dtype))
    else:
        with pytest.raises(ValueError):
            gnd.linalg.cross(gnd.asarray(x), gnd.asarray(y), axis=axis)
    x, y = x.ravel(), y.ravel()
    same(gnd.linalg.outer(gnd.asarray(x), gnd.asarray(y)), np.outer(x, y), loose(np.outer(x, y).dtype))


@quick
@given(stacks(ALL), st.integers(-6, 6) | st.sampled_from([-10**6, 10**6]))
def test_diagonal_trace_transpose(x, offset):
    mine = gnd.asarray(x)
    same(gnd.linalg.diagonal(mine, offset=offset), np.linalg.diagonal(x, offset=offset))
    same(gnd.linalg.diagonal(mine), np.linalg.diagonal(x))
    same(gnd.linalg.matrix_transpose(mine), np.linalg.matrix_transpose(x))
    same(mine.mT, x.mT)
    for dtype in (None, "float64" if x.dtype.kind in "bf" else "complex128" if x.dtype.kind == "c" else "int64"):
        want = np.asarray(np.linalg.trace(x, offset=offset, dtype=dtype))
        same(gnd.linalg.trace(mine, offset=offset, dtype=dtype), want, loose(want.dtype))


# ---- systems, decompositions ------------------------------------------------------------------------------


@quick
@given(stacks(square=True))
def test_determinants_and_inverses(x):
    mine = gnd.asarray(x)
    same(gnd.linalg.det(mine), np.asarray(np.linalg.det(x)), loose(x.dtype))
    made, want = gnd.linalg.slogdet(mine), np.linalg.slogdet(x)
    assert made._fields == ("sign", "logabsdet") and made[0] is made.sign
    same(made.sign, np.asarray(want.sign), loose(x.dtype))
    same(made.logabsdet, np.asarray(want.logabsdet), loose(x.dtype))
    same(gnd.linalg.inv(mine), np.linalg.inv(x), loose(x.dtype))
    for n in (-2, 0, 1, 3):
        same(gnd.linalg.matrix_power(mine, n), np.linalg.matrix_power(x, n), loose(x.dtype))


def test_no_convergence():
    """As NumPy's, of matrices with NaN."""
    for x in (np.full((3, 3), np.nan), np.full((2, 3, 3), np.nan, "complex64")):
        for library, values in ((np, lambda a: a), (gnd, lambda a: a.get())):
            with pytest.raises(library.linalg.LinAlgError):
                values(library.linalg.svd(library.asarray(x)).U)


def test_large_powers():
    """Exponents to 100, of matrices that stay finite; what is not square or singular is refused."""
    for dtype in FLOATING:
        x = np.array([[0.6, 0.8], [-0.8, 0.6]], dtype)
        for n in (100, 37, -100):
            near(gnd.linalg.matrix_power(gnd.asarray(x), n), np.linalg.matrix_power(x, n), dtype)
    with pytest.raises(ValueError):
        gnd.linalg.matrix_power(gnd.ones((2, 3)), 2)
    with pytest.raises(gnd.linalg.LinAlgError):
        gnd.linalg.inv(gnd.zeros((2, 2))).get()  # a GPU says so to what waits


@quick
@given(st.data())
def test_solve(data):
    first, second = data.draw(pairs(FLOATING), label="dtypes")
    outer = data.draw(OUTER).input_shapes
    n, k = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 3))
    a = data.draw(arrays(first, (*outer[0], n, n), wide=False))
    a = (a / 64 + 16 * np.eye(n)).astype(first)
    for shape in ((n,), (*outer[1], n, k)):
        b = data.draw(arrays(second, shape, wide=False))
        worse = min(first, second, key=lambda name: np.finfo(name).bits)
        same(gnd.linalg.solve(gnd.asarray(a), gnd.asarray(b)), np.linalg.solve(a, b), loose(worse))


@quick
@given(stacks(square=True))
def test_cholesky(x):
    x = (x @ np.conj(x.mT) + np.eye(x.shape[-1])).astype(x.dtype)
    mine = gnd.asarray(x)
    for upper in (False, True):
        made = gnd.linalg.cholesky(mine, upper=upper)
        same(made, np.linalg.cholesky(x, upper=upper), loose(x.dtype))
        same(gnd.triu(made) if upper else gnd.tril(made), made.get())
    same(gnd.linalg.cholesky(mine), np.linalg.cholesky(x), loose(x.dtype))


@quick
@given(stacks(square=True))
def test_symmetric_eigenvalues(x):
    x = (x + np.conj(x.mT)) / 2
    mine, real = gnd.asarray(x), x.real.dtype
    made = gnd.linalg.eigh(mine)
    assert made._fields == ("eigenvalues", "eigenvectors") and made[1] is made.eigenvectors
    same(made.eigenvalues, np.linalg.eigvalsh(x), loose(real))
    same(gnd.linalg.eigvalsh(mine), np.linalg.eigvalsh(x), loose(real))
    vectors = made.eigenvectors.get()
    assert vectors.dtype == x.dtype and vectors.shape == x.shape
    near(x @ vectors, vectors * made.eigenvalues.get()[..., None, :], x.dtype)
    near(np.conj(vectors.mT) @ vectors, np.broadcast_to(np.eye(x.shape[-1]), x.shape), x.dtype)


@quick
@given(stacks(), st.sampled_from(["reduced", "complete"]))
def test_qr(x, mode):
    made = gnd.linalg.qr(gnd.asarray(x), mode=mode)
    want = np.linalg.qr(x, mode=mode)
    assert made._fields == ("Q", "R") and made[0] is made.Q
    q, r = made.Q.get(), made.R.get()
    assert (q.shape, r.shape, q.dtype, r.dtype) == (want.Q.shape, want.R.shape, x.dtype, x.dtype)
    near(q @ r, x, x.dtype)
    near(np.conj(q.mT) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *[q.shape[-1]] * 2)), x.dtype)
    np.testing.assert_array_equal(r, np.triu(r))


@quick
@given(stacks(), st.booleans())
def test_svd(x, full):
    mine, real = gnd.asarray(x), x.real.dtype
    made, want = gnd.linalg.svd(mine, full_matrices=full), np.linalg.svd(x, full_matrices=full)
    assert made._fields == ("U", "S", "Vh") and made[2] is made.Vh
    assert [(part.shape, part.dtype.name) for part in made] == [(part.shape, part.dtype.name) for part in want]
    same(made.S, want.S, loose(real))
    same(gnd.linalg.svdvals(mine), want.S, loose(real))
    assert gnd.all(made.S[..., :-1] >= made.S[..., 1:])
    k = min(x.shape[-2:])
    near(made.U.get()[..., :k] * made.S.get()[..., None, :] @ made.Vh.get()[..., :k, :], x, x.dtype)


@quick
@given(stacks(), st.none() | st.sampled_from([0.5, 1e-3]), st.booleans())
def test_ranks_and_pseudoinverses(x, rtol, spread):
    mine = gnd.asarray(x)
    given_ = {} if rtol is None else {"rtol": gnd.full(x.shape[:-2], rtol) if spread else rtol}
    theirs = {} if rtol is None else {"rtol": np.full(x.shape[:-2], rtol) if spread else rtol}
    s = np.linalg.svd(x, compute_uv=False)
    cut = s.max(axis=-1, initial=0) * (rtol or max(x.shape[-2:], default=0) * np.finfo(x.dtype).eps)
    assume(not np.any(np.abs(s - cut[..., None]) < 1e-3 * cut[..., None]))
    if s.size:
        same(gnd.linalg.matrix_rank(mine, **given_), np.asarray(np.linalg.matrix_rank(x, **theirs)))
        assume(rtol or not np.any((s > 0) & (s < s.max() * 1e-3)))
    same(gnd.linalg.pinv(mine, **given_), np.linalg.pinv(x, **theirs), loose(x.dtype))


@quick
@given(stacks(square=True), stacks(), st.data())
def test_of_any_numbers(square, x, data):
    """NaN, infinities and the largest numbers: NumPy's shapes and dtypes, triangles and order, and no error."""
    def of_any(like, **bounds):
        return data.draw(nps.arrays(like.dtype, like.shape, elements=nps.from_dtype(like.dtype, **bounds)))

    any_square, rectangle = of_any(square), of_any(x)
    finite = of_any(x, allow_nan=False, allow_infinity=False)
    calls = [("det", any_square, {}), ("slogdet", any_square, {}), ("matrix_power", any_square, {"n": 100}),
             ("qr", rectangle, {}), ("svd", finite, {"full_matrices": False}), ("svdvals", finite, {}),
             ("pinv", finite, {}), ("matrix_rank", finite, {}), ("vector_norm", rectangle, {"ord": 3.5})]
    for name, of, given_ in calls:
        try:
            wants = getattr(np.linalg, name)(of, **given_)
        except (np.linalg.LinAlgError, ValueError):
            continue
        given_ = list(given_.values()) if name == "matrix_power" else given_
        mine = getattr(gnd.linalg, name)
        made = mine(gnd.asarray(of), *given_) if isinstance(given_, list) else mine(gnd.asarray(of), **given_)
        for got, want in zip(made, wants) if isinstance(wants, tuple) else [(made, np.asarray(wants))]:
            assert got.shape == want.shape and got.dtype == (want.real.dtype if name == "vector_norm" else want.dtype)
        if name == "qr":
            np.testing.assert_array_equal(made.R.get(), np.triu(made.R.get()))


def test_default_tolerances():
    """Singular values below max(M, N) times eps count as 0, where NumPy's pinv has 1e-15 of its own."""
    for dtype in FLOATING:
        eps = np.finfo(dtype).eps
        for small, rank in ((eps, 1), (6 * eps, 2)):
            x = np.zeros((2, 4), dtype)
            x[0, 0], x[1, 2] = 2, 2 * small
            assert int(gnd.linalg.matrix_rank(gnd.asarray(x))) == np.linalg.matrix_rank(x) == rank
            same(gnd.linalg.pinv(gnd.asarray(x)), np.linalg.pinv(x, rtol=None), loose(dtype))


# ---- norms ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [-math.inf, -2, -1, 1, 2, math.inf, "fro", "nuc"])
@quick
@given(stacks(least=1), st.booleans())
def test_matrix_norm(order, x, keepdims):
    want = np.asarray(np.linalg.matrix_norm(x, ord=order, keepdims=keepdims))
    got = gnd.linalg.matrix_norm(gnd.asarray(x), ord=order, keepdims=keepdims)
    same(got, want.astype(x.real.dtype), loose(x.real.dtype))
    if order == "fro":
        same(gnd.linalg.matrix_norm(gnd.asarray(x), keepdims=keepdims), want.astype(x.real.dtype), loose(x.real.dtype))


@quick
@given(st.data())
def test_vector_norm(data):
    x = data.draw(arrays(FLOATING, shapes(min_side=1), wide=False), label="x")
    axis, keepdims = data.draw(axes(x.ndim), label="axis"), data.draw(st.booleans(), label="keepdims")
    order = data.draw(st.sampled_from([0, 1, 2, -1, -2, math.inf, -math.inf, 3, -3, 2.5, 0.5, -100, 100]), label="ord")
    want = np.asarray(np.linalg.vector_norm(x, ord=order, axis=axis, keepdims=keepdims)).astype(x.real.dtype)
    got = gnd.linalg.vector_norm(gnd.asarray(x), ord=order, axis=axis, keepdims=keepdims)
    finite = np.isfinite(want)
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_array_equal(np.isfinite(got.get()), finite)
    near(got.get()[finite], want[finite], want.dtype)
    same(gnd.linalg.vector_norm(gnd.asarray(x)), np.asarray(np.linalg.vector_norm(x)).astype(x.real.dtype),
         loose(x.real.dtype))


# ---- Fourier transforms -----------------------------------------------------------------------------------

HALVES = {"rfft": FLOATS, "ihfft": FLOATS, "irfft": COMPLEX, "hfft": COMPLEX, "fft": COMPLEX, "ifft": COMPLEX}


@pytest.mark.parametrize("name", HALVES)
@quick
@given(st.data())
def test_transforms(name, data):
    x = data.draw(arrays(HALVES[name], shapes(min_dims=1, min_side=1, max_side=6), wide=False), label="x")
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1), label="axis")
    n, norm = data.draw(st.none() | st.integers(1, 9)), data.draw(st.sampled_from(["backward", "ortho", "forward"]))
    assume(n or x.shape[axis] > 1 or name not in ("irfft", "hfft"))
    want = getattr(np.fft, name)(x, n=n, axis=axis, norm=norm)
    same(getattr(gnd.fft, name)(gnd.asarray(x), n=n, axis=axis, norm=norm), want, loose(want.dtype))
    if x.shape[-1] > 1:
        same(getattr(gnd.fft, name)(gnd.asarray(x)), getattr(np.fft, name)(x), loose(want.dtype))


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@quick
@given(st.data())
def test_transforms_of_several_axes(name, data):
    kinds = FLOATS if name == "rfftn" else COMPLEX
    x = data.draw(arrays(kinds, shapes(min_dims=1, min_side=2, max_side=5), wide=False), label="x")
    which = data.draw(st.none() | st.lists(st.integers(0, x.ndim - 1), min_size=1, unique=True), label="axes")
    sizes = None if which is None else data.draw(
        st.none() | st.lists(st.integers(1, 7), min_size=len(which), max_size=len(which)), label="s")
    norm = data.draw(st.sampled_from(["backward", "ortho", "forward"]), label="norm")
    for make in (list, tuple):
        given_ = {"s": sizes and make(sizes), "axes": which and make(which), "norm": norm}
        want = getattr(np.fft, name)(x, **given_)
        same(getattr(gnd.fft, name)(gnd.asarray(x), **given_), want, loose(want.dtype))
    same(getattr(gnd.fft, name)(gnd.asarray(x)), getattr(np.fft, name)(x), loose(want.dtype))
    last = getattr(np.fft, name)(x, s=(3,), axes=(-1,))
    same(getattr(gnd.fft, name)(gnd.asarray(x), s=(3,)), last, loose(last.dtype))


@quick
@given(st.integers(1, 100), st.floats(0.1, 5), st.none() | st.sampled_from(FLOATS))
def test_frequencies(n, d, dtype):
    for name in ("fftfreq", "rfftfreq"):
        want = getattr(np.fft, name)(n, d)
        got = getattr(gnd.fft, name)(n, d=d, dtype=dtype, device=gnd.current_device())
        same(got, want.astype(dtype or "float64"), 1e-6)
        same(getattr(gnd.fft, name)(n), getattr(np.fft, name)(n))


@quick
@given(st.data())
def test_shifts(data):
    x = data.draw(arrays(FLOATING, shapes(min_dims=1)), label="x")
    which = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1) |
                      st.lists(st.integers(0, x.ndim - 1), min_size=1, unique=True), label="axes")
    for name in ("fftshift", "ifftshift"):
        same(getattr(gnd.fft, name)(gnd.asarray(x), axes=which), getattr(np.fft, name)(x, axes=which))


def test_tolerances_are_small():
    assert tolerance("float64") < loose("float64") < loose("float32")
