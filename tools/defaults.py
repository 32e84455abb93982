"""defaults.py: the arguments of gnd's functions that NumPy's and SciPy's functions of the same name have defaults for.

    defaults.py            says what tools/defaults.json and the installed NumPy and SciPy do not agree on
    defaults.py --write    makes the file anew

Bindings give last arguments these defaults. Taken are plain values, a number or a truth value, of a parameter with
the same name; a string, if an enumeration has a constant that ends with it; None for an optional number (gnd_arg) or
array, and for the lengths of transforms, where it is -1. The file is committed, so that a build needs no NumPy.
"""

import inspect
import json
import sys
import warnings

import interface

FILE = interface.ROOT / "tools" / "defaults.json"
ANOTHER_NAME = {"full": "full_matrices"}
NOT_THE_SAME = {("where", "x"), ("where", "y")}  # which NumPy may leave out, and gnd not


def spaces():
    import numpy as np
    import scipy.fft
    import scipy.linalg
    import scipy.ndimage
    import scipy.signal
    return [np, np.linalg, np.fft, scipy.signal, scipy.signal.windows, scipy.linalg, scipy.fft, scipy.ndimage,
            np.lib.stride_tricks]


def signature(name, modules):
    """Of the function in NumPy or SciPy; of gnd_random_normal, that of the Generator's method."""
    generator = modules[0].random.Generator
    name = name.removesuffix("_into")
    holders = [generator] if name.startswith("random_") else modules
    name = name.removeprefix("random_")
    for holder in holders:
        thing = getattr(holder, name, None)
        if callable(thing) and not isinstance(thing, type):
            try:
                return inspect.signature(thing)
            except ValueError:
                pass
    return None


def value_of(function, argument, given, no_value):
    """A default as JSON, or None if the languages have no such value."""
    kind = argument.kind
    if kind in ("number", "array") and (given is None or given is no_value):
        return "none"
    if kind in ("scalar", "number") and isinstance(given, (bool, int, float)):
        if argument.type == "bool" or not isinstance(given, bool):
            return bool(given) if argument.type == "bool" else given
    if argument.type == "char" and isinstance(given, str) and len(given) == 1:
        return repr(given)
    if kind == "enum" and isinstance(given, str):
        ending = "_" + given.upper()
        constants = interface.read_enum_types()[argument.type].constants
        return next((c for c in constants if c.endswith(ending)), None)
    if kind == "scalar" and given is None and argument.name == "n" and function.header in ("fft.h", "dct.h"):
        return -1
    return "whole" if kind == "shape" and given is None and function.header in ("fft.h", "dct.h") else None


def made():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules, found = spaces(), {}
        for function in interface.read_functions().values():
            name = function.name.removeprefix("gnd_")
            of = signature(name, modules)
            for argument in interface.arguments(function) if of else ():
                parameter = of.parameters.get(ANOTHER_NAME.get(argument.name, argument.name))
                if parameter is None or parameter.default is parameter.empty or (name, argument.name) in NOT_THE_SAME:
                    continue
                value = value_of(function, argument, parameter.default, modules[0]._NoValue)
                if value is not None:
                    found.setdefault(name, {})[argument.name] = value
    return found


def text(rows):
    return "{\n" + ",\n".join(f'"{name}": {json.dumps(rows[name])}' for name in sorted(rows)) + "\n}\n"


if __name__ == "__main__":
    now, then = FILE.read_text() if FILE.exists() else "", text(made())
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(then)
    elif sys.argv[1:]:
        sys.exit(__doc__)
    elif now != then:
        sys.exit("tools/defaults.json is not what NumPy and SciPy say: python3 tools/defaults.py --write")
