"""Casts, reductions, scans, sorts and small calls on the CPU backend beside NumPy, one thread each: every row.

    cpu_tables.py [--library build/src/libgnd.so] [--output cpu-tables.json] [--sizes 100 10000 1000000 100000000]
                  [--from earlier.json] [PATTERN ...]

Rows are made from the tables: casts of every dtype to every other; every reduction of gnd/reduce.h, every reducing and
accumulating operator of ops.def, the scans of gnd/scan.h and the orders and searches of gnd/sort.h, of every dtype they
take, of a line and along either axis of a square matrix; and every operator once at 100 elements, which is what a call
costs. A row's name is kind.function.dtype.shape; a PATTERN is a part of it. bfloat16, which NumPy lacks, has no rows.
Where NumPy's reduce is not the fold that its accumulate ends with, the row is left out and named: NumPy 2.4's power and
arctan2 do so on CPUs with AVX-512, whose vector loops take each operand from where the first one was.

Both run in turn in one process, in the thread's own time, the least of several repetitions counts; gnd is called from C
(cpu_tables.c), NumPy from Python, as its users do. A row that is far ahead is not repeated; one that is behind is, up
to three rounds. Prints the rows by how far gnd is behind, and writes all of them.
"""

import argparse
import ctypes
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import timeit
import warnings

for variable in ("GND_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["GND_DEVICE"] = "cpu"

import numpy as np  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
NAMES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
         "float64", "complex64", "complex128")
KINDS = ("AXES", "AXES_NUMBER", "NAMED", "DTYPE", "SORT", "PARTITION", "UNARY", "BINARY", "TERNARY", "NORM", "PAIR",
         "PAIR_AXIS", "TWO", "SEARCH")
SIZES = (10**2, 10**4, 10**6, 10**8)
SPARE = 0.75  # a ratio below this is not measured again
AHEAD, SECONDS = 0.6, 0.05  # and one below this, of a call as long, is measured once
LONG = 10**6  # no more plain numbers than this are drawn: beyond, they are the same again and again


# ---- gnd ----------------------------------------------------------------------------------------------


def load(library):
    """The oracle's binding (arrays, dtypes, the table of operators) and the compiled timer."""
    global gnd, headers, Call, timer
    os.environ["GND_LIBRARY"] = str(pathlib.Path(library).resolve())
    sys.path.insert(0, str(ROOT / "tests/oracle"))
    import gnd
    import headers
    with tempfile.TemporaryDirectory() as folder:
        target = f"{folder}/cpu_tables.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", target,
                        str(HERE / "cpu_tables.c")], check=True)
        timer = ctypes.CDLL(target).cpu_tables_time
    Call = type("Call", (ctypes.Structure,), {"_fields_": [
        ("function", ctypes.c_void_p), ("release", ctypes.c_void_p), ("x", ctypes.c_void_p), ("y", ctypes.c_void_p),
        ("z", ctypes.c_void_p), ("name", ctypes.c_char_p), ("axes", gnd.STRUCTS["gnd_axes"]),
        ("number", ctypes.c_double), ("kth", ctypes.c_int64), ("kind", ctypes.c_int), ("dtype", ctypes.c_int)]})
    timer.restype, timer.argtypes = ctypes.c_double, [ctypes.POINTER(Call), ctypes.c_long]


def address(name):
    return ctypes.cast(getattr(gnd.lib, name), ctypes.c_void_p).value


def gnd_call(kind, function, arrays, axis=None, name=None, number=0.0, kth=0, dtype=None):
    """A function of seconds(n): n calls of gnd."""
    call = Call(function=address(function), release=address("gnd_release"), axes=gnd.axes(axis), number=number,
                kth=kth, kind=KINDS.index(kind), name=name.encode() if name else None,
                dtype=gnd.dtype_code(dtype) if dtype else 0)
    for slot, array in zip("xyz", arrays):
        setattr(call, slot, array.pointer)

    def seconds(n):
        taken = timer(ctypes.byref(call), n)
        if taken < 0:
            raise gnd.pending_error() or RuntimeError("a call failed")
        return taken

    return seconds


# ---- data ---------------------------------------------------------------------------------------------

numbers = np.random.default_rng(7)


def make(name, n, kind="plain"):
    """n elements; plain: of either sign, none of them 0, small enough that nothing ends in inf or NaN at once."""
    if kind == "sorted":
        return np.sort(make(name, n, "wide"))
    dtype = np.dtype(name)
    if kind in ("zeros", "ones"):
        return np.full(n, kind == "ones", dtype)
    if kind == "plain" and n > LONG:
        return np.resize(make(name, LONG), n)
    if name == "bool":
        return numbers.integers(0, 2, n, np.uint8).view(bool)
    if dtype.kind in "iu":
        if kind == "wide":
            return np.frombuffer(numbers.bytes(n * dtype.itemsize), dtype).copy()
        return numbers.integers(1, 100, n, dtype)
    real = np.float64 if dtype.itemsize // (1 + (dtype.kind == "c")) == 8 else np.float32
    draw = numbers.standard_normal if kind == "wide" else numbers.random
    values = draw(n, real) if kind == "wide" else draw(n, real) + real(0.5)
    if dtype.kind == "c":
        values = values + 1j * draw(n, real)
    return values.astype(dtype, copy=False)


def shapes(n):
    side = round(n**0.5)
    return {"line": ((n,), None), "axis0": ((side, side), 0), "axis1": ((side, side), 1)}


# ---- rows ---------------------------------------------------------------------------------------------
#
# A row is (name, dtype, kind of data, arrays, how gnd is called, NumPy's call of those arrays).


def cast_rows(n):
    for source in NAMES:
        for target in NAMES:
            yield (f"cast.{source}.{target}", source, "plain", 1, (n,), dict(kind="DTYPE", function="gnd_astype",
                   dtype=target), lambda x, t=np.dtype(target): x.astype(t))


def reduction_rows(n):
    def functions():
        for name in ("sum", "prod", "min", "max", "ptp", "mean", "argmin", "argmax", "count_nonzero", "nansum",
                     "nanprod", "nanmin", "nanmax", "nanmean", "nanargmin", "nanargmax"):
            yield name, "plain", dict(kind="AXES", function=f"gnd_{name}"), getattr(np, name)
        for name in ("var", "std", "nanvar", "nanstd"):
            yield name, "plain", dict(kind="AXES_NUMBER", function=f"gnd_{name}"), getattr(np, name)
        for name, values in (("any", "zeros"), ("any", "ones"), ("all", "ones"), ("all", "zeros")):
            yield f"{name}_of_{values}", values, dict(kind="AXES", function=f"gnd_{name}"), getattr(np, name)
        for order, text in ((2, "norm"), (1, "norm1"), (np.inf, "norm_inf"), (3, "norm3")):
            yield (text, "plain", dict(kind="NORM", function="gnd_vector_norm", number=order),
                   lambda x, axis, order=order: np.linalg.vector_norm(x, axis=axis, ord=order))

    for name, values, how, function in functions():
        for dtype in NAMES:
            if dtype == "bool" and name == "ptp":
                continue
            for where, (shape, axis) in shapes(n).items():
                yield (f"reduce.{name}.{dtype}.{where}", dtype, values, 1, shape, dict(how, axis=axis),
                       lambda x, f=function, a=axis: f(x, axis=a))
    for dtype in NAMES:
        yield (f"reduce.vdot.{dtype}.line", dtype, "plain", 2, (n,), dict(kind="PAIR", function="gnd_vdot"), np.vdot)
        for where, (shape, axis) in shapes(n).items():
            if axis is not None:
                yield (f"reduce.vecdot.{dtype}.{where}", dtype, "plain", 2, shape,
                       dict(kind="PAIR_AXIS", function="gnd_vecdot", axis=axis),
                       lambda x, y, a=axis: np.vecdot(x, y, axis=a))


def broad_rows(n):
    """Three axes, of which the middle one, or the outer two, are reduced: at 10^8 as in bench/rows/rows_reduce.c."""
    side = max(1, round((n / 96) ** (1 / 3)))
    for text, shape, axis in (("middle", (2 * side, 5 * side, 10 * side - side // 2), 1),
                              ("outer", (side * 2, side * 4, side * 12), (0, 2))):
        for name in ("sum", "max", "mean", "any"):
            for dtype in ("float32", "float64", "int32", "bool"):
                yield (f"reduce3.{name}.{dtype}.{text}", dtype, "zeros" if name == "any" else "plain", 1, shape,
                       dict(kind="AXES", function=f"gnd_{name}", axis=axis),
                       lambda x, f=getattr(np, name), a=axis: f(x, axis=a))


def folding_operators():
    for operator in headers.read_operators():
        name = operator.name
        if operator.inputs == "TT" and operator.outputs in ("T", "B") and "INTERNAL" not in operator.flags:
            ufunc = getattr(np, name, None)
            if isinstance(ufunc, np.ufunc) and "PARAMS" not in operator.flags:
                yield name, ufunc


def operator_rows(n):
    for name, ufunc in folding_operators():
        for dtype in NAMES:
            for method, text in (("gnd_reduce", "reduce"), ("gnd_accumulate", "accumulate")):
                for where, (shape, axis) in shapes(n).items():
                    yield (f"{text}_operator.{name}.{dtype}.{where}", dtype, "plain", 1, shape,
                           dict(kind="NAMED", function=method, name=name, axis=axis or 0),
                           lambda x, f=getattr(ufunc, text), a=axis or 0: f(x, axis=a))


def scan_rows(n):
    for name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
        for dtype in NAMES:
            for where, (shape, axis) in shapes(n).items():
                yield (f"scan.{name}.{dtype}.{where}", dtype, "plain", 1, shape,
                       dict(kind="AXES", function=f"gnd_{name}", axis=axis),
                       lambda x, f=getattr(np, name), a=axis: f(x, axis=a))


def sort_rows(n):
    for dtype in NAMES:
        for where, (shape, axis) in shapes(n).items():
            along = 0 if axis is None else axis
            kth = shape[along] // 2
            for name, how, function in (
                ("sort", dict(kind="SORT"), lambda x, a=along: np.sort(x, axis=a)),
                ("argsort", dict(kind="SORT"), lambda x, a=along: np.argsort(x, axis=a)),
                ("partition", dict(kind="PARTITION", kth=kth), lambda x, a=along, k=kth: np.partition(x, k, axis=a)),
                ("argpartition", dict(kind="PARTITION", kth=kth),
                 lambda x, a=along, k=kth: np.argpartition(x, k, axis=a)),
            ):
                yield (f"order.{name}.{dtype}.{where}", dtype, "wide", 1, shape,
                       dict(how, function=f"gnd_{name}", axis=along), function)


def search_rows(n):
    for dtype in NAMES:
        for kind in ("wide", "sorted"):
            yield (f"search.searchsorted_of_{kind}.{dtype}.line", dtype, kind, 2, (n,),
                   dict(kind="SEARCH", function="gnd_searchsorted", sorted=True), np.searchsorted)


def call_rows(n):
    """Every operator: what a call costs. Only at 100 elements."""
    if n != 100:
        return
    for operator in headers.read_operators():
        name = operator.name
        ufunc = getattr(np, name, None)
        if "INTERNAL" in operator.flags or "PARAMS" in operator.flags or not isinstance(ufunc, np.ufunc):
            continue
        if operator.inputs not in ("T", "TT", "TI") or name == "clip":
            continue
        kind = "TWO" if len(operator.outputs) == 2 else "UNARY" if len(operator.inputs) == 1 else "BINARY"
        for dtype in NAMES:
            if operator.inputs == "TI":
                continue
            yield (f"call.{name}.{dtype}", dtype, "plain", len(operator.inputs), (n,),
                   dict(kind=kind, function=f"gnd_{name}"), ufunc)
    for dtype in NAMES:
        yield (f"call.clip.{dtype}", dtype, "plain", 3, (n,), dict(kind="TERNARY", function="gnd_clip"), np.clip)


def rows(n):
    for part in (call_rows, cast_rows, reduction_rows, broad_rows, scan_rows, sort_rows, search_rows,
                 operator_rows):
        yield from part(n)


# ---- measuring ----------------------------------------------------------------------------------------


def least(gnd_seconds, numpy_seconds):
    """The least time of a call of either, by turns."""
    best, calls = [float("inf")] * 2, [1, 1]
    spent = 0
    for repetition in range(200):
        for k, seconds in enumerate((gnd_seconds, numpy_seconds)):
            taken = seconds(calls[k])
            spent += taken
            best[k] = min(best[k], taken / calls[k])
            if repetition < 3 and taken < 1e-4:
                calls[k] = max(calls[k], int(1.5e-4 / max(taken / calls[k], 1e-8)))
        ahead = best[0] < SPARE * best[1]
        if repetition >= 3 and (ahead or (spent > 0.02 and repetition >= 7)):
            break
        if (ahead and spent > 0.05) or spent > 3:
            break
    return best


class Data:
    """The operands of the last few rows: those of one dtype and kind are met again and again."""

    def __init__(self):
        self.key, self.arrays = None, []

    def get(self, dtype, kind, shape, count):
        size = math.prod(shape)
        if (dtype, kind, size) != self.key:
            self.key, self.arrays = (dtype, kind, size), []
        while len(self.arrays) < count:
            values = make(dtype, size, kind)
            self.arrays.append((values, gnd.from_numpy(values)))
        return [(x.reshape(shape), gnd.function("gnd_reshape")(a, shape)) for x, a in self.arrays[:count]]


def measure(row, data):
    """(gnd, NumPy) seconds, or None if one of them does not take this dtype."""
    name, dtype, kind, count, shape, how, function = row
    operands = list(data.get(dtype, kind, shape, count))
    if how.pop("sorted", False):
        line = np.sort(operands[0][0])
        operands[0] = line, gnd.from_numpy(line)
    values = [v for v, _ in operands]
    try:
        start = time.thread_time()
        function(*values)
        theirs = time.thread_time() - start
        if name.startswith("reduce_operator.") and not is_fold(how, *values):
            return name
        seconds = gnd_call(arrays=[a for _, a in operands], **how)
        ours = seconds(1)
        gnd.sync()
    except (TypeError, ValueError, gnd.Error):
        gnd.lib.gnd_error_clear()
        return None
    if ours > SECONDS and ours < AHEAD * theirs:
        return [ours, theirs]
    stopwatch = timeit.Timer("f(*v)" if count > 1 else "f(v)", timer=time.thread_time,
                             globals={"f": function, "v": values if count > 1 else values[0]})
    best = least(seconds, stopwatch.timeit)
    for _ in range(2):
        if best[0] > best[1]:
            best = [min(pair) for pair in zip(best, least(seconds, stopwatch.timeit))]
    return best


def is_fold(how, x):
    """Whether NumPy's reduce is where its accumulate ends, of a few elements."""
    axis, ufunc = how["axis"], getattr(np, how["name"])
    for n in (5, 17, 40):
        some = x[(slice(n),) * x.ndim]
        end = np.take(ufunc.accumulate(some, axis=axis), -1, axis=axis)
        if not np.allclose(ufunc.reduce(some, axis=axis), end, rtol=0.02, equal_nan=True):
            return False
    return True


def order_of(row):
    return (row[1], row[2], row[4])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", default=str(ROOT / "build/src/libgnd.so"))
    parser.add_argument("--output", default="cpu-tables.json")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--behind", type=float, default=1.0, help="print the rows whose ratio is above this")
    parser.add_argument("--again", help="measure only the rows that this file says gnd was behind in")
    parser.add_argument("pattern", nargs="*")
    given = parser.parse_args()
    load(given.library)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    wanted = None
    if given.again:
        wanted = {(r["row"], r["size"]) for r in json.load(open(given.again)) if r["ratio"] > given.behind}
    found, wrong, data = [], [], Data()
    for n in given.sizes:
        chosen = [r for r in rows(n) if (not given.pattern or any(p in r[0] for p in given.pattern)) and
                  (wanted is None or (r[0], n) in wanted)]
        for row in sorted(chosen, key=order_of):
            best = measure(row, data)
            if isinstance(best, str):
                wrong.append(f"{best} {n}")
            elif best:
                found.append({"row": row[0], "size": n, "gnd": best[0], "numpy": best[1], "ratio": best[0] / best[1]})
        with open(given.output, "w") as file:
            json.dump(found, file, indent=0)
    found.sort(key=lambda r: -r["ratio"])
    print(f"numpy {np.__version__}; {len(found)} rows, gnd is behind in {sum(r['ratio'] > 1 for r in found)}")
    print("NumPy's result is no fold, left out:", ", ".join(wrong) or "none")
    for r in found:
        if r["ratio"] > given.behind:
            times = f"{1e6 * r['gnd']:14.2f} us {1e6 * r['numpy']:14.2f} us"
            print(f"{r['row']:44} {r['size']:>10} {times} {r['ratio']:7.2f}")


if __name__ == "__main__":
    main()
