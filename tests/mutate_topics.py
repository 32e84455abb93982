"""mutate_topics.py: which tests look at which source, for mutate.py and ./dev test.

A topic is the name of a C test program (tests/c/*/test_<topic>.c), of a file of the oracle
(tests/oracle/*/test_<topic>.py), or of both. The first row that a path matches says its topics. A row's pattern is the
beginning of a folder's or a file's name, so that it holds for a topic's folder and for files of the topic elsewhere.
"""

import pathlib
import re
import sys

ROWS = [
    # The array itself.
    (r"ndimage/", "image_filters interpolation morphology fourier_filters distance"),
    (r"alloc", "core pool memory faults"),
    (r"dtype", "dtype cast core"),
    (r"environment", "environment runtime"),
    (r"lock", "threads fork stream core"),
    (r"loose|truths", "bool_bytes"),
    (r"overlap", "compare apply assign"),
    (r"slice", "view core index"),
    (r"core/axes|(shape|view|reshape)\.", "view core rearrange index many_axes"),
    (r"(core|jit|io|runtime)/text\.", "core print view jit kernel"),
    (r"(array|core|error|leaks|scope|version)\.", "core view memory threads compare names released"),
    # The second library.
    (r"dist/(mesh|exchange|launch|transport)", "mesh"),
    (r"dist/(align|apply|reduce)", "dist_math"),
    (r"dist/files", "dist_files"),
    (r"dist/histogram", "dist_histogram"),
    (r"dist/quantile", "dist_quantile"),
    (r"dist/random", "dist_random"),
    (r"dist/scan", "dist_scan"),
    (r"dist/convolve", "dist_convolve"),
    (r"dist/(index|mask)", "dist_index"),
    (r"dist/(group|sort/)", "dist_sort dist_index"),
    (r"dist/fft", "dist_fft"),
    (r"dist/linalg/(cg|matmul|partial)", "dist_linalg"),
    (r"dist/linalg/", "dist_solve"),
    (r"dist/", "distributed dist_math mesh"),
    # Running on a device.
    (r"fault\.", "runtime refused masks index_functions ufunc"),
    (r"runtime/(device|build|hooks|lost|runtime|c(pu|uda)/device)|backend/", "runtime transfer stream memory fork"),
    (r"runtime/graph|recorded", "graph"),
    (r"runtime/native", "native"),
    (r"runtime/source|shared_cpu|ipc", "sources"),
    (r"libraries/", "runtime solve fft"),
    (r"benchmark", "benchmark"),
    (r"event|stream|order\.|foreign", "stream threads runtime"),
    (r"mailbox|pending", "runtime masks fuse_late"),
    (r"memory|pool|poison", "pool memory core faults"),
    (r"parallel", "threads reproducible runtime fft_threads"),
    (r"traced|nvtx", "nvtx"),
    # Compiling at run time, and users' kernels.
    (r"jit/", "jit kernel module"),
    (r"module", "module kernel"),
    (r"user_", "kernel module thrown"),
    # Fusion.
    (r"fuse", "fuse fuse_executor fuse_late fuse_lines fuse_random power"),
    # Reductions, scans, statistics, the operators' methods. Before elementwise: their rows name files of its folder.
    (r"quantile|select", "quantile"),
    (r"reduceat|operator|segment|bit_folds", "ufunc scan operator_folds"),
    (r"ufunc_at|scatter", "ufunc index"),
    (r"ufunc|kernels/ops/fold_loop", "ufunc scan"),
    (r"reduce", "reduce reduce_more folds_random geometry accuracy running"),
    (r"scan", "scan folds_random geometry running"),
    (r"statistics", "statistics"),
    (r"calculus|gradient", "calculus"),
    # Rearranging and indexing.
    (r"pad", "pad"),
    (r"bits", "bits"),
    (r"repeat_insert", "rearrange index_functions search"),
    (r"windows/", "windows filter_design"),
    (r"block|grid|insert|join|repeat|roll|split|triangle|window|rearrange", "rearrange join many_axes"),
    (r"mask|compact|nonzero", "masks index_functions"),
    (r"choose|index/indices", "index_functions"),
    (r"repeat_insert", "rearrange index_functions search"),
    (r"search", "search interp"),
    (r"index|indices|get_set|items|take", "index index_functions masks"),
    # Ordering and counting.
    (r"bincount|histogram", "histogram"),
    (r"sets|member|isin", "sets"),
    (r"sort|lexsort|line\.", "sort sets"),
    # Signals.
    (r"interp", "interp search"),
    (r"polynomial", "polynomial"),
    (r"filter_design", "filter_design filter_conversions filter_responses filter_faults"),
    (r"systems/place", "system_responses"),
    (r"systems/(simulate|discretize|matrices)", "simulation systems system_responses"),
    (r"systems/", "systems system_responses system_faults"),
    (r"convolve/.*(order_|median_|wiener)|convolve/order\.", "median"),
    (r"peaks/", "peaks"),
    (r"labels/", "labels measurements watershed"),
    (r"samples/|file_part", "samples sigmf"),
    (r"radar/", "radar"),
    (r"kalman/", "kalman"),
    (r"audio/", "audio"),
    (r"waveforms/", "waveforms wavelets"),
    (r"splines/", "splines"),
    (r"transforms/", "transforms"),
    (r"waveforms/", "waveforms wavelets splines"),
    (r"convolve/.*volterra", "volterra"),
    (r"convolve/", "convolve signal volterra"),
    (r"filter/", "filter"),
    (r"resample/.*channelize", "channelize rate_stream"),
    (r"resample/(rate_stream|.*chunk)", "rate_stream spectral_stream"),
    (r"resample/", "resample resample_fourier"),
    (r"spectral/spectral_stream", "spectral_stream"),
    (r"spectral/(short_time_fft|dual_window)", "short_time_fft"),
    (r"spectral/(spectra\.|overlap|cpu/results|cpu/taper)", "spectra"),
    (r"spectral/", "spectral spectral_stream spectra short_time_fft"),
    (r"correlate|signal", "signal"),
    # Linear algebra.
    (r"einsum", "einsum"),
    (r"matmul|products|multi_dot|openblas", "products matmul_into einsum"),
    (r"decompose|eigen|qr|svd", "decompose svd"),
    (r"expm", "expm"),
    (r"lstsq|rank|tall", "lstsq norms solve"),
    (r"norms", "norms"),
    (r"lapack", "solve decompose svd lstsq"),
    (r"linalg", "solve norms"),
    # Transforms.
    (r"cosine", "dct"),
    (r"convolve", "fftconvolve"),
    (r"fft", "fft fft_threads dct"),
    # Random numbers.
    (r"random_multivariate", "random_multivariate"),
    (r"random_(choice|order)", "random random_order"),
    (r"random_part", "random_part dist_random"),
    (r"io/npy_part", "npy_part dist_files"),
    (r"random_(distributions|count|discrete|gamma|rows|simple|ties|loops|fam)",
     "random random_distributions random_multivariate more_random"),
    (r"random", "random random_distributions random_order more_random"),
    # Files and text.
    (r"decimal|print", "print text"),
    (r"dlpack", "dlpack"),
    (r"file|pieces", "files npy text sound saves endless"),
    (r"image|png|pnm|jpeg|tiff|fits|npz|raw", "files saves pictures"),
    (r"npy", "npy files"),
    (r"io/text", "text endless"),
    (r"wav", "sound"),
    # Elementwise, last: what the other topics share.
    (r"special_functions/|scalar/special_|cpu/special_loops|cuda/special_", "special special_axes"),
    (r"asarray|assign", "assign compare elementwise"),
    (r"callback|call_result", "compare callback"),
    (r"compare", "compare"),
    (r"create|range|sequence", "create"),
    (r"item|transfer", "transfer"),
    (r"half_turns", "windows waveforms"),
    (r"scalar_", "operators cast elementwise power"),
    (r"elementwise|record|dense|family|moves|isa|with_storage|cpu_|vector|one_step|repeated|plan|ops|op_sets|kernels",
     "elementwise apply cast operators power many_axes"),
]


def files_of(topics, tests, folder="*"):
    """The test files of topics, C programs first, relative to `tests`: all of them, or those in folders of one name."""
    patterns = [f"c/{folder}/test_{topic}.c" for topic in topics]
    patterns += [f"oracle/{folder}/test_{topic}.py" for topic in topics]
    return [path.relative_to(tests).as_posix() for pattern in patterns for path in sorted(tests.glob(pattern))]


def tests_of(path, tests):
    """The names of the test files of a source, C programs first; `tests` is their directory."""
    for pattern, topics in ROWS:
        if re.match(f"src/(.*/)?({pattern})", path):
            return files_of(topics.split(), tests)
    return []


def tests_named(name, tests):
    """The tests of that name; or, of a folder, those in it and those of the sources in src's folder of that name."""
    named = files_of([name], tests)
    if named or not name:
        return named
    sources = (tests.parent / "src" / name).rglob("*.[ch]*")
    paths = sorted(path.relative_to(tests.parent).as_posix() for path in sources)
    found = [test for path in paths for test in tests_of(path, tests)]
    return list(dict.fromkeys(files_of(["*"], tests, name) + found))


def main(names):
    """Prints the tests of the topics named, a line each; an unknown name is an error that lists the topics."""
    tests = pathlib.Path(__file__).resolve().parent
    found, unknown = [], []
    for name in names:
        named = tests_named(name, tests)
        found += named
        if not named:
            unknown.append(name)
    if unknown:
        every = [pathlib.PurePath(file) for file in files_of(["*"], tests)]
        topics = {file.stem.removeprefix("test_") for file in every} | {file.parent.name for file in every}
        topics |= {p.name for p in (tests.parent / "src").iterdir() if p.is_dir() and tests_named(p.name, tests)}
        print(f"no topic is called {', '.join(unknown)}. Topics: {' '.join(sorted(topics))}", file=sys.stderr)
        return 1
    print("\n".join(dict.fromkeys(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
