"""Promotion and casting rules, and the conversions of single numbers, against NumPy's tables."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd

PAIRS = list(itertools.product(dtypes.NAMES, repeat=2))
WEAK = (True, False, 0, 1, -1, 7, 300, -300, 70000, 2**40, 2**63, 2.5, float("nan"), 1e300, 1j, 0j)


def test_names_sizes_kinds():
    for name in dtypes.NAMES:
        assert gnd.dtype_name(name) == name
        assert gnd.dtype_from_name(name) == name
        assert gnd.dtype_size(name) == dtypes.DTYPES[name].itemsize
        kind = "f" if name == "bfloat16" else dtypes.DTYPES[name].kind
        assert gnd.dtype_kind(name).decode() == kind
    assert gnd.dtype_name(0) == "none"
    assert gnd.dtype_size(0) == 0 and gnd.dtype_size(99) == 0 and gnd.dtype_size(-1) == 0


@pytest.mark.parametrize("name", ["", "float", "FLOAT32", "int128", "none", " int8"])
def test_no_such_name(name):
    with pytest.raises(gnd.Error) as caught:
        gnd.dtype_from_name(name)
    assert name in caught.value.message


def test_promote_types():
    for a, b in PAIRS:
        assert gnd.promote_types(a, b) == dtypes.promote(a, b), (a, b)


def test_promotion_agrees_with_ml_dtypes():
    """Where ml_dtypes is at hand, its bfloat16 in NumPy's own promotion. For integers of 16 bits and
    more gnd differs on purpose (they go as beside float16), and float16 has no common dtype there."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ("bool", "int8", "uint8", "float32", "float64", "complex64", "complex128"):
        theirs = np.promote_types(np.dtype(ml_dtypes.bfloat16), np.dtype(name)).name
        assert gnd.promote_types("bfloat16", name) == theirs, name


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_can_cast(casting):
    code = getattr(gnd, {"no": "NO_CASTING"}.get(casting, casting.upper()))
    for a, b in PAIRS:
        assert gnd.can_cast(a, b, code) == dtypes.can_cast(a, b, casting), (a, b, casting)


def result_type(*operands):
    arrays = [gnd.from_numpy(np.zeros(1, dtypes.DTYPES[o])) if isinstance(o, str) else o
              for o in operands]
    made = [gnd.arg(a) for a in arrays]
    packed = (gnd.STRUCTS["gnd_arg"] * len(made))(*made)
    return gnd.result_type_n(len(made), packed)


def test_result_type_of_weak_numbers():
    for name, number in itertools.product(dtypes.NAMES, WEAK):
        if (name, number) == ("bool", 2**63):
            continue  # NumPy overflows; gnd takes the uint64 that the number has alone
        # NEP 50 looks at the kind of a Python number only.
        want = dtypes.result_type(name, type(number)(1))
        assert result_type(name, number) == want, (name, number)
        assert result_type(number, name) == want, (number, name)


def test_result_type_of_numbers_alone():
    for a, b in itertools.product(WEAK, repeat=2):
        assert result_type(a) == np.result_type(a).name, a
        if 2**63 not in (a, b):
            assert result_type(a, b) == np.result_type(a, b).name, (a, b)


def test_result_type_of_three():
    plain = [n for n in dtypes.NAMES if n != "bfloat16"]
    generator = np.random.default_rng(5)
    for _ in range(300):
        names = [plain[i] for i in generator.integers(len(plain), size=3)]
        assert result_type(*names) == np.result_type(*names).name, names


def test_result_type_of_nothing():
    with pytest.raises(gnd.Error):
        gnd.result_type_n(0, None)


def test_every_half_to_float_and_back():
    """All 65536 patterns of both 16-bit floats."""
    for bits in range(0, 65536):
        half = float(np.uint16(bits).view(np.float16))
        got = gnd.lib.gnd_float16_to_float(bits)
        assert got == half or (got != got and half != half), bits
    patterns = np.arange(65536, dtype=np.uint16).view(dtypes.BFLOAT16)
    want = dtypes.from_bfloat16(patterns)
    got = np.array([gnd.lib.gnd_bfloat16_to_float(b) for b in range(65536)], np.float32)
    assert np.array_equal(got, want, equal_nan=True)


@pytest.fixture(scope="module", autouse=True)
def prototypes():
    for name in ("float16_to_float", "bfloat16_to_float", "float_to_float16", "float_to_bfloat16"):
        gnd.function("gnd_" + name)


@given(st.floats(width=32))
def test_float_to_half(value):
    with np.errstate(over="ignore"):
        half = np.float16(np.float32(value))
    got = np.uint16(gnd.lib.gnd_float_to_float16(value)).view(np.float16)
    assert got == half and np.signbit(got) == np.signbit(half) or (got != got and half != half)
    want = dtypes.to_bfloat16(np.float32(value))
    brain = np.array([gnd.lib.gnd_float_to_bfloat16(value)], np.uint16).view(dtypes.BFLOAT16)
    if value == value:
        assert brain["bfloat16"][0] == want["bfloat16"][()]
    else:
        assert np.isnan(dtypes.from_bfloat16(brain))[0]


# ---- limits -------------------------------------------------------------------------------------------------

BFLOAT16_LIMITS = dict(bits=16, nmant=7, nexp=8, precision=2, machep=-7, negep=-8, minexp=-126, maxexp=128,
                       eps=2.0**-7, epsneg=2.0**-8, max=(2 - 2.0**-7) * 2.0**127, min=-(2 - 2.0**-7) * 2.0**127,
                       smallest_normal=2.0**-126, smallest_subnormal=2.0**-133, resolution=0.010009765625)


@pytest.mark.parametrize("name", dtypes.FLOATS + dtypes.COMPLEX)
def test_finfo(name):
    got = gnd.finfo(name)
    # Some of what NumPy says of integers of its own is an int, some a NumPy number: all are floats here.
    want = BFLOAT16_LIMITS if name == "bfloat16" else {
        field: float(getattr(np.finfo(name), field)) for field in BFLOAT16_LIMITS}
    for field, value in want.items():
        assert getattr(got, field) == value, f"{field}: {getattr(got, field)!r}, not {value!r}"
    real = "bfloat16" if name == "bfloat16" else np.finfo(name).dtype.name
    assert gnd.DTYPE_NAMES[got.dtype] == real


@pytest.mark.parametrize("name", dtypes.INTEGERS)
def test_iinfo(name):
    got, want = gnd.iinfo(name), np.iinfo(name)
    assert (got.min, got.max, got.bits) == (want.min, want.max, want.bits)
    assert gnd.DTYPE_NAMES[got.dtype] == name


def test_limits_of_other_dtypes():
    for function, names in ((gnd.finfo, ("bool",) + dtypes.INTEGERS + (0, 99, -1)),
                            (gnd.iinfo, ("bool",) + dtypes.FLOATS + dtypes.COMPLEX + (0, 99, -1))):
        for name in names:
            with pytest.raises(gnd.Error) as caught:
                function(name)
            assert caught.value.code == gnd.ERROR_DTYPE
            assert (name if isinstance(name, str) else {0: "none"}.get(name, "not a dtype")) in caught.value.message
