"""The elementwise oracle through Python: each row of ops.def as gnd.NAME, in every dtype and pair of dtypes, against
NumPy and SciPy, by the rules of tests/oracle/reference.py. A new row is tested without a line here."""

import zlib

import dtypes
import headers
import numpy as np
import pytest
import reference
import values

import gnd

ROWS = {row.name: row for row in headers.read_operators()}
FIXED = {"B": "bool", "I": "int64", "N": "int32", "U": "uint64", "H": "uint8"}


def names_of(row, given):
    """Dtype names for all inputs: the fixed letters have dtypes of their own."""
    rest = iter(given)
    return [FIXED[letter] if letter in FIXED else next(rest) for letter in row.inputs]


def operands(row, names, g, shape=(97,)):
    made = [values.random_values(name, shape, g) for name in names]
    if row.name == "power":  # integers to negative powers are refused
        common = dtypes.result_type(*names)
        if common in dtypes.INTEGERS or common == "bool":
            made[1] = np.where(made[1] < 0, 3, made[1]).astype(made[1].dtype)
    return made


def to_numpy(x):
    """The elements, with the oracle's bfloat16."""
    if x.dtype == "bfloat16":
        return gnd.view(gnd.ascontiguousarray(x), "uint16").get().view(dtypes.BFLOAT16)
    return x.get()


def check(row, made, call=None):
    function = call or getattr(gnd, row.name)
    given = [gnd.asarray(x) for x in made]
    try:
        expectations = reference.expect(row, made)
    except TypeError:
        with pytest.raises(TypeError):
            function(*given)
        return
    results = function(*given)
    results = results if isinstance(results, tuple) else (results,)
    assert len(results) == len(expectations)
    for got, e in zip(results, expectations):
        assert got.dtype == e.dtype and got.shape == e.values.shape
        good = np.asarray(reference.close_values(to_numpy(got), e))
        assert good.all(), f"{row.name} of {[m.dtype for m in made]}: {np.argwhere(~good)[:5]}"


@pytest.mark.parametrize("name", ROWS)
def test_values(name):
    row = ROWS[name]
    for dtype in dtypes.NAMES:
        g = np.random.default_rng(zlib.crc32(f"{name} {dtype}".encode()))
        names = names_of(row, [dtype] * len(row.inputs))
        made = operands(row, names, g)
        if len(made) == 1:
            made = [np.concatenate([values.specials(dtype), made[0]])]
        check(row, made)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if len(row.inputs) > 1])
def test_mixed_dtypes(name):
    row = ROWS[name]
    for first in dtypes.NAMES:
        g = np.random.default_rng(zlib.crc32(f"{name} {first}".encode()))
        for second in dtypes.NAMES[::2]:
            check(row, operands(row, names_of(row, [first, second, first][:len(row.inputs)]), g, (41,)))


@pytest.mark.parametrize("name", ROWS)
def test_layouts_and_out(name):
    """Views with strides, broadcasting, and `out`, which is written and returned."""
    row = ROWS[name]
    g = np.random.default_rng(zlib.crc32(name.encode()))
    dtype = next(d for d in ("float64", "int32", "bool") if not refused(row, d))
    made = operands(row, names_of(row, [dtype] * len(row.inputs)), g, (6, 10))
    made = [x[::-1, 1::2] if k == 0 else x[:1, :5] for k, x in enumerate(made)]
    check(row, made)
    if len(row.outputs) == 1 and name in gnd._interface.OPERATORS and name != "where":
        given = [gnd.asarray(x) for x in made]
        plain = getattr(gnd, name)(*given)
        out = gnd.zeros_like(plain)
        assert getattr(gnd, name)(*given, out=out) is out
        assert gnd.array_equal(out, plain, equal_nan=plain.dtype.kind in "fc")


def refused(row, dtype):
    made = [np.ones(1, dtypes.DTYPES[n]) for n in names_of(row, [dtype] * len(row.inputs))]
    try:
        reference.expect(row, made)
        return False
    except TypeError:
        return True


OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%",
             "power": "**", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "left_shift": "<<",
             "right_shift": ">>", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=",
             "equal": "==", "not_equal": "!="}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64"])
def test_operators_with_numbers(name, dtype):
    """Python's operators and numbers, which are weak on either side (NEP 50)."""
    function = eval(f"lambda x, y: x {OPERATORS[name]} y")
    x = np.array([1, 0, 3, 1, 2], dtype)
    for number in (True, 2, 2.5, 1 + 2j):
        for swap in (False, True):
            call = (lambda v: function(number, v)) if swap else (lambda v: function(v, number))
            with np.errstate(all="ignore"):
                try:
                    want = call(x)
                except TypeError:
                    with pytest.raises(TypeError):
                        call(gnd.asarray(x))
                    continue
            got = call(gnd.asarray(x))
            if name == "power" and dtype == "bool" and number == 2 and not swap:
                want = np.power(x, 2)  # the operator of NumPy's makes int8 of it, as for no other number
            assert got.dtype == want.dtype, (number, swap)
            np.testing.assert_allclose(got.get(), want, rtol=2e-3 if dtype == "float16" else 1e-6)
