"""Draws the sweep of reduce_sweep.c: the share of the card's bandwidth against M, a line a case.

    plot_sweep.py sweep.json|sweep.txt sweep.png [TITLE]

Reads the program's JSON or the lines that it prints. Needs matplotlib. Also prints the lowest point, and fails if it is
below 60%.
"""

import json
import re
import sys

LIMIT = 0.6
CASES = [(transposed, axis) for transposed in (False, True) for axis in ("axis0", "axis1", "both")]
COLORS = {"axis0": "#0072b2", "axis1": "#d55e00", "both": "#009e73"}
LABELS = {"axis0": "over axis 0", "axis1": "over axis 1", "both": "over both"}


LINE = re.compile(r"2\^(\d+) x 2\^(\d+)( transposed)? (\w+) +([\d.]+) us +\d+ GB/s +([\d.]+)%(  WRONG)?")


def read_lines(path):
    """The same from what the program prints."""
    cases = []
    with open(path) as file:
        for match in filter(None, map(LINE.match, file)):
            m, n, transposed, axis, us, share, wrong = match.groups()
            cases.append({"log2_m": int(m), "log2_n": int(n), "transposed": bool(transposed), "axis": axis,
                          "us": float(us), "share": float(share) / 100, "right": not wrong})
    return {"device": "the GPU", "bandwidth": 4.3e12, "log2": cases[0]["log2_m"] + cases[0]["log2_n"]}, cases


def read(path):
    if path.endswith(".txt"):
        return read_lines(path)
    with open(path) as file:
        head, *cases = json.load(file)
    return head, [case for case in cases if case["part"] == "sweep"]


def draw(head, cases, path, title):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(10, 5.5), dpi=150)
    for transposed, axis in CASES:
        points = sorted((c["log2_m"], 100 * c["share"]) for c in cases
                        if c["transposed"] == transposed and c["axis"] == axis)
        axes.plot(*zip(*points), color=COLORS[axis], marker="s" if transposed else "o", markersize=3.5,
                  linestyle="--" if transposed else "-", linewidth=1.3,
                  label=LABELS[axis] + (", transposed" if transposed else ""))
    axes.axhline(100 * LIMIT, color="#888888", linewidth=1, linestyle=":")
    axes.text(0, 100 * LIMIT + 1, f"{100 * LIMIT:.0f}%", color="#666666", fontsize=9)
    log2 = head["log2"]
    axes.set_xticks(range(0, log2 + 1, 2), [f"$2^{{{k}}}$" for k in range(0, log2 + 1, 2)])
    axes.set_xlabel(f"M, of an M x N matrix of $2^{{{log2}}}$ float32")
    axes.set_ylabel(f"share of {head['bandwidth'] / 1e12:.1f} TB/s, %")
    axes.set_ylim(0, 110)
    axes.grid(alpha=0.25)
    axes.set_title(title or f"gnd_sum on {head['device']}")
    axes.legend(ncols=2, loc="lower center", fontsize=9)
    figure.tight_layout()
    figure.savefig(path)


def main(source, target, title=None):
    head, cases = read(source)
    draw(head, cases, target, title)
    worst = min(cases, key=lambda case: case["share"])
    print(f"lowest: {100 * worst['share']:.1f}% at 2^{worst['log2_m']} x 2^{worst['log2_n']}"
          f"{' transposed' if worst['transposed'] else ''}, {LABELS[worst['axis']]}")
    wrong = sum(not case["right"] for case in cases)
    if wrong:
        print(f"{wrong} wrong results")
    return int(worst["share"] < LIMIT or wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
