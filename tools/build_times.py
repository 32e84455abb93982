"""build_times.py: the seconds that a build takes, by topic and by kind of unit, from ninja's log.

    build_times.py BUILD                   the last build's, which had ninja's jobs beside it: wall time of each step
    build_times.py BUILD --run [NAME...]   CPU time (user and system): every step, or those whose output has a NAME in
                                           it, runs again, without ccache. BUILD must have been built
    --json FILE                            also writes the seconds of each step; given to --before in a later run, a
                                           column has them beside the new ones

A step is one translation unit, or one link. A unit's topic is the folder of its source below src.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ISAS = ("_baseline", "_v3", "_v4", "_native")


def steps(build):
    """The command and the source of each output, response files written out."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "compdb", "-x"], check=True, stdout=subprocess.PIPE).stdout
    return {step["output"]: step for step in json.loads(listing)
            if step["command"] and step["output"] not in ("build.ninja", "all") and not skipped(step)}


def skipped(step):
    """Steps of Meson's own, such as `test` and `install`, are none of a build."""
    return "meson-internal" in step["output"] or "PHONY" in step["command"]


def templates():
    """Topic by the name of a template that Meson fills in."""
    return {p.name.split(".")[0]: p.relative_to(ROOT / "src").parts[0] for p in (ROOT / "src").rglob("*.in")}


def topic_and_kind(output, step, topics):
    source = pathlib.PurePosixPath(os.path.normpath(step["file"]))
    if source.suffix not in (".c", ".cpp", ".cu"):
        return "linking", "links"
    parts = source.parts
    if "src" not in parts:
        return output.split("/")[0], "programs"
    stem, isa = source.stem, "once"
    for suffix in ISAS:
        if stem.endswith(suffix):
            stem, isa = stem.removesuffix(suffix), suffix[1:]
    kind = {".c": "C", ".cpp": "C++ " + isa, ".cu": "CUDA"}[source.suffix]
    topic = topics.get(stem) or parts[parts.index("src") + 1]
    if topic == "kernels" and isa != "once":
        topic = "elementwise"  # a family of operators
    return topic, kind


def logged(build):
    """Seconds of each output in ninja's log: the last time counts."""
    found = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        found[output] = (int(end) - int(start)) / 1000
    return found


def cpu_seconds(step):
    process = subprocess.Popen(step["command"], shell=True, cwd=step["directory"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, env=os.environ | {"CCACHE_DISABLE": "1"})
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{step['output']}: {said.decode()}")
    return usage.ru_utime + usage.ru_stime


def run(all_steps, names, jobs, to):
    """Written to the file `to` as they come."""
    chosen = [output for output in all_steps if not names or any(name in output for name in names)]
    seconds = {}

    def measure(output):
        seconds[output] = cpu_seconds(all_steps[output])
        if to:
            to.write_text(json.dumps(seconds, indent=0) + "\n")

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(measure, chosen))
    return seconds


def show(seconds, all_steps, before):
    topics = templates()
    table, kinds, was = collections.defaultdict(collections.Counter), collections.Counter(), collections.Counter()
    for output, time in seconds.items():
        topic, kind = topic_and_kind(output, all_steps[output], topics)
        table[topic][kind] += time
        kinds[kind] += time
    for output, time in before.items():
        if output in all_steps:
            was[topic_and_kind(output, all_steps[output], topics)[0]] += time
        else:
            was["no longer built"] += time
            table["no longer built"]["C"] += 0
    columns = [kind for kind, _ in kinds.most_common()]
    heads = ["all"] + (["before"] if before else []) + columns
    print("| seconds | " + " | ".join(heads) + " |\n|---|" + "---:|" * len(heads))
    rows = sorted(table.items(), key=lambda item: -item[1].total())
    for topic, row in rows + [("**all**", kinds)]:
        old = [was.total() if topic == "**all**" else was[topic]] if before else []
        numbers = [row.total()] + old + [row[kind] for kind in columns]
        print(f"| {topic} | " + " | ".join(f"{number:.1f}" if number else "" for number in numbers) + " |")
    print("\n| the slowest steps | seconds |" + (" before |" if before else "") + "\n|---|---:|"
          + ("---:|" if before else ""))
    for output, time in sorted(seconds.items(), key=lambda item: -item[1])[:40]:
        old = f" {before[output]:.1f} |" if output in before else " |" if before else ""
        print(f"| {output.rsplit('/', 1)[-1].removeprefix('meson-generated_').replace('.._', '')} | {time:.1f} |{old}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--run", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    all_steps = steps(build)
    if options.run is None:
        seconds = {output: time for output, time in logged(build).items() if output in all_steps}
    else:
        seconds = run(all_steps, options.run, options.jobs, options.json)
    if options.json and options.run is None:
        options.json.write_text(json.dumps(seconds, indent=0) + "\n")
    show(seconds, all_steps, json.loads(options.before.read_text()) if options.before else {})


if __name__ == "__main__":
    main()
