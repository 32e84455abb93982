"""The peers' rows of rows_products.c and rows_linalg.c, by the same names (peers_rows.py): each peer's best form of the
same work, without TF32 unless the row's name says so. PyTorch's are the forms that do not wait to learn whether a
matrix was singular (solve_ex, inv_ex, cholesky_ex), as gnd does not wait.

A function that a peer lacks makes no row for it: NumPy multiplies float16 in a plain loop, PyTorch no integers on the
GPU.
"""

import math

ORDERS = ("64", "128", "256", "512", "1024", "2048")
BATCHES = ("10000x32", "1000x128", "64x512")


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
    row("small.matmul_64", xp.matmul)
    row("la.matmul_4096_float32", xp.matmul)
    row("la.matmulT_4096_float32", xp.matmul, lambda x, y: (x.T, y))
    row("la.matmul_inner_4096_float32", xp.matmul, inner)
    row("la.matmul_strided2_4096_float32", xp.matmul, every_other_column)
    row("la.matmul_4096_float64", xp.matmul)
    if not is_numpy:
        row("la.matmul_4096_float16", xp.matmul)
    row("la.matmul_4096_complex64", xp.matmul)
    for dtype in ("int8", "int32", "int64"):
        row(f"la.matmul_2048_{dtype}", xp.matmul)
    row("la.bmm_1000x2x4x5", xp.matmul)
    for name in BATCHES:
        row(f"la.bmm_{name}", xp.matmul)
    row("la.bmm_10000x32_one_matrix", xp.matmul)
    row("la.matvec_1e4x1e4", xp.matmul)
    row("la.vecmat_1e4x1e4", lambda x, y: xp.matmul(y, x))
    row("la.dot_1e8", xp.dot)
    row("la.outer_1e4", xp.outer)
    row("la.kron_100x100", xp.kron)
    # Without a multi_dot the order that one would choose, by hand.
    has_multi_dot = hasattr(linalg, "multi_dot")
    row("la.multi_dot_4096x16", lambda x, y, z: linalg.multi_dot((x, y, z)) if has_multi_dot else x @ (y @ z))

    def einsum(subscripts):
        return lambda *arrays: xp.einsum(subscripts, *arrays, optimize=True)

    row("la.einsum_matmul_4096", einsum("ij,jk->ik"))
    row("la.einsum_batch_10000x32", einsum("bij,bjk->bik"))
    row("la.einsum_frobenius_1e4x1e4", einsum("ij,ij->"))
    row("la.einsum_attention_16x512x16x64", einsum("bqhd,bkhd->bhqk"))
    row("la.einsum_chain_4096x16", einsum("ij,jk,kl->il"))
    row("la.einsum_permuted_256", einsum("ijk,jil->kl"))
    row("la.einsum_diagonal_1e4x1e4", lambda x: xp.einsum("ii->i", x))

    # Solving and decomposing.
    def symmetric(a, shift=0):
        return (a + xp.swapaxes(a, -1, -2) + f32(shift) * xp.eye(a.shape[-1], dtype=f32),)

    def definite(a):
        return symmetric(a, 2 * a.shape[-1])

    row("la.solve_4096", linalg.solve)
    row("la.inv_6000", linalg.inv)
    row("la.inv_2x6000", lambda a, b: (linalg.inv(a), linalg.inv(b)))
    if is_numpy:
        row("la.inv_2x6000_two_streams", lambda a, b: (linalg.inv(a), linalg.inv(b)))
    else:
        def on_streams(streams, a, b):
            for stream, x in zip(streams, (a, b)):
                with stream:
                    linalg.inv(x)

        def streams_and_matrices(a, b):
            xp.cuda.Device().synchronize()  # the matrices are there before another stream reads them
            return [xp.cuda.Stream(non_blocking=True) for _ in range(2)], a, b

        row("la.inv_2x6000_two_streams", on_streams, streams_and_matrices)
    row("la.det_512", linalg.det, lambda a: (scaled(a)[0].astype(f32),))
    row("la.cholesky_4096", linalg.cholesky, definite)
    for order in ORDERS:
        row(f"la.qr_{order}", linalg.qr)
    row("la.svd_1024", lambda a: linalg.svd(a, full_matrices=False))
    row("la.svdvals_1024", lambda a: linalg.svd(a, compute_uv=False))
    row("la.eigh_1024", linalg.eigh, symmetric)
    row("la.eigvalsh_1024", linalg.eigvalsh, symmetric)
    row("la.eigvals_512", lambda a: linalg.eigvals(a))
    row("la.lstsq_svd_4096x512", lambda a, b: linalg.lstsq(a, b, rcond=None))
    row("la.lstsq_svd_1e5x50", lambda a, b: linalg.lstsq(a, b, rcond=None))
    row("la.pinv_512", linalg.pinv)
    row("la.expm_512", expm, lambda a: (exponents(a)[0].astype(f32),))
    for name in BATCHES:
        row(f"la.solve_batch_{name}", linalg.solve)
        row(f"la.inv_batch_{name}", linalg.inv)
        if name != "64x512":
            row(f"la.det_batch_{name}", linalg.det, lambda a: (scaled(a)[0].astype(f32),))
        row(f"la.cholesky_batch_{name}", linalg.cholesky, definite)
        row(f"la.qr_batch_{name}", linalg.qr)
        row(f"la.svd_batch_{name}", lambda a: linalg.svd(a, full_matrices=False))
        row(f"la.eigh_batch_{name}", linalg.eigh, symmetric)


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

    row("small.matmul_64", matmul)
    row("la.matmul_4096_float32", matmul)
    row("la.matmulT_4096_float32", matmul, lambda x, y: (x.T, y))
    row("la.matmul_inner_4096_float32", matmul, inner)
    row("la.matmul_strided2_4096_float32", matmul, every_other_column)
    row("la.matmul_4096_tf32", matmul_tf32)
    for dtype in ("float64", "float16", "bfloat16", "complex64"):
        row(f"la.matmul_4096_{dtype}", matmul)
    row("la.bmm_1000x2x4x5", matmul)
    row("la.bmm_10000x32_one_matrix", matmul)
    row("la.matvec_1e4x1e4", torch.mv)
    row("la.vecmat_1e4x1e4", lambda x, y: torch.mv(x.T, y))
    row("la.dot_1e8", torch.dot)
    row("la.outer_1e4", torch.outer)
    row("la.kron_100x100", torch.kron)
    row("la.multi_dot_4096x16", lambda x, y, z: linalg.multi_dot((x, y, z)))
    row("la.einsum_matmul_4096", einsum("ij,jk->ik"))
    row("la.einsum_batch_10000x32", einsum("bij,bjk->bik"))
    row("la.einsum_frobenius_1e4x1e4", einsum("ij,ij->"))
    row("la.einsum_attention_16x512x16x64", einsum("bqhd,bkhd->bhqk"))
    row("la.einsum_chain_4096x16", einsum("ij,jk,kl->il"))
    row("la.einsum_permuted_256", einsum("ijk,jil->kl"))
    row("la.einsum_diagonal_1e4x1e4", lambda x: torch.einsum("ii->i", x))
    row("la.solve_4096", linalg.solve_ex)
    row("la.inv_6000", linalg.inv_ex)
    row("la.inv_2x6000", lambda a, b: (linalg.inv_ex(a), linalg.inv_ex(b)))
    row("la.inv_2x6000_two_streams", on_streams, streams_and_matrices)
    row("la.det_512", linalg.det, scaled)
    row("la.cholesky_4096", linalg.cholesky_ex, definite)
    row("la.svd_1024", lambda a: linalg.svd(a, full_matrices=False))
    row("la.svdvals_1024", linalg.svdvals)
    row("la.eigh_1024", linalg.eigh, symmetric)
    row("la.eigvalsh_1024", linalg.eigvalsh, symmetric)
    row("la.eigvals_512", linalg.eigvals)
    row("la.lstsq_4096x512", linalg.lstsq, column)
    row("la.lstsq_1e5x50", linalg.lstsq, column)
    row("la.pinv_512", linalg.pinv)
    row("la.expm_512", linalg.matrix_exp, exponents)
    for order in ORDERS:
        row(f"la.qr_{order}", linalg.qr)
    for name in BATCHES:
        row(f"la.bmm_{name}", matmul)
        row(f"la.solve_batch_{name}", linalg.solve_ex)
        row(f"la.inv_batch_{name}", linalg.inv_ex)
        if name != "64x512":
            row(f"la.det_batch_{name}", linalg.det, scaled)
        row(f"la.cholesky_batch_{name}", linalg.cholesky_ex, definite)
        row(f"la.qr_batch_{name}", linalg.qr)
        row(f"la.svd_batch_{name}", lambda a: linalg.svd(a, full_matrices=False))
        row(f"la.eigh_batch_{name}", linalg.eigh, symmetric)
