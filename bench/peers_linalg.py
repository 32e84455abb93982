"""The peers' rows of rows_products.c and rows_linalg.c, by the same names: each peer's best form of the
same work, without TF32 unless the row's name says so. PyTorch's are the forms that do not wait to
learn whether a matrix was singular (solve_ex, inv_ex, cholesky_ex), as gnd does not wait.

A row is name -> (prepare, run). A function that a peer lacks makes no row for it: NumPy multiplies
float16 in a plain loop, PyTorch no integers on the GPU. With GND_BENCH_SMALL=1 in the environment
sizes are small, as in bench.c.
"""

import math
import os

N = 10**8
SIDE = 10**4
BATCHES = ((10000, 32), (1000, 128), (64, 512))
SMALL = os.environ.get("GND_BENCH_SMALL", "0") not in ("", "0")


def size(n):
    return n if not SMALL or n <= 16 else max(n // 32, 16)


def det_scale(side):
    """What makes determinants of the order of 1, which float32 can hold."""
    return math.sqrt(12 * math.e / side)


def array_rows(xp, make, row):
    """The rows of NumPy and CuPy, which share a language."""
    is_numpy = xp.__name__ == "numpy"
    f32, f64, c64 = xp.float32, xp.float64, xp.complex64
    linalg = xp.linalg

    def expm(a):
        if is_numpy:
            from scipy.linalg import expm
        else:
            from cupyx.scipy.linalg import expm
        return expm(a)

    def matrix(rows, columns, dtype=f32):
        return make(size(rows), size(columns), dtype=dtype)

    def stack(batch, rows, columns):
        return make(size(batch), size(rows), size(columns))

    def squares(side, dtype=f32):
        return lambda: (matrix(side, side, dtype), matrix(side, side, dtype))

    def whole_squares(dtype):
        return lambda: tuple((matrix(2048, 2048) * f32(100)).astype(dtype) for _ in range(2))

    # Products.
    def matmul(x, y):
        return xp.matmul(x, y)

    row("small.matmul_64", lambda: (make(64, 64), make(64, 64)), matmul)
    row("la.matmul_4096_float32", squares(4096), matmul)
    row("la.matmulT_4096_float32", lambda: (matrix(4096, 4096).T, matrix(4096, 4096)), matmul)

    def inner():
        start, end = size(256), size(256) + size(4096)
        return matrix(4096 + 512, 4096 + 512)[start:end, start:end], matrix(4096, 4096)

    row("la.matmul_inner_4096_float32", inner, matmul)
    row("la.matmul_strided2_4096_float32",
        lambda: (make(size(4096), 2 * size(4096))[:, ::2], matrix(4096, 4096)), matmul)
    row("la.matmul_4096_float64", squares(4096, f64), matmul)
    if not is_numpy:
        row("la.matmul_4096_float16", squares(4096, xp.float16), matmul)
    row("la.matmul_4096_complex64", squares(4096, c64), matmul)
    for dtype in ("int8", "int32", "int64"):
        row(f"la.matmul_2048_{dtype}", whole_squares(dtype), matmul)
    row("la.bmm_1000x2x4x5", lambda: (stack(1000, 2, 4), stack(1000, 4, 5)), matmul)
    for batch, side in BATCHES:
        row(f"la.bmm_{batch}x{side}",
            lambda b=batch, n=side: (stack(b, n, n), stack(b, n, n)), matmul)
    row("la.bmm_10000x32_one_matrix", lambda: (stack(10000, 32, 32), matrix(32, 32)), matmul)
    row("la.matvec_1e4x1e4", lambda: (matrix(SIDE, SIDE), make(size(SIDE))), matmul)
    row("la.vecmat_1e4x1e4", lambda: (matrix(SIDE, SIDE), make(size(SIDE))), lambda x, y: xp.matmul(y, x))
    row("la.dot_1e8", lambda: (make(size(N)), make(size(N))), lambda x, y: xp.dot(x, y))
    row("la.outer_1e4", lambda: (make(size(SIDE)), make(size(SIDE))), lambda x, y: xp.outer(x, y))
    row("la.kron_100x100", squares(100), lambda x, y: xp.kron(x, y))

    def chain():
        return matrix(4096, 16), matrix(16, 4096), matrix(4096, 16)

    # Without a multi_dot the order that one would choose, by hand.
    has_multi_dot = hasattr(linalg, "multi_dot")
    row("la.multi_dot_4096x16", chain,
        lambda x, y, z: linalg.multi_dot((x, y, z)) if has_multi_dot else x @ (y @ z))

    def einsum(subscripts):
        return lambda *arrays: xp.einsum(subscripts, *arrays, optimize=True)

    def attention():
        return tuple(make(size(16), size(512), 16, 64) for _ in range(2))

    row("la.einsum_matmul_4096", squares(4096), einsum("ij,jk->ik"))
    row("la.einsum_batch_10000x32", lambda: (stack(10000, 32, 32), stack(10000, 32, 32)),
        einsum("bij,bjk->bik"))
    row("la.einsum_frobenius_1e4x1e4", squares(SIDE), einsum("ij,ij->"))
    row("la.einsum_attention_16x512x16x64", attention, einsum("bqhd,bkhd->bhqk"))
    row("la.einsum_chain_4096x16", chain, einsum("ij,jk,kl->il"))
    row("la.einsum_permuted_256", lambda: (stack(256, 256, 256), stack(256, 256, 256)),
        einsum("ijk,jil->kl"))
    row("la.einsum_diagonal_1e4x1e4", squares(SIDE), lambda x, y: xp.einsum("ii->i", x))

    # Solving and decomposing.
    def symmetric(a, shift=0):
        return a + xp.swapaxes(a, -1, -2) + f32(shift) * xp.eye(a.shape[-1], dtype=f32)

    def definite(a):
        return symmetric(a, 2 * a.shape[-1])

    def one(side):
        return lambda: (matrix(side, side),)

    row("la.solve_4096", lambda: (matrix(4096, 4096), make(size(4096))), lambda a, b: linalg.solve(a, b))
    row("la.inv_6000", one(6000), lambda a: linalg.inv(a))
    row("la.inv_2x6000", squares(6000), lambda a, b: (linalg.inv(a), linalg.inv(b)))
    if is_numpy:
        row("la.inv_2x6000_two_streams", squares(6000), lambda a, b: (linalg.inv(a), linalg.inv(b)))
    else:
        def on_streams(streams, a, b):
            for stream, x in zip(streams, (a, b)):
                with stream:
                    linalg.inv(x)

        def streams_and_matrices():
            operands = [xp.cuda.Stream(non_blocking=True) for _ in range(2)], *squares(6000)()
            xp.cuda.Device().synchronize()  # the matrices are there before another stream reads them
            return operands

        row("la.inv_2x6000_two_streams", streams_and_matrices, on_streams)
    row("la.det_512", lambda: (matrix(512, 512) * f32(det_scale(size(512))),), lambda a: linalg.det(a))
    row("la.cholesky_4096", lambda: (definite(matrix(4096, 4096)),), lambda a: linalg.cholesky(a))
    for side in (64, 128, 256, 512, 1024, 2048):
        row(f"la.qr_{side}", one(side), lambda a: linalg.qr(a))
    row("la.svd_1024", one(1024), lambda a: linalg.svd(a, full_matrices=False))
    row("la.svdvals_1024", one(1024), lambda a: linalg.svd(a, compute_uv=False))
    row("la.eigh_1024", lambda: (symmetric(matrix(1024, 1024)),), lambda a: linalg.eigh(a))
    row("la.eigvalsh_1024", lambda: (symmetric(matrix(1024, 1024)),), lambda a: linalg.eigvalsh(a))
    row("la.eigvals_512", one(512), lambda a: linalg.eigvals(a))
    row("la.lstsq_svd_4096x512", lambda: (matrix(4096, 512), make(size(4096))),
        lambda a, b: linalg.lstsq(a, b, rcond=None))
    row("la.lstsq_svd_1e5x50", lambda: (make(size(10**5), 50), make(size(10**5))),
        lambda a, b: linalg.lstsq(a, b, rcond=None))
    row("la.pinv_512", one(512), lambda a: linalg.pinv(a))
    row("la.expm_512", lambda: (matrix(512, 512) * f32(32 / size(512)),), expm)
    for batch, side in BATCHES:
        name = f"{batch}x{side}"
        some = lambda b=batch, n=side: (stack(b, n, n),)
        row(f"la.solve_batch_{name}", lambda b=batch, n=side: (stack(b, n, n), make(size(b), size(n), 1)),
            lambda a, b: linalg.solve(a, b))
        row(f"la.inv_batch_{name}", some, lambda a: linalg.inv(a))
        if side < 512:
            row(f"la.det_batch_{name}", lambda b=batch, n=side: (stack(b, n, n) * f32(det_scale(size(n))),),
                lambda a: linalg.det(a))
        row(f"la.cholesky_batch_{name}", lambda b=batch, n=side: (definite(stack(b, n, n)),),
            lambda a: linalg.cholesky(a))
        row(f"la.qr_batch_{name}", some, lambda a: linalg.qr(a))
        row(f"la.svd_batch_{name}", some, lambda a: linalg.svd(a, full_matrices=False))
        row(f"la.eigh_batch_{name}", lambda b=batch, n=side: (symmetric(stack(b, n, n)),),
            lambda a: linalg.eigh(a))


def torch_rows(torch, make):
    """PyTorch's rows."""
    f64, f16, bf16, c64 = torch.float64, torch.float16, torch.bfloat16, torch.complex64
    f32, linalg, settings = torch.float32, torch.linalg, torch.backends.cuda.matmul
    settings.allow_tf32 = False
    # gnd adds products of float16 and bfloat16 up in float32.
    settings.allow_fp16_reduced_precision_reduction = settings.allow_bf16_reduced_precision_reduction = False
    # float32 sums, as gnd's; the products of these rows are no slower for it.
    settings.allow_fp16_reduced_precision_reduction = False
    settings.allow_bf16_reduced_precision_reduction = False

    def matrix(rows, columns, dtype=f32):
        return make(size(rows), size(columns), dtype=dtype)

    def stack(batch, rows, columns):
        return make(size(batch), size(rows), size(columns))

    def squares(side, dtype=f32):
        return lambda: (matrix(side, side, dtype), matrix(side, side, dtype))

    def matmul_tf32(x, y):
        settings.allow_tf32 = True
        x @ y
        settings.allow_tf32 = False

    def inner():
        start, end = size(256), size(256) + size(4096)
        return matrix(4096 + 512, 4096 + 512)[start:end, start:end], matrix(4096, 4096)

    def chain():
        return matrix(4096, 16), matrix(16, 4096), matrix(4096, 16)

    def attention():
        return tuple(make(size(16), size(512), 16, 64) for _ in range(2))

    def einsum(subscripts):
        return lambda *arrays: torch.einsum(subscripts, *arrays)

    def symmetric(a, shift=0):
        return a + a.mT + shift * torch.eye(a.shape[-1])

    def definite(a):
        return symmetric(a, 2 * a.shape[-1])

    def one(side):
        return lambda: (matrix(side, side),)

    def on_streams(streams, a, b):
        for stream, x in zip(streams, (a, b)):
            with torch.cuda.stream(stream):
                linalg.inv_ex(x)

    def streams_and_matrices():
        operands = [torch.cuda.Stream() for _ in range(2)], *squares(6000)()
        torch.cuda.synchronize()  # the matrices are there before another stream reads them
        return operands

    matmul = torch.matmul
    rows = {
        "small.matmul_64": (lambda: (make(64, 64), make(64, 64)), matmul),
        "la.matmul_4096_float32": (squares(4096), matmul),
        "la.matmulT_4096_float32": (lambda: (matrix(4096, 4096).T, matrix(4096, 4096)), matmul),
        "la.matmul_inner_4096_float32": (inner, matmul),
        "la.matmul_strided2_4096_float32": (
            lambda: (make(size(4096), 2 * size(4096))[:, ::2], matrix(4096, 4096)), matmul),
        "la.matmul_4096_tf32": (squares(4096), matmul_tf32),
        "la.matmul_4096_float64": (squares(4096, f64), matmul),
        "la.matmul_4096_float16": (squares(4096, f16), matmul),
        "la.matmul_4096_bfloat16": (squares(4096, bf16), matmul),
        "la.matmul_4096_complex64": (squares(4096, c64), matmul),
        "la.bmm_1000x2x4x5": (lambda: (stack(1000, 2, 4), stack(1000, 4, 5)), matmul),
        "la.bmm_10000x32_one_matrix": (lambda: (stack(10000, 32, 32), matrix(32, 32)), matmul),
        "la.matvec_1e4x1e4": (lambda: (matrix(SIDE, SIDE), make(size(SIDE))), torch.mv),
        "la.vecmat_1e4x1e4": (lambda: (matrix(SIDE, SIDE), make(size(SIDE))), lambda x, y: torch.mv(x.T, y)),
        "la.dot_1e8": (lambda: (make(size(N)), make(size(N))), torch.dot),
        "la.outer_1e4": (lambda: (make(size(SIDE)), make(size(SIDE))), torch.outer),
        "la.kron_100x100": (squares(100), torch.kron),
        "la.multi_dot_4096x16": (chain, lambda x, y, z: linalg.multi_dot((x, y, z))),
        "la.einsum_matmul_4096": (squares(4096), einsum("ij,jk->ik")),
        "la.einsum_batch_10000x32": (lambda: (stack(10000, 32, 32), stack(10000, 32, 32)),
                                     einsum("bij,bjk->bik")),
        "la.einsum_frobenius_1e4x1e4": (squares(SIDE), einsum("ij,ij->")),
        "la.einsum_attention_16x512x16x64": (attention, einsum("bqhd,bkhd->bhqk")),
        "la.einsum_chain_4096x16": (chain, einsum("ij,jk,kl->il")),
        "la.einsum_permuted_256": (lambda: (stack(256, 256, 256), stack(256, 256, 256)),
                                   einsum("ijk,jil->kl")),
        "la.einsum_diagonal_1e4x1e4": (squares(SIDE), lambda x, y: torch.einsum("ii->i", x)),
        "la.solve_4096": (lambda: (matrix(4096, 4096), make(size(4096))), linalg.solve_ex),
        "la.inv_6000": (one(6000), linalg.inv_ex),
        "la.inv_2x6000": (squares(6000), lambda a, b: (linalg.inv_ex(a), linalg.inv_ex(b))),
        "la.inv_2x6000_two_streams": (streams_and_matrices, on_streams),
        "la.det_512": (lambda: (matrix(512, 512) * det_scale(size(512)),), linalg.det),
        "la.cholesky_4096": (lambda: (definite(matrix(4096, 4096)),), linalg.cholesky_ex),
        "la.svd_1024": (one(1024), lambda a: linalg.svd(a, full_matrices=False)),
        "la.svdvals_1024": (one(1024), linalg.svdvals),
        "la.eigh_1024": (lambda: (symmetric(matrix(1024, 1024)),), linalg.eigh),
        "la.eigvalsh_1024": (lambda: (symmetric(matrix(1024, 1024)),), linalg.eigvalsh),
        "la.eigvals_512": (one(512), linalg.eigvals),
        "la.lstsq_4096x512": (lambda: (matrix(4096, 512), make(size(4096), 1)), linalg.lstsq),
        "la.lstsq_1e5x50": (lambda: (make(size(10**5), 50), make(size(10**5), 1)), linalg.lstsq),
        "la.pinv_512": (one(512), linalg.pinv),
        "la.expm_512": (lambda: (matrix(512, 512) * (32 / size(512)),), linalg.matrix_exp),
    }
    for side in (64, 128, 256, 512, 1024, 2048):
        rows[f"la.qr_{side}"] = (one(side), linalg.qr)
    for batch, side in BATCHES:
        name = f"{batch}x{side}"
        some = lambda b=batch, n=side: (stack(b, n, n),)
        rows[f"la.bmm_{name}"] = (lambda b=batch, n=side: (stack(b, n, n), stack(b, n, n)), matmul)
        rows[f"la.solve_batch_{name}"] = (
            lambda b=batch, n=side: (stack(b, n, n), make(size(b), size(n), 1)), linalg.solve_ex)
        rows[f"la.inv_batch_{name}"] = (some, linalg.inv_ex)
        if side < 512:
            rows[f"la.det_batch_{name}"] = (
                lambda b=batch, n=side: (stack(b, n, n) * det_scale(size(n)),), linalg.det)
        rows[f"la.cholesky_batch_{name}"] = (
            lambda b=batch, n=side: (definite(stack(b, n, n)),), linalg.cholesky_ex)
        rows[f"la.qr_batch_{name}"] = (some, linalg.qr)
        rows[f"la.svd_batch_{name}"] = (some, lambda a: linalg.svd(a, full_matrices=False))
        rows[f"la.eigh_batch_{name}"] = (lambda b=batch, n=side: (symmetric(stack(b, n, n)),), linalg.eigh)
    return rows
