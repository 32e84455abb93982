"""Every error names the public function that was called, and no function that it is built on: all functions are
called with arguments that are good, bad and hostile, and with each of their allocations failing."""

import ctypes
import random
import re
import zlib

import numpy as np
import pytest

import gnd
import headers

FUNCTIONS = headers.read_functions()
fail_at = gnd.lib.gndi_fail_alloc_at
fail_at.argtypes, fail_at.restype = [ctypes.c_int64], None

# Functions that are not called here: they end the process, take addresses of the caller's, change what the process
# works with, or wait for somebody.
LEFT_OUT = {
    "gnd_check_at", "gnd_on_error", "gnd_error", "gnd_error_take", "gnd_error_clear",
    "gnd_from_dlpack", "gnd_from_dlpack_unversioned", "gnd_to_dlpack", "gnd_to_dlpack_unversioned",
    "gnd_wrap", "gnd_pinned_free", "gnd_string_free",
    "gnd_scope_open", "gnd_scope_close", "gnd_keep", "gnd_assign", "gnd_release", "gnd_retain",
    "gnd_fuse_open", "gnd_fuse_close", "gnd_fuse_always", "gnd_use", "gnd_use_stream", "gnd_set_printoptions",
    "gnd_memory_set_limit", "gnd_memory_set_limit_share", "gnd_memory_use", "gnd_memory_set_allocator", "gnd_on_memory",
    "gnd_stream_wrap", "gnd_stream_wait_native", "gnd_native_wait_stream", "gnd_native_begin", "gnd_native_end",
    "gnd_sync", "gnd_fuse_use", "gnd_fprint",
    "gnd_fuse_explain", "gnd_fuse_explain_text", "gnd_print", "gnd_benchmark_print",
    "gnd_load_file", "gnd_save_file", "gnd_einsum_plan_free", "gnd_random_release", "gnd_event_release",
    "gnd_system_release",
    # What other libraries call.
    "gnd_raise", "gnd_part_of", "gnd_scope_own", "gnd_scope_keep", "gnd_scope_move", "gnd_foreign_begin",
    "gnd_foreign_end",
}
# gnd_result_type(...) is a macro.
SAID = {"gnd_result_type_n": "gnd_result_type"}
assert LEFT_OUT <= set(FUNCTIONS), f"no such functions: {LEFT_OUT - set(FUNCTIONS)}"
NAMES = [name for name in FUNCTIONS if name not in LEFT_OUT and not name.endswith("_")]

TEXTS = [None, b"", b"add", b"divmod", b"sqrt", b"::2", b"0, 9", b"ij,jk->ik", b"i,i", b"(n),(n)->()", b"x y z",
         b"/nowhere/file.npy", b"/nowhere/file.png", b"float32 x", b"y = x", b"fro", b"nuc", b"linear", b"%", b","]
NUMBERS = [0, 1, 2, 3, -1, -2, 7, 40]
BEFORE = 4096  # bytes before the host memory that functions are given


def arrays():
    """Small arrays of all kinds."""
    g = np.random.default_rng(0)
    square = g.random((4, 4))
    values = [square, square.astype("float32"), square[0], square[0].astype("float32"), np.arange(4),
              np.arange(4) % 2 == 1,
              np.array([3, 900, -7]), np.zeros((4, 4)), np.full((2, 3), np.nan), np.float64(2), np.int64(-3),
              np.zeros((0, 3)), np.zeros(0), square + 1j * square, np.arange(6, dtype="int8").reshape(2, 3),
              np.full(4, 2, "int32"), np.full(4, -1, "int32"), np.arange(24.0).reshape(2, 3, 4)]
    made = [gnd.from_numpy(x) for x in values]
    return made + [gnd.from_numpy(4 * np.eye(4) + 1), gnd.broadcast_to(made[2], (3, 4)), gnd.transpose(made[-1]),
                   gnd.slice(made[2], "::-1")]


class Given:
    """What arguments are made of, and what keeps them alive."""

    def __init__(self, g, operands, tmp_path):
        self.g, self.operands, self.tmp_path, self.alive, self.results = g, operands, tmp_path, [], []
        self.designs = []

        self.mild = g.random() < 0.5  # nothing strange beside arrays
        if g.random() < 0.6:
            self.operands = [*g.sample(operands, 2), operands[0], operands[-4]]

    def one_of(self, mild, others):
        return self.g.choice(mild if self.mild else mild + others)

    def array(self):
        return None if self.g.random() < 0.04 else self.g.choice(self.operands)

    def number(self):
        return self.one_of([self.array, lambda: 2, lambda: 0.5],
                           [lambda: self.g.choice(NUMBERS), lambda: self.g.choice([-1.5, float("nan")]), lambda: None,
                            lambda: 1 + 2j])()

    def axes(self):
        return self.one_of([None, 0, -1], [1, (0, 1), (0, 0), 5, -9, gnd.Axes(none=True), gnd.Axes(0, keepdims=True),
                                           gnd.Axes(0, dtype="float32"), gnd.Axes(0, out=self.g.choice(self.operands))])

    def sizes(self):
        return self.one_of([(), (4,), (4, 4)], [(2, 2), (3, 4), (-1,), (0,), (2, 3, 4), (-5, 2), (1,) * 32])

    def struct(self, name):
        """All zero, the default of each struct of options; at times some bytes of it are something else."""
        value = gnd.STRUCTS[name]()
        if self.g.random() < 0.3:
            for field, kind in value._fields_:
                if kind in (ctypes.c_int, ctypes.c_int64, ctypes.c_uint64) and self.g.random() < 0.5:
                    setattr(value, field, self.g.choice([0, 1, 2, 3]))
        return value

    def room(self):
        """Zeros, for results through pointers, and for arrays of all kinds of things; before them too, where strides of
        -1 lead."""
        room = (ctypes.c_char * (BEFORE + 65536))()
        self.alive.append(room)
        return ctypes.addressof(room) + BEFORE

    def listed(self):
        """As many as any two of NUMBERS multiply to: gnd_block has rows and columns."""
        few = [self.g.choice(self.operands).pointer for _ in range(40)]
        room = (ctypes.c_void_p * (len(few) * max(NUMBERS)))(*few * max(NUMBERS))
        self.alive.append(room)
        return ctypes.addressof(room)

    def argument(self, name, kind, parameter):
        plain = kind.replace("const ", "").replace(" const", "")
        if kind in gnd.POINTERS:
            return self.array()
        if plain in ("gnd_arg *", "gnd_index *"):
            make = gnd.args if plain == "gnd_arg *" else gnd.indices
            items = [self.g.choice(self.operands) if self.g.random() < 0.8 else self.g.choice([0, 2, 9])
                     for _ in range(8)]
            self.alive.append(make(items))
            return self.alive[-1]
        if plain == "gnd_arg":
            return self.number()
        if plain == "gnd_index":
            return gnd.index_item(self.g.choice([self.array() or 0, 0, 9, "::2", "nonsense", None, Ellipsis]))
        if plain == "gnd_axes":
            return self.axes()
        if plain == "gnd_shape":
            return self.sizes()
        if plain == "gnd_dtype":
            return self.one_of([0, gnd.DTYPE_CODES["float64"]], [*gnd.DTYPE_CODES.values(), 99, -1])
        if plain == "char *":
            return self.g.choice(TEXTS + [str(self.tmp_path / "file").encode()])
        if plain == "gnd_array * *" and kind.startswith("const gnd_array *"):
            return self.listed()
        designs = ("gnd_filter_design *", "gnd_state_space *", "gnd_peaks *", "gnd_placed_poles *", "gnd_sigmf *")
        if plain in designs and not kind.startswith("const"):
            self.designs.append((gnd.STRUCTS[plain[:-2]] * 1)())
            return ctypes.addressof(self.designs[-1])
        if plain == "gnd_array * *":
            room = None if self.g.random() < 0.05 else self.room()
            self.results += [room] if room else []
            return room
        if plain == "int64_t *" and kind.startswith("const"):
            self.alive.append((ctypes.c_int64 * 64)(*[self.g.choice([0, 1, 2, 8, 90, -1]) for _ in range(64)]))
            return ctypes.addressof(self.alive[-1])
        if plain == "double *" and kind.startswith("const"):
            self.alive.append((ctypes.c_double * 64)(*[self.g.choice([0, 0.5, 2, -1]) for _ in range(64)]))
            return ctypes.addressof(self.alive[-1])
        if plain == "gnd_random *":
            return None if self.g.random() < 0.1 else OBJECTS["generator"]()
        if plain == "gnd_system *":
            return None if self.g.random() < 0.1 else self.g.choice(OBJECTS["systems"]())
        if plain == "gnd_event *":
            return None if self.g.random() < 0.1 else OBJECTS["event"]()
        if plain in ("gnd_stream *", "gnd_kernel *", "gnd_module *", "gnd_fft_plan *", "gnd_npz *", "callback",
                     "gnd_filter_stream *", "gnd_rate_stream *", "gnd_spectral_stream *", "gnd_sft *", "gnd_kalman *",
                     "gnd_samples *", "gnd_czt_plan *", "gnd_graph *") or \
                plain.endswith(("_function *", "_deleter *", "_handler")):
            return None
        if "*" in kind:
            name = plain.split(" ")[0]
            if name in gnd.STRUCTS and kind.startswith("const") and plain.count("*") == 1:
                if self.g.random() < 0.3:
                    return None
                self.alive.append((gnd.STRUCTS[name] * 8)(*[self.struct(name) for _ in range(8)]))
                return ctypes.addressof(self.alive[-1])
            return None if self.g.random() < 0.05 else self.room()
        if plain == "gnd_device":
            return gnd.current_device()
        if plain in gnd.STRUCTS:
            return self.struct(plain)
        if plain in ("double", "float"):
            return self.one_of([0.5, 1.0], [0.0, -1.0, 3.0, float("nan"), float("inf")])
        if plain == "char":
            return self.one_of([b"C"], [b"F", b"K", b"A", b"x"])
        if plain == "bool":
            return self.g.random() < 0.5
        if plain == "uint64_t":
            return self.g.choice([0, 1, 7])
        if "bytes" in parameter:
            return self.g.choice([0, 16, 4096])
        return self.one_of([0, 1, 2], [3, -1, 5] if parameter in ("count", "n", "ndim") else NUMBERS)


OBJECTS = {}
RELEASES = {f"gnd_{kind} *": f"gnd_{kind}_release"
            for kind in ("stream", "event", "random", "kernel", "module", "fft_plan", "filter_stream", "rate_stream",
                         "spectral_stream", "sft", "system", "kalman", "czt_plan", "graph")}
RELEASES |= {"gnd_array *": "gnd_release", "gnd_npz *": "gnd_npz_close", "gnd_samples *": "gnd_samples_close"}


def make_objects():
    """What is no array and is given to functions."""
    generator, event = gnd.random_new(gnd.PHILOX, 3), gnd.event_new(True)
    ones = gnd.from_numpy(np.ones(1)), gnd.from_numpy(np.array([1.0, 2, 3]))
    systems = [gnd.system_from_tf(*ones, dt) for dt in (0.0, 0.5)]
    OBJECTS.update(generator=lambda: generator, event=lambda: event, systems=lambda: systems)
    return generator, event, systems


@pytest.fixture
def operands():
    """New ones for each test, since functions write into them."""
    generator, event, systems = make_objects()
    made = arrays()
    yield made
    made.clear()
    for system in systems:
        gnd.system_release(system)
    gnd.random_release(generator)
    gnd.event_release(event)


def call(name, given, fails=None):
    """One call, and a wait behind it: the errors of both. `fails`: which allocation of it fails, 0: none; None: it is
    drawn."""
    function, found = FUNCTIONS[name], []
    gnd.function(name)  # sets the types of its arguments
    raw = getattr(gnd.lib, name)
    fixed = [p for p in function.parameters if p.type != "..."]
    values = [gnd._convert(p.type, given.argument(name, p.type, p.name)) for p in fixed]
    if len(fixed) < len(function.parameters):
        values = [v if isinstance(v, ctypes.Structure) else gnd._ctype(p.type)(v) for p, v in zip(fixed, values)]
    fail_at(given.g.choice([0, 0, 0, 1, 2, 3, 4, 6, 9]) if fails is None else fails)
    result = raw(*values)
    fail_at(0)
    found.append(gnd.pending_error())
    if function.result in RELEASES and result and "current" not in name and "default" not in name:
        getattr(gnd.lib, RELEASES[function.result])(ctypes.c_void_p(result))
    for design in given.designs:
        getattr(gnd.lib, type(design[0]).__name__ + "_release")(design)
    for room in given.results:
        for pointer in ctypes.cast(room, ctypes.POINTER(ctypes.c_void_p))[:64]:
            if pointer:
                gnd._release(pointer)
    gnd.lib.gnd_sync()
    found.append(gnd.pending_error())
    return [e for e in found if e]


def check_name(name, error):
    """Also that a bad axis has the status for it, and that an argument that is named is one."""
    said = SAID.get(name, name)
    assert error.message.split(":")[0] == said and error.function == said, f"{name} was called: {error}"
    if re.search(r"axis -?\d+ is out of range|axis .*(given|named) twice|both (axes|axis)|has no axes", error.message):
        assert error.code == gnd.ERROR_AXIS, error
    argument = re.search(r"argument '(\w+)[.'\[]", error.message)
    names = {p.name for p in FUNCTIONS[name].parameters}
    assert not argument or argument.group(1) in names, f"{name} has no such parameter: {error}"


# Numbers that other arguments are drawn by, with which functions ended the process or named others.
FOUND = [("gnd_find_peaks_cwt", 101), ("gnd_find_peaks_cwt", 404), ("gnd_median_filter", 303),
         ("gnd_median_filter", 404), ("gnd_peak_widths", 404), ("gnd_apply", 202), ("gnd_apply_two", 404),
         ("gnd_softmax", 303), ("gnd_affine_transform", 3), ("gnd_shift", 3), ("gnd_median_labels", 1)]


@pytest.mark.parametrize("name, drawn", [*((name, 0) for name in NAMES), *FOUND])
def test_errors_name_what_was_called(name, drawn, operands, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # texts are names of files, too
    g = random.Random(zlib.crc32(name.encode()) + drawn)
    attempts = 10 + 30 * min(len(FUNCTIONS[name].parameters), 4)
    for _ in range(attempts):
        for error in call(name, Given(g, operands, tmp_path)):
            check_name(name, error)


@pytest.mark.parametrize("name", NAMES)
def test_each_allocation_may_fail(name, operands, tmp_path, monkeypatch):
    """Of a few calls that succeed, each allocation: the next ones, and the process, go on."""
    monkeypatch.chdir(tmp_path)
    good = 0
    for attempt in range(150):
        drawn = f"{name} {attempt}"
        if call(name, Given(random.Random(drawn), operands, tmp_path), 0):
            continue
        for n in range(1, 200):
            errors = call(name, Given(random.Random(drawn), operands, tmp_path), n)
            for error in errors:
                check_name(name, error)
            if not errors:
                break
        good += 1
        if good == 6:
            break


# ---- errors that come late ----------------------------------------------------------------------------


def lone(values, dtype=None):
    return gnd.from_numpy(np.asarray(values, dtype))


LATE = {
    "gnd_power": (lambda: gnd.power(lone([2, 3]), lone([-1, 1])), "an integer to a negative power is not allowed"),
    "gnd_take": (lambda: gnd.function("gnd_take")(lone([1.0, 2]), lone([5]), 0, gnd.RAISE),
                 "index 5 is out of bounds for axis 0 of size 2"),
    "gnd_get": (lambda: gnd.get(lone([1.0, 2]), 1, [lone([-3])]), "index -3 is out of bounds for axis 0 of size 2"),
    "gnd_put": (lambda: gnd.put(lone([1.0, 2]), lone([2]), 1, gnd.RAISE),
                "index 2 is out of bounds for axis 0 of size 2"),
    "gnd_scatter_add": (lambda: gnd.scatter_add(lone([1.0, 2]), 1, [lone([4])], 1), "index 4 is out of bounds"),
    "gnd_choose": (lambda: gnd.choose(lone([3]), 1, [lone([1.0])], gnd.RAISE), "index 3 is out of bounds"),
    "gnd_nanargmin": (lambda: gnd.nanargmin(lone([np.nan, np.nan]), None), "met a slice that is all NaN"),
    "gnd_quantile": (lambda: gnd.quantile(lone([1.0, 2]), lone(1.5), None, gnd.QUANTILE_LINEAR),
                     "was asked for a quantile that is not in [0, 1]"),
    "gnd_nanpercentile": (lambda: gnd.nanpercentile(lone([1.0, 2]), lone(101.0), None, gnd.QUANTILE_LINEAR),
                          "was asked for a quantile that is not in [0, 1] (a percentile not in [0, 100])"),
    "gnd_average": (lambda: gnd.average(lone([1.0, 2]), None, lone([1.0, -1])), "weights that add up to zero"),
    "gnd_digitize": (lambda: gnd.digitize(lone([1.0]), lone([1.0, 3, 2]), False), "do not increase monotonically"),
    "gnd_solve": (lambda: gnd.solve(gnd.zeros((2, 2), "float64"), gnd.ones((2,), "float64")), "a matrix is singular"),
    "gnd_inv": (lambda: gnd.inv(gnd.zeros((3, 2, 2), "float64")), "of 3 is singular: pivot 1 is zero"),
    "gnd_cholesky": (lambda: gnd.cholesky(gnd.negative(gnd.ones((2, 2), "float64")), False),
                     "is not positive definite"),
    "gnd_random_poisson": (lambda: gnd.random_poisson(OBJECTS["generator"](), lone([1.0, -1]), (2,)),
                           "met parameters that it does not take, for element 1"),
    # Functions that are built on others.
    "gnd_matrix_power": (lambda: gnd.matrix_power(gnd.ones((2, 2), "float64"), -1), "is singular"),
}


@pytest.mark.parametrize("name", LATE)
def test_late_errors_name_what_caused_them(name, operands):
    call_it, words = LATE[name]
    gnd.linalg_strict(False)  # other tests may have called it
    for wait, waited in ((gnd.sync, "gnd_sync"), (lambda: operands[0].numpy(), "gnd_to_host")):
        result = call_it()
        with pytest.raises(gnd.Error) as caught:
            wait()
        check_name(name, caught.value)
        assert words in caught.value.message and caught.value.message.endswith(f" (found when {waited} waited)")
        gnd.sync()
        del result


def test_one_that_waits_for_itself_says_nothing_of_waiting(operands):
    gnd.linalg_strict(True)
    try:
        with pytest.raises(gnd.Error) as caught:
            gnd.inv(gnd.zeros((2, 2), "float64"))
    finally:
        gnd.linalg_strict(False)
    assert caught.value.message == "gnd_inv: a matrix is singular: pivot 1 is zero"


# ---- the mechanism ------------------------------------------------------------------------------------

# Functions that do not fail, or are not heard of if they do.
SILENT = {"gnd_release", "gnd_error", "gnd_error_clear", "gnd_error_take", "gnd_keep", "gnd_retain", "gnd_scope_open",
          "gnd_scope_close", "gnd_result_type_n", "gnd_use_stream", "gnd_device_of"}


def calls_by_function():
    """The functions of src/, and the names of what stands in their bodies."""
    found = {}
    for path in sorted((headers.ROOT / "src").rglob("*.c")):
        text = re.sub(r"/\*.*?\*/|\"(\\.|[^\"\\])*\"", " ", path.read_text(), flags=re.S)
        for head, name, body in re.findall(r"^(\w[^;{}=#\n]*?)\(?\b(\w+)\)?\([^;{}]*\)\s*\{\n(.*?)^\}", text,
                                           flags=re.M | re.S):
            key = (path, name) if "static" in head else name
            found[key] = (path, set(re.findall(r"\b[a-z]\w+\b", body)), "GNDI_PARTS_OF(" in body)
    return found


def test_functions_that_are_built_on_others_say_so():
    """From a public function another one that may fail can be reached through GNDI_PARTS_OF only."""
    functions = calls_by_function()
    may_fail = {n for n, f in FUNCTIONS.items() if n not in SILENT
                and not n.endswith(("_release", "_free", "_close", "_")) and
                (f.result in ("gnd_array *", "gnd_status") or "gnd_array" in str(f.parameters))}
    missing = []
    for public in set(FUNCTIONS) & set(functions):
        seen, left = set(), [public]
        while left and not public.endswith("_"):
            path, names, says_so = functions[left.pop()]
            for name in set() if says_so else names - seen:
                seen.add(name)
                if name in may_fail and name != public:
                    missing.append(f"{public} reaches {name}")
                elif name not in FUNCTIONS:
                    left += [key for key in ((path, name), name) if key in functions][:1]
    assert not missing, "\n".join(sorted(missing))
