"""Transforms that the CPU's threads share, against SciPy's, with more threads than there are lines and with fewer:
batches that are cut, axes in passes, lines that stand alone; of odd lengths, whose pieces are aligned in every way, and
primes; in place, planned, and into views. This file is the program, too, which the test runs with seven threads."""

import os
import subprocess
import sys

import numpy as np
import scipy.fft

import gnd
from values import generator

# Shapes of 128 KiB and more, and the axes that are transformed.
CASES = [((24, 139, 31), (0, 1, 2)), ((3, 50, 301), (0, 1, 2)), ((5, 7, 1009), (1, 2)), ((1000, 33), (1,)),
         ((33, 1000), (0,)), ((2, 20011), (1,)), ((3, 30000), (1,)), ((300007,), (0,)), ((2, 2, 3, 2003), (0, 1, 2, 3)),
         ((40, 41, 42), (0, 2)), ((131, 2, 129), (1, 2)), ((20011, 3), (0,))]


def near(got, want, dtype, context):
    size = np.abs(want).max()
    bound = (1e-5 if dtype in ("float32", "complex64") else 1e-13) * size * np.log2(want.size)
    assert got.shape == want.shape, context
    assert np.abs(got.numpy() - want).max() <= bound, context


def numbers(g, shape, dtype):
    x = g.standard_normal(shape)
    return (x + 1j * g.standard_normal(shape) if "complex" in dtype else x).astype(dtype)


def check(shape, axes, g):
    for real, whole in (("float32", "complex64"), ("float64", "complex128")):
        x, z = numbers(g, shape, real), numbers(g, shape, whole)
        a, c = gnd.from_numpy(x), gnd.from_numpy(z)
        near(gnd.fftn(c, (), axes, 0), scipy.fft.fftn(z, axes=axes), whole, f"fftn {shape} {axes}")
        near(gnd.fftn(a, (), axes, 0), scipy.fft.fftn(x, axes=axes), whole, f"fftn of real {shape} {axes}")
        half = scipy.fft.rfftn(x, axes=axes)
        near(gnd.rfftn(a, (), axes, 0), half, whole, f"rfftn {shape} {axes}")
        back = gnd.irfftn(gnd.from_numpy(half), tuple(shape[i] for i in axes), axes, 0)
        near(back, x, real, f"irfftn {shape} {axes}")
        plan = gnd.fft_plan_new(gnd.FFT_KIND_FFT, c, gnd.shape(()), gnd.axes(axes), 0, 0)
        near(gnd.fft_plan_run(plan, c), scipy.fft.fftn(z, axes=axes), whole, f"planned {shape} {axes}")
        gnd.fft_plan_release(plan)
        gnd.ifftn_into(c, c, (), axes, 0)
        near(c, scipy.fft.ifftn(z, axes=axes), whole, f"in place {shape} {axes}")
        for name in ("dctn", "idstn"):
            near(gnd.function("gnd_" + name)(a, 2, (), axes, gnd.FFT_ORTHO, 0),
                 getattr(scipy.fft, name)(x, axes=axes, norm="ortho"), real, f"{name} {shape} {axes}")
        wide = gnd.zeros((*shape[:-1], 2 * shape[-1]), whole)
        gnd.fftn_into(gnd.slice_text(wide, "...,1::2"), gnd.from_numpy(z), (), axes, 0)
        near(gnd.slice_text(wide, "...,1::2"), scipy.fft.fftn(z, axes=axes), whole, f"into a view {shape} {axes}")
        assert not gnd.slice_text(wide, "...,0::2").numpy().any()


def test_shared():
    environment = {**os.environ, "GND_DEVICE": "cpu", "GND_NUM_THREADS": "7", "GND_LIBRARY": gnd.LIBRARY,
                   "PYTHONPATH": os.path.dirname(gnd.__file__)}
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "all as SciPy's\n", done.stderr


if __name__ == "__main__":
    numbers_of_cases = generator("shared transforms")
    for case in CASES:
        check(*case, numbers_of_cases)
    print("all as SciPy's")
