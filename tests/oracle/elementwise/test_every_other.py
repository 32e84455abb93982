"""Sums with every other element, which are gathered first: arrays that a cache holds, and larger ones."""

import numpy as np
import pytest

import gnd
from check import assert_same

DTYPES = ["int8", "float16", "float32", "int32", "float64", "int64", "complex64", "complex128"]


@pytest.mark.parametrize("n", [1, 3, 4, 5, 8, 9, 100, 511, 513, 10000, 100003])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums(dtype, n):
    g = np.random.default_rng(n)
    x, y = g.integers(-50, 50, 2 * n).astype(dtype), g.integers(-50, 50, n).astype(dtype)
    if np.dtype(dtype).kind == "c":
        x, y = x + x.dtype.type(1j) * x[::-1], y - y.dtype.type(2j)
    a, b = gnd.from_numpy(x), gnd.from_numpy(y)
    for text, part in (("::2", x[::2]), ("1::2", x[1::2]), ("::-2", x[::-2])):
        assert_same(gnd.add(gnd.slice_text(a, text), b), part + y, text)
