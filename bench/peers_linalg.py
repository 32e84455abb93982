"""The peers' rows of rows_products.c and rows_linalg.c, by the same names (peers_rows.py): each peer's best form of the
same work, without TF32 unless the row's name says so. PyTorch's are the forms that do not wait to learn whether a
matrix was singular (solve_ex, inv_ex, cholesky_ex), as gnd does not wait.

A function that a peer lacks makes no row for it: NumPy multiplies float16 in a plain loop, PyTorch no integers on the
GPU. `size` is what rows use that state no operands yet: sizes are small with GND_BENCH_SMALL=1, as in bench.c.
"""

import math
import os

N = 10**8
SIDE = 10**4
BATCHES = ((10000, 32), (1000, 128), (64, 512))
SMALL = os.environ.get("GND_BENCH_SMALL", "0") not in ("", "0")


def size(n):
    return n if not SMALL or n <= 16 else max(n // 32, 16)


def inner(x, y):
    start, end = (len(x) - len(y)) // 2, (len(x) + len(y)) // 2
    return x[start:end, start:end], y


def every_other_column(x, y):
    return x[:, ::2], y


def scaled(a):
    """Determinants are of the order of 1 then, which float32 can hold."""
    return (a * math.sqrt(12 * math.e / a.shape[-1]),)


def exponents(a):
    return (a * (32 / len(a)),)


def column(a, b):
    return a, b[:, None]


def array_rows(xp, row):
    """The rows of NumPy and CuPy, which share a language."""
    is_numpy = xp.__name__ == "numpy"
    f32, linalg = xp.float32, xp.linalg

    def expm(a):
        if is_numpy:
            from scipy.linalg import expm
        else:
            from cupyx.scipy.linalg import expm
        return expm(a)

    # Products.
    row.same("small.matmul_64", xp.matmul)
    row.same("la.matmul_4096_float32", xp.matmul)
    row.same("la.matmulT_4096_float32", xp.matmul, lambda x, y: (x.T, y))
    row.same("la.matmul_inner_4096_float32", xp.matmul, inner)
    row.same("la.matmul_strided2_4096_float32", xp.matmul, every_other_column)
    row.same("la.matmul_4096_float64", xp.matmul)
    if not is_numpy:
        row.same("la.matmul_4096_float16", xp.matmul)
    row.same("la.matmul_4096_complex64", xp.matmul)
    for dtype in ("int8", "int32", "int64"):
        row.same(f"la.matmul_2048_{dtype}", xp.matmul)
    row.same("la.bmm_1000x2x4x5", xp.matmul)
    for batch, side in BATCHES:
        row.same(f"la.bmm_{batch}x{side}", xp.matmul)
    row.same("la.bmm_10000x32_one_matrix", xp.matmul)
    row.same("la.matvec_1e4x1e4", xp.matmul)
    row.same("la.vecmat_1e4x1e4", lambda x, y: xp.matmul(y, x))
    row.same("la.dot_1e8", xp.dot)
    row.same("la.outer_1e4", xp.outer)
    row.same("la.kron_100x100", xp.kron)
    # Without a multi_dot the order that one would choose, by hand.
    has_multi_dot = hasattr(linalg, "multi_dot")
    row.same("la.multi_dot_4096x16", lambda x, y, z: linalg.multi_dot((x, y, z)) if has_multi_dot else x @ (y @ z))

    def einsum(subscripts):
        return lambda *arrays: xp.einsum(subscripts, *arrays, optimize=True)

    row.same("la.einsum_matmul_4096", einsum("ij,jk->ik"))
    row.same("la.einsum_batch_10000x32", einsum("bij,bjk->bik"))
    row.same("la.einsum_frobenius_1e4x1e4", einsum("ij,ij->"))
    row.same("la.einsum_attention_16x512x16x64", einsum("bqhd,bkhd->bhqk"))
    row.same("la.einsum_chain_4096x16", einsum("ij,jk,kl->il"))
    row.same("la.einsum_permuted_256", einsum("ijk,jil->kl"))
    row.same("la.einsum_diagonal_1e4x1e4", lambda x: xp.einsum("ii->i", x))

    # Solving and decomposing.
    def symmetric(a, shift=0):
        return (a + xp.swapaxes(a, -1, -2) + f32(shift) * xp.eye(a.shape[-1], dtype=f32),)

    def definite(a):
        return symmetric(a, 2 * a.shape[-1])

    row.same("la.solve_4096", linalg.solve)
    row.same("la.inv_6000", linalg.inv)
    row.same("la.inv_2x6000", lambda a, b: (linalg.inv(a), linalg.inv(b)))
    if is_numpy:
        row.same("la.inv_2x6000_two_streams", lambda a, b: (linalg.inv(a), linalg.inv(b)))
    else:
        def on_streams(streams, a, b):
            for stream, x in zip(streams, (a, b)):
                with stream:
                    linalg.inv(x)

        def streams_and_matrices(a, b):
            xp.cuda.Device().synchronize()  # the matrices are there before another stream reads them
            return [xp.cuda.Stream(non_blocking=True) for _ in range(2)], a, b

        row.same("la.inv_2x6000_two_streams", on_streams, streams_and_matrices)
    row.same("la.det_512", linalg.det, lambda a: (scaled(a)[0].astype(f32),))
    row.same("la.cholesky_4096", linalg.cholesky, definite)
    for side in (64, 128, 256, 512, 1024, 2048):
        row.same(f"la.qr_{side}", linalg.qr)
    row.same("la.svd_1024", lambda a: linalg.svd(a, full_matrices=False))
    row.same("la.svdvals_1024", lambda a: linalg.svd(a, compute_uv=False))
    row.same("la.eigh_1024", linalg.eigh, symmetric)
    row.same("la.eigvalsh_1024", linalg.eigvalsh, symmetric)
    row.same("la.eigvals_512", lambda a: linalg.eigvals(a))
    row.same("la.lstsq_svd_4096x512", lambda a, b: linalg.lstsq(a, b, rcond=None))
    row.same("la.lstsq_svd_1e5x50", lambda a, b: linalg.lstsq(a, b, rcond=None))
    row.same("la.pinv_512", linalg.pinv)
    row.same("la.expm_512", expm, lambda a: (exponents(a)[0].astype(f32),))
    for batch, side in BATCHES:
        name = f"{batch}x{side}"
        row.same(f"la.solve_batch_{name}", linalg.solve)
        row.same(f"la.inv_batch_{name}", linalg.inv)
        if side < 512:
            row.same(f"la.det_batch_{name}", linalg.det, lambda a: (scaled(a)[0].astype(f32),))
        row.same(f"la.cholesky_batch_{name}", linalg.cholesky, definite)
        row.same(f"la.qr_batch_{name}", linalg.qr)
        row.same(f"la.svd_batch_{name}", lambda a: linalg.svd(a, full_matrices=False))
        row.same(f"la.eigh_batch_{name}", linalg.eigh, symmetric)


def torch_rows(torch, row):
    """PyTorch's rows."""
    linalg, settings, matmul = torch.linalg, torch.backends.cuda.matmul, torch.matmul
    settings.allow_tf32 = False
    # float32 sums of float16 and bfloat16, as gnd's; the products of these rows are no slower for it.
    settings.allow_fp16_reduced_precision_reduction = settings.allow_bf16_reduced_precision_reduction = False

    def matmul_tf32(x, y):
        settings.allow_tf32 = True
        x @ y
        settings.allow_tf32 = False

    def einsum(subscripts):
        return lambda *arrays: torch.einsum(subscripts, *arrays)

    def symmetric(a, shift=0):
        return (a + a.mT + shift * torch.eye(a.shape[-1]),)

    def definite(a):
        return symmetric(a, 2 * a.shape[-1])

    def on_streams(streams, a, b):
        for stream, x in zip(streams, (a, b)):
            with torch.cuda.stream(stream):
                linalg.inv_ex(x)

    def streams_and_matrices(a, b):
        torch.cuda.synchronize()  # the matrices are there before another stream reads them
        return [torch.cuda.Stream() for _ in range(2)], a, b

    row.same("small.matmul_64", matmul)
    row.same("la.matmul_4096_float32", matmul)
    row.same("la.matmulT_4096_float32", matmul, lambda x, y: (x.T, y))
    row.same("la.matmul_inner_4096_float32", matmul, inner)
    row.same("la.matmul_strided2_4096_float32", matmul, every_other_column)
    row.same("la.matmul_4096_tf32", matmul_tf32)
    for dtype in ("float64", "float16", "bfloat16", "complex64"):
        row.same(f"la.matmul_4096_{dtype}", matmul)
    row.same("la.bmm_1000x2x4x5", matmul)
    row.same("la.bmm_10000x32_one_matrix", matmul)
    row.same("la.matvec_1e4x1e4", torch.mv)
    row.same("la.vecmat_1e4x1e4", lambda x, y: torch.mv(x.T, y))
    row.same("la.dot_1e8", torch.dot)
    row.same("la.outer_1e4", torch.outer)
    row.same("la.kron_100x100", torch.kron)
    row.same("la.multi_dot_4096x16", lambda x, y, z: linalg.multi_dot((x, y, z)))
    row.same("la.einsum_matmul_4096", einsum("ij,jk->ik"))
    row.same("la.einsum_batch_10000x32", einsum("bij,bjk->bik"))
    row.same("la.einsum_frobenius_1e4x1e4", einsum("ij,ij->"))
    row.same("la.einsum_attention_16x512x16x64", einsum("bqhd,bkhd->bhqk"))
    row.same("la.einsum_chain_4096x16", einsum("ij,jk,kl->il"))
    row.same("la.einsum_permuted_256", einsum("ijk,jil->kl"))
    row.same("la.einsum_diagonal_1e4x1e4", lambda x: torch.einsum("ii->i", x))
    row.same("la.solve_4096", linalg.solve_ex)
    row.same("la.inv_6000", linalg.inv_ex)
    row.same("la.inv_2x6000", lambda a, b: (linalg.inv_ex(a), linalg.inv_ex(b)))
    row.same("la.inv_2x6000_two_streams", on_streams, streams_and_matrices)
    row.same("la.det_512", linalg.det, scaled)
    row.same("la.cholesky_4096", linalg.cholesky_ex, definite)
    row.same("la.svd_1024", lambda a: linalg.svd(a, full_matrices=False))
    row.same("la.svdvals_1024", linalg.svdvals)
    row.same("la.eigh_1024", linalg.eigh, symmetric)
    row.same("la.eigvalsh_1024", linalg.eigvalsh, symmetric)
    row.same("la.eigvals_512", linalg.eigvals)
    row.same("la.lstsq_4096x512", linalg.lstsq, column)
    row.same("la.lstsq_1e5x50", linalg.lstsq, column)
    row.same("la.pinv_512", linalg.pinv)
    row.same("la.expm_512", linalg.matrix_exp, exponents)
    for side in (64, 128, 256, 512, 1024, 2048):
        row.same(f"la.qr_{side}", linalg.qr)
    for batch, side in BATCHES:
        name = f"{batch}x{side}"
        row.same(f"la.bmm_{name}", matmul)
        row.same(f"la.solve_batch_{name}", linalg.solve_ex)
        row.same(f"la.inv_batch_{name}", linalg.inv_ex)
        if side < 512:
            row.same(f"la.det_batch_{name}", linalg.det, scaled)
        row.same(f"la.cholesky_batch_{name}", linalg.cholesky_ex, definite)
        row.same(f"la.qr_batch_{name}", linalg.qr)
        row.same(f"la.svd_batch_{name}", lambda a: linalg.svd(a, full_matrices=False))
        row.same(f"la.eigh_batch_{name}", linalg.eigh, symmetric)
