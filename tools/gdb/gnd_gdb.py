"""gnd_gdb.py: shows gnd_array in gdb: shape, dtype, strides, device, and the first elements of arrays on the CPU.

    (gdb) source tools/gdb/gnd_gdb.py
    (gdb) print *a
    gnd_array (2, 3) float32 strides (12, 4) on cpu:0: [0, 1, 2, 3, 4, 5]
    (gdb) gnd a

Needs debug information of the library: meson configure build -Dbuildtype=debugoptimized. Only reads memory; calls
nothing in the program, so it works on a core dump, too.
"""

import itertools
import struct

import gdb

FIRST = 12  # elements that are shown
# struct's letters, by the names of gnd_dtype.
LETTERS = {"BOOL": "?", "INT8": "b", "UINT8": "B", "INT16": "h", "UINT16": "H", "INT32": "i", "UINT32": "I",
           "INT64": "q", "UINT64": "Q", "FLOAT16": "e", "FLOAT32": "f", "FLOAT64": "d", "COMPLEX64": "ff",
           "COMPLEX128": "dd"}


def dtype_of(array):
    return str(array["dtype"].cast(gdb.lookup_type("gnd_dtype"))).removeprefix("GND_")


def device_of(array):
    """"cpu:0"; None of an array without memory or of a device that is not in the debug information."""
    try:
        device = array["buffer"].dereference()["device"].dereference()["id"]
        return f"{'gpu' if int(device['kind']) else 'cpu'}:{int(device['index'])}"
    except gdb.error:
        return None


def element(data, dtype):
    if dtype == "BFLOAT16":
        return struct.unpack("<f", b"\0\0" + data)[0]
    numbers = struct.unpack("<" + LETTERS[dtype], data)
    return complex(*numbers) if len(numbers) == 2 else numbers[0]


def shown(value):
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def elements(array, dtype, shape, strides):
    """The first elements in C order."""
    size = 2 if dtype == "BFLOAT16" else struct.calcsize("<" + LETTERS[dtype])
    start = int(array["data"])
    values = []
    for index in itertools.islice(itertools.product(*map(range, shape)), FIRST):
        address = start + sum(i * s for i, s in zip(index, strides))
        values.append(element(gdb.selected_inferior().read_memory(address, size).tobytes(), dtype))
    return values


def describe(array):
    dtype = dtype_of(array)
    if dtype not in LETTERS and dtype != "BFLOAT16":
        return "gnd_array: not an array, or released"
    ndim, size = int(array["ndim"]), int(array["size"])
    shape = [int(array["shape"][k]) for k in range(ndim)]
    strides = [int(array["strides"][k]) for k in range(ndim)]
    text = f"gnd_array {as_tuple(shape)} {dtype.lower()} strides {as_tuple(strides)}"
    device = device_of(array)
    if device:
        text += f" on {device}"
    if size == 0 or device is None or device.startswith("gpu"):
        return text
    try:
        values = elements(array, dtype, shape, strides)
    except gdb.error as error:
        return f"{text}: {error}"
    return f"{text}: [{', '.join(map(shown, values))}{', ...' if size > len(values) else ''}]"


def as_tuple(numbers):
    return "(" + ", ".join(map(str, numbers)) + (",)" if len(numbers) == 1 else ")")


class ArrayPrinter:
    def __init__(self, array):
        self.array = array

    def to_string(self):
        return describe(self.array)


class Command(gdb.Command):
    """gnd EXPRESSION: shows the array that a gnd_array * points to."""

    def __init__(self):
        super().__init__("gnd", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        pointer = gdb.parse_and_eval(argument)
        print(describe(pointer.dereference()) if int(pointer) else "NULL")


def printer_of(value):
    return ArrayPrinter(value) if value.type.strip_typedefs().tag == "gnd_array" else None


gdb.pretty_printers.append(printer_of)
Command()
