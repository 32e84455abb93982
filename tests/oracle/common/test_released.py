"""A released array, wherever a public function takes an array, is a clean error of that function: never a crash,
never another array's values. Goes over all functions of the headers that take arrays, themselves or in a struct."""

import ctypes
import gc

import numpy as np
import pytest

import gnd

ARRAYS = ("gnd_array *", "const gnd_array *")
LISTS = ("const gnd_array * const *",)
NUMBERS = ("gnd_arg", "const gnd_arg *", "const gnd_index *", "gnd_index")
# What functions need beside arrays to come to look at them, by the name of the parameter.
VALUES = {"count": 2, "choices": 2, "conditions": 2, "pieces": 2, "rows": 1, "columns": 2, "nargs": 2, "n": 2, "num": 3,
          "k": 1, "axis2": 1, "axis_b": 1, "capacity": 9, "max_work": 10, "times": 2, "minlength": 9, "dtype": 12,
          "edge_order": 1, "type": 2, "length": 8, "up": 1, "down": 1, "window_length": 3, "polyorder": 1, "wo": 1,
          "bw": 1}
TEXTS = {"gnd_einsum": "ij,jk", "gnd_einsum_into": "ij,jk", "gnd_einsum_path": "ij,jk", "gnd_norm": "fro",
         "gnd_matrix_norm": "fro", "requirements": "C", "ends": "fb", "items": ":", "path": "/nowhere/x",
         "gnd_random_fill": "uniform", "gnd_random_fill_part": "uniform", "gnd_apply_two": "divmod",
         "gnd_outer_two": "divmod"}
# One function takes a matrix, another integers, or a vector: of each several kinds of arrays are given.
EYE = np.eye(3) * 4
SPECIAL = {("gnd_gradient_axes", "count"): 1, ("gnd_whittaker_henderson", "order"): 2,
           ("gnd_foreign_begin", "reads"): 2, ("gnd_random_integers", "dtype"): 8,
           ("gnd_kernel_call", "count"): 1,
           ("gnd_kernel_call_into", "count"): 1, ("gnd_kernel_reduce", "count"): 1, ("gnd_kernel_apply", "count"): 1}
KINDS = {"float64": EYE, "int64": EYE.astype("int64") // 4, "bool": EYE > 0, "vector": np.array([0.0, 1, 2]),
         "integers": np.array([0, 1, 2]), "number": np.array(1.0), "deep": np.ones((3, 3, 3)),
         "pairs": np.ones((3, 2)), "sections": np.ones((1, 6))}
# Where no array may be at all: it is refused as such, and not looked into.
NUMBERS_ONLY = {("gnd_arange", 0), ("gnd_arange", 1), ("gnd_arange", 2), ("gnd_matmul_into", 3), ("gnd_matmul_into", 4),
                ("gnd_unwrap", 1), ("gnd_unwrap", 3), ("gnd_slice_ix", 2), ("gnd_insert", 1), ("gnd_delete", 1),
                ("gnd_launch", 5)}


# What a struct must hold beside the array, so that functions come to look at it. Lists of structs have two.
SETTINGS = {"gnd_pad_options": {"values": 1, "mode": gnd.PAD_CONSTANT}}
STRUCT_LISTS = {"gnd_piece", "gnd_named"}
FULL = {"gnd_state_space", "gnd_prominence_data"}  # structs all of whose arrays are needed


def struct_of(kind):
    """The struct that a parameter is or points to, if it has members that are arrays and is read."""
    name = kind.removeprefix("const ").removesuffix(" *")
    if name not in gnd.STRUCTS or name in ("gnd_arg", "gnd_axes", "gnd_index") or kind == name + " *":
        return None
    return gnd.STRUCTS[name]


def members(struct):
    """Where a struct holds arrays: paths, as ("out", 1)."""
    for name, kind in struct.kinds.items():
        if kind in ARRAYS or kind == "gnd_arg":
            yield from ((name, *rest) for rest in cells(dict(struct._fields_)[name]))


def cells(ctype):
    """The first two of each dimension of an array of C, and the last."""
    if not issubclass(ctype, ctypes.Array):
        return [()]
    chosen = sorted({0, min(1, ctype._length_ - 1), ctype._length_ - 1} if ctype._length_ <= 8 else {0})
    return [(k, *rest) for k in chosen for rest in cells(ctype._type_)]


def put(struct, path, pointer):
    """Makes the member at `path` an array."""
    holder = struct
    for step in path[:-1]:
        holder = holder[step] if isinstance(step, int) else getattr(holder, step)
    last = path[-1]
    member = holder[last] if isinstance(last, int) else getattr(holder, last)
    if type(member) is gnd.STRUCTS["gnd_arg"]:
        member.kind, member.word = gnd.ARG_ARRAY, pointer
    elif isinstance(last, int):
        holder[last] = pointer
    else:
        setattr(holder, last, pointer)


# Options that must be numbers, or that the function has no use for: they are not looked into.
IGNORED = {("gnd_pinv", 1, ("tol",)), ("gnd_interp", 3, ("left",)), ("gnd_interp", 3, ("right",)),
           ("gnd_cov", 2, ("ddof",)), ("gnd_kernel_apply", 4, ("out", 1)), ("gnd_kernel_apply", 4, ("out", 7)),
           ("gnd_convolve2d", 3, ("fill",)), ("gnd_correlate2d", 3, ("fill",)), ("gnd_upfirdn", 5, ("cval",)),
           ("gnd_resample_poly", 4, ("cval",)), ("gnd_savgol_coeffs", 2, ("pos",)), ("gnd_savgol_filter", 4, ("pos",)),
           ("gnd_sft_from_dual", 2, ("dual_win",)), ("gnd_sft_from_window", 4, ("dual_win",)),
           ("gnd_sft_from_win_equals_dual", 2, ("dual_win",)), ("gnd_sft_set", 1, ("dual_win",)),
           *(("gnd_corrcoef", 2, (name,)) for name in ("ddof", "fweights", "aweights"))}
IGNORED = {place for place in IGNORED if place[0] in gnd.FUNCTIONS}


def kernel_of(name):
    if name == "gnd_kernel_reduce":
        return gnd.kernel_reduction("T x", "T y", "x", "a + b", "y = a", "0", "total", None)
    return gnd.kernel_elementwise("T x", "T y", "y = x", "same", None)


def positions():
    """Where functions take arrays: the name of one, the number of the parameter, and the option that holds it (in a
    struct, the path to it)."""
    for f in gnd.FUNCTIONS.values():
        for k, p in enumerate(f.parameters):
            if p.type in ARRAYS + LISTS + NUMBERS and (f.name, k) not in NUMBERS_ONLY:
                yield f.name, k, None
            elif p.type == "gnd_axes" and p.name == "axes" and f.header == "reduce.h":
                for option in ("where", "initial", "out"):
                    yield f.name, k, option
            elif struct_of(p.type):
                for path in members(struct_of(p.type)):
                    if (f.name, k, path) not in IGNORED:
                        yield f.name, k, path


class Stream:
    """A filter stream of three channels."""

    def __init__(self, taps):
        self.pointer = gnd.filter_stream_lfilter(taps, taps, (3,), "float64")

    def __del__(self):
        gnd.filter_stream_release(self.pointer)


class Transform:
    """A short-time transform with a window of three numbers."""

    def __init__(self):
        self.pointer = gnd.sft_new(gnd.from_numpy(np.ones(3)), 1, None)

    def __del__(self):
        gnd.sft_release(self.pointer)
class System:
    """A linear system of one input, continuous or discrete."""

    def __init__(self, one, discrete):
        self.pointer = gnd.system_from_tf(one, one, float(discrete))

    def __del__(self):
        gnd.system_release(self.pointer)
class Kalman:
    """Filters of three tracks of three numbers, of which three are measured."""

    def __init__(self):
        self.pointer = gnd.kalman_new(3, 3, 3, 3, "float64")

    def __del__(self):
        gnd.kalman_release(self.pointer)


class Arguments:
    def __init__(self, kind):
        self.kept, self.kind = [], kind

    def array(self, name=None):
        if name == "pivots":
            self.kept.append(gnd.from_numpy(np.array([1, 2, 3], "int32")))
            return self.kept[-1]
        self.kept.append(gnd.from_numpy(KINDS[self.kind]))
        return self.kept[-1]

    def held(self, value):
        self.kept.append(value)
        return value

    def struct(self, kind, path, pointer):
        """A struct, or a list of two, with the array at `path`; all else is 0 or another array."""
        ctype = struct_of(kind)
        room = self.held((ctype * 2)())
        for item in room:
            for name, value in SETTINGS.get(ctype.__name__, {}).items():
                setattr(item, name, value)
        for item in room:
            filled = members(ctype) if ctype.__name__ in FULL else [path] if ctype.__name__ in STRUCT_LISTS else []
            for other in filled:
                put(item, other, self.array().pointer)
        put(room[1 if ctype.__name__ in STRUCT_LISTS else 0], path, pointer)
        return room if "*" in kind else room[0]

    def room(self):
        return ctypes.cast(self.held(ctypes.create_string_buffer(8192)), ctypes.c_void_p)

    def value(self, p, f):
        kind = p.type
        if kind in ARRAYS:
            return self.array(p.name)
        if kind in LISTS:
            return self.held((ctypes.c_void_p * 2)(*[self.array().pointer for _ in range(2)]))
        if kind == "gnd_arg":
            return gnd.arg(1.0 if p.name in ("period", "discontinuity", "discont", "alpha", "beta") else self.array())
        if kind == "const gnd_arg *":
            return self.held(gnd.args([self.array() for _ in range(2)]))
        if kind in ("const gnd_index *", "gnd_index"):
            index = self.held(gnd.from_numpy(np.array([0, 1])))
            return self.held(gnd.indices([index, index])) if "*" in kind else gnd.index_item(index)
        if kind == "gnd_shape":
            return gnd.shape((3, 3))
        if kind == "gnd_axes":
            return gnd.axes((0, 1) if p.name in ("source", "destination") else 0)
        if kind == "const char *":
            return TEXTS.get(f.name, TEXTS.get(p.name, "add"))
        if kind == "callback" or kind.endswith("_function *"):
            made = self.held(ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: None))
            return ctypes.cast(made, ctypes.c_void_p)
        if kind == "gnd_kernel *":
            return self.held(kernel_of(f.name))
        if kind == "gnd_filter_stream *":
            taps = self.held(gnd.from_numpy(np.array([1.0, 0.5])))
            return self.held(Stream(taps)).pointer
        if kind in ("gnd_sft *", "const gnd_sft *"):
            return self.held(Transform()).pointer
        if kind == "const gnd_system *":
            one = self.held(gnd.from_numpy(np.array([1.0])))
            return self.held(System(one, f.name.startswith("gnd_d"))).pointer
        if kind == "gnd_kalman *":
            return self.held(Kalman()).pointer
        if kind == "gnd_stream *":
            return None
        if kind == "gnd_random *":
            return gnd.random_default()
        if p.name == "options":
            return None if "*" in kind else gnd._ctype(kind)()
        if "*" in kind:
            return self.room()
        if kind == "char":
            return ord("C")
        ctype = gnd._ctype(kind)
        if isinstance(ctype, type) and issubclass(ctype, ctypes.Structure):
            return ctype()
        return SPECIAL.get((f.name, p.name), VALUES.get(p.name, 0))


def released():
    """The address of an array that was there, and the numbers around it."""
    a = gnd.from_numpy(np.eye(3))
    pointer = a.pointer
    a.release()
    return pointer


def call_with_released(name, position, option, kind):
    f = gnd.FUNCTIONS[name]
    given = Arguments(kind)
    values = [given.value(p, f) for p in f.parameters if p.type != "..."]
    pointer, kind = released(), f.parameters[position].type
    if isinstance(option, tuple):
        values[position] = given.struct(kind, option, pointer)
    elif option:
        setattr(values[position], option, pointer)
    elif kind in ARRAYS:
        values[position] = pointer
    elif kind in LISTS:
        values[position][1] = pointer
    elif kind == "gnd_arg":
        values[position].word = pointer
    elif kind == "const gnd_arg *":
        values[position][0].word = pointer
    elif kind == "gnd_index":
        values[position].array = pointer
    else:
        values[position][0].array = pointer
    gnd.function(name)(*values)


def outcomes(name, position, option):
    """What the function said, for each kind of the other arrays."""
    for kind in KINDS:
        try:
            call_with_released(name, position, option, kind)
            yield f"no error beside {kind}"
        except gnd.Error as error:
            good = error.code == gnd.ERROR_INVALID and "released or not an array" in error.message
            yield None if good else error.message


def blocks():
    """How many blocks of memory arrays hold."""
    stats = gnd.STRUCTS["gnd_memory_stats"]()
    gnd.memory_stats_of(gnd.current_device(), ctypes.addressof(stats))
    return stats.blocks


@pytest.mark.parametrize("name, position, option", list(positions()), ids=str)
def test_released_arrays_are_refused(name, position, option):
    before = blocks()
    said = list(outcomes(name, position, option))
    if blocks() != before:
        gc.collect()
    assert blocks() == before, "memory was released twice, or never"
    assert not any(text and text.startswith("no error") for text in said), said
    assert None in said, said


def test_options_that_must_be_numbers_are_not_looked_into():
    """What is released there is refused as an array, or not read at all."""
    gnd.memory_trim(gnd.current_device())
    before = blocks()
    for name, position, path in IGNORED:
        for kind in KINDS:
            try:
                call_with_released(name, position, path, kind)
            except gnd.Error as error:
                assert "released" not in error.message
    gc.collect()
    gnd.memory_trim(gnd.current_device())  # on a GPU, numbers that are kept for the next call count, too
    assert blocks() == before


def test_a_released_block_of_a_nested_list():
    ctype = gnd.STRUCTS["gnd_blocks"]
    good = gnd.from_numpy(np.eye(3))
    parts = (ctype * 2)()
    parts[0].array, parts[1].array = good.pointer, released()
    whole = ctype()
    whole.count, whole.parts = 2, ctypes.addressof(parts)
    with pytest.raises(gnd.Error, match="released or not an array") as raised:
        gnd.block_nested(ctypes.addressof(whole))
    assert raised.value.code == gnd.ERROR_INVALID


@pytest.mark.parametrize("position", [0, 1, 2])
def test_released_arguments_of_a_launch(position):
    """Where the function wants an array, and where it wants a number."""
    import kernels
    with kernels.compiled_for_gpus():
        module = gnd.module_new("__global__ void scale(const double *x, double *y, double by)"
                                "{ y[threadIdx.x] = by * x[threadIdx.x]; }", None)
        function = gnd.module_function(module, "scale")
        arrays = [gnd.from_numpy(np.eye(3)) for _ in range(2)]
        values = gnd.args([*arrays, 2.0])
        values[position].kind, values[position].word = gnd.ARG_ARRAY, released()
        size = gnd.STRUCTS["gnd_dim3"](x=1)
        before = blocks()
        with pytest.raises(gnd.Error, match="released or not an array") as raised:
            gnd.launch(function, size, gnd.STRUCTS["gnd_dim3"](x=9), 0, 3, values)
        assert raised.value.code == gnd.ERROR_INVALID and raised.value.function == "gnd_launch"
        assert blocks() == before
        gnd.kernel_release(function)
        gnd.module_release(module)
