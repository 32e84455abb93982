"""Draws the pictures of the course's pages into pictures/, from what the programs wrote and printed.

    pictures.py BUILD [NAME ...]

BUILD is the folder that ./dev build built into; what the programs print is read from outputs/ (examples/outputs.sh).
NAMEs are functions of this file; all without one.
Needs numpy and matplotlib.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import wave

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[2] / "examples"
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#777777"
plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
                     "grid.color": "#dddddd", "savefig.dpi": 110, "savefig.bbox": "tight"})


def output(name):
    """What a program printed: on a machine with a GPU if there is such, else on the CPU."""
    for device in ("h200", "cpu"):
        path = HERE / "outputs" / device / f"{name}.txt"
        if path.exists():
            return path.read_text()
    raise SystemExit(f"no output of {name}: run examples/outputs.sh first")


def save(figure, name):
    figure.savefig(HERE / "pictures" / f"{name}.png")
    plt.close(figure)


def picture_of(build, name, *arguments):
    """The picture that a program writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "picture.png"
        subprocess.run([build / "examples" / name, *arguments, path], check=True, stdout=subprocess.DEVNULL)
        return plt.imread(path)


def show(axes, image, title, **how):
    axes.imshow(image, **how)
    axes.set_title(title)
    axes.axis("off")


def pi(build):
    numbers = np.random.default_rng(1)
    x, y = numbers.random((2, 1500))
    inside = x * x + y * y < 1
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), gridspec_kw={"wspace": 0.3})
    left.scatter(x[inside], y[inside], s=4, color=BLUE)
    left.scatter(x[~inside], y[~inside], s=4, color=ORANGE)
    left.set_aspect("equal")
    left.set_title(f"{inside.sum()} of {inside.size} points: pi is about {4 * inside.mean():.3f}")
    rows = re.findall(r"^ +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)$", output("06_monte_carlo_pi"), re.M)
    points, _, error, expected = np.array(rows, float).T
    right.loglog(points, expected, color=GREY, label="to be expected")
    right.loglog(points, error, "o", color=BLUE, label="found")
    right.set_xlabel("points")
    right.set_title("error of pi")
    right.legend(frameon=False)
    save(figure, "06_monte_carlo_pi")


def blur(build):
    image = picture_of(build, "07_blur", "128")
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), gridspec_kw={"wspace": 0.04})
    for at, half, title in zip(axes, np.split(image, 2, axis=1), ("before", "after")):
        show(at, half[:80, :80], title, cmap="gray", interpolation="nearest")
    save(figure, "07_blur")


def pulses(build):
    rows = re.findall(r"^ +(\d+) +(-?[\d.]+) +(-?[\d.]+) ", output("10_pulses"), re.M)
    sample, waveform, clean = np.array(rows, float).T
    figure, axes = plt.subplots(figsize=(9, 3.6))
    axes.axhspan(-15, 15, color="#eeeeee")
    axes.plot(sample, waveform, "o-", color=GREY, label="with noise")
    axes.plot(sample, clean, "o", color=BLUE, label="cleaned")
    axes.set_xlabel("sample")
    axes.legend(frameon=False)
    save(figure, "10_pulses")


def mandelbrot(build):
    image = picture_of(build, "12_own_kernel", "700")
    figure, axes = plt.subplots(figsize=(6, 6))
    inside = np.ma.masked_where(image > 0.999, image)
    colours = plt.get_cmap("magma").copy()
    colours.set_bad("black")
    show(axes, inside, "", cmap=colours, interpolation="nearest")
    save(figure, "12_own_kernel")


def qr(build):
    text = output("18_qr")
    rows = [line.split() for line in text.splitlines() if re.match(r"^ +\d+ +[\d.]+", line)]
    sizes = [int(row[0]) for row in rows]
    figure, axes = plt.subplots(figsize=(7, 4.2))
    axes.loglog(sizes, [float(row[1]) for row in rows], "o-", color=GREY, label="CPU", base=2)
    if len(rows[0]) > 2:
        axes.loglog(sizes, [float(row[2]) for row in rows], "o-", color=BLUE, label="GPU", base=2)
    last = float(rows[-1][1])
    axes.loglog(sizes, [last * (n / sizes[-1]) ** 3 for n in sizes], ":", color=GREY, label="as the work grows", base=2)
    axes.set_yscale("log", base=10)
    axes.set_xticks(sizes, [str(n) for n in sizes])
    axes.set_xlabel("n")
    axes.set_ylabel("milliseconds")
    axes.set_title(text.splitlines()[1], fontsize=10, color=GREY)
    axes.legend(frameon=False)
    save(figure, "18_qr")


def deep_field(build):
    path = EXAMPLES / "data" / "hubble_deep_field.pgm"
    after = picture_of(build, "21_fft_convolution", "31", path)
    before = np.fromfile(path, np.uint8)[-872 * 1000:].reshape(872, 1000) / 255
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), gridspec_kw={"wspace": 0.04})
    for at, image, title in zip(axes, (before, after), ("before", "after")):
        show(at, image[300:600, 300:600], title, cmap="gray", vmin=0, vmax=0.8)
    save(figure, "21_fft_convolution")


def sunspots(build):
    years, numbers = np.loadtxt(EXAMPLES / "data" / "sunspots.csv", delimiter=",", skiprows=1).T
    spectrum = np.abs(np.fft.rfft((numbers - numbers.mean()) * np.hanning(numbers.size + 1)[:-1], 8192)) ** 2
    period = 1 / np.fft.rfftfreq(8192)[1:]
    wanted = (period > 2) & (period < 25)
    figure, (top, below) = plt.subplots(2, 1, figsize=(9, 5.4), gridspec_kw={"hspace": 0.4})
    top.plot(years, numbers, color=BLUE, linewidth=1)
    top.set_title("sunspots a year")
    below.plot(period[wanted], spectrum[1:][wanted] / spectrum[1:].max(), color=ORANGE)
    below.set_title("power of cycles of so many years")
    below.set_xticks(range(2, 25, 2))
    save(figure, "22_sunspots")


def digits(build):
    table = np.load(EXAMPLES / "data" / "digits.npy")
    figure, axes = plt.subplots(4, 12, figsize=(9, 4.2), gridspec_kw={"hspace": 0.45})
    for at, row in zip(axes.flat, table):
        show(at, row[:64].reshape(8, 8), str(row[64]), cmap="gray_r", interpolation="nearest")
    save(figure, "23_digits")


def live_filter(build):
    rows = re.findall(r"^ +(\d+) +(-?[\d.]+) +(-?[\d.]+) ", output("24_live_filter"), re.M)
    sample, record, clean = np.array(rows, float).T
    figure, axes = plt.subplots(figsize=(9, 3.6))
    axes.plot(sample, record, "o-", color=GREY, linewidth=1, markersize=4, label="record")
    axes.plot(sample, clean, "o-", color=BLUE, label="filtered")
    axes.set_xlabel("sample (each 25th is shown)")
    axes.legend(frameon=False)
    save(figure, "24_live_filter")


def sounds(build):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([build / "examples" / "25_resample_wav", "10", folder], check=True, stdout=subprocess.DEVNULL)
        left = {}
        for rate in (44100, 8000):
            with wave.open(f"{folder}/sound_{rate}.wav") as file:
                left[rate] = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)[:, 0] / 32768
    three = [(left[44100], 44100, "44,100 samples a second"), (left[8000], 8000, "8,000, resampled"),
             (left[44100][::5], 8820, "8,820, each fifth sample")]
    figure, plots = plt.subplots(1, 3, figsize=(11, 3.8), gridspec_kw={"wspace": 0.3})
    for at, (sound, rate, title) in zip(plots, three):
        at.grid(False)
        at.specgram(sound + 1e-6, NFFT=512, Fs=rate, noverlap=256, cmap="magma", vmin=-110, vmax=-30)
        at.set_title(title)
        at.set_xlabel("seconds")
    plots[0].set_ylabel("Hz")
    save(figure, "25_resample_wav")


def lomb_scargle(build):
    rows = re.findall(r"^ +([\d.]+) +([\d.]+)  #*$", output("27_lomb_scargle"), re.M)
    frequency, power = np.array(rows, float).T
    figure, axes = plt.subplots(figsize=(9, 3.6))
    axes.plot(frequency, power, "o-", color=BLUE)
    axes.set_xlabel("angular frequency (each 27th is shown)")
    axes.set_ylabel("power")
    save(figure, "27_lomb_scargle")


def edges(build):
    three = picture_of(build, "26_edges", "32", EXAMPLES / "data" / "hubble_deep_field.pgm")
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), gridspec_kw={"wspace": 0.04})
    for at, image, title in zip(axes, np.split(three, 3, axis=1), ("the picture", "blurred", "edges of that")):
        show(at, image[300:600, 300:600], title, cmap="gray", vmin=0, vmax=0.8)
    save(figure, "26_edges")


def sky(build):
    left, right = np.split(picture_of(build, "28_sky", "512"), 2, axis=1)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), gridspec_kw={"wspace": 0.04})
    show(axes[0], left[:320, :320], "the sky", cmap="gray", vmin=0.3, vmax=1)
    colours = plt.get_cmap("nipy_spectral").copy()
    colours.set_bad("black")
    sources = np.ma.masked_where(right == 0, right)[:320, :320]
    show(axes[1], sources, "its sources", cmap=colours, vmin=0, vmax=1, interpolation="nearest")
    save(figure, "28_sky")


def classifier(build):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([build / "examples" / "30_signal_classifier", "512", folder], check=True,
                       stdout=subprocess.DEVNULL)
        history = np.load(f"{folder}/history.npz")
        loss, spectrum = history["loss"], history["spectrum"][0]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), gridspec_kw={"wspace": 0.25})
    left.plot(np.arange(1, loss.size + 1), loss, color=BLUE)
    left.axhline(np.log(4), color=GREY, linestyle=":")
    left.text(loss.size, np.log(4), "guessing", color=GREY, ha="right", va="bottom")
    left.set_ylim(0)
    left.set_xlabel("epoch")
    left.set_title("loss of each epoch's last batch")
    right.plot(np.linspace(0, 10, spectrum.size), spectrum, color=ORANGE)  # twice the samples: half of 20 MHz
    right.set_xlabel("MHz")
    right.set_title("spectrum of carriers of 2 and 4 MHz")
    save(figure, "30_signal_classifier")


def mandelbrot_steps(build):
    image = picture_of(build, "32_mandelbrot", "1000")
    steps = np.rint(image * 255 / 12)
    figure, axes = plt.subplots(figsize=(8, 5.4))
    colours = plt.get_cmap("magma").copy()
    colours.set_bad("black")
    show(axes, np.ma.masked_where(steps >= 20, steps), "", cmap=colours, interpolation="nearest", vmax=14)
    save(figure, "32_mandelbrot")


def option_paths(build):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([build / "examples" / "33_options", "50000", f"{folder}/paths.npy"], check=True,
                       stdout=subprocess.DEVNULL)
        paths = np.load(f"{folder}/paths.npy")
    months = np.linspace(0, 5, len(paths))
    figure, axes = plt.subplots(figsize=(9, 3.8))
    axes.plot(months, paths, linewidth=0.8, alpha=0.7)
    axes.axhline(21.50, color=GREY, linestyle=":")
    axes.text(5, 21.47, "21.50: what the share may be bought for", color=GREY, ha="right", va="top")
    axes.set_xlabel("months")
    axes.set_title("the share's price, forty paths")
    save(figure, "33_options")


def laplace(build):
    field = picture_of(build, "34_laplace", "64")
    figure, axes = plt.subplots(figsize=(5.6, 4.6))
    drawn = axes.imshow(field, cmap="magma", vmin=0, vmax=1)
    axes.contour(field, [0.05, 0.1, 0.2, 0.4, 0.6, 0.8], colors="white", linewidths=0.7)
    axes.axis("off")
    figure.colorbar(drawn)
    save(figure, "34_laplace")


def overlapped(build):
    path = EXAMPLES / "data" / "hubble_deep_field.pgm"
    after = picture_of(build, "35_overlapped_convolution", "1", path)
    before = np.fromfile(path, np.uint8)[-872 * 1000:].reshape(872, 1000) / 255
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), gridspec_kw={"wspace": 0.04})
    for at, image, title in zip(axes, (before, after), ("the picture", "its edges")):
        show(at, image[300:600, 300:600], title, cmap="gray", vmin=0, vmax=0.8)
    save(figure, "35_overlapped_convolution")


def galaxies(build):
    path = EXAMPLES / "data" / "hubble_deep_field.pgm"
    after = picture_of(build, "36_deep_field", "1", path)
    before = np.sqrt(np.fromfile(path, np.uint8)[-872 * 1000:].reshape(872, 1000) / 255)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), gridspec_kw={"wspace": 0.04})
    for at, image, title in zip(axes, (before, after), ("the picture", "its sources")):
        show(at, image[380:680, 700:1000], title, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    save(figure, "36_deep_field")


def cells(build):
    three = picture_of(build, "37_cells", "480")
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), gridspec_kw={"wspace": 0.04})
    parts = np.split(three, 3, axis=1)
    show(axes[0], parts[0], "cells", cmap="gray", vmin=0, vmax=1)
    show(axes[1], parts[1], "how deep a pixel is", cmap="magma", vmin=0, vmax=1)
    colours = plt.get_cmap("nipy_spectral").copy()
    colours.set_bad("black")
    apart = np.ma.masked_where(parts[2] == 0, parts[2])
    show(axes[2], apart, "told apart", cmap=colours, vmin=0, vmax=1, interpolation="nearest")
    save(figure, "37_cells")


if __name__ == "__main__":
    (HERE / "pictures").mkdir(exist_ok=True)
    for draw in (pi, blur, pulses, mandelbrot, qr, deep_field, sunspots, digits, live_filter, sounds, edges,
                 lomb_scargle, sky, classifier, mandelbrot_steps, option_paths, laplace, overlapped, galaxies,
                 cells):
        if draw.__name__ in sys.argv[2:] or not sys.argv[2:]:
            draw(pathlib.Path(sys.argv[1]).resolve())
