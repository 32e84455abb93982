"""Generators and the basic draws of gnd/random.h: bit for bit against the generators written again in Python, in
any pieces, between the CPU and whatever device the tests run on, in distribution, at the ends of their
intervals, and what is refused. Seeds are fixed: what passes, passes always."""

import contextlib
import threading

import numpy as np
import pytest
from scipy import special, stats
from scipy.stats import qmc

import dtypes
import gnd
import random_words
from check import refused
from test_faults import run_with_failures

g = np.random.default_rng(0)
KINDS = {"philox": gnd.PHILOX, "xorwow": gnd.XORWOW, "mrg32k3a": gnd.MRG32K3A}
LEAST = 1e-4  # the p-value below which a test fails
SEED = 0x0123456789ABCDEF
CPU = gnd.STRUCTS["gnd_device"](gnd.CPU, 0)


class Generator:
    """A generator that is given back when it dies."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __del__(self):
        gnd.random_release(self.pointer)

    def __getattr__(self, name):
        def call(*arguments):
            given = [gnd.from_numpy(a) if isinstance(a, np.ndarray) else a for a in arguments]
            made = gnd.function("gnd_random_" + name.removeprefix("gnd_random_"))(self.pointer, *given)
            return made.numpy() if isinstance(made, gnd.Array) else made

        return call


def new(kind="philox", seed=SEED):
    return Generator(gnd.random_new(KINDS[kind], seed))


def sobol(dimensions, scramble=True, seed=SEED):
    return Generator(gnd.random_new_sobol(dimensions, scramble, seed))


def parameters_shape():
    shape = gnd.shape(())
    shape.ndim = -1
    return shape


@contextlib.contextmanager
def using(device):
    before = gnd.current_device()
    gnd.use(device)
    try:
        yield
    finally:
        gnd.use(before)


# Draws that are the same words, whatever they are made into: name, parameters, dtype.
DRAWS = [("gnd_random_random", (), "float32"), ("gnd_random_random", (), "float64"),
         ("gnd_random_uniform", (-2.5, 7.0), "float32"), ("gnd_random_uniform", (1e300, 1.5e300), "float64"),
         ("gnd_random_standard_normal", (), "float32"), ("gnd_random_standard_normal", (), "float64"),
         ("gnd_random_normal", (5.0, 0.1), "float32"), ("gnd_random_normal", (-1.0, 2.0), "float64"),
         ("gnd_random_standard_exponential", (), "float32"), ("gnd_random_standard_exponential", (), "float64"),
         ("gnd_random_exponential", (3.0,), "float32"), ("gnd_random_exponential", (0.25,), "float64")]
WHOLE = [(0, 10, "int64"), (-5, 2**40, "int64"), (0, 2**63 - 1, "int64"), (-100, 101, "int8"), (0, 2, "bool"),
         (7, 8, "uint16"), (0, 2**32, "uint32"), (0, 2**32 + 1, "uint64"), (3, 3 * 2**30, "uint32")]


def draw(generator, case, shape):
    if len(case) == 3 and isinstance(case[0], str):
        return getattr(generator, case[0])(*case[1], shape, case[2])
    return generator.integers(case[0], case[1], shape, case[2], False)


# ---- words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, SEED, 2**64 - 1])
def test_philox_is_the_papers(seed):
    # Known answers of Random123's kat_vectors hold the test's own Philox.
    assert [f"{w:08x}" for w in random_words.philox(0, 0, 1)[0]] == [
        "6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]
    assert [f"{w:08x}" for w in random_words.philox(0x299F31D0A4093822, 0x85A308D3243F6A88, 1, 0x03707344,
                                                    0x13198A2E)[0]] == [
        "d16cfe09", "94fdcceb", "5001e420", "24126ea1"]
    want = random_words.words(seed, 0, 10007)
    assert (new(seed=seed).bytes(4 * 10007).view("uint32") == want).all()
    assert (new(seed=seed).integers(0, 2**32 - 1, 10007, "uint32", True) == want).all()
    assert (new(seed=seed).integers(-2**31, 2**31, 10007, "int32", False) == (want ^ 0x80000000).view("int32")).all()
    assert (new(seed=seed).random(10007, "float32") == (want >> 8) * np.float32(2**-24)).all()
    pairs = random_words.words(seed, 0, 20014).astype("uint64").reshape(-1, 2)
    wide = pairs[:, 0] << np.uint64(32) | pairs[:, 1]
    assert (new(seed=seed).random(10007, None) == (wide >> np.uint64(11)) * 2.0**-53).all()
    assert (new(seed=seed).integers(0, 2**64 - 1, 10007, "uint64", True) == wide).all()


def test_philox_far_into_its_sequence():
    for position in (2**34 - 5, 2**34 + 1, 2**63 + 3, 2**64 - 8):
        gen = new()
        gen.advance(position)
        at = [(position + i) % 2**64 for i in range(8)]
        want = np.array([random_words.words(SEED, p, 1)[0] for p in at])
        assert (gen.bytes(32).view("uint32") == want).all(), position
    gen = new()
    gen.jump(2**32 - 1)
    gen.jump(4)
    assert (gen.bytes(400).view("uint32") == random_words.words(SEED, 0, 100, stream=3)).all()


@pytest.mark.parametrize("kind", ["xorwow", "mrg32k3a"])
def test_states(kind):
    reference = getattr(random_words, kind)
    for stream in (0, 1, 2**32 - 1):
        gen = new(kind)
        gen.jump(stream)
        got = gen.integers(0, 2**32 - 1, (3, 65536), "uint32", True)
        for index in (0, 1, 255, 256, 40000, 65535):
            assert got[:, index].tolist() == reference(SEED, index, stream, 3), (stream, index)


@pytest.mark.parametrize("kind", ["xorwow", "mrg32k3a"])
def test_lanes_go_on_where_they_stand(kind):
    gen, at = new(kind), 0
    whole = new(kind).bytes(4 * 300000).view("uint32")
    while at < 300000:
        n = min(int(g.integers(1, 90000)), 300000 - at)
        assert (gen.bytes(4 * n).view("uint32") == whole[at:at + n]).all()
        at += n


def test_integers_are_lemires():
    for low, high in [(0, 2), (-3, 5), (0, 2**31), (0, 3 * 2**30 - 1), (5, 5), (0, 2**32 - 1)]:
        gen = new()
        got = gen.integers(low, high, 400, "int64", True)
        want = [random_words.lemire(SEED, i, low, high, 1) for i in range(400)]
        assert got.tolist() == want, (low, high)
    for low, high in [(0, 2**32), (-2**63, 2**63 - 1), (-7, 3 * 2**61), (0, 2**63 - 1), (-2**63, 2**62)]:
        gen = new()
        got = gen.integers(low, high, 400, "int64", True)
        want = [random_words.lemire(SEED, 2 * i, low, high, 2) for i in range(400)]
        assert got.tolist() == want, (low, high)


# ---- any pieces, any device ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", DRAWS + WHOLE, ids=str)
def test_pieces_are_the_whole(kind, case):
    whole = draw(new(kind), case, 20011)
    for _ in range(3):
        gen, at = new(kind), 0
        while at < whole.size:
            n = min(int(g.choice([1, 2, 3, 5, 31, 1000, 4099])), whole.size - at)
            part = draw(gen, case, n)
            assert part.tobytes() == whole[at:at + n].tobytes(), (at, n)
            at += n


@pytest.mark.parametrize("case", [DRAWS[0], DRAWS[5], WHOLE[0]], ids=str)
def test_large_draws_are_their_pieces(case):
    """So large that each thread of a GPU has many numbers, from the beginning of a block of words and inside it."""
    n = 9_000_001
    for begin in (0, 3):
        gen, pieces = new(), new()
        draw(gen, case, begin), draw(pieces, case, begin)
        whole, at = draw(gen, case, n), 0
        while at < n:
            part = draw(pieces, case, min(1 << 20, n - at))
            assert part.tobytes() == whole[at:at + part.size].tobytes(), (begin, at)
            at += part.size


@pytest.mark.parametrize("case", DRAWS + WHOLE, ids=str)
def test_shapes_and_arrays_of_parameters_change_nothing(case):
    whole = draw(new(), case, 24 * 35)
    assert draw(new(), case, (24, 5, 1, 7)).tobytes() == whole.tobytes()
    if not isinstance(case[0], str):
        if case[2] == "int64" and case[1] - case[0] <= 2**32:  # a word each; of arrays two
            def lemires(own):
                return [random_words.lemire(SEED, own * i, case[0], case[1] - 1, own) for i in range(24 * 35)]

            assert whole.tolist() == lemires(1)
            whole = np.array(lemires(2))
        type_ = "uint64" if case[2] == "uint64" else "int64"
        low, high = (np.full((5, 1, 1), b, type_) for b in case[:2])
        arrays = new().integers(low, high[::-1], (24, 5, 1, 7), case[2], False)
        assert arrays.tobytes() == whole.tobytes()
    elif case[1]:
        filled = [np.broadcast_to(np.array(p, case[2]), (24, 5, 1, 7)) for p in case[1]]
        filled[0] = np.ascontiguousarray(filled[0].transpose(3, 1, 2, 0)).transpose(3, 1, 2, 0)
        arrays = getattr(new(), case[0])(*filled, parameters_shape(), case[2]).ravel()
        exact = case[0] == "gnd_random_uniform"
        assert np.allclose(arrays, whole, rtol=0 if exact else 1e-6 if case[2] == "float32" else 1e-14, atol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_devices_agree(kind):
    with using(CPU):
        there = [draw(new(kind), case, 200003) for case in DRAWS + WHOLE]
    for case, want in zip(DRAWS + WHOLE, there):
        got = draw(new(kind), case, 200003)
        if case[0] in ("gnd_random_random", "gnd_random_uniform") or not isinstance(case[0], str):
            assert got.tobytes() == want.tobytes(), case
        else:
            limit = 2e-6 if case[2] == "float32" else 1e-14
            assert np.allclose(got, want, rtol=limit, atol=limit), case


# ---- into arrays that are there -----------------------------------------------------------------------


def fill(gen, out, name, *parameters):
    given = [gnd.from_numpy(p) if isinstance(p, np.ndarray) else p for p in parameters]
    gnd.random_fill(gen.pointer, out, name, len(given), given if given else None)


VIEWS = {"whole": "...", "thin": ":, ::2", "backwards": "::-1, 1:", "row": "2", "odd": "1:, 1:", "column": ":, :1"}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("case", [*DRAWS, ("gnd_random_poisson", (4.0,), "int64")] + WHOLE, ids=str)
def test_filled(case, view):
    start = np.zeros((6, 35), case[2])
    out = gnd.from_numpy(start)
    place = out[VIEWS[view]]
    gen, other = new(), new()
    if case[0] == "gnd_random_poisson":
        want, name, parameters = other.poisson(4.0, place.shape), "poisson", case[1]
    elif isinstance(case[0], str):
        want, name, parameters = draw(other, case, place.shape), case[0].removeprefix("gnd_random_"), case[1]
    else:
        want, name, parameters = draw(other, case, place.shape), "integers", case[:2]
    fill(gen, place, name, *parameters)
    exec(f"start[{VIEWS[view]}] = want")
    assert (out.numpy() == start).all()
    assert gen.bytes(16).tobytes() == other.bytes(16).tobytes()


def test_filled_with_a_cast():
    for dtype, drawn in [("float16", "float32"), ("bfloat16", "float32"), ("complex64", "float32"),
                         ("complex128", "float64")]:
        out, gen = gnd.zeros((7, 9), dtype), new()
        fill(gen, out, "normal", np.arange(9.0), 2)
        want = new().normal(np.arange(9.0), 2, (7, 9), drawn)
        assert (out.numpy() == dtypes.cast(want, dtype)).all()
    out, gen = gnd.zeros((7, 9), "int16"), new()
    fill(gen, out, "poisson", 100)
    assert (out.numpy() == new().poisson(100, (7, 9))).all()
    out = gnd.zeros((9, 9), None)  # its own mean
    fill(gen, out, "uniform", 3, 4)
    before = out.numpy()
    gen, other = new(), new()
    gnd.random_fill(gen.pointer, out, "normal", 2, [out["::-1"], 1])
    assert (out.numpy() == other.normal(before[::-1].copy(), 1, (9, 9), None)).all()
    fill(gen, gnd.zeros((0, 3), None), "random")


def test_what_cannot_be_filled():
    gen, out = new(), gnd.zeros((3, 4), None)
    refused(lambda: fill(gen, out, "gaussian", 0, 1), gnd.ERROR_INVALID, "gnd_random_fill", "gaussian")
    for name in ("choice", "words", "dirichlet", None):
        refused(lambda: fill(gen, out, name), gnd.ERROR_INVALID, "no distribution")
    refused(lambda: fill(gen, out, "normal", 0), gnd.ERROR_INVALID, "2 parameters")
    refused(lambda: fill(gen, out, "normal", 0, -1), gnd.ERROR_VALUE, "scale")
    refused(lambda: fill(gen, out, "integers", 0, 5), gnd.ERROR_DTYPE, "float64")
    refused(lambda: fill(gen, gnd.zeros((3,), "int32"), "normal", 0, 1), gnd.ERROR_DTYPE, "int32")
    refused(lambda: fill(gen, gnd.zeros((3,), "uint8"), "poisson", 1), gnd.ERROR_DTYPE, "uint8")
    refused(lambda: fill(gen, gnd.broadcast_to(out, (2, 3, 4)), "random"), gnd.ERROR_INVALID, "read-only")
    refused(lambda: fill(gen, out, "normal", np.zeros((2, 3, 4)), 1), gnd.ERROR_SHAPE)
    refused(lambda: gnd.random_fill(None, out, "random", 0, None), gnd.ERROR_INVALID, "NULL")
    refused(lambda: gnd.random_fill(gen.pointer, None, "random", 0, None), gnd.ERROR_INVALID, "NULL")
    assert (out.numpy() == 0).all() and (gen.random(10, None) == new().random(10, None)).all()


# ---- distributions ------------------------------------------------------------------------------------


def uniform_words(n, bits):
    """u at the middle of each word's part, exactly as the quantiles take it, as (u, 1 - u)."""
    w = random_words.words(SEED, 0, n * bits // 32).astype("uint64")
    if bits == 64:
        w = w[0::2] << np.uint64(32) | w[1::2]
    u = (w.astype("longdouble") + np.longdouble(0.5)) * np.longdouble(2.0)**-bits
    return u.astype("float64"), (1 - u).astype("float64")


@pytest.mark.parametrize("dtype,bits,limit", [("float32", 32, 4e-7), ("float64", 64, 1e-14)])
def test_quantiles(dtype, bits, limit):
    u, v = uniform_words(200000, bits)
    want = np.where(u < 0.5, special.ndtri(u), -special.ndtri(v))
    near = limit * np.maximum(abs(want), 1e-3 if bits == 32 else 0.1)  # SciPy's u is rounded about 1/2
    got = new().standard_normal(200000, dtype)
    assert got.dtype == dtype and (abs(got - want) <= near).all(), abs(got - want).max()
    got = new().normal(10, 3, 200000, dtype)
    assert (abs(got - (10 + 3 * want)) <= 20 * limit).all()
    want = np.where(u < 0.5, -np.log1p(-u), -np.log(v))
    got = new().standard_exponential(200000, dtype)
    assert got.dtype == dtype and (abs(got - want) <= limit * want).all()
    assert (abs(new().exponential(2.5, 200000, dtype) - 2.5 * want) <= 3 * limit * want).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distributions(kind, dtype):
    n, gen = 1 << 18, new(kind, 7)
    checks = [(gen.random(n, dtype), stats.uniform()), (gen.uniform(-3, 5, n, dtype), stats.uniform(-3, 8)),
              (gen.standard_normal(n, dtype), stats.norm()), (gen.normal(1, 3, n, dtype), stats.norm(1, 3)),
              (gen.standard_exponential(n, dtype), stats.expon()),
              (gen.exponential(0.2, n, dtype), stats.expon(0, 0.2))]
    for x, distribution in checks:
        assert stats.kstest(x, distribution.cdf).pvalue > LEAST, distribution.dist.name
        for moment in range(1, 5):
            want, spread = distribution.moment(moment), distribution.moment(2 * moment)
            assert abs((x.astype("float64")**moment).mean() - want) < 4.5 * np.sqrt(spread / n)
    # Neighbours are independent: pairs fall evenly into a grid.
    pairs = (gen.random((n, 2), dtype) * 32).astype(int)
    counts = np.bincount(pairs[:, 0] * 32 + pairs[:, 1], minlength=1024)
    assert stats.chisquare(counts).pvalue > LEAST


def test_integers_up_to_the_last_of_int64():
    for low in (0, -5, -2**63, 2**63 - 3):
        want = [random_words.lemire(SEED, 2 * i, low, 2**63 - 1, 2) for i in range(50)]
        for high in (2**63, np.array([2**63], "uint64")):
            given = np.array([low]) if isinstance(high, int) else low
            assert new().integers(given, high, 50, None, False).tolist() == want, (low, high)


@pytest.mark.parametrize("kind", KINDS)
def test_integers_are_even(kind):
    gen = new(kind, 3)
    for low, high, dtype in [(0, 1, "bool"), (0, 6, "int8"), (-128, 127, "int8"), (0, 255, "uint8"),
                             (-3, 996, "int16"), (0, 16, "uint64"), (2**40, 2**40 + 99, "int64")]:
        x = gen.integers(low, high, 1 << 17, dtype, True)
        assert x.dtype == dtype
        counts = np.bincount((x.astype("int64") - low).astype("int64"), minlength=high - low + 1)
        assert counts.size == high - low + 1 and stats.chisquare(counts).pvalue > LEAST, (low, high, dtype)
    # A third more numbers than half the words: without rejection some would come twice as often.
    x = gen.integers(0, 3 * 2**30 - 1, 1 << 18, "uint32", True)
    assert stats.chisquare(np.bincount(x % 3, minlength=3)).pvalue > LEAST
    x = gen.integers(0, 3 * 2**62 - 1, 1 << 18, "uint64", True)
    assert stats.chisquare(np.bincount((x % 3).astype(int), minlength=3)).pvalue > LEAST
    low = g.integers(-50, 50, 1000)
    high = low + g.integers(1, 9, 1000)
    x = gen.integers(low, high, (400, 1000), None, False)
    place = (x - low) / (high - low)
    assert x.dtype == "int64" and (x >= low).all() and (x < high).all() and abs(place.mean() - (
        ((high - low - 1) / (high - low) / 2).mean())) < 0.002
    assert (x.min(0) == low).all() and (x.max(0) == high - 1).all()


def test_nothing_outside_an_interval():
    n = 1 << 22
    for dtype in ("float32", "float64"):
        type_, gen = np.dtype(dtype).type, new(seed=5)
        x = gen.random(n, dtype)
        assert x.min() >= 0 and x.max() < 1
        for low, high in [(1, np.nextafter(type_(1), type_(2))), (-1, 1), (0, np.finfo(dtype).max), (-1e-30, 0),
                          (-np.finfo(dtype).tiny, 0), (3, np.nextafter(np.nextafter(type_(3), type_(4)), type_(4)))]:
            x = gen.uniform(float(low), float(high), 1 << 16, dtype)
            assert x.min() >= type_(low) and x.max() < type_(high), (low, high)
        assert (gen.uniform(2.5, 2.5, 100, dtype) == 2.5).all()
        assert np.isfinite(gen.standard_normal(n, dtype)).all() and gen.standard_exponential(n, dtype).min() > 0
    # The extremes of a word: the largest and the smallest that can come.
    assert (gen.normal(3, 0, 10, None) == 3).all() and (gen.exponential(0, 10, None) == 0).all()
    assert np.isnan(gen.normal(np.nan, 1, 3, None)).all() and np.isnan(gen.normal(0, np.nan, 3, None)).all()


# ---- Sobol --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimensions", [1, 2, 17, 1024])
def test_sobol_is_joe_and_kuos(dimensions):
    n = 2048
    want = qmc.Sobol(dimensions, scramble=False, bits=32).random(n)
    gen = sobol(dimensions, False)
    first = gen.random((5, dimensions), None)
    rest = gen.random((n - 5, dimensions), None)
    assert (np.concatenate([first, rest]) == want).all()
    gen = sobol(dimensions, False)
    gen.advance(1000)
    assert (gen.random((n - 1000, dimensions), "float32") == want[1000:]).all()
    gen = sobol(dimensions, False)
    assert (gen.integers(0, 2**32 - 1, (n, dimensions), "uint32", True) == want * 2.0**32).all()


def test_sobol_scrambled():
    n, dimensions = 4096, 6
    plain = sobol(dimensions, False).random((n, dimensions), None)
    seen = []
    for seed in (1, 2, 2**64 - 1):
        x = sobol(dimensions, True, seed).random((n, dimensions), None)
        seen.append(x)
        for d in range(dimensions):  # a point in each of n equal parts
            assert (np.bincount((x[:, d] * n).astype(int), minlength=n) == 1).all()
        for d in range(dimensions - 1):  # and in each part of as many dyadic grids as the plain one
            for k in (3, 6):
                def cells(y):
                    return np.bincount((y[:, d] * 2**k).astype(int) * 2**k + (y[:, d + 1] * 2**k).astype(int),
                                       minlength=4**k)
                assert (np.sort(cells(x)) == np.sort(cells(plain))).all()
        assert qmc.discrepancy(x[:1024]) < 2 * qmc.discrepancy(plain[:1024])
        assert stats.kstest(x[0], "uniform").pvalue > LEAST
    assert not (seen[0] == seen[1]).any() and not (seen[1] == seen[2]).any()
    # Quantiles of a quasi-random sequence are one: normal numbers turned back.
    z = sobol(2, True).standard_normal((n, 2), None)
    assert np.allclose(special.ndtr(z), sobol(2, True).random((n, 2), None), atol=1e-12)
    e = sobol(2, True).exponential(2.0, (n, 2), "float32")
    assert np.allclose(-np.expm1(-e / 2), sobol(2, True).random((n, 2), "float32"), atol=1e-6)


# ---- states -------------------------------------------------------------------------------------------


def all_generators():
    return [new("philox"), new("xorwow"), new("mrg32k3a"), sobol(3), sobol(3, False)]


@pytest.mark.parametrize("which", range(5))
def test_saved_and_restored(which, tmp_path):
    gen, other = all_generators()[which], all_generators()[which]
    assert gnd.random_kind_of(gen.pointer) == (list(KINDS.values()) + [gnd.SOBOL] * 2)[which]
    gen.standard_normal(1237, "float32")
    if which < 3:
        gen.jump(2)
        gen.integers(0, 9, 777, None, False)
    state = gnd.random_save(gen.pointer)
    assert state.dtype == "uint64" and state.ndim == 1
    want = gen.random(5001, None)
    child = Generator(gnd.random_spawn(gen.pointer)).random(9, None)
    path = str(tmp_path / "state.npy")
    gnd.save(path, state)
    other.seed(99)
    for given in (state, gnd.load(path), gnd.from_numpy(np.repeat(state.numpy(), 3))["::3"]):
        gnd.random_restore(other.pointer, given)
        assert (other.random(5001, None) == want).all()
        assert (Generator(gnd.random_spawn(other.pointer)).random(9, None) == child).all()
    gen.seed(5)
    assert (gen.random(100, None) == (lambda again: (again.seed(5), again.random(100, None))[1])(
        all_generators()[which])).all()
    gen.seed(SEED)
    assert (gen.random(100, None) == all_generators()[which].random(100, None)).all()


def test_states_that_are_none():
    gens = all_generators()
    states = [gnd.random_save(gen.pointer) for gen in gens]
    for i, gen in enumerate(gens):
        for k, state in enumerate(states):
            if i == k:
                gnd.random_restore(gen.pointer, state)
            else:
                refused(lambda: gnd.random_restore(gen.pointer, state), gnd.ERROR_INVALID, "state")
    refused(lambda: gnd.random_restore(gens[0].pointer, gnd.from_numpy(np.zeros(8, "uint64"))), gnd.ERROR_VALUE,
            "gnd_random_save")
    refused(lambda: gnd.random_restore(gens[0].pointer, gnd.from_numpy(np.zeros(3, "uint64"))), gnd.ERROR_VALUE)
    refused(lambda: gnd.random_restore(gens[0].pointer, states[0][":7"]), gnd.ERROR_VALUE)
    refused(lambda: gnd.random_restore(gens[0].pointer, gnd.from_numpy(np.zeros(8))), gnd.ERROR_DTYPE, "uint64")
    assert (gens[0].random(9, None) == new().random(9, None)).all()


@pytest.mark.parametrize("which", range(4))
def test_children_are_independent(which):
    parent = all_generators()[which]
    children = [Generator(gnd.random_spawn(parent.pointer)) for _ in range(4)]
    children.append(Generator(gnd.random_spawn(children[0].pointer)))
    draws = [c.random(3000, None) for c in [parent] + children]
    for i, x in enumerate(draws):
        for y in draws[:i]:
            assert (x != y).any() and (which == 3 or abs(np.corrcoef(x, y)[0, 1]) < 0.08)
    again = all_generators()[which]
    again.random(17, None)  # what was drawn does not matter
    assert (Generator(gnd.random_spawn(again.pointer)).random(3000, None) == draws[1]).all()
    if which == 0:
        child = random_words.number(SEED, 0, -1)
        assert (draws[1] == new(seed=child).random(3000, None)).all()


def test_default_generators():
    first = gnd.random_default()
    assert first == gnd.random_default()
    gnd.random_release(first)  # stays
    assert gnd.random_random(first, (3,), None).shape == (3,)
    found = []

    def other():
        own = gnd.random_default()
        found.append((own, gnd.random_random(own, (1000,), None).numpy()))

    for _ in range(3):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert not any((x == y).any() for i, (_, x) in enumerate(found) for _, y in found[:i])
    gnd.random_seed(first, SEED)
    want = new().random(64, None)
    assert (gnd.random_random(first, (32,), None).numpy() == want[:32]).all()
    with using(CPU):  # it goes where the thread goes
        there = gnd.random_random(first, (16,), None)
        assert (there.numpy() == want[32:48]).all()
    assert (gnd.random_random(first, (16,), None).numpy() == want[48:]).all()
    child = Generator(gnd.random_spawn(first))
    assert (child.random(5, None) == Generator(new().spawn()).random(5, None)).all()
    assert len({gnd.random_entropy() for _ in range(50)}) == 50


def test_several_threads_share_one():
    gen, parts = new(), []

    def some():
        for _ in range(40):
            parts.append(gen.bytes(64).view("uint32"))

    threads = [threading.Thread(target=some) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    got = np.sort(np.concatenate(parts))
    assert (got == np.sort(random_words.words(SEED, 0, got.size))).all()


# ---- parameters ---------------------------------------------------------------------------------------


def test_parameters_broadcast():
    loc = g.normal(size=(4, 1, 6)).astype("float32")
    scale = g.random((5, 1))[::-1]
    z = new().standard_normal((2, 4, 5, 6), None)
    got = new().normal(loc, scale, (2, 4, 5, 6), None)
    assert np.allclose(got, loc.astype("float64") + scale * z, rtol=1e-13)
    got = new().normal(loc, scale, parameters_shape(), None)
    assert got.shape == (4, 5, 6)
    assert np.allclose(got, loc + scale * z.ravel()[:120].reshape(4, 5, 6), rtol=1e-13)
    got = new().normal(np.arange(5), True, parameters_shape(), "float32")
    assert got.shape == (5,) and np.allclose(got, np.arange(5) + new().standard_normal(5, "float32"), atol=1e-6)
    got = new().normal(2, 3, parameters_shape(), None)
    assert got.shape == () and np.allclose(got, 2 + 3 * z.ravel()[0])
    # More axes than the kernels take, that no merging helps.
    loc = g.normal(size=(2, 3, 2, 3, 2, 3, 2))[:, ::-1, :, :2, :, ::-2, :1]
    scale = g.random((2, 1, 2, 1, 2, 1, 3))
    z = new().standard_normal((2, 3, 2, 2, 2, 2, 3), None)
    assert np.allclose(new().normal(loc, scale, parameters_shape(), None), loc + scale * z, rtol=1e-13)
    for kind in ("xorwow", "mrg32k3a"):
        low = g.normal(size=(300, 1))
        got = new(kind).uniform(low, low + 2, (300, 300), None)
        assert np.allclose(got, low + 2 * new(kind).random((300, 300), None), atol=1e-14)
    for empty in [(0,), (3, 0, 2)]:
        assert new().normal(np.zeros(empty), 1, parameters_shape(), None).shape == empty
        assert new().random(empty, "float32").shape == empty


def test_nothing_may_be_drawn_from_nothing():
    """As NumPy has it: integers(0, len(x), 0) of an empty x."""
    gen = new()
    for low, high, dtype, endpoint in [(0, 0, None, False), (5, 2, "uint8", True), (0, 300, "uint8", False)]:
        want = np.random.default_rng(1).integers(low, high, (3, 0), np.dtype(dtype or "int64"), endpoint)
        got = gen.integers(low, high, (3, 0), dtype, endpoint)
        assert got.shape == want.shape and got.dtype == want.dtype
    assert (gen.random(10, None) == new().random(10, None)).all()


def test_refused():
    gen = new()
    refused(lambda: gen.normal(0, -1, 3, None), gnd.ERROR_VALUE, "gnd_random_normal", "scale")
    refused(lambda: gen.exponential(-1, (0,), None), gnd.ERROR_VALUE, "scale")
    for dtype in ("float32", "float64"):
        refused(lambda: gen.normal(0, -0.0, 3, dtype), gnd.ERROR_VALUE, "scale")
        refused(lambda: gen.exponential(-0.0, 3, dtype), gnd.ERROR_VALUE, "scale")
        assert np.isnan(new().exponential(-np.nan, 3, dtype)).all()
    for low, high in [(2, 1), (0, np.inf), (np.nan, 1), (-1e308, 1e308)]:
        refused(lambda: gen.uniform(low, high, 3, None), gnd.ERROR_VALUE, "gnd_random_uniform", "low")
    refused(lambda: gen.normal(np.zeros(3), np.zeros(4), parameters_shape(), None), gnd.ERROR_SHAPE, "(3,)", "(4,)")
    refused(lambda: gen.normal(np.zeros(3), 1, (2, 2), None), gnd.ERROR_SHAPE, "(3,)", "(2, 2)")
    refused(lambda: gen.normal(np.zeros((2, 3)), 1, 3, None), gnd.ERROR_SHAPE)
    refused(lambda: gen.normal(1j, 1, 3, None), gnd.ERROR_DTYPE, "complex")
    refused(lambda: gen.normal(np.zeros(3, complex), 1, 3, None), gnd.ERROR_DTYPE, "complex128")
    refused(lambda: gen.normal(None, 1, 3, None), gnd.ERROR_INVALID)
    refused(lambda: gen.random((-1,), None), gnd.ERROR_SHAPE)
    refused(lambda: gen.random((3,), "float16"), gnd.ERROR_DTYPE, "float16")
    refused(lambda: gen.random((3,), "int32"), gnd.ERROR_DTYPE)
    refused(lambda: gnd.random_random(None, (3,), None), gnd.ERROR_INVALID, "'g' is NULL")
    refused(lambda: gen.bytes(-1), gnd.ERROR_VALUE)
    for low, high, dtype, endpoint in [(0, 0, None, False), (1, 0, None, True), (0, 129, "int8", False),
                                       (-1, 3, "uint8", False), (0, 2**63, None, True), (0, 3, "bool", False),
                                       (-2**63, 2**64 - 1, None, False)]:
        refused(lambda: gen.integers(low, high, 3, dtype, endpoint), gnd.ERROR_VALUE, "gnd_random_integers")
    for low, high, dtype, endpoint in [(np.zeros(3, int), 2**63, None, True), (2**63, np.zeros(3, int), None, False),
                                       (np.zeros(3, int), 129, "int8", False), (-1, np.ones(3, int), "uint64", False)]:
        refused(lambda: gen.integers(low, high, 3, dtype, endpoint), gnd.ERROR_VALUE, "gnd_random_integers")
    refused(lambda: gen.integers(0, 3.5, 3, None, False), gnd.ERROR_DTYPE, "integer")
    refused(lambda: gen.integers(0, np.ones(3), 3, None, False), gnd.ERROR_DTYPE, "integer")
    refused(lambda: gen.integers(0, 3, 3, "float32", False), gnd.ERROR_DTYPE, "float32")
    refused(lambda: gnd.random_new(gnd.SOBOL, 1), gnd.ERROR_INVALID, "gnd_random_new_sobol")
    refused(lambda: gnd.random_new(17, 1), gnd.ERROR_INVALID, "17")
    for dimensions in (0, -1, 1025):
        refused(lambda: gnd.random_new_sobol(dimensions, True, 1), gnd.ERROR_VALUE, str(dimensions))
    plane, xorwow = sobol(2), new("xorwow")
    refused(lambda: gnd.random_jump(plane.pointer, 1), gnd.ERROR_INVALID, "Sobol")
    refused(lambda: gnd.random_advance(xorwow.pointer, 1), gnd.ERROR_INVALID, "XORWOW")
    # Nothing of the sequence was used up.
    assert (gen.random(10, None) == new().random(10, None)).all()


def test_refused_on_the_device():
    gen = new()

    def later(call, *words):
        def whole():
            made = call()
            made.numpy()
            gnd.sync()

        refused(whole, gnd.ERROR_VALUE, *words)

    scale = np.array([1.0, -2.0, 3.0])
    later(lambda: gnd.random_normal(gen.pointer, 0, gnd.from_numpy(scale), 3, None), "gnd_random_normal", "scale")
    high = np.array([3, 1, 0])
    later(lambda: gnd.random_integers(gen.pointer, 1, gnd.from_numpy(high), 3, None, False), "gnd_random_integers")
    later(lambda: gnd.random_integers(gen.pointer, gnd.from_numpy(-high), 5, 3, "uint64", False))
    later(lambda: gnd.random_integers(gen.pointer, gnd.from_numpy(high * 100), gnd.from_numpy(high + 300), 3, "int8",
                                      False))
    # Of uint64 arrays what is from 2^63 on is that, and not negative.
    huge = gnd.from_numpy(np.array([2**64 - 5], "uint64"))
    for dtype in ("int8", "int16", "int64", "uint8", "bool"):
        for endpoint in (False, True):
            least = -100 if dtype.startswith("int") else 0
            for low, above in [(gnd.from_numpy(np.array([least])), huge), (least, huge), (huge, 100 + least)]:
                later(lambda: gnd.random_integers(gen.pointer, low, above, 1, dtype, endpoint), "gnd_random_integers")
            later(lambda: gnd.random_integers(gen.pointer, huge, huge, 1, dtype, endpoint))
    edge = gnd.from_numpy(np.array([2**63], "uint64"))
    for low, above, dtype, endpoint in [(0, edge, "int64", True), (0, edge, "int8", False),
                                        (edge, 2**63, "int64", False), (-1, edge, "uint64", False)]:
        later(lambda: gnd.random_integers(gen.pointer, low, above, 1, dtype, endpoint))
    later(lambda: gnd.random_normal(gen.pointer, 0, gnd.from_numpy(np.array([1.0, -0.0])), 2, None), "scale")
    later(lambda: gnd.random_exponential(gen.pointer, gnd.from_numpy(np.array([1.0, -0.0])), 2, "float32"), "scale")
    made = gnd.random_normal(gen.pointer, 7, gnd.from_numpy(scale * 0 - [0, 1, 0]), 3, None)
    with pytest.raises(gnd.Error):
        gnd.sync()
        made.numpy()
    assert np.isnan(made.numpy()).tolist() == [False, True, False]


def test_allocations_may_fail():
    loc = gnd.from_numpy(np.arange(5, dtype="float32"))
    generators = {"philox": new(), "xorwow": new("xorwow"), "sobol": sobol(5)}
    for name, gen in generators.items():
        run_with_failures(lambda: gnd.random_normal(gen.pointer, loc, 2, (3, 5), None))
        run_with_failures(lambda: gnd.random_bytes(gen.pointer, 1001))
        run_with_failures(lambda: gnd.random_save(gen.pointer))
    for make in (lambda: new(), lambda: new("mrg32k3a"), lambda: sobol(4),
                 lambda: Generator(gnd.random_spawn(generators["xorwow"].pointer))):
        run_with_failures(make)


@pytest.mark.parametrize("dtype", sorted(dtypes.INTEGERS) + ["bool"])
def test_integers_of_every_dtype(dtype):
    low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = new(seed=11).integers(int(low), int(high), 100000, dtype, True)
    assert x.dtype == dtype
    if np.dtype(dtype).itemsize == 1:
        assert x.min() == low and x.max() == high
    scaled = (x.astype("float64") - low) / (float(high) - low + 1)
    assert abs(scaled.mean() - (0.25 if dtype == "bool" else 0.5 - 0.5 / (float(high) - low + 1))) < 0.005
    for narrow in (5, 100):
        y = new(seed=12).integers(min(narrow, int(high)), None, 1000, dtype, False) if dtype != "bool" else None
        assert y is None or (y >= 0).all() and y.max() == narrow - 1
