"""The 15 dtypes on the NumPy side, with a bfloat16 that needs no package.

bfloat16 arrays are NumPy arrays of a structured dtype with one 16-bit field: slicing, transposing
and broadcasting work on them as on any dtype, and arithmetic does not, so that a test which forgets
to widen them fails loudly.
"""

import numpy as np

BFLOAT16 = np.dtype([("bfloat16", "<u2")])

NAMES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
         "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
INTEGERS = NAMES[1:9]
FLOATS = NAMES[9:13]
COMPLEX = NAMES[13:]
# Half the distance of 1 to the next number: what one rounding may be off by, relatively.
ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53,
            "complex64": 2.0**-24, "complex128": 2.0**-53}
SUMS = {"float16": "float32", "bfloat16": "float32"}  # what products of these are added up in
DTYPES = {name: BFLOAT16 if name == "bfloat16" else np.dtype(name) for name in NAMES}


def name_of(dtype):
    """gnd's name of a NumPy dtype."""
    return "bfloat16" if dtype == BFLOAT16 else np.dtype(dtype).name


def is_bfloat16(value):
    return isinstance(value, (np.ndarray, np.void)) and value.dtype == BFLOAT16


def to_bfloat16(values):
    """Rounds real numbers to bfloat16, ties to even, once: float64 is rounded to an odd float32 first,
    whose rounding gives what rounding the float64 itself would."""
    values = np.asarray(values)
    single = values.astype(np.float32)
    bits = np.ascontiguousarray(single).view(np.uint32).reshape(single.shape).astype(np.uint64)
    if values.dtype in (np.float64, np.longdouble):
        back, magnitude = np.abs(single.astype(values.dtype)), np.abs(values)
        odd = (bits - (back > magnitude)) | 1
        bits = np.where(np.isfinite(magnitude) & (back != magnitude), odd, bits)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    nan = np.isnan(single)
    rounded = np.where(nan, (bits >> 16) | 0x40, rounded).astype(np.uint16)
    return rounded.view(BFLOAT16).reshape(single.shape)


def from_bfloat16(values):
    """The float32 values of a bfloat16 array of any layout."""
    bits = np.asarray(values["bfloat16"]).astype(np.uint32) << 16
    return np.asarray(bits).view(np.float32).reshape(values.shape)


def widen(values):
    """The array in a dtype NumPy computes in: bfloat16 as float32, anything else as it is."""
    return from_bfloat16(values) if is_bfloat16(values) else values


def wide(values):
    """The array as float64 or complex128."""
    values = widen(values)
    return values.astype("complex128" if values.dtype.kind == "c" else "float64")


def is_exact(name):
    """Whether arithmetic of this dtype has no roundings."""
    return name == "bool" or name in INTEGERS


def cast(values, name):
    """astype to the dtype of this name, bfloat16 included; warnings are the caller's business."""
    values = widen(np.asarray(values))
    if name == "bfloat16":
        return to_bfloat16(values.real if values.dtype.kind == "c" else values)
    return values.astype(DTYPES[name])


def promote(a, b):
    """numpy.promote_types by name, with gnd's documented rules for bfloat16."""
    if a == b:
        return a
    if "bfloat16" not in (a, b):
        return np.promote_types(a, b).name
    other = b if a == "bfloat16" else a
    if other in ("bool", "int8", "uint8"):
        return "bfloat16"
    if other == "float16":
        return "float32"
    return np.promote_types("float16", other).name


def result_type(*operands):
    """numpy.result_type by name; operands are dtype names or weak Python numbers (NEP 50)."""
    names = [o for o in operands if isinstance(o, str)]
    weak = [o for o in operands if not isinstance(o, str)]
    if not names:
        return np.result_type(*weak).name
    common = names[0]
    for name in sorted(names[1:], key=NAMES.index):
        common = promote(common, name)
    if "bfloat16" in names and len(names) > 2:  # not associative: promote the plain ones first
        plain = [n for n in names if n != "bfloat16"]
        common = promote("bfloat16", np.result_type(*plain).name) if plain else "bfloat16"
    if not weak:
        return common
    if common == "bfloat16":
        return "complex64" if any(isinstance(w, complex) for w in weak) else "bfloat16"
    return np.result_type(np.dtype(common), *weak).name


def can_cast(a, b, casting):
    """numpy.can_cast by name, with bfloat16 beside float16."""
    if "bfloat16" not in (a, b) or a == b:
        return bool(np.can_cast(DTYPES[a], DTYPES[b], casting))
    if casting == "unsafe":
        return True
    if casting in ("no", "equiv"):
        return False
    if casting == "safe":
        if {a, b} == {"float16", "bfloat16"}:
            return False
        return promote(a, b) == b
    return bool(np.can_cast(np.dtype("float16" if a == "bfloat16" else a),
                            np.dtype("float16" if b == "bfloat16" else b), "same_kind"))
