"""Runs gnd-bench on the CPU at tiny sizes and checks what it prints and writes: test_gnd_bench.py PROGRAM

The GPU's side of table and report is tested with made-up figures, through --from. Prints TAP.
"""

import html.parser
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

PROGRAM = sys.argv[1]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="gnd-bench-"))
CATEGORIES = {"elementwise", "fused", "reduce", "scan", "random", "sort", "index", "matmul", "solve", "fft"}
TIMES = {"mean", "deviation", "min", "max", "median"}


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, "COLUMNS": "200"})
    assert done.returncode == status, (arguments, done.returncode, done.stdout[-500:], done.stderr[-2000:])
    return done


def catalogue():
    return [line.split()[0] for line in run("--list").stdout.splitlines()]


# ---- the page -----------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """What a page refers to, its elements and its scripts."""

    def __init__(self, text):
        super().__init__()
        self.references, self.tags, self.ids, self.scripts, self.inside = [], [], set(), {}, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.ids.add(attributes.get("id"))
        self.references += [attributes[name] for name in ("src", "href", "srcset", "data", "action")
                            if name in attributes]
        self.inside = attributes.get("id") or len(self.scripts) if tag in ("script", "style") else None
        if self.inside is not None:
            self.scripts[self.inside] = ""

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside is not None:
            self.scripts[self.inside] += data


def check_page(path, tree):
    """One file that refers to nothing, with all measurements and all that its program draws into."""
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert [r for r in page.references if r != "data:,"] == [], page.references
    assert not re.search(r"@import|url\(|@[A-Z]+@", page.scripts[0]), "styles that load something"
    assert json.loads(page.scripts["data"]) == tree
    own = page.scripts[max(k for k in page.scripts if isinstance(k, int))]
    assert "new Chart(" in own and not re.search(r"fetch\(|XMLHttpRequest|import\(|https?://", own)
    for name in re.findall(r'byId\("([\w-]+)"\)', own):
        assert name in page.ids or name.startswith("curves-"), f"no element {name}"
    assert any("Chart.js v" in script for script in page.scripts.values())
    assert page.tags.count("canvas") == 3 and page.tags.count("html") == 1
    return page


# ---- measurements that nobody made --------------------------------------------------------------------


def made_up(seconds):
    times = {"mean": seconds, "deviation": 0, "min": seconds, "max": seconds, "median": seconds}
    return {"device": times, "host": times, "total": times, "n_repeat": 3, "n_calls": 1}


def with_gpu(tree):
    """The same run with a GPU that takes 10 us and a nanosecond a thousand elements, where the CPU takes a
    nanosecond an element; transfers take 10 ns an element, and matmul.float64 was too slow to measure."""
    tree = json.loads(json.dumps(tree))
    tree["devices"]["gpu"] = {"name": "Made-up <GPU> & co", "multiprocessors": 10, "memory": 1e10, "copy": 1e12,
                              "from_host": 1e10, "to_host": 1e10}
    tree["settings"]["transfers"] = True
    for w in tree["workloads"]:
        first = w["results"][0]
        w["results"] = [{**first, "size": n, "shape": str(n), "bytes": 8.0 * n, "cpu": made_up(1e-9 * n),
                         "gpu": made_up(1e-5 + 1e-12 * n), "gpu_transfers": made_up(1e-5 + 1e-8 * n)}
                        for n in (100, 1000, 10000, 100000, 1000000)]
        if w["name"] == "matmul.float64":
            w["results"][-1]["gpu"] = {"skipped": "no time for calls of about 3.00 s </script>"}
    return tree


# ---- tests --------------------------------------------------------------------------------------------


def test_the_catalogue():
    names = catalogue()
    assert len(names) == len(set(names)) >= 45
    assert {name.split(".")[0] for name in names} == CATEGORIES


def test_a_quick_run():
    out, page = FOLDER / "cpu.json", FOLDER / "cpu.html"
    done = run("--quick", "--max", "1e3", "--time", "60", "--device", "cpu", "--threads", "2", "--json", out, "--html",
               page)
    tree = json.loads(out.read_text())
    assert tree["format"] == "gnd-bench 1" and tree["devices"]["gpu"] is None
    assert tree["devices"]["cpu"]["copy"] > 1e8 and tree["devices"]["cpu"]["threads"] == 2
    assert [w["name"] for w in tree["workloads"]] == catalogue()
    measured = 0
    for w in tree["workloads"]:
        assert [r["size"] for r in w["results"]] == [100, 1000]
        assert w["wins_from"] is None and w["category"] == w["name"].split(".")[0]
        for r in w["results"]:
            assert "gpu" not in r and "error" not in r["cpu"], (w["name"], r)
            if "skipped" in r["cpu"]:
                continue
            measured += 1
            for clock in ("device", "host", "total"):
                t = r["cpu"][clock]
                assert set(t) == TIMES and 0 < t["min"] <= t["median"] <= t["max"] and t["deviation"] >= 0
                assert t["min"] <= t["mean"] * 1.0000001 and t["mean"] <= t["max"] * 1.0000001
            assert r["cpu"]["n_repeat"] >= 1 and r["cpu"]["n_calls"] >= 1 and r["bytes"] > 0
            share = r["bytes"] / r["cpu"]["device"]["median"] / tree["devices"]["cpu"]["copy"]
            assert w["computes"] and r["cpu_share"] is None or math.isclose(r["cpu_share"], share, rel_tol=1e-6)
            assert w["name"] in done.stdout
    assert measured > len(tree["workloads"]), measured
    check_page(page, tree)


def test_gpu_figures():
    tree = with_gpu(json.loads((FOLDER / "cpu.json").read_text()))
    given, out, page = FOLDER / "made-up.json", FOLDER / "gpu.json", FOLDER / "gpu.html"
    given.write_text(json.dumps(tree))
    done = run("--from", given, "--json", out, "--html", page)
    derived = json.loads(out.read_text())
    for w in derived["workloads"]:
        # The CPU is as fast at 10010 elements; on a line between 10^4 and 10^5 it is nearly there.
        assert 10000 < w["wins_from"] < 10020 and w["wins_from_with_transfers"] is None, w["name"]
        r = w["results"][3]
        assert math.isclose(r["speed_up"], 1e-4 / (1e-5 + 1e-7)) and r["speed_up_with_transfers"] < 1
        assert w["computes"] or math.isclose(r["gpu_share"], 8e5 / 1.01e-5 / 1e12)
    check_page(page, derived)
    lines = done.stdout.splitlines()
    row = next(line for line in lines if line.startswith("elementwise.add"))
    assert re.search(r"10\^2\s+100 ns\s+10\.0 us\s+10\.0 us\s+11\.0 us\s+0\.01 x", row), row
    wins = [line.split() for line in lines[lines.index("") :] if line.startswith("sort.sort ")][-1]
    assert wins[1:] == ["1.0*10^4", "not", "to", "10^6"], wins
    assert "no time for calls of about" in done.stdout and "Made-up <GPU>" in done.stdout


def test_comparison():
    old, new = FOLDER / "made-up.json", FOLDER / "slower.json"
    tree = json.loads(old.read_text())
    first = tree["workloads"][0]["results"][0]
    first["gpu"] = made_up(2 * first["gpu"]["device"]["median"])
    new.write_text(json.dumps(tree))
    text = run("--from", new, "--compare", old, "--quiet").stdout
    changed = [line for line in text.splitlines() if line.endswith("slower")]
    assert len(changed) == 1 and re.search(r"elementwise.add\s+10\^2 gpu .* 2\.00  slower", changed[0]), changed
    assert re.search(r"\d+ times compared with .*: 1 slower, 0 faster", text)


def test_a_bar_on_a_terminal():
    reader, terminal = os.openpty()
    program = subprocess.Popen([PROGRAM, "reduce", "-d", "cpu", "-q", "-t", "1", "--max", "1e3"], stderr=terminal,
                               stdout=subprocess.PIPE, text=True)
    os.close(terminal)
    table, shown = program.communicate()[0], b""
    try:
        while chunk := os.read(reader, 65536):
            shown += chunk
    except OSError:  # nobody writes any more
        pass
    assert program.returncode == 0 and "\r" not in table and "reduce.sum" in table
    shown = shown.decode()
    assert re.search(r"\r\[#+\.+\] +\d+%  0:0\d left at most  reduce\.\w+ 10\^3 CPU", shown), shown[-300:]
    assert shown.rstrip(" ").endswith("\r") and run("reduce.sum", "-d", "cpu", "-q", "-t", "1").stderr == ""


def test_help():
    for option in ("-h", "--help", "-?"):
        assert "--html=FILE" in run(option).stdout
    assert re.match(r"gnd-bench \(gnd\) \d+\.\d+\.\d+\n", run("--version").stdout)


def test_patterns_and_sizes():
    out = FOLDER / "few.json"
    run("sort.*", "cumsum", "--sizes", "1e3,50,1e3", "--device", "cpu", "--time", "2", "--quick", "--json", out,
        "--quiet")
    tree = json.loads(out.read_text())
    names = [w["name"] for w in tree["workloads"]]
    assert names == [n for n in catalogue() if n.startswith("sort.") or "cumsum" in n] and names
    assert all([r["size"] for r in w["results"]] == [50, 1000] for w in tree["workloads"])
    text = run("reduce.sum", "--sizes", "100", "-d", "cpu", "-t", "1", "-q", "--json", "-").stdout
    assert json.loads(text)["workloads"][0]["name"] == "reduce.sum"


def test_a_budget_that_runs_out():
    out = FOLDER / "short.json"
    run("elementwise", "--device", "cpu", "--time", "0.01", "--quick", "--json", out, "--quiet")
    results = [r for w in json.loads(out.read_text())["workloads"] for r in w["results"]]
    assert results and any(r["cpu"].get("skipped") == "no time left" for r in results)
    assert "no time left" in run("--from", out).stdout


def test_a_library_that_is_missing():
    out = FOLDER / "without.json"
    env = os.environ.get("GND_WITHOUT")
    os.environ["GND_WITHOUT"] = "OpenBLAS"
    try:
        done = run("solve.inverse", "-s", "1e4", "-d", "cpu", "-t", "60", "-q", "--json", out, status=1)
    finally:
        del os.environ["GND_WITHOUT"]
        if env is not None:
            os.environ["GND_WITHOUT"] = env
    assert "OpenBLAS" in done.stderr and "libopenblas" in done.stderr
    assert "OpenBLAS" in json.loads(out.read_text())["workloads"][0]["results"][0]["cpu"]["error"]


def test_arguments_that_make_no_sense():
    for arguments, text in [
            (["nothing.like.this"], "--list"), (["--sizes", "10,x"], "commas"), (["--sizes", "1e20"], "1e12"),
            (["--max", "10"], "--min and --max"), (["--device", "tpu"], "tpu"), (["--device", "gpu:x"], "gpu:x"),
            (["--device", "gpu:77"], "gpu:77"), (["--from", FOLDER / "no.json"], "no.json"),
            (["--from", PROGRAM], "not what gnd-bench"), (["--compare", FOLDER / "no.json"], "no.json")]:
        done = run(*arguments, status=2)
        assert text in done.stderr and not done.stdout, (arguments, done.stderr)
    for arguments in (["--time", "-1"], ["--time", "1x"], ["--threads", "0"], ["--max", "0"], ["--what"]):
        assert subprocess.run([PROGRAM, *arguments], capture_output=True).returncode not in (0, 1)
    bad = FOLDER / "bad.json"
    bad.write_text('{"format": "gnd-bench 1", "workloads": [{"name": "x", "results": [{}]}]}')
    assert "not what gnd-bench" in run("--from", bad, status=2).stderr
    unwritable = run("--from", FOLDER / "short.json", "--html", FOLDER / "no" / "such.html", status=1)
    assert "such.html" in unwritable.stderr


def main():
    tests = [(name, f) for name, f in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {name}")
        except Exception:
            print("# " + traceback.format_exc().replace("\n", "\n# "))
            print(f"not ok {number} - {name}")
        sys.stdout.flush()


main()
