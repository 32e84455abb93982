"""How a result of gnd is held against NumPy's, with messages that show the first difference."""

import ctypes
import os

import numpy as np
import pytest

import dtypes
import gnd
import reference

# Trailing parameters of the functions behind PARAMS rows, as NumPy's defaults have them.
DEFAULTS = {"round": (0,), "isclose": (1e-5, 1e-8, False), "angle": (False,),
            "nan_to_num": (0.0, None, None)}


def is_missing(library):
    """Whether tests are to do without it. Those of each change may not."""
    if os.environ.get("CI"):
        return False
    try:
        gnd.library_load(library)
    except gnd.Error:
        return True
    return False


def call_operator(row, operands, parameters=None):
    """The public function of a row on Arrays and numbers; a list of output Arrays."""
    name = "gnd_" + row.name
    function = gnd.FUNCTIONS[name]
    call = gnd.function(name)
    if len(row.outputs) == 2:
        outputs = [ctypes.c_void_p(), ctypes.c_void_p()]
        call(*[ctypes.addressof(o) for o in outputs], *operands)
        return [gnd.Array(o.value) for o in outputs]
    extra = len(function.parameters) - len(row.inputs)
    trailing = parameters if parameters is not None else DEFAULTS.get(row.name, ())[:extra]
    return [call(*operands, *trailing)]


def needs_natural_numbers(row, operands):
    """An integer power with a negative exponent is an error, as in NumPy."""
    if row.name != "power":
        return False
    kinds = [dtypes.name_of(x.dtype) for x in operands]
    common = dtypes.result_type(*kinds)
    return common in dtypes.INTEGERS or common == "bool"


def expected_strides(arrays, itemsizes, shape):
    """The strides NumPy's iterator gives new outputs for these operands (K order)."""
    operands = list(arrays) + [None] * len(itemsizes)
    flags = [["readonly"]] * len(arrays) + [["writeonly", "allocate"]] * len(itemsizes)
    types = [None] * len(arrays) + [np.dtype(f"V{size}") for size in itemsizes]
    iterator = np.nditer(operands, flags=["zerosize_ok", "refs_ok"], op_flags=flags, op_dtypes=types)
    return [o.strides for o in iterator.operands[len(arrays):]]


def same_layout(got, want, shape):
    """Strides agree wherever they matter."""
    if 0 in shape:
        return True
    return all(g == w for g, w, size in zip(got, want, shape) if size > 1)


def describe(operands):
    return ", ".join(f"{dtypes.name_of(x.dtype)}{x.shape} strides {x.strides}"
                     if isinstance(x, np.ndarray) else repr(x) for x in operands)


def check_outputs(row, operands, outputs, layout=True, **parameters):
    """Outputs of an operator against what NumPy makes of the operands."""
    expectations = reference.expect(row, operands, **parameters)
    context = f"{row.name}({describe(operands)})"
    arrays = [x for x in operands if isinstance(x, np.ndarray)]
    for index, (got, e) in enumerate(zip(outputs, expectations)):
        where = context if len(outputs) == 1 else f"{context}, output {index}"
        assert got.dtype == e.dtype, f"{where}: dtype {got.dtype}, not {e.dtype}"
        assert got.shape == e.values.shape, f"{where}: shape {got.shape}, not {e.values.shape}"
        if layout and arrays:
            itemsize = dtypes.DTYPES[e.dtype].itemsize
            want = expected_strides(arrays, [itemsize], e.values.shape)[0]
            assert same_layout(got.strides, want, got.shape), (
                f"{where}: strides {got.strides}, not {want}")
        actual = got.numpy()
        good = np.asarray(reference.close_values(actual, e))
        if not good.all():
            raise AssertionError(f"{where}: {_difference(operands, actual, e, good)}")


def _difference(operands, actual, e, good):
    wrong = np.argwhere(~good)
    lines = [f"{len(wrong)} of {good.size} values differ"]
    shown = [np.broadcast_to(dtypes.widen(x), good.shape) if isinstance(x, np.ndarray) else None
             for x in operands]
    for index in map(tuple, wrong[:5]):
        inputs = [x[index] if x is not None else o for x, o in zip(shown, operands)]
        line = (f"  at {tuple(map(int, index))}: of {', '.join(map(repr, inputs))} "
                f"got {dtypes.widen(actual)[index]!r}, NumPy {dtypes.widen(e.values)[index]!r}")
        if e.true is not None:
            line += f", truly {np.asarray(e.true)[index]!r}"
        lines.append(line)
    return "\n".join(lines)


def assert_same(got, want, context="", strides=True):
    """A gnd Array and a NumPy array: dtype, shape, exact values and, if asked, strides."""
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: dtype {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: shape {got.shape}, not {want.shape}"
    if strides:
        assert same_layout(got.strides, want.strides, want.shape), (
            f"{context}: strides {got.strides}, not {want.strides}")
    actual = got.numpy()
    good = np.asarray(reference.same_values(actual, want))
    if not good.all():
        index = tuple(np.argwhere(~good)[0])
        raise AssertionError(
            f"{context}: {(~good).sum()} of {good.size} values differ, first at {index}: "
            f"{dtypes.widen(actual)[index]!r}, not {dtypes.widen(want)[index]!r}")


def same_memory(a, x, got, want, context):
    """A view where NumPy gives a view: the same place in memory, and strides."""
    assert_same(got, want, context)
    if want.size:
        assert gnd.shares_buffer(a, got), context
        offset = want.__array_interface__["data"][0] - x.__array_interface__["data"][0]
        assert got.address - a.address == offset, context


def refused(call, code, *words):
    """The call fails with this code, and a sentence with these words."""
    with pytest.raises(gnd.Error) as error:
        call()
    assert error.value.code == code, error.value
    for word in words:
        assert word in error.value.message, error.value.message
