"""gnd.random: generators and distributions. Distributions are NumPy's, the numbers are gnd's own (Philox)."""

import functools

from . import _calls
from ._array import asarray
from ._interface import FUNCTIONS
from ._library import C

_c = _calls.make


class Generator:
    """A generator of one `kind` ("philox", "xorwow", "mrg32k3a"), on the current device. Its methods are
    numpy.random's, with `size` and `dtype`: default_rng(1).normal(0, 1, size=(3, 4), dtype="float32")."""

    def __init__(self, seed=None, kind="philox", handle=None):
        seed = _c("random_entropy")() if seed is None else seed
        self._handle = handle or _c("random_new")(C[kind.upper()], seed)

    def __getattr__(self, name):
        if name.startswith("_") or "random_" + name not in FUNCTIONS:
            raise AttributeError(f"gnd's generators have no {name!r}")
        return _draw(name, self._handle)

    def __dir__(self):
        return sorted(set(object.__dir__(self)) | set(_NAMES))

    def spawn(self, n_children):
        """Generators that are independent of this one and of each other."""
        return [Generator(handle=_c("random_spawn")(self._handle)) for _ in range(n_children)]

    def seed(self, seed):
        _c("random_seed")(self._handle, seed)

    def shuffle(self, x, axis=0):
        _c("random_shuffle")(self._handle, x, axis)

    def bytes(self, length):
        return bytes(_c("random_bytes")(self._handle, length).tolist())

    def choice(self, a, size=None, replace=True, p=None, axis=0):
        return _c("random_choice")(self._handle, a if isinstance(a, int) else asarray(a), () if size is None else size,
                                   without_replacement=not replace, p=p, axis=axis)

    def permuted(self, x, *, axis=None, out=None):
        return _c("random_permuted")(self._handle, asarray(x), axis=axis, out=out)

    def sobol(self, dimensions, scramble=True, seed=0):
        """A generator of a Sobol sequence: a draw of shape (n, dimensions) has a point in each row."""
        return Generator(handle=_c("random_new_sobol")(dimensions, scramble, seed))

    @property
    def state(self):
        """The state as an array, which can be saved and given back."""
        return _c("random_save")(self._handle)

    @state.setter
    def state(self, saved):
        _c("random_restore")(self._handle, asarray(saved))


def _draw(name, handle):
    function = _c("random_" + name)

    @functools.wraps(function)
    def draw(*parameters, size=None, dtype=None, **named):
        if "|shape|" not in FUNCTIONS["random_" + name]:
            return function(handle, *parameters, **named)
        kinds = [line.split("|")[0] for line in FUNCTIONS["random_" + name].split("\n")[1:]]
        before = kinds.index("shape") - 1
        if len(parameters) > before:  # NumPy's size is behind the parameters
            parameters, size = parameters[:before], parameters[before]
        if dtype is not None:
            named["dtype"] = dtype
        return function(handle, *parameters, shape=_SCALAR if size is None and before == 0 else size, **named)
    return draw


_SCALAR = ()
_NAMES = [name.removeprefix("random_") for name, text in FUNCTIONS.items()
          if name.startswith("random_") and text.startswith("gnd_array *")]


def default_rng(seed=None):
    """A Philox generator."""
    return seed if isinstance(seed, Generator) else Generator(seed)


@functools.cache
def _default():
    """The generator of the functions of this module: the process's own, seeded from the system."""
    return Generator()


def rand(*sizes):
    return _default().random(size=sizes)


def randn(*sizes):
    return _default().standard_normal(size=sizes)


def randint(low, high=None, size=None, dtype=None):
    return _default().integers(low, high, size=size, dtype=dtype)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(_default(), name)


def __dir__():
    return sorted(set(globals()) | set(_NAMES))
