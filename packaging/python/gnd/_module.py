"""Modules whose names are the library's, by docs/dictionary.toml: NumPy's linalg, fft and random, SciPy's signal."""

from . import _calls
from ._interface import FUNCTIONS, NAMES


def lazily(module, own, headers=()):
    """`__getattr__` and `__dir__` of a module: its own functions stand in it, the others are made at first use."""
    names = NAMES[module]

    def get(name):
        made = None if name.startswith("_") else _calls.make(names.get(name, name if headers else ""))
        if made is None:
            raise AttributeError(f"gnd.{module} has no {name!r}")
        own[name] = made
        return made

    return get, lambda: sorted(set(own) | set(names) | (set(FUNCTIONS) if headers else set()))
