"""The names and signatures of the array API standard, 2024.12, as a table of facts: what a name takes by position, by
position or name, and by name alone, with its defaults. gnd's own arguments come beside them."""

import inspect

import pytest
from test_standard_elementwise import BINARY, UNARY

import gnd

NAMESPACE = """
__array_namespace_info__()
all(x, /, *, axis=None, keepdims=False)
any(x, /, *, axis=None, keepdims=False)
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
argsort(x, /, *, axis=-1, descending=False, stable=True)
asarray(obj, /, *, dtype=None, device=None, copy=None)
astype(x, dtype, /, *, copy=True, device=None)
broadcast_arrays(*arrays)
broadcast_to(x, /, shape)
can_cast(from_, to, /)
clip(x, /, min=None, max=None)
concat(arrays, /, *, axis=0)
count_nonzero(x, /, *, axis=None, keepdims=False)
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)
expand_dims(x, /, *, axis=0)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
finfo(type, /)
flip(x, /, *, axis=None)
from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)
iinfo(type, /)
isdtype(dtype, kind)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
matmul(x1, x2, /)
matrix_transpose(x, /)
max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False)
meshgrid(*arrays, indexing='xy')
min(x, /, *, axis=None, keepdims=False)
moveaxis(x, source, destination, /)
nonzero(x, /)
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)
permute_dims(x, /, axes)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
repeat(x, repeats, /, *, axis=None)
reshape(x, /, shape, *, copy=None)
result_type(*arrays_and_dtypes)
roll(x, /, shift, *, axis=None)
searchsorted(x1, x2, /, *, side='left', sorter=None)
sort(x, /, *, axis=-1, descending=False, stable=True)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
take(x, indices, /, *, axis=None)
take_along_axis(x, indices, /, *, axis=-1)
tensordot(x1, x2, /, *, axes=2)
tile(x, repetitions, /)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
unique_all(x, /)
unique_counts(x, /)
unique_inverse(x, /)
unique_values(x, /)
unstack(x, /, *, axis=0)
var(x, /, *, axis=None, correction=0.0, keepdims=False)
vecdot(x1, x2, /, *, axis=-1)
where(condition, x1, x2, /)
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)
linalg.cholesky(x, /, *, upper=False)
linalg.cross(x1, x2, /, *, axis=-1)
linalg.det(x, /)
linalg.diagonal(x, /, *, offset=0)
linalg.eigh(x, /)
linalg.eigvalsh(x, /)
linalg.inv(x, /)
linalg.matmul(x1, x2, /)
linalg.matrix_norm(x, /, *, keepdims=False, ord='fro')
linalg.matrix_power(x, n, /)
linalg.matrix_rank(x, /, *, rtol=None)
linalg.matrix_transpose(x, /)
linalg.outer(x1, x2, /)
linalg.pinv(x, /, *, rtol=None)
linalg.qr(x, /, *, mode='reduced')
linalg.slogdet(x, /)
linalg.solve(x1, x2, /)
linalg.svd(x, /, *, full_matrices=True)
linalg.svdvals(x, /)
linalg.tensordot(x1, x2, /, *, axes=2)
linalg.trace(x, /, *, offset=0, dtype=None)
linalg.vecdot(x1, x2, /, *, axis=-1)
linalg.vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
fft.fft(x, /, *, n=None, axis=-1, norm='backward')
fft.fftfreq(n, /, *, d=1.0, dtype=None, device=None)
fft.fftn(x, /, *, s=None, axes=None, norm='backward')
fft.fftshift(x, /, *, axes=None)
fft.hfft(x, /, *, n=None, axis=-1, norm='backward')
fft.ifft(x, /, *, n=None, axis=-1, norm='backward')
fft.ifftn(x, /, *, s=None, axes=None, norm='backward')
fft.ifftshift(x, /, *, axes=None)
fft.ihfft(x, /, *, n=None, axis=-1, norm='backward')
fft.irfft(x, /, *, n=None, axis=-1, norm='backward')
fft.irfftn(x, /, *, s=None, axes=None, norm='backward')
fft.rfft(x, /, *, n=None, axis=-1, norm='backward')
fft.rfftfreq(n, /, *, d=1.0, dtype=None, device=None)
fft.rfftn(x, /, *, s=None, axes=None, norm='backward')
""".split("\n")[1:-1]
NAMESPACE += [f"{name}(x, /)" for name in UNARY] + [f"{name}(x1, x2, /)" for name in BINARY]
INFO = ["capabilities()", "default_device()", "default_dtypes(*, device=None)", "devices()",
        "dtypes(*, device=None, kind=None)"]
ATTRIBUTES = "T device dtype mT ndim shape size".split()
METHODS = ["__array_namespace__(*, api_version=None)", "__getitem__(key, /)", "__setitem__(key, value, /)",
           "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)", "__dlpack_device__()",
           "to_device(device, /, *, stream=None)"]
METHODS += [f"__{name}__()" for name in "abs bool complex float index int invert neg pos".split()]
METHODS += [f"__{name}__(other, /)" for name in "eq ge gt le lt ne".split()]
METHODS += [f"__{side}{name}__(other, /)" for side in ("", "i", "r") for name in
            "add and floordiv lshift matmul mod mul or pow rshift sub truediv xor".split()]
# A default that stands for the standard's.
STANDS_FOR = {"norm": {None: "backward"}, "correction": {None: 0.0}}


def standard(text):
    """The name and the parameters of a line of the tables."""
    name, _, rest = text.partition("(")
    scope = {}
    exec(f"def stub({rest}: pass", scope)
    return name, list(inspect.signature(scope["stub"]).parameters.values())


def find(root, name):
    for part in name.split("."):
        root = getattr(root, part)
    return root


def check(function, wanted):
    """By position as many, by name the same ones, with the same defaults; what gnd has besides is optional."""
    mine = list(inspect.signature(function).parameters.values())
    by_name = {p.name: p for p in mine}
    for k, want in enumerate(wanted):
        if want.kind == want.KEYWORD_ONLY:
            got = by_name[want.name]
            assert got.kind in (got.KEYWORD_ONLY, got.POSITIONAL_OR_KEYWORD)
        else:
            got = mine[k]
            if want.kind == want.POSITIONAL_ONLY:
                assert got.kind in (got.POSITIONAL_ONLY, got.POSITIONAL_OR_KEYWORD), got
            else:
                assert got.kind == want.kind and (got.name == want.name or want.kind == want.VAR_POSITIONAL), got
        if want.default is not want.empty:
            assert STANDS_FOR.get(want.name, {}).get(got.default, got.default) == want.default, got
    known = {p.name for p in wanted if p.kind == p.KEYWORD_ONLY}
    for k, own in enumerate(mine):
        assert k < sum(p.kind != p.KEYWORD_ONLY for p in wanted) or own.name in known or (
            own.default is not own.empty or own.kind in (own.VAR_POSITIONAL, own.VAR_KEYWORD)), own


@pytest.mark.parametrize("text", NAMESPACE)
def test_functions(text):
    name, wanted = standard(text)
    check(find(gnd, name), wanted)
    assert name.partition(".")[0] in dir(gnd)


SQUARE, LINE, WHOLE = gnd.eye(3) + 1, gnd.arange(1.0, 6.0), gnd.asarray([2, 0, 1])
ARGUMENTS = {"x": SQUARE, "x1": SQUARE, "x2": SQUARE, "start": 1, "stop": 9, "num": 5, "n_rows": 3, "shape": (3, 3),
             "fill_value": 2.5, "arrays": [SQUARE, SQUARE], "obj": [1, 2.5], "dtype": gnd.float32, "n": 4, "repeats": 2,
             "shift": 1}
OF_LINES = "cumulative_prod cumulative_sum searchsorted take vecdot linalg.vecdot".split()


@pytest.mark.parametrize("text", [text for text in NAMESPACE if "=" in text and "meshgrid" not in text])
def test_defaults(text):
    """The standard's defaults, given by name, change nothing."""
    name, wanted = standard(text)
    given = {"x": LINE, "x1": LINE, "x2": LINE} if name in OF_LINES else {}
    given |= {"indices": WHOLE if name == "take" else gnd.zeros((3, 3), dtype="int64")}
    values = [(ARGUMENTS | given)[p.name] for p in wanted if p.default is p.empty]
    if name.split(".")[-1] in ("fft", "ifft", "irfft", "hfft", "fftn", "ifftn", "irfftn"):
        values = [values[0] * (1 + 0.5j)]
    function = find(gnd, name)
    named = {p.name: p.default for p in wanted if p.default is not p.empty and p.kind != p.POSITIONAL_ONLY}
    plain, spelled = function(*values), function(*values, **named)
    if name in ("empty", "empty_like"):
        assert plain.shape == spelled.shape and plain.dtype == spelled.dtype
        return
    plain, spelled = ([made] if isinstance(made, gnd.ndarray) else made for made in (plain, spelled))
    for one, other in zip(plain, spelled, strict=True):
        assert one.dtype == other.dtype and gnd.array_equal(one, other)


@pytest.mark.parametrize("text", METHODS)
def test_methods(text):
    name, wanted = standard(text)
    method = getattr(gnd.ones((3, 3)), name)
    if name == "__setitem__":
        assert len(inspect.signature(method).parameters) == 2
    check(method, wanted)


def test_attributes_and_inspection():
    x, info = gnd.ones((3, 3)), gnd.__array_namespace_info__()
    for name in ATTRIBUTES:
        assert not callable(getattr(x, name)) or name == "dtype"
        with pytest.raises(AttributeError):
            setattr(x, name, None)
    for text in INFO:
        name, wanted = standard(text)
        check(getattr(info, name), wanted)
    assert x.__array_namespace__() is gnd and gnd.__array_api_version__ == "2024.12"


def test_arrays_are_not_hashed():
    """An array is equal to others element by element, so it is no key."""
    with pytest.raises(TypeError):
        hash(gnd.ones(2))
    assert hash(gnd.float32) == hash(gnd.dtype("float32")) and hash(gnd.current_device()) == hash(gnd.current_device())
