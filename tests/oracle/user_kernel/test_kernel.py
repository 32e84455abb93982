"""Kernels of the user's own (gnd/kernel.h): elementwise kernels, reductions, functions of numbers and
generalised ufuncs, against what NumPy makes of the same formula; lists, signatures and texts that are wrong."""

import ctypes

import numpy as np
import pytest

import gnd
import kernels
from check import refused

rng = np.random.default_rng(7)


@pytest.fixture(scope="module", autouse=True)
def texts_for_gpus():
    with kernels.compiled_for_gpus():
        yield


def options(**given):
    result = gnd.STRUCTS["gnd_kernel_options"]()
    for name, value in given.items():
        setattr(result, name, value.encode() if isinstance(value, str) else value)
    return result


def kernel(maker, *arguments):
    """A kernel that is released with the test's last reference to it."""
    return Kernel(gnd.function(maker)(*arguments))


class Kernel:
    def __init__(self, pointer):
        self.pointer = pointer

    def __del__(self):
        gnd.kernel_release(self.pointer)

    def __call__(self, *args):
        return gnd.kernel_call(self.pointer, len(args), list(args)).numpy()

    def into(self, out, *args):
        gnd.kernel_call_into(out, self.pointer, len(args), list(args))
        return out.numpy()

    def reduce(self, axes, *args):
        return gnd.kernel_reduce(self.pointer, len(args), list(args), axes).numpy()

    def apply(self, args, outputs=1, out=(), shape=None, dtype=()):
        call = gnd.STRUCTS["gnd_kernel_call_options"]()
        for k, value in enumerate(out):
            call.out[k] = value.pointer if value is not None else None
        for k, value in enumerate(dtype):
            call.dtype[k] = gnd.dtype_code(value)
        if shape is not None:
            sizes = gnd.shape(shape)
            call.shape = ctypes.addressof(sizes)
        room = gnd.outputs(outputs)
        gnd.kernel_apply(room, self.pointer, len(args), list(args), call)
        return [array.numpy() for array in gnd.take(room)]


def elementwise(inputs, outputs, body, name=None, **given):
    return kernel("gnd_kernel_elementwise", inputs, outputs, body, name, options(**given))


@pytest.fixture(scope="module")
def sqdiff():
    return elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", "sqdiff")


# ---- elementwise kernels ------------------------------------------------------------------------------------


def test_elements_broadcast_and_promote(sqdiff):
    x = rng.random((7, 5)).astype(np.float32)
    y = rng.random(5).astype(np.float32)
    np.testing.assert_array_equal(sqdiff(gnd.from_numpy(x), gnd.from_numpy(y)), (x - y) ** 2)
    np.testing.assert_array_equal(sqdiff(gnd.from_numpy(x), 2), (x - 2) ** 2)
    wide = sqdiff(gnd.from_numpy(x), gnd.from_numpy(y.astype(np.float64)))
    assert wide.dtype == np.float64
    np.testing.assert_array_equal(wide, (x.astype(np.float64) - y) ** 2)


@pytest.mark.parametrize("first", [0, 8])
def test_all_dtypes(first):
    """Eight of them in one kernel: as elements, raw, and written."""
    dtypes = list(gnd.DTYPE_CODES)[first:first + 8]
    k = elementwise(", ".join(f"{d} x{j}, raw {d} r{j}" for j, d in enumerate(dtypes)),
                    ", ".join(f"{d} z{j}" for j, d in enumerate(dtypes)),
                    "".join(f"z{j} = r{j}(_ind[0], _ind[1]); if (x{j} != z{j}) z{j} = 9;" for j in range(len(dtypes))),
                    "all")
    x = [gnd.astype(gnd.reshape(gnd.arange(0, 12, 1, "int32"), (3, 4)), d)["::-1, ::2"] for d in dtypes]
    z = gnd.outputs(len(dtypes))
    gnd.kernel_apply(z, k.pointer, 2 * len(x), [a for a in x for _ in "xr"], None)
    for dtype, given, result in zip(dtypes, x, gnd.take(z)):
        assert result.dtype == dtype and gnd.array_equal(result, given, False)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint64", "float16", "bfloat16", "complex64"])
def test_elements_of_all_kinds(sqdiff, dtype):
    x, y = gnd.arange(0, 6, 1, dtype), gnd.full((6,), 4, dtype)
    result = gnd.kernel_call(sqdiff.pointer, 2, [x, y])
    assert result.dtype == dtype
    difference = gnd.subtract(x, y)
    np.testing.assert_array_equal(result.numpy(), gnd.multiply(difference, difference).numpy())


def test_a_number_is_weak_and_must_fit(sqdiff):
    x = gnd.from_numpy(np.arange(5, dtype=np.int16))
    assert sqdiff(x, 2).dtype == np.int16
    assert sqdiff(x, 0.5).dtype == np.float64
    with pytest.raises(gnd.Error, match="70000"):
        sqdiff(x, 70000)


def test_strides_and_layout(sqdiff):
    x = rng.random((6, 7, 4))
    got = gnd.kernel_call(sqdiff.pointer, 2, [gnd.from_numpy(x)["::2, ::-1, 1:3"], 1])
    np.testing.assert_array_equal(got.numpy(), (x[::2, ::-1, 1:3] - 1) ** 2)
    turned = gnd.permute(gnd.from_numpy(x), (2, 0, 1))
    got = gnd.kernel_call(sqdiff.pointer, 2, [turned, 1])
    np.testing.assert_array_equal(got.numpy(), (x.transpose(2, 0, 1) - 1) ** 2)
    assert got.strides == turned.strides


def test_outputs_given_cast_and_overlap(sqdiff):
    x = rng.random(1000).astype(np.float32)
    a = gnd.from_numpy(x)
    np.testing.assert_array_equal(sqdiff.into(a, a, 1), (x - 1) ** 2)
    a = gnd.from_numpy(x)  # shifted by one: as if the input had been copied
    sqdiff.into(a["1:"], a[":-1"], 1)
    np.testing.assert_array_equal(a.numpy()[1:], (x[:-1] - 1) ** 2)
    half = gnd.zeros((1000,), "float16")
    np.testing.assert_array_equal(sqdiff.into(half, gnd.from_numpy(x), 1),
                                  ((x - 1) ** 2).astype(np.float16))
    with pytest.raises(gnd.Error, match="float32, and casting"):
        sqdiff.into(gnd.zeros((1000,), "int32"), gnd.from_numpy(x), 1)
    with pytest.raises(gnd.Error, match=r"\(999,\)"):
        sqdiff.into(gnd.zeros((999,), "float32"), gnd.from_numpy(x), 1)


def test_loops_branches_functions_and_several_outputs():
    k = elementwise("int64 x", "bool prime, int32 steps",
                    """
                    if (x < 2) return;      // outputs that nothing is assigned to are 0
                    prime = true;
                    for (int64 d = 2; d * d <= x; d++) {
                        steps++;
                        if (divides(d, x)) { prime = false; break; }
                    }""", "primes",
                    preamble="__device__ bool divides(long long d, long long x) { return x % d == 0; }")
    prime, steps = k.apply([gnd.arange(0, 60, 1, "int64")], outputs=2)
    expected = [n for n in range(60) if n > 1 and all(n % d for d in range(2, n))]
    assert list(np.flatnonzero(prime)) == expected
    assert steps[53] == 6 and steps[1] == 0


def test_raw_arrays_and_indices():
    x = rng.random(11)
    ring = elementwise("raw T x, int32 n", "T y",
                       "y = 0; for (int k = 0; k < n; k++) y += x[(i + k) % x.size()];", "ring")
    expected = x + np.roll(x, -1)
    np.testing.assert_array_equal(ring.into(gnd.zeros((11,), "float64"), gnd.from_numpy(x), 2), expected)
    reversed_view = gnd.from_numpy(x[::-1])["::-1"]
    np.testing.assert_array_equal(ring.apply([reversed_view, 2], shape=(11,))[0], expected)

    m = rng.random((3, 4)).astype(np.float32)
    turn = elementwise("raw T x", "T y", "y = x(_ind[1], _ind[0]) + _ind.shape(0) + x.shape(0)", "turn")
    np.testing.assert_array_equal(turn.apply([gnd.from_numpy(m)], shape=(4, 3))[0], m.T + 4 + 3)

    count = elementwise("int32 x", "raw int32 bins", "atomicAdd(&bins[x % bins.size()], 1)", "count")
    values = rng.integers(0, 1000, 5000).astype(np.int32)
    bins = gnd.zeros((7,), "int32")
    np.testing.assert_array_equal(count.into(bins, gnd.from_numpy(values)),
                                  np.bincount(values % 7, minlength=7))
    store = elementwise("raw float16 x", "raw float16 y", "y[i] = x[i] * 2; y[i] += 1", "halves")
    h = rng.random(9).astype(np.float16)
    y = gnd.zeros((9,), "float16")
    store.apply([gnd.from_numpy(h)], out=[y], shape=(9,))
    doubled = (h.astype(np.float32) * 2).astype(np.float16)
    np.testing.assert_array_equal(y.numpy(), (doubled.astype(np.float32) + 1).astype(np.float16))


def test_names_that_hide_indices():
    x = np.arange(6.).reshape(2, 3)
    np.testing.assert_array_equal(elementwise("T i", "T z", "z = i + 1", "own")(gnd.from_numpy(x)), x + 1)
    np.testing.assert_array_equal(elementwise("i x", "i z", "z = x + i(1)", "type")(gnd.from_numpy(x)), x + 1)
    sums = kernel("gnd_guvectorize", "(i)->()", "T x", "T y", "for (int k = 0; k < i; k++) y += x[k]", "sums", None)
    np.testing.assert_array_equal(sums(gnd.from_numpy(x)), x.sum(axis=1))
    indices = kernel("gnd_kernel_reduction", "T j", "T i", "j * i", "a + b", None, "0", "indices", None)
    assert indices(gnd.from_numpy(x)) == (x * np.arange(6).reshape(2, 3)).sum()


def test_complex_numbers_and_operators_of_gnd():
    z = (rng.random(8) + 1j * rng.random(8)).astype(np.complex64)
    k = elementwise("T z", "T w, float32 r", "w = 2 * exp(z) / conj(z) + 1; r = abs(z) + gnd::ops::erfinv(0.5f)",
                    "waves")
    w, r = k.apply([gnd.from_numpy(z)], outputs=2)
    np.testing.assert_allclose(w, 2 * np.exp(z) / z.conj() + 1, rtol=1e-5)
    np.testing.assert_allclose(r, np.abs(z) + 0.4769363, rtol=1e-5)


def test_functions_of_turns():
    x = np.append(np.arange(-8, 9) / 2, [1e6, 2.0**60, 0.1, -0.3, 7.26])
    k = elementwise("float64 x", "float64 s, float64 c, float64 both, float32 f",
                    "double p, q; sincospi(x, &p, &q); s = sinpi(x); c = cospi(x); both = p - q; f = sinpif((float)x)",
                    "turns")
    s, c, both, f = k.apply([gnd.from_numpy(x)], outputs=4)
    turn = np.pi * (x % 2)
    np.testing.assert_allclose(s, np.sin(turn), atol=1e-15)
    np.testing.assert_allclose(c, np.cos(turn), atol=1e-15)
    assert not s[:17:2].any() and not c[1:17:2].any() and not s[17:19].any()
    np.testing.assert_array_equal(both, s - c)
    np.testing.assert_allclose(f, np.sin(np.pi * (x.astype(np.float32).astype(float) % 2)), atol=1e-7)


def test_constants_of_the_c_headers():
    k = elementwise("float64 x", "float64 y, bool z",
                    "y = x * M_PI + INT_MAX; z = INFINITY > FLT_MAX && NAN != NAN && LLONG_MAX > UINT_MAX", "constants")
    y, z = k.apply([gnd.ones((2,), "float64")], outputs=2)
    np.testing.assert_array_equal(y, np.pi + 2147483647)
    assert z.all()


def test_empty_and_zero_dimensional(sqdiff):
    assert sqdiff(gnd.zeros((0, 3), "float32"), 1).shape == (0, 3)
    assert sqdiff(gnd.from_numpy(np.float64(3)), 1) == 4.0
    assert sqdiff(3, 1.5).dtype == np.float64


def test_what_decides_types_and_shapes():
    k = elementwise("", "T y", "y = i * i", "squares")
    np.testing.assert_array_equal(k.apply([], shape=(4,), dtype=["float32"])[0], [0, 1, 4, 9])
    with pytest.raises(gnd.Error, match="nothing decides what T is"):
        k.apply([], shape=(4,))
    with pytest.raises(gnd.Error, match="options.shape"):
        k.apply([], dtype=["float32"])
    fixed = elementwise("float32 x", "float32 y", "y = x", "same")
    with pytest.raises(gnd.Error, match="x is float64, and the parameter float32"):
        fixed(gnd.zeros((2,), "float64"))
    raw = elementwise("T x, raw T t", "T y", "y = t[0]", "pick")
    with pytest.raises(gnd.Error, match="not converted"):
        raw(gnd.zeros((2,), "float64"), gnd.zeros((2,), "float32"))
    with pytest.raises(gnd.Error, match="needs an array"):
        raw(gnd.zeros((2,), "float64"), 3)
    with pytest.raises(gnd.Error, match=r"takes 1 arguments; 2"):
        fixed(1, 2)
    with pytest.raises(gnd.Error, match=r"y of shape \(4,\) does not broadcast to \(7, 5\)"):
        elementwise("T x, T y", "T z", "z = x")(gnd.zeros((7, 5), "int8"), gnd.zeros((4,), "int8"))


# ---- reductions --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def distance():
    return kernel("gnd_kernel_reduction", "T x, T y", "T d", "(x - y) * (x - y)", "a + b", "d = sqrt(a)", "0",
                  "distance", None)


@pytest.mark.parametrize("axes", [(0,), (1,), (-1,), (0, 2), (1, 2), None, ()])
def test_reductions_over_axes(distance, axes):
    x = rng.random((60, 31, 17))
    expected = np.sqrt(((x - 0.5) ** 2).sum(axis=axes, keepdims=True))
    given = gnd.Axes(*(axes or ()), none=axes == (), keepdims=True)
    for base, view in ((x, lambda a: a), (x[:, ::-1, :], lambda a: a[":, ::-1"])):
        got = distance.reduce(given, view(gnd.from_numpy(base)), 0.5)
        np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_reductions_of_long_rows_and_halves(distance):
    x = rng.random(300000).astype(np.float32)
    np.testing.assert_allclose(distance(gnd.from_numpy(x), 0), np.linalg.norm(x.astype(np.float64)), rtol=1e-6)
    h = np.ones(5000, np.float16)
    assert distance(gnd.from_numpy(h), 0) == np.float16(np.sqrt(5000))
    assert distance.reduce(0, gnd.zeros((0, 3), "float32"), 0).tolist() == [0, 0, 0]


def test_reductions_without_identity_and_with_indices():
    top = kernel("gnd_kernel_reduction", "float64 x", "float64 m", "x", "a < b ? b : a", None, None, "top", None)
    x = rng.standard_normal((40, 50))
    np.testing.assert_array_equal(top.reduce(1, gnd.from_numpy(x)), x.max(axis=1))
    with pytest.raises(gnd.Error, match="no identity"):
        top.reduce(1, gnd.zeros((3, 0), "float64"))
    place = kernel("gnd_kernel_reduction", "float64 x", "int64 at", "best{x, j}",
                   "a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b", "at = a.at", None,
                   "place", options(preamble="struct best { double value; long long at; };",
                                    accumulator="best"))
    np.testing.assert_array_equal(place.reduce(0, gnd.from_numpy(x)), x.argmax(axis=0))
    np.testing.assert_array_equal(place.reduce(1, gnd.from_numpy(x)), x.argmax(axis=1))
    out = gnd.zeros((40,), "int64")
    got = gnd.kernel_reduce(place.pointer, 1, [gnd.from_numpy(x)], gnd.Axes(1, out=out))
    np.testing.assert_array_equal(got.numpy(), x.argmax(axis=1))
    with pytest.raises(gnd.Error, match="no `dtype`"):
        top.reduce(gnd.Axes(1, dtype="float32"), gnd.from_numpy(x))


# ---- functions of numbers, generalised ufuncs ------------------------------------------------------------------------


def test_vectorize_takes_the_first_signature_that_fits():
    k = kernel("gnd_vectorize", "float32(float32 x, float32 y); float64(float64, float64)",
               "return (x - y) * (x - y);", None, None)
    x = rng.random((3, 4)).astype(np.float32)
    for y, dtype in ((0.5, np.float32), (gnd.zeros((4,), "int16"), np.float32),
                     (gnd.zeros((4,), "int32"), np.float64)):
        got = k(gnd.from_numpy(x), y)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, (x.astype(dtype) - (y if isinstance(y, float) else 0)) ** 2)
    with pytest.raises(gnd.Error, match="none of the 2 signatures takes"):
        k(gnd.zeros((2,), "complex64"), 1)
    assert kernel("gnd_vectorize", "int8(int8)", "x + 1 // not x; nor return", "next", None)(5) == 6


MATMUL = "T s = 0; for (int k = 0; k < n; k++) s += a(m_, k) * b(k, p_); c(m_, p_) = s;"
LOOPS = """for (int i = 0; i < m; i++) for (int j = 0; j < p; j++) {
    T s = 0;
    for (int k = 0; k < n; k++) s += a(i, k) * b(k, j);
    c(i, j) = s;
}"""


@pytest.mark.parametrize("body, given", [(LOOPS, {}), (MATMUL, {"parallel": "m,p"})], ids=["loops", "parallel"])
def test_guvectorize_products(body, given):
    k = kernel("gnd_guvectorize", "(m,n),(n,p)->(m,p)", "T a, T b", "T c", body, "matmul", options(**given))
    a, b = rng.random((4, 1, 3, 5)), rng.random((2, 5, 6))
    np.testing.assert_allclose(k(gnd.from_numpy(a), gnd.from_numpy(b)), a @ b, rtol=1e-14)
    turned = gnd.swapaxes(gnd.from_numpy(np.ascontiguousarray(np.swapaxes(b, 1, 2))), 1, 2)
    np.testing.assert_allclose(k(gnd.from_numpy(a), turned), a @ b, rtol=1e-14)
    with pytest.raises(gnd.Error, match=r"the core dimension n is 5, and b of shape \(2, 4, 6\)"):
        k(gnd.from_numpy(a), gnd.zeros((2, 4, 6), "float64"))
    with pytest.raises(gnd.Error, match="at least 2 axes"):
        k(gnd.from_numpy(a), gnd.zeros((5,), "float64"))
    square = gnd.from_numpy(a[0, 0, :, :3].copy())
    expected = square.numpy() @ square.numpy()
    np.testing.assert_allclose(k.into(square, square, square), expected, rtol=1e-14)


def test_guvectorize_norm_lanes_and_fixed_sizes():
    x = rng.random((6, 4, 50)).astype(np.float32)
    for body, given in (("T s = 0; for (int k = 0; k < n; k++) s += x[k] * x[k]; y = sqrt(s)", {}),
                        ("T s = 0; for (int k = lane; k < n; k += lanes) s += x[k] * x[k]; y = sqrt(lane_sum(s))",
                         {"lanes": 64})):
        k = kernel("gnd_guvectorize", "(n)->()", "T x", "T y", body, "norm", options(**given))
        np.testing.assert_allclose(k(gnd.from_numpy(x)), np.linalg.norm(x, axis=-1), rtol=1e-5)
    cross = kernel("gnd_guvectorize", "(3),(3)->(3)", "float64 a, float64 b", "float64 c",
                   "for (int k = 0; k < 3; k++)\n"
                   "    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]",
                   "cross", None)
    a, b = rng.random((5, 3)), rng.random(3)
    np.testing.assert_allclose(cross(gnd.from_numpy(a), gnd.from_numpy(b)), np.cross(a, b), rtol=1e-13)
    with pytest.raises(gnd.Error, match="axis 1 must have size 3"):
        cross(gnd.zeros((5, 4), "float64"), gnd.from_numpy(b))


# ---- what is wrong -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("inputs, outputs, message", [
    ("T x, float x y", "T z", 'parameter 2 of the inputs, "float x y"'),
    ("T x,, T y", "T z", "parameter 2 of the inputs is missing"),
    ("T x,", "T z", "parameter 2 of the inputs is missing"),
    ("x", "T z", 'written "type name"'),
    ("T int", "T z", '"int" is a word of C'),
    ("T x", "T float32", '"float32" is a dtype'),
    ("T x", "T x", 'two parameters called "x"'),
    ("T T", "T z", "a type that stands for a dtype"),
    ("std::vector<T> x", "T z", "is no type"),
    ("T _x", "T z", "as names of the library do"),
    ("T x", "", "list of outputs is empty"),
    ("T " + "x" * 64, "T z", "too long"),
    (", ".join(f"T x{k}" for k in range(25)), "T z", "more than 24 inputs"),
    ("T x; int y", "T z", "parameter 1 of the inputs"),
])
def test_malformed_parameters(inputs, outputs, message):
    with pytest.raises(gnd.Error, match=message.replace("(", r"\(")):
        elementwise(inputs, outputs, "z = 1")


@pytest.mark.parametrize("signature, message", [
    ("(m,n),(n,p)->(m,p", "expected at character 14"),
    ("(m,n)->(m,p)", "2 inputs and 1 outputs"),
    ("(m,n),(n,p)->(m,p) ", None),
    ("(m,n),(n,p)->(m,p),(m)", "its end was expected"),
    ("(m,n),(n,2p)->(m,p)", '"2p" is no size'),
    ("(m,),(n)->()", "is no C"),
    ("(a,n),(n,p)->(m,p)", "a dimension and a parameter"),
    ("", "was expected at character 1"),
])
def test_malformed_signatures(signature, message):
    make = lambda: kernel("gnd_guvectorize", signature, "T a, T b", "T c", "c", "k", None)
    if message is None:
        make()
    else:
        with pytest.raises(gnd.Error, match=message):
            make()


@pytest.mark.parametrize("signatures, message", [
    ("float32", "not of the form"), ("float32(float32", "not of the form"),
    ("float33(float32)", '"float33" is no dtype'),
    ("float32(banana x)", "is no dtype"), ("float32()", "is no dtype"), ("", "not of the form"),
    ("float32(float32); float64(float64, float64)", "signature 2 has 2 parameters"),
    ("float32(float32 x, float32 x)", "two parameters"),
    (f"float32({', '.join(f'float32 x{k}' for k in range(25))})", "signature 1 has more than 24 parameters"),
])
def test_malformed_function_signatures(signatures, message):
    with pytest.raises(gnd.Error, match=message):
        kernel("gnd_vectorize", signatures, "x", None, None)


@pytest.mark.parametrize("body, message", [
    ("z = (x", "never closed"), ("z = x; } evil() {", "closes with '}'"), ("z = x]", "closes with"),
])
def test_bodies_that_leave_their_function(body, message):
    with pytest.raises(gnd.Error, match=message):
        elementwise("T x", "T z", body)


def test_results_of_too_many_axes():
    k = kernel("gnd_guvectorize", "()->(2)", "T x", "T y", "y[0] = x; y[1] = -x;", "pair", None)
    assert k(gnd.ones((1,) * 63, "float32")).shape == (1,) * 63 + (2,)
    refused(lambda: k(gnd.ones((1,) * 64, "float32")), gnd.ERROR_SHAPE, "pair: y would have 65 axes; 64 are the most")


def test_brackets_and_names_that_are_none():
    k = elementwise("T x /* , T y */, // T w\nT v", "T z",
                    "z = (x + 1'000) * v; // )\n/* i } */ char c = '('; const char *s = \"}i\"; (void)s; (void)c;",
                    "none")
    np.testing.assert_array_equal(k(gnd.ones((2, 3), "int32")[":, ::2"], 2), np.full((2, 2), 2002))


def test_compile_errors_name_the_line():
    k = elementwise("T x", "T z", "z = 1;\nz = foo(x);", "bad")
    with pytest.raises(gnd.Error, match=r"(?s)bad.*body\D+2\D.*foo"):
        k(gnd.zeros((2,), "float32"))
    assert "foo" in gnd.kernel_log()
    assert gnd.kernel_name(k.pointer) == "bad"
    k = elementwise("T x", "T z", "z = x", "worse",
                    preamble="\n\nint f(int a) { return a + unknown; }")
    with pytest.raises(gnd.Error, match=r"(?s)worse preamble\D+3\D.*unknown"):
        k(gnd.zeros((2,), "float32"))


@pytest.mark.parametrize("maker, words, line", [
    ("gnd_kernel_reduction", ("T x", "T d", "x\n+ foo(x)", "a + b", None, "0"), r"map\D+2\D"),
    ("gnd_kernel_reduction", ("T x", "T d", "x", "a\n+\nfoo(b)", None, "0"), r"reduce\D+3\D"),
    ("gnd_kernel_reduction", ("T x", "T d", "x", "a + b", "\n\nd = foo(a)", "0"), r"post\D+3\D"),
    ("gnd_vectorize", ("float32(float32 x)", "float q = x;\nreturn foo(q);"), r"body\D+2\D"),
    ("gnd_guvectorize", ("(n)->()", "T x", "T y", "y = 0;\nfor (int i = 0; i < n; i++)\n  y += foo(x(i));"),
     r"body\D+3\D"),
])
def test_lines_of_every_kind_of_kernel(maker, words, line):
    k = kernel(maker, *words, "bad", options())
    with pytest.raises(gnd.Error, match="(?s)bad " + line + ".*foo"):
        k(gnd.zeros((2, 2), "float32"))


def test_refused_options():
    with pytest.raises(gnd.Error, match="generalised ufuncs"):
        elementwise("T x", "T z", "z = x", lanes=4)
    with pytest.raises(gnd.Error, match="powers of two"):
        kernel("gnd_guvectorize", "(n)->()", "T x", "T y", "y = 0", "k", options(lanes=3))
    with pytest.raises(gnd.Error, match='"q" must be a name'):
        kernel("gnd_guvectorize", "(n)->(n)", "T x", "T y", "y[0] = 0", "k", options(parallel="q"))
    with pytest.raises(gnd.Error, match="core dimensions of all outputs"):
        kernel("gnd_guvectorize", "(n)->(n),()", "T x", "T y, T z", "y[0] = 0", "k", options(parallel="n"))
    with pytest.raises(gnd.Error, match="one output"):
        kernel("gnd_kernel_reduction", "T x", "T y, T z", "x", "a + b", None, "0", "k", None)
