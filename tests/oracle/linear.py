"""How the oracle calls functions of gnd/systems.h."""

import ctypes

import numpy as np

import gnd
from designs import filter_of, struct


def array(values):
    return gnd.from_numpy(np.asarray(values))


def maybe(values):
    return None if values is None else array(values)


class System:
    """A gnd_system. Made of 2, 3 or 4 parts as scipy.signal.lti is, or of a pointer."""

    def __init__(self, *parts, dt=0.0, pointer=None):
        if pointer is None:
            name = {2: "gnd_system_from_tf", 3: "gnd_system_from_zpk", 4: "gnd_system_from_ss"}[len(parts)]
            arrays = [p if len(parts) == 3 and i == 2 else maybe(p) for i, p in enumerate(parts)]
            pointer = gnd.function(name)(*arrays, dt)
        self.pointer = pointer

    def __del__(self):
        if getattr(self, "pointer", None):
            gnd.system_release(self.pointer)

    def info(self):
        got = gnd.system_info_of(self.pointer)
        return got.form, got.dt, got.inputs, got.outputs, got.states

    def tf(self):
        f = filter_of("gnd_system_tf", self.pointer)
        return f["b"], f["a"]

    def zpk(self):
        f = filter_of("gnd_system_zpk", self.pointer)
        return f["z"], f["p"], f["k"]

    def ss(self):
        return state_space("gnd_system_ss", self.pointer)

    def call(self, name, *arguments):
        """What a function that makes a system gives."""
        return System(pointer=gnd.function(name)(self.pointer, *arguments))


def state_space(name, *arguments):
    out = gnd.STRUCTS["gnd_state_space"]()
    gnd.function(name)(out, *arguments)
    return [gnd.Array(getattr(out, key)).numpy() for key in "abcd"]


def options_with(name, **fields):
    """A struct of options, whose arrays live as long as it does; None and 0 are left out."""
    held = {k: array(v) if isinstance(v, (list, tuple, np.ndarray)) else v for k, v in fields.items() if v is not None}
    result = struct(name, **{k: v.pointer if isinstance(v, gnd.Array) else v for k, v in held.items()})
    result.held = held
    return result


def results_of(count, name, *arguments):
    """NumPy arrays that a function gives through its first `count` parameters."""
    room = gnd.outputs(count)
    first = ctypes.addressof(room)
    pointers = [a.pointer if isinstance(a, System) else a for a in arguments]
    gnd.function(name)(*[first + 8 * i for i in range(count)], *pointers)
    return [a.numpy() for a in gnd.take(room)]
