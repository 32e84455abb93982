"""gnd_matmul_with of float16 and bfloat16 in float32, which a GPU does without casting the factors: any layout, batches
that broadcast, into an array, with TF32 and without, against NumPy in float64."""

import numpy as np
import pytest

import dtypes
import gnd
from values import finite_operand, generator

SHAPES = [((5, 7), (7, 3)), ((64, 40), (40, 50)), ((1, 33), (33, 9)), ((9, 33), (33, 1)), ((2, 300), (300, 2)),
          ((3, 17, 20), (20, 6)), ((17, 20), (3, 20, 6)), ((2, 1, 8, 9), (3, 9, 8)), ((20,), (20, 30)),
          ((30, 20), (20,)),
          ((6,), (6,)), ((4, 0), (0, 3)), ((0, 4), (4, 3)), ((130, 257), (257, 129))]


def in_float32(a, b, out=None):
    options = gnd.STRUCTS["gnd_product_options"]()
    options.dtype, options.out = gnd.dtype_code("float32"), out.pointer if out else None
    return gnd.matmul_with(a, b, options)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_float32_of_halves(dtype):
    g = generator("float32 of halves", dtype)
    for of_a, of_b in SHAPES:
        for tf32 in (False, True):
            (a, x), (b, y) = (finite_operand(shape, dtype, g) for shape in (of_a, of_b))
            x, y = dtypes.widen(x).astype("float64"), dtypes.widen(y).astype("float64")
            want, size = x @ y, np.abs(x) @ np.abs(y)
            before = gnd.allow_tf32(tf32)
            got = in_float32(a, b)
            out = gnd.from_numpy(np.full(want.shape, np.nan, "float32"))
            in_float32(a, b, out)
            turned = gnd.transpose(gnd.from_numpy(np.full(want.shape[::-1], np.nan, "float32")))
            in_float32(a, b, turned)
            gnd.allow_tf32(before)
            for each in (got, out, turned):
                assert each.dtype == "float32" and each.shape == want.shape
                assert np.all(np.abs(each.numpy() - want) <= 1e-5 * size), f"{dtype} {of_a} {of_b} tf32 {tf32}"
