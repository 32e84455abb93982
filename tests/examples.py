"""Runs a program of examples/ at a small size and holds what it prints against what is true.

    examples.py PROGRAM       run it as the table says, on the devices that GND_DEVICE lets it see
    examples.py --complete    every numbered example is in the table, has its page, and keeps to its length

The table has facts, not text: a pattern, and what the number in it must be, in every line that has it (a line
for each device, say). No time is looked at.
"""

import math
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "examples", "data")
WHOLE = 29  # programs from this number on are whole tasks, and may be longer


def text(pattern):
    """The output has this somewhere."""
    return lambda output: None if re.search(pattern, output, re.M) else f"no match for {pattern!r}"


def number(pattern, expected, tolerance=0.0):
    """The number in the pattern's group is this one, wherever the pattern is, and it is somewhere."""

    def check(output):
        found = [float(x) for x in re.findall(pattern, output, re.M)]
        wrong = [x for x in found if not abs(x - expected) <= tolerance]
        if not found:
            return f"no match for {pattern!r}"
        return f"{pattern!r}: {wrong}, not {expected} +- {tolerance}" if wrong else None

    return check


def at_most(pattern, limit):
    """The number is from 0 to the limit, wherever the pattern is."""
    return number(pattern, limit / 2, limit / 2)


def times(*names):
    """A table has a line for each of these, with a time above 0."""

    def check(output):
        for name in names:
            if not re.search(re.escape(name) + r" +(\d*[1-9]\d*\.\d+|0\.\d*[1-9]\d*)", output):
                return f"no time for {name!r}"
        return None

    return check


def same(pattern, count):
    """What is in the pattern's group is the same `count` times in a row, and then perhaps something else."""

    def check(output):
        found = re.findall(pattern, output, re.M)
        rows = [found[i : i + count] for i in range(0, len(found), count)]
        fine = rows and all(len(row) == count and len(set(row)) == 1 for row in rows)
        return None if fine else f"{pattern!r}: {found} should be {count} times the same"

    return check


def agree(pattern, tolerance):
    """The numbers in the pattern's group, wherever it is, are one number but for a part of it."""

    def check(output):
        found = [float(x) for x in re.findall(pattern, output, re.M)]
        fine = len(found) > 1 and max(found) - min(found) <= tolerance * max(map(abs, found))
        return None if fine else f"{pattern!r}: {found} should be nearly one"

    return check


def bars(output):
    """The longest bar of the sunspots' spectrum is that of eleven years."""
    lengths = {int(years): len(bar) for years, bar in re.findall(r"^ +(\d+)   (#*)$", output, re.M)}
    return None if lengths and max(lengths, key=lengths.get) == 11 else f"bars of {lengths}"


PI = math.pi


def normal(z):
    """The density of 04_gaussian_pdf at z standard deviations from its mean."""
    return math.exp(-0.5 * z * z) / (1.3 * math.sqrt(2 * PI))


# Each program's arguments ({data}: the folder of the data, {out}: an empty folder), and what it must print.
EXAMPLES = {
    "tour": (
        ["{data}/hubble_deep_field.pgm", "{out}"],
        [
            text(r"1000 x 872 pixels|872 x 1000 pixels"),
            text(r"^\d+ of 872000 pixels are bright\.$"),
            times("sky background of 8 x 8 tiles", "count them"),
        ],
    ),
    "01_arrays": (
        ["300"],
        [
            text(r"^\[\[ 0  1  2  3  4  5\]$"),
            text(r"^a\[1:3, ::2\] +int32 +shape \(2, 3\)  strides \(24, 8\)  a view$"),
            text(r"^a\[::-1, :\] +int32 +shape \(4, 6\)  strides \(-24, 4\)  a view$"),
            text(r"^a, transposed +int32 +shape \(6, 4\)  strides \(4, 24\)  a view$"),
            text(r"^a, a row 3 times +int32 +shape \(3, 6\)  strides \(0, 4\)  a view$"),
            text(r"^a, copied +int32 +shape \(4, 6\)  strides \(24, 4\)  memory of its own$"),
            text(r"^ \[-1  7 -1  9 -1 11\]$"),
            text(r"^ \[20 21 22 23 24\]\]$"),
            text(r"^\[30 33 36 39 42\]$"),
            text(r"^\[ 10  60 110\]$"),
            text(r"^180$"),
            times("transpose, copied"),
        ],
    ),
    "02_moving_data": (
        ["2e5"],
        [
            number(r"^x \. y / n = ([\d.]+)", 0.25, 5 / math.sqrt(200000)),
            times("on the device", "from the host, page-locked memory", "from the host, ordinary memory"),
        ],
    ),
    "03_slice_first": (
        ["256"],
        [
            text(r"256 x 4096 floats, 4 MB"),
            number(r"^all of it +([\d.]+) MB", 4.2),
            number(r"^(?:the first|every 32nd) (?:rows?|columns?) +([\d.]+) MB", 0.1),
        ],
    ),
    "04_gaussian_pdf": (
        ["120000"],
        [
            number(r"area ([\d.]+)", math.erf(6 / math.sqrt(2)), 2e-9),
            at_most(r"difference from the loop ([\d.e+-]+)", 1e-6),
            number(r"^ +0\.100 +([\d.]+)  #", normal(0), 2e-6),
            number(r"^ +1\.400 +([\d.]+)  #", normal(1), 2e-5),
            number(r"^ +-2\.500 +([\d.]+)  #", normal(2), 2e-5),
            times("a loop in C, one thread, float32", "operators, float32", "operators, float64"),
        ],
    ),
    "05_sort": (
        ["200"],
        [
            number(r"^smallest (-[\d.]+)", -1, 1e-3),
            number(r"median (-?[\d.]+)", 0, 5 / 200),
            number(r"largest ([\d.]+)$", 1, 1e-3),
            times("sort of all", "sort of each row", "argsort of all (the indices)"),
        ],
    ),
    "06_monte_carlo_pi": (
        ["1000000"],
        [
            number(r"^ +1000000 +([\d.]+) ", PI, 5 * math.sqrt(PI * (4 - PI) / 1e6)),
            number(r"^ +1000000 .* ([\d.]+)$", math.sqrt(PI * (4 - PI) / 1e6), 1e-7),
            number(r"^(\d+) of 1000000 points are inside", 1e6 * PI / 4, 5e3 * math.sqrt(PI / 4)),
            times("all points"),
        ],
    ),
    "07_blur": (
        ["128", "{out}/blur.pgm"],
        [
            text(r"^128 x 128 pixels"),
            text(r"^Every point became the filter"),
            times("15 x 15 products", "15 down and 15 across", "Fourier transforms"),
        ],
    ),
    "08_fusion": (
        ["40000"],
        [
            number(r"moves ([\d.]+) MB", 3 * 4 * 40000 / 1e6),
            text(r"subtract"),
            text(r"multiply|square"),
            times("(x - y)^2, fused", "Gaussian of x, fused", "sum of (x - y)^2, fused"),
        ],
    ),
    "09_zero_suppression": (
        ["200000"],
        [
            number(r": (\d+) of 200000 samples are left", 8000, 8),
            number(r"are left, ([\d.]+)%", 4, 0.01),
            text(r"each channel has 40 of 1000$"),
            times("where(|x| < t, 0, x)", "x[|x| < t] = 0 in a copy"),
        ],
    ),
    "10_pulses": (
        ["100000"],
        [
            number(r"([\d.]+)% of 100000 samples are left", 100 * (0.5 - math.asin(0.45) / PI), 2.7),
            number(r"of the sine alone it would be ([\d.]+)%", 100 * (0.5 - math.asin(0.45) / PI), 0.006),
            number(r"^ +0 +-?[\d.]+ +([\d.]+) *$", 0),
            number(r"^ +145 +([\d.]+) ", 100 * (math.sin(1.45) - 0.3), 15),
            times("a frame, fused", "a frame, operator by operator"),
        ],
    ),
    "11_hidden_layer": (
        ["20000"],
        [
            # The mean of tanh(u w) over u = 0, 1/255 ... 1 and normal w of mean 0.5 and deviation 0.1.
            number(r"^mean activation on the [CG]PU: ([\d.]+)$", 0.2392, 0.005),
            times("a round trip for each step", "on the device, into arrays", "in one launch"),
        ],
    ),
    "12_own_kernel": (
        ["128", "{out}/mandelbrot.pgm"],
        [
            number(r"^area on the [CG]PU: ([\d.]+)$", 1.52, 0.04),
            text(r"#{8}"),
            times("the first call", "each other call"),
        ],
    ),
    "13_polar_distance": (
        ["20000"],
        [
            # By quadrature of sqrt(r^2 + s^2 - 2 r s cos(t)) over radii in [0, 1) and angles.
            number(r"^mean distance on the [CG]PU: ([\d.]+);", 0.7249, 0.0125),
            at_most(r"differ by ([\d.e+-]+) at most$", 1e-5),
            times("kernel", "operators, fused"),
        ],
    ),
    "14_primes": (
        ["30000"],
        [
            number(r"^(\d+) of the numbers below 30000 are prime", 3245),
            text(r"^\[ ?2 +3 +5 +7 +11 +13 +17 +19 +23 +29\]$"),
            text(r"29989\]$"),
            times("all numbers asked, by the kernel"),
        ],
    ),
    "15_generalised_ufuncs": (
        ["300"],
        [
            text(r"\(300, 100\) -> \(300,\)"),
            # Of 100 uniform numbers in [-1, 1): nearly sqrt(100 / 3).
            number(r"of mean ([\d.]+);", math.sqrt(100 / 3), 0.1),
            text(r"matrices -> \(300, 8, 8\)$"),
            text(r"product: the core dimension n is 8, and b of shape \(3, 5, 8\)"),
            times("the length of each of the vectors", "products of 8 x 8", "products with one matrix"),
        ],
    ),
    "16_matmul": (
        ["192"],
        [
            at_most(r"^float64 +[\d.]+ +[\d.]+ +([\d.e+-]+)$", 1e-13),
            at_most(r"^float32 +[\d.]+ +[\d.]+ +([\d.e+-]+)$", 1e-5),
            at_most(r"^TF32 +[\d.]+ +[\d.]+ +([\d.e+-]+)$", 2e-3),
            at_most(r"^bfloat16 +[\d.]+ +[\d.]+ +([\d.e+-]+)$", 2e-2),
            at_most(r"^float16 +[\d.]+ +[\d.]+ +([\d.e+-]+)$", 2e-3),
        ],
    ),
    "17_batched_products": (
        ["50"],
        [
            at_most(r"^on the [CG]PU the ways differ by ([\d.e+-]+) at most$", 1e-6),
            text(r"^\[\[ ?-?\d\.\d+( +-?\d\.\d+){4}\]$"),
            times("one call of matmul", "one call of einsum", "a call of matmul for each"),
        ],
    ),
    "18_qr": (
        ["256"],
        [
            text(r"^ +64 +[\d.]+"),
            text(r"^ +256 +[\d.]+"),
            text(r"^Each a = q r was checked"),
        ],
    ),
    "19_det": (
        ["128"],
        [
            text(r"^det, call 5 +[\d.]+ ms"),
            same(r"^det, call \d +[\d.]+ ms +(-?[\d.e+-]+)$", 5),
            agree(r"^(?:det, call \d +[\d.]+ ms|by slogdet) +(-?[\d.e+-]+)$", 1e-3),
        ],
    ),
    "20_two_streams": (
        ["150"],
        [
            at_most(r"^(?:one stream|two streams) .* ([\d.e+-]+)$", 1e-3),
            text(r"^on two streams [\d.]+ times as fast$"),
        ],
    ),
    "21_fft_convolution": (
        ["15", "{data}/hubble_deep_field.pgm", "{out}/blurred.pgm"],
        [
            text(r"a line: 872000 pixels, a filter of 15 numbers"),
            text(r"a picture: 872000 pixels, a filter of 225 numbers"),
            text(r"a body: 872000 pixels, a filter of 3375 numbers"),
            at_most(r"difference from direct sums ([\d.e+-]+)$", 1e-2),
            times("a line", "a picture", "a body"),
        ],
    ),
    "22_sunspots": (
        ["8192", "{data}/sunspots.csv"],
        [
            number(r"^(\d+) years from 1700 on", 309),
            number(r"a cycle takes ([\d.]+) years", 11.0, 0.2),
            bars,
        ],
    ),
    "23_digits": (
        ["12", "{data}/digits.npy"],
        [
            number(r"^test accuracy on the [CG]PU: ([\d.]+)% of 360 digits", 97.5, 2.5),
            text(r"^ +12 +[\d.]+$"),
        ],
    ),
    "24_live_filter": (
        ["20"],
        [
            number(r"hum of ([\d.]+) before", 0.5, 0.02),
            at_most(r"before, ([\d.]+) after", 0.01),
            text(r"after; pieces and whole have the same bits$"),
            number(r"^ +1525 +-?[\d.]+ +([\d.]+)  #", 1.0, 0.15),  # the pulse, 0.5 s after its second began
            times("a piece of 100 samples, 16 channels", "a piece of 1000 samples", "the record as one piece"),
        ],
    ),
    "25_resample_wav": (
        ["3", "{out}"],
        [
            text(r"132300 samples became 144000 and 24000$"),
            at_most(r"the tone is wrong by ([\d.e+-]+) at most$", 1e-3),
            number(r"of the sweep ([\d.]+) is left below", 0.5, 0.01),
            at_most(r"below 4,000 Hz, ([\d.]+) above", 0.001),
            number(r"picked samples have ([\d.]+) there$", 0.5, 0.01),
            times("to 48,000 a second (160 / 147)", "to 8,000 a second (80 / 441)"),
        ],
    ),
    "26_edges": (
        ["128", "{data}/hubble_deep_field.pgm", "{out}/edges.png"],
        [
            number(r"the steepness is ([\d.]+) in the mean", 45.76, 0.02),
            number(r"in the mean, ([\d.]+) after the blur", 11.88, 0.02),
            number(r"after the blur; ([\d.]+)% of 872000 pixels", 17.82, 0.02),
            times("convolve2d, 15 x 15", "with the way there and back", "convolve, 15, of a line"),
        ],
    ),
    "27_lomb_scargle": (
        ["4096"],
        [
            number(r"the highest power is at frequency ([\d.]+)$", 1.0, 0.01),
            number(r"power at  0.01: +([\d.]+)$", 30.19, 0.01),
            number(r"power at  1.00: +([\d.]+)$", 1729.867, 0.001),
            number(r"power at 10.00: +([\d.]+)$", 10.4377, 0.001),
            times("float64", "float32"),
        ],
    ),
    "28_sky": (
        ["512", "{out}/sky.png"],
        [
            number(r"the background is ([\d.]+), its noise", 100.0, 0.1),
            number(r"its noise ([\d.]+), after", 2.0, 0.1),
            text(r"^42 sources, 42 of the 42 bright stars"),
            number(r"bright stars, with ([\d.]+)% of their light", 97, 2),
            at_most(r"centres are off by ([\d.]+) pixels", 0.05),
            times("background and noise", "label, light and centres"),
        ],
    ),
    "29_api_notebook": (
        ["1e5"],
        [
            at_most(r"^[CG]PU: (?:decimate|resample).* is what it must be but for ([\d.e+-]+)$", 5e-2),
            at_most(r"^[CG]PU: (?:wiener|hilbert).* is what it must be but for ([\d.e+-]+)$", 1e-9),
            text(r"^hilbert2, a square +[\d.]+ "),
        ],
    ),
    "30_signal_classifier": (
        ["128", "{out}"],
        [
            # By SciPy in float64, of a signal of 32,768 samples with one carrier.
            *(number(rf"^{mhz} MHz alone: top at bin (\d+), ", bin)
              for mhz, bin in enumerate((3277, 6554, 9831, 13108, 16382, 13107, 9830, 6553, 3276), 1)),
            *(number(rf"^{mhz} MHz alone: top at bin \d+, ([\d.]+)$", top, 6e-5)
              for mhz, top in enumerate((.50007, .50021, .49944, .39974, .0255, .39981, .49944, .50021, .50007), 1)),
            number(r"^([\d.]+)% of 200 signals that it never saw", 92.5, 7.5),
            at_most(r"^ +75 +([\d.]+)$", 0.5),
            number(r"of a new signal of 2 and 4 MHz: (\d) carriers$", 2),
        ],
    ),
    "31_discriminant": (
        ["100000"],
        [
            # b^2 >= 4 a c of three uniform numbers in [-1, 1): 41 / 72 + ln(2) / 12.
            number(r"^[CG]PU: ([\d.]+)% of 100000 equations", 100 * (41 / 72 + math.log(2) / 12), 1),
            times("from the host, pageable memory", "pinned memory, one stream", "pinned memory, two streams"),
        ],
    ),
    "32_mandelbrot": (
        ["200", "{out}/mandelbrot.png"],
        [
            number(r"^[CG]PU: ([\d.]+)% of 200 x 300 points take all 20 steps", 28.87, 0.2),
            at_most(r"take all 20 steps; (\d+) and \d+ differ", 6),
            at_most(r"take all 20 steps; \d+ and (\d+) differ", 6),
            text(r"#{8}"),
            times("a loop of C, one thread", "operators, fused", "a function of numbers"),
        ],
    ),
    "33_options": (
        ["20000", "{out}/paths.npy"],
        [
            at_most(r"a call less a put is wrong by ([\d.e+-]+) at most$", 1e-11),
            number(r"20000 paths: price ([\d.]+) ", 22.640, 0.011),
            number(r", option ([\d.]+) ", 1.049, 0.011),
            number(r"by the formula ([\d.]+)$", 1.0490, 1e-4),
            times("the formula, each option", "the paths, 100 steps each"),
        ],
    ),
    "34_laplace": (
        ["256", "{out}/laplace.png"],
        [
            at_most(r"the loop's result but for ([\d.e+-]+)$", 1e-14),
            number(r"^ +0 +([\d.]+) ", 0.25),
            number(r"^ +100 +([\d.]+) ", 0.002397, 1e-6),
            number(r"^ +900 +([\d.]+) ", 0.000269, 1e-6),
            times("a step, for a million points"),
        ],
    ),
    "35_overlapped_convolution": (
        ["3", "{data}/hubble_deep_field.pgm", "{out}/edges.png"],
        [
            text(r", 2 streams: 3 pictures of 872 x 1000,"),
            at_most(r"difference from direct sums ([\d.e+-]+)$", 1e-5),
            times("all pictures, one stream", "all pictures, two streams", "without the copies", "the copies alone"),
        ],
    ),
    "36_deep_field": (
        ["1", "{data}/hubble_deep_field.pgm", "{out}/sources.png"],
        [
            # By SciPy: a pixel at the threshold may fall on either side.
            number(r"^[CG]PU: (\d+) sources above", 1322, 3),
            number(r"4.0 deviations of ([\d.]+);", 2.12, 0.01),
            number(r"^(\d+)% of the light is that of the brightest 10", 22, 1),
            number(r"half of the sources are rounder than ([\d.]+)$", 0.68, 0.011),
            text(r"^ +315\.[789] +322\.[678] +1988\d\d +28\d\d +24\.[56]\d +0\.56$"),
            times("background", "noise and sources", "light, centres and axes"),
        ],
    ),
    "37_cells": (
        ["480", "{out}/cells.png"],
        [
            text(r"^64 cells, of 64 that were painted$"),
            number(r"^([\d.]+)% of their pixels are in the right cell$", 98.7, 0.5),
            at_most(r"areas are off by ([\d.]+)% in the mean$", 3),
            times("blur and threshold", "distance transform", "seeds", "watershed"),
        ],
    ),
}


def run(program):
    name = os.path.basename(program)
    arguments, checks = EXAMPLES[name]
    with tempfile.TemporaryDirectory() as out:
        command = [program] + [a.format(data=DATA, out=out) for a in arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wrong = [] if done.returncode == 0 else [f"ended with {done.returncode}"]
        if any("{out}" in a for a in arguments) and not os.listdir(out) and "for want of libzip" not in done.stdout:
            wrong.append("wrote no file")
    wrong += [message for message in (check(done.stdout) for check in checks) if message]
    print(done.stdout)
    for message in wrong:
        print(f"not ok - {name}: {message}", file=sys.stderr)
    return 1 if wrong else 0


def complete():
    """Each numbered program has a number of its own, its place in the table, its page and a line on the course's page;
    each is 40 to 150 lines long, those that are whole tasks up to 250."""
    folder = os.path.join(ROOT, "examples")
    sources = sorted(f[:-2] for f in os.listdir(folder) if re.match(r"\d\d_\w+\.c$", f))
    wrong = [f"{name}: not in the table" for name in sources if name not in EXAMPLES]
    wrong += [f"{name}: no such program" for name in EXAMPLES if name not in sources + ["tour"]]
    numbers = [name[:2] for name in sources]
    wrong += [f"the number {n} is taken twice" for n in sorted(set(numbers)) if numbers.count(n) > 1]
    course = open(os.path.join(ROOT, "docs", "guide", "course", "index.md")).read()
    for name in sources:
        lines = len(open(os.path.join(folder, name + ".c")).readlines())
        page = os.path.join(ROOT, "docs", "guide", "course", name + ".md")
        if not 40 <= lines <= (150 if int(name[:2]) < WHOLE else 250):
            wrong.append(f"{name}: {lines} lines")
        if not os.path.exists(page):
            wrong.append(f"{name}: no page in the guide")
        elif f"examples/{name}.c" not in open(page).read():
            wrong.append(f"{name}: its page does not show it")
        if f"\n{int(name[:2])}. [" not in course or f"]({name}.md)" not in course:
            wrong.append(f"{name}: not on the course's page")
    for message in wrong:
        print(f"not ok - {message}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(complete() if sys.argv[1:] == ["--complete"] else run(sys.argv[1]))
