"""gnd.linalg: numpy.linalg, the array API's extension, and what scipy.linalg gives to CuPy."""

from collections import namedtuple

from . import _calls
from ._array import asarray
from ._library import LinAlgError  # noqa: F401
from ._module import lazily
from ._numpy import cross as _cross
from ._numpy import matmul, tensordot, trace as _trace, vecdot  # noqa: F401

__getattr__, __dir__ = lazily("linalg", globals())
_c = _calls.make
_Eigh = namedtuple("EighResult", "eigenvalues eigenvectors")
_Eig = namedtuple("EigResult", "eigenvalues eigenvectors")
_QR = namedtuple("QRResult", "Q R")
_Slogdet = namedtuple("SlogdetResult", "sign logabsdet")
_SVD = namedtuple("SVDResult", "U S Vh")


def cholesky(a, /, *, upper=False):
    return _c("cholesky")(a, upper)


def cross(a, b, /, *, axis=-1):
    return _cross(a, b, axis)


def diagonal(x, /, *, offset=0):
    return _c("diagonal")(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    return _trace(x, offset, -2, -1, dtype)


def outer(a, b, /):
    return _c("linalg_outer")(a, b)


def eig(a, /):
    return _Eig(*_c("eig")(a))


def eigh(a, /, UPLO="L"):
    return _Eigh(*_c("eigh")(a, UPLO.upper() == "U"))


def eigvalsh(a, /, UPLO="L"):
    return _c("eigvalsh")(a, UPLO.upper() == "U")


def qr(a, /, mode="reduced"):
    if mode == "r":
        return _c("qr")(a, mode)[1]
    return _QR(*_c("qr")(a, mode))


def slogdet(a, /):
    return _Slogdet(*_c("slogdet")(a))


def svd(a, /, full_matrices=True, compute_uv=True):
    return _SVD(*_c("svd")(a, full_matrices)) if compute_uv else _c("svdvals")(a)


def _rank(rtol, tol, hermitian):
    given = {"rtol": rtol, "tol": tol, "hermitian": hermitian, "standard": rtol is None and tol is None}
    return {name: value for name, value in given.items() if value is not None}


def pinv(a, /, rcond=None, hermitian=False, *, rtol=None):
    return _c("pinv")(a, **_rank(rcond if rtol is None else rtol, None, hermitian))


def matrix_rank(a, /, tol=None, hermitian=False, *, rtol=None):
    return _c("matrix_rank")(a, **_rank(rtol, tol, hermitian))


def lstsq(a, b, rcond=None):
    return _c("lstsq")(a, b, **({} if rcond is None else {"rcond": rcond}))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return _c("matrix_norm")(x, _order(ord), keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    return _c("vector_norm")(x, axis=axis, keepdims=keepdims, order=ord)


def norm(x, ord=None, axis=None, keepdims=False):
    return _c("norm")(x, _order(ord), axis=axis, keepdims=keepdims)


def cond(x, p=None):
    return _c("cond")(x, _order(p))


def _order(ord):
    return ord if ord is None or isinstance(ord, str) else repr(ord)


def matrix_power(a, n, /):
    return _c("matrix_power")(a, n)


def multi_dot(arrays):
    return _c("multi_dot")(list(arrays))


def solve(a, b, /):
    return _c("solve")(a, b)


def inv(a, /):
    return _c("inv")(a)


def det(a, /):
    return _c("det")(a)


def matrix_transpose(x, /):
    return _c("matrix_transpose")(x)
