"""What the tests read of gnd's public headers and operator table: tools/interface.py, and its structs for ctypes."""

import ctypes
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import interface  # noqa: E402
from interface import (DIST, INCLUDE, MAX_DIMS, ROOT, SPECIAL, Function, Operator, Parameter,  # noqa: E402, F401
                       Variable, read_data, read_enums, read_functions, read_operators, read_variables)

SCALARS = {
    "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "unsigned": ctypes.c_uint,
    "unsigned int": ctypes.c_uint, "float": ctypes.c_float, "double": ctypes.c_double,
    "size_t": ctypes.c_size_t, "ptrdiff_t": ctypes.c_ssize_t, "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong, "uintptr_t": ctypes.c_size_t,
    "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8, "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
}


def read_structs(enum_types, include=INCLUDE):
    """The public structs as ctypes.Structure classes, by name; `kinds` has the C types of their members."""
    structs = {}

    def member_type(kind):
        if "*" in kind or kind == "callback":
            target = kind.removeprefix("const ").split("*")[0].strip()
            return ctypes.c_char_p if target == "char" else ctypes.c_void_p
        kind = kind.removeprefix("const ")
        return SCALARS.get(kind) or (ctypes.c_int if kind in enum_types else structs[kind])

    for struct in interface.read_structs(include).values():
        fields, kinds = [], {}
        for member in struct.members:
            this = member_type(member.type)
            for length in reversed(member.lengths):
                this = this * length
            fields.append((member.name, this))
            if member.type != "callback":
                kinds[member.name] = member.type
        structs[struct.name] = type(struct.name, (ctypes.Structure,), {"_fields_": fields, "kinds": kinds})
    return structs
