"""The same bits on the CPU whatever the number of threads: reductions and scans in processes with 1, 2
and 7 threads. (tests/c/common/test_reproducible.c repeats them within one process, on either device.)"""

import os
import subprocess
import sys

import gnd

SCRIPT = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import gnd

g = np.random.default_rng(0)
arrays = {
    "line": g.normal(size=500_007), "matrix": g.normal(size=(501, 801)),
    "tall": g.normal(size=(40_001, 10)), "wide": g.normal(size=(3, 150_009))}
for name, values in arrays.items():
    for dtype in ("float32", "float16") if name == "line" else ("float32",):
        x = gnd.from_numpy(values.astype(dtype))
        views = {"": x}
        if x.ndim == 2:
            views = {"": x, " transposed": gnd.transpose(x), " sliced": gnd.slice(x, "1:, 1::2")}
        for view, a in views.items():
            for axis in [None, *range(a.ndim)]:
                results = {
                    "sum": gnd.sum(a, axis), "mean": gnd.mean(a, axis), "var": gnd.var(a, axis, 0),
                    "norm": gnd.vector_norm(a, 2.0, axis), "cumsum": gnd.cumsum(a, axis),
                    "hypot": gnd.reduce("hypot", a, axis), "nansum": gnd.nansum(a, axis)}
                for function, result in results.items():
                    digest = hashlib.sha256(result.numpy().tobytes()).hexdigest()[:16]
                    print(f"{function} of {name}{view} {dtype} over {axis}: {digest}")
index = gnd.from_numpy(g.integers(0, 50, 300_003))
total = gnd.zeros((50,), "float32")
gnd.at("add", total, 1, [index], gnd.from_numpy(g.normal(size=300_003).astype(np.float32)))
print("add.at:", hashlib.sha256(total.numpy().tobytes()).hexdigest()[:16])
"""


def results(threads):
    environment = {**os.environ, "GND_DEVICE": "cpu", "GND_NUM_THREADS": str(threads),
                   "GND_LIBRARY": gnd.LIBRARY}
    done = subprocess.run([sys.executable, "-c", SCRIPT, os.path.dirname(gnd.__file__)], env=environment,
                          capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_any_number_of_threads_gives_the_same_bits():
    first = results(1)
    assert len(first) > 100
    for threads in (2, 7):
        others = results(threads)
        different = [line for line, other in zip(first, others) if line != other]
        assert not different, f"{threads} threads: {len(different)} of {len(first)} differ: {different[:5]}"
