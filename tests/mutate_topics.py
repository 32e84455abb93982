"""mutate_topics.py: which tests look at which source, for mutate.py.

A topic is the name of a C test program (tests/test_<topic>.c), of a file of the oracle
(tests/oracle/test_<topic>.py), or of both. The first row that a path matches says its topics.
"""

import re

ROWS = [
    # core
    (r"core/alloc", "core pool memory"),
    (r"core/dtype", "dtype cast core"),
    (r"core/environment", "environment runtime"),
    (r"core/lock", "threads fork stream core"),
    (r"core/loose|math/truths", "bool_bytes"),
    (r"core/overlap", "compare apply assign"),
    (r"core/(shape|slice|view)", "view core rearrange index"),
    (r"core/text", "core print view"),
    (r"core/(array|core|error|leaks|scope|version)", "core view memory threads compare"),
    # runtime
    (r"runtime/(backend_cpu|backend_kernels|device|build|library|fault|runtime)", "runtime transfer stream memory"),
    (r"runtime/benchmark", "benchmark"),
    (r"runtime/(event|stream|order)", "stream threads runtime"),
    (r"runtime/(mailbox|pending)", "runtime masks fuse_late"),
    (r"runtime/(memory|pool)", "pool memory core"),
    (r"runtime/parallel", "threads reproducible runtime fft_threads"),
    (r"runtime/(traced|nvtx)", "nvtx"),
    (r"runtime/user_kernels", "kernel module"),
    # compiling at run time, kernels of the user's own
    (r"jit/", "jit kernel"),
    (r"kernel/module", "module kernel"),
    (r"kernel/|kernels/user_", "kernel module"),
    # elementwise
    (r"math/(asarray|assign)", "assign"),
    (r"math/callback", "compare callback"),
    (r"math/calculus", "calculus"),
    (r"math/compare", "compare"),
    (r"math/(create|range)|cpu/sequence", "create"),
    (r"math/(item|transfer)", "transfer"),
    (r"math/reshape", "view rearrange"),
    (r"math/(elementwise|record)|cpu/(elementwise|dense|family|moves|isa|with_storage|cpu_)|kernels/(plan|ops|op_sets)",
     "elementwise apply cast operators"),
    (r"kernels/scalar", "operators cast elementwise"),
    # reductions, scans, statistics, the operators' methods
    (r"math/quantile|(cpu|kernels)/select", "quantile"),
    (r"(cpu|kernels)/product", "complex_products"),
    (r"math/reduce|(cpu|kernels)/reduce", "reduce reduce_more folds_random geometry accuracy"),
    (r"math/scan|(cpu|kernels)/scan", "scan folds_random geometry"),
    (r"math/statistics", "statistics"),
    (r"math/ufunc|(cpu|kernels)/(operator|segment)", "ufunc scan"),
    # rearranging and indexing
    (r"rearrange/pad", "pad"),
    (r"rearrange/bits|(cpu|kernels)/bits", "bits"),
    (r"rearrange/(join|block|split)", "rearrange join"),
    (r"rearrange/", "rearrange join"),
    (r"index/(mask|compact|nonzero)|(cpu|kernels)/compact", "masks index_functions"),
    (r"index/(choose|places)", "index_functions"),
    (r"index/ufunc_at|(cpu|kernels)/scatter", "ufunc index"),
    (r"index/|(cpu|kernels)/(index|indices)", "index index_functions masks"),
    # ordering and counting
    (r"sort/(bincount|histogram)|(cpu|kernels)/histogram", "histogram"),
    (r"sort/(search|at_indices)|(cpu|kernels)/search", "search interp"),
    (r"sort/sets|(cpu|kernels)/member", "sets"),
    (r"sort/|(cpu|kernels)/sort", "sort sets"),
    # signals
    (r"signal/interp", "interp search"),
    (r"signal/|(cpu|kernels)/correlate", "signal"),
    # linear algebra
    (r"linalg/einsum", "einsum"),
    (r"linalg/(matmul|products|multi_dot)|(cpu|kernels)/matmul|cpu/openblas", "products einsum"),
    (r"linalg/(decompose|eigen|qr|svd)", "decompose svd"),
    (r"linalg/expm", "expm"),
    (r"linalg/(lstsq|rank)", "lstsq norms solve"),
    (r"linalg/norms", "norms"),
    (r"linalg/", "solve norms"),
    (r"(cpu|kernels)/lapack", "solve decompose svd lstsq"),
    # transforms
    (r"fft/cosine", "dct"),
    (r"fft/convolve", "fftconvolve"),
    (r"fft/|(cpu|kernels)/fft", "fft fft_threads dct"),
    # random numbers
    (r"random/random_multivariate|kernels/random_multivariate", "random_multivariate"),
    (r"random/random_(choice|order)", "random random_order"),
    (r"random/random_distributions|kernels/random_(count|discrete|gamma|rows|simple|ties)|cpu/random_(ties|loops|fam)",
     "random random_distributions random_multivariate"),
    (r"random/|(cpu|kernels)/random", "random random_distributions random_order"),
    # fusion
    (r"fuse/|(cpu|kernels)/fuse", "fuse fuse_executor fuse_late fuse_lines fuse_random"),
    # files and text
    (r"io/(decimal|print)", "print text"),
    (r"io/dlpack", "dlpack"),
    (r"io/(file|pieces)", "files npy text sound saves endless"),
    (r"io/(image|png|pnm|npz|raw)", "files saves"),
    (r"io/npy", "npy files"),
    (r"io/text", "text endless"),
    (r"io/wav", "sound"),
]


def tests_of(path, tests):
    """The names of the test files of a source, C programs first; `tests` is their directory."""
    for pattern, topics in ROWS:
        if re.search("src/(.*/)?" + pattern, path):
            names = [f"test_{topic}.c" for topic in topics.split()]
            names += [f"oracle/test_{topic}.py" for topic in topics.split()]
            return [name for name in names if (tests / name).exists()]
    return []
