"""Programs for the tests of fusion: lists of steps, which hypothesis makes, and the machines that carry them
out: gnd without a block, in a block on any executor, with everything lazy; and NumPy.

A program works on slots: first its inputs, then what each step made. A step names operands by how far back they
lie, so every list of numbers is a program; what gnd refuses (dtypes, shapes) it must refuse alike in all ways to
run, and the slot stays empty.
"""

import ctypes
import warnings
import weakref
from collections import namedtuple

import numpy as np
from hypothesis import strategies as st

import check
import dtypes
import gnd
import headers
import reference
import values

ROWS = {row.name: row for row in headers.read_operators()}

# ---- blocks -------------------------------------------------------------------------------------------

_keep = gnd.lib.gnd_keep
_keep.argtypes, _keep.restype = [ctypes.c_void_p], ctypes.c_void_p


class Block:
    """A GND_FUSE block on an executor; `keep(array)` moves an array out of it. Other Arrays that are made
    inside are the block's, and hold nothing when it has ended."""

    def __init__(self, executor=None):
        self.executor, self.block = executor, gnd.STRUCTS["gnd_fuse_block"]()
        self.made = weakref.WeakSet()

    def __enter__(self):
        if self.executor is not None:
            self.before = gnd.fuse_use(self.executor)
        gnd.fuse_open(self.block)
        self.around, gnd.watch.made = getattr(gnd.watch, "made", None), self.made.add
        return self

    def keep(self, array):
        """Moves an array, or each of several, to the block around this one, or to the caller."""
        for one in array if isinstance(array, (list, tuple)) else [array]:
            _keep(one.pointer)
            self.made.discard(one)
            if self.around:
                self.around(one)
        return array

    def __exit__(self, *_):
        gnd.watch.made = self.around
        try:
            gnd.fuse_close(self.block)
        finally:
            for array in self.made:
                array.pointer = None
            if self.executor is not None:
                gnd.fuse_use(self.before)


def fused(work, executor=None):
    """What `work()` gives, an Array or a list of them, computed in a block."""
    with Block(executor) as block:
        return block.keep(work())


def line(size=257, dtype="float32", seed=0):
    """The same numbers on both sides."""
    x = values.random_values(dtype, (size,), np.random.default_rng(seed), 0)
    return gnd.from_numpy(x), x


def explain():
    room = ctypes.create_string_buffer(gnd.fuse_explain_text(None, 0) + 1)
    gnd.fuse_explain_text(room, len(room))
    return room.value.decode()


def matrices(count=28, shape=(6, 40)):
    return [gnd.from_numpy(np.random.default_rng(k).integers(-9, 9, shape).astype(np.float64)) for k in range(count)]


# ---- machines -----------------------------------------------------------------------------------------


class Refused(Exception):
    """A step that the library refuses; its arguments are logged."""


class Gnd:
    """Carries the steps out by gnd's calls."""

    def __init__(self, in_block=False):
        self.generator, self.streams, self.turn = None, [], 0
        self.in_block, self.inner = in_block, None

    def close(self):
        self.leave()
        if self.streams:
            gnd.use_stream(None)
        for stream in self.streams:
            gnd.stream_release(stream)
        if self.generator:
            gnd.random_release(self.generator)

    def stream(self):
        """Another stream becomes the current one."""
        if not self.streams:
            self.streams = [gnd.stream_new() for _ in range(2)]
        self.turn += 1
        gnd.use_stream([None, *self.streams][self.turn % 3])

    def nest(self):
        """A block inside the block begins, or ends, and what it made is the outer one's."""
        if self.in_block and not self.inner:
            self.inner = Block().__enter__()
        else:
            self.leave()

    def leave(self):
        if self.inner:
            inner, self.inner = self.inner, None
            inner.keep(list(inner.made))
            inner.__exit__()

    def guard(self, call, *arguments):
        try:
            return call(*arguments)
        except gnd.Error as error:
            raise Refused(error.code, error.message) from None

    def input(self, base, steps):
        return gnd.view(base, steps)

    def dtype(self, a):
        return a.dtype

    def operator(self, row, operands, parameters):
        return self.guard(check.call_operator, row, operands, parameters)

    def into(self, row, out, operands):
        trailing = check.DEFAULTS.get(row.name, ())
        self.guard(gnd.function(f"gnd_{row.name}_into"), out, *operands, *trailing)

    def cast(self, a, dtype):
        return self.guard(gnd.astype, a, dtype)

    def full(self, shape, value, dtype):
        return self.guard(gnd.full, shape, value, dtype)

    def arange(self, count, step, dtype):
        return self.guard(gnd.arange, 0, count * step, step, dtype)

    def uniform(self, shape, dtype):
        if not self.generator:
            self.generator = gnd.random_new(gnd.PHILOX, 99)
        return self.guard(gnd.random_random, self.generator, shape, dtype)

    def fold(self, name, a, axes, keepdims):
        after = (0,) if name in ("var", "std") else ()
        given = gnd.Axes(*(axes or ()), keepdims=keepdims, none=axes == ())
        return self.guard(gnd.function("gnd_" + name), a, given, *after)

    def view(self, a, kind):
        n = a.ndim
        if kind == "transpose":
            return gnd.transpose(a)
        if kind == "broadcast":
            return gnd.broadcast_to(a, (2, *a.shape))
        if kind == "ravel":
            return gnd.reshape(a, (-1,)) if a.size else gnd.ravel(a)
        return gnd.slice(a, slice_text(kind, n))

    def write(self, a, value):
        self.guard(gnd.fill, a, value)

    def sorted(self, a):
        return self.guard(gnd.sort, a, -1, gnd.ASCENDING)

    def numpy(self, a):
        return a.numpy()

    def address(self, a):
        assert a.address or not a.size

    def flush(self):
        gnd.fuse_flush()

    def release(self, a):
        a.release()


class Numpy:
    """Carries the steps out by NumPy."""

    def close(self):
        pass

    def guard(self, call, *arguments, **options):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return call(*arguments, **options)
            except (TypeError, ValueError, OverflowError):
                raise Refused("refused") from None

    def input(self, base, steps):
        return values.apply_numpy(base.copy(), steps)

    def dtype(self, a):
        return dtypes.name_of(a.dtype)

    def operator(self, row, operands, parameters):
        if row.name == "where":  # numpy.where takes numbers beyond the dtype, ufuncs and gnd do not
            self.guard(np.maximum, *operands[1:])
        result = self.guard(reference.function_of(row.name), *operands, *(parameters or ()))
        return [np.asarray(r) for r in (result if isinstance(result, tuple) else [result])]

    def into(self, row, out, operands):
        if not out.flags.writeable:
            raise Refused("refused")
        function = reference.function_of(row.name)
        if row.name == "where":  # the only one without `out`
            self.guard(np.copyto, out, self.operator(row, operands, None)[0])
        else:
            self.guard(function, *operands, out=out)

    def cast(self, a, dtype):
        return np.asarray(self.guard(a.astype, dtype))

    def full(self, shape, value, dtype):
        return self.guard(np.full, shape, value, dtype)

    def arange(self, count, step, dtype):
        return self.guard(np.arange, 0, count * step, step, dtype)

    def fold(self, name, a, axes, keepdims):
        function = np.count_nonzero if name == "count_nonzero" else getattr(np, name)
        return np.asarray(self.guard(function, a, axis=axes, keepdims=keepdims))

    def view(self, a, kind):
        if kind == "transpose":
            return a.T
        if kind == "broadcast":
            return np.broadcast_to(a, (2, *a.shape))
        if kind == "ravel":
            return a.reshape(-1)
        return values.apply_numpy(a, [("slice", slice_text(kind, a.ndim))])

    def write(self, a, value):
        if not a.flags.writeable:
            raise Refused("refused")
        self.guard(a.fill, value)

    def sorted(self, a):
        return self.guard(np.sort, a, -1)

    def numpy(self, a):
        return np.array(a, order="C")  # as it is now

    def address(self, a):
        pass

    flush = stream = nest = close

    def release(self, a):
        pass


def slice_text(kind, n):
    """A slice of every axis."""
    return ", ".join([{"reverse": "::-1", "stride": "::2", "offset": "1:", "narrow": ":1"}[kind]] * n) or "..."


# ---- programs -----------------------------------------------------------------------------------------

Step = namedtuple("Step", "kind operands what")
Input = namedtuple("Input", "shape dtype layout seed")
Program = namedtuple("Program", "inputs steps kept")

VIEWS = ("transpose", "broadcast", "ravel", "reverse", "stride", "offset", "narrow")


def base_of(given, fill):
    """The base of an input, and its layout; `fill(dtype, shape, generator)` makes the values."""
    every = values.layouts(given.shape)
    layout = every[given.layout % len(every)]
    return fill(given.dtype, layout.base, np.random.default_rng(given.seed)), layout.steps


def pick(slots, operand):
    """An operand by how far back it lies; a number as it is."""
    return operand.value if isinstance(operand, Number) else slots[-1 - operand % len(slots)]


Number = namedtuple("Number", "value")


def carry_out(machine, slots, step):
    """One step; what it makes is a list, what it reads a log entry."""
    operands = [pick(slots, o) for o in step.operands]
    if any(o is None for o in operands):
        return [None], None
    kind, what = step.kind, step.what
    if kind == "operator":
        row = ROWS[what[0]]
        return machine.operator(row, operands, what[1]), None
    if kind == "into":
        return machine.into(ROWS[what], operands[0], operands[1:]) or [], None
    if kind == "fold":
        name, axes, keepdims = what
        (a,) = operands
        if axes is not None:
            axes = tuple(k for k in axes if k < a.ndim)
        return [machine.fold(name, a, axes, keepdims)], None
    if kind in ("full", "arange", "uniform"):
        return [getattr(machine, kind)(*what)], None
    if kind in ("cast", "view"):
        return [getattr(machine, kind)(operands[0], what)], None
    if kind == "sorted":
        return [machine.sorted(operands[0])], None
    if kind == "write":
        machine.write(operands[0], what)
    elif kind == "read":
        return [], machine.numpy(operands[0])
    elif kind == "address":
        machine.address(operands[0])
    else:
        getattr(machine, kind)()  # flush, stream, nest
    return [], None


def steps_of(machine, slots, program, log, enough=None):
    """All steps; with `enough(slots)`, up to the first one after which it says so. Gives how many were taken."""
    for position, step in enumerate(program.steps):
        if step.kind == "release":
            # Inputs stay; so does what is to be kept.
            place = len(slots) - 1 - step.operands[0] % len(slots)
            if place >= len(program.inputs) and slots[place] is not None and place % 32 not in program.kept:
                machine.release(slots[place])
                slots[place] = None
            continue
        try:
            found, read = carry_out(machine, slots, step)
        except Refused as refusal:
            log.append(refusal.args)
            found, read = [None], None
        if read is not None:
            log.append(read)
        slots += found
        if enough and enough(slots):
            return position + 1
    return len(program.steps)


Outcome = namedtuple("Outcome", "log arrays layouts")


def finish(machine, slots, program, log):
    """The values of what was kept, and of the inputs, which may have been written."""
    kept = [a for k, a in enumerate(slots)
            if a is not None and (k < len(program.inputs) or k % 32 in program.kept)]
    return Outcome(log, [machine.numpy(a) for a in kept], [(a.shape, a.strides) for a in kept])


def run_numpy(program, fill, enough=None):
    machine, log = Numpy(), []
    slots = [machine.input(*base_of(i, fill)) for i in program.inputs]
    taken = steps_of(machine, slots, program, log, enough=enough)
    return finish(machine, slots, program, log), taken


def run_plain(program, fill):
    machine, log = Gnd(), []
    try:
        slots = [machine.input(*base_of(i, fill)) for i in program.inputs]
        steps_of(machine, slots, program, log)
        return finish(machine, slots, program, log)
    finally:
        machine.close()


def run_block(program, fill, executor):
    machine, log = Gnd(in_block=True), []
    try:
        slots = [machine.input(*base_of(i, fill)) for i in program.inputs]
        with Block(executor) as block:
            steps_of(machine, slots, program, log)
            machine.leave()
            for k, a in enumerate(slots):
                if a is not None and k >= len(program.inputs) and k % 32 in program.kept:
                    block.keep(a)
        slots = [a if a is None or a.pointer else None for a in slots]
        return finish(machine, slots, program, log)
    finally:
        machine.close()


def run_always(program, fill, executor):
    before = gnd.fuse_use(executor)
    gnd.fuse_always(True)
    try:
        return run_plain(program, fill)
    finally:
        gnd.fuse_always(False)
        gnd.fuse_use(before)


# ---- how hypothesis makes them --------------------------------------------------------------------------

SHAPES = [(), (1,), (7,), (33,), (4, 4), (3, 5), (2, 3, 4), (5, 1, 3), (0,), (0, 3), (2, 1, 2, 3, 2), (17, 70),
          (1030,)]
LARGE = [(5000,), (70_001,), (130, 257), (40, 3, 333)]
MOSTLY = ("float32", "float64", "int32")


def shape_under(draw, shape):
    """A shape that broadcasts to this one: leading axes left out, others of size 1."""
    bits = draw(st.integers(0, 2 ** (len(shape) + 1) - 1)) if draw(st.booleans()) else 0
    narrow = tuple(1 if bits >> k & 1 else size for k, size in enumerate(shape))
    return narrow[1:] if bits >> len(shape) & 1 else narrow


def number(draw, exact):
    if exact:
        return Number(draw(st.integers(-3, 3)))
    return Number(draw(st.sampled_from([0, 1, 2, -1, 3, 0.5, -2.5, 1e-3, True, 1j, 100])))


NEAR = [0, 0, 0, 1, 1, 2, 3, 4, 5, 7, 9, 12, 17]  # how far back operands lie


def operand(draw, exact=False):
    return number(draw, exact) if draw(st.integers(0, 7)) == 7 else draw(st.sampled_from(NEAR))


@st.composite
def programs(draw, operators, folds, dtype_names, most=14, exact=False, large=False):
    """A program of these operators, reductions and dtypes; `exact`: constants are small integers."""
    shape = draw(st.sampled_from(LARGE if large else SHAPES))
    dtype = st.sampled_from(tuple(dtype_names) + tuple(n for n in MOSTLY if n in dtype_names))
    inputs = [Input(shape_under(draw, shape), draw(dtype), draw(st.integers(0, 11)), draw(st.integers(0, 999)))
              for _ in range(draw(st.integers(1, 4)))]
    kinds = ["operator"] * 12 + ["cast", "full", "arange", "view", "into", "read", "write", "release", "address",
                                 "flush", "sorted", "stream", "nest"]
    kinds += ["fold"] * (3 if folds else 0) + ["uniform"] * (not exact)
    steps = []
    for _ in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from(kinds))
        operands, what = [draw(st.sampled_from(NEAR))], None
        if kind in ("operator", "into"):
            name = draw(st.sampled_from(operators))
            row = ROWS[name]
            if kind == "into" and len(row.outputs) > 1:
                kind = "operator"
            operands = [operand(draw, exact) for _ in row.inputs]
            if all(isinstance(o, Number) for o in operands):
                operands[0] = 0
            what = (name, None)
            if kind == "into":
                operands, what = [draw(st.sampled_from(NEAR))] + operands, name
            elif name == "round":
                what = (name, (draw(st.integers(-1, 2)),))
        elif kind == "cast":
            what = draw(dtype)
        elif kind == "full":
            operands, what = [], (shape_under(draw, shape), number(draw, exact).value, draw(dtype))
        elif kind == "arange":
            operands, what = [], (shape[-1] if shape else 1, draw(st.integers(1, 3)), draw(dtype))
        elif kind == "uniform":
            operands, what = [], (shape_under(draw, shape), draw(st.sampled_from(["float32", "float64"])))
        elif kind == "view":
            what = draw(st.sampled_from(VIEWS))
        elif kind == "write":
            what = draw(st.integers(0, 3))
        elif kind == "fold":
            axes = draw(st.sampled_from([None, (0,), (0,), (1,), (1,), (0, 1), (0, 2), (2,), ()]))
            what = (draw(st.sampled_from(folds)), axes, draw(st.integers(0, 3)) > 0)
        elif kind in ("flush", "stream", "nest"):
            operands = []
        steps.append(Step(kind, operands, what))
    kept = frozenset(draw(st.lists(st.integers(0, 31), min_size=1, max_size=6)) + [len(inputs) + len(steps) - 1])
    return Program(inputs, steps, kept)


# ---- comparisons ------------------------------------------------------------------------------------------


def same_outcomes(got, want, context, program, layouts=True):
    """Every value, in every bit but those of NaNs; what was refused, too."""
    assert len(got.log) == len(want.log), f"{context}: {got.log} for {want.log}\n{program}"
    for g, w in zip(got.log, want.log):
        if isinstance(g, tuple) or isinstance(w, tuple):
            alike = g == w if layouts else isinstance(g, tuple) and isinstance(w, tuple)
            assert alike, f"{context}: {g}, {w}\n{program}"
        else:
            same_array(g, w, f"{context}, read early", program)
    assert len(got.arrays) == len(want.arrays), f"{context}\n{program}"
    for k, (g, w) in enumerate(zip(got.arrays, want.arrays)):
        same_array(g, w, f"{context}, array {k} of those kept", program)
    if layouts:
        for (shape, strides), (_, wanted) in zip(got.layouts, want.layouts):
            assert check.same_layout(strides, wanted, shape), f"{context}: strides {strides}, not {wanted}\n{program}"


def same_array(got, want, context, program):
    assert got.dtype == want.dtype and got.shape == want.shape, (
        f"{context}: {got.dtype}{got.shape} for {want.dtype}{want.shape}\n{program}")
    good = np.asarray(reference.same_values(got, want))
    if not good.all():
        index = tuple(int(k) for k in np.argwhere(~good)[0])
        raise AssertionError(f"{context}: {(~good).sum()} of {good.size} values differ, first at {index}: "
                             f"{dtypes.widen(got)[index]!r}, not {dtypes.widen(want)[index]!r}\n{program}")
