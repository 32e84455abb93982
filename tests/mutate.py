#!/usr/bin/env python3
"""mutate.py: do the tests notice a changed line?

Makes random one-line changes to the library's C sources and CPU kernels (mutations.py: a comparison, a sign, an
index, a number, ...), each in a copy of the tree, builds the library again, and runs the tests of the changed
file's topic: its C test programs, then its oracle files, up to the first failure. Prints what became of each, and
at the end the changes that no test noticed.

    tests/mutate.py --count 200 --minutes 8             200 changes on all cores, 8 minutes at most
    tests/mutate.py --only 'src/sort/*' --count 20      changes of these files alone
    tests/mutate.py --only src/io/print.c:35            all changes of one line
    tests/mutate.py --list                              which changes would be made

It needs meson, ninja, compilers, and the Python packages of the oracle tests (tests/requirements.txt), no network
and no git. A change that leaves the library's bytes as they were counts as no change. What is not made of C or C++
by this build (CUDA) is left out, and so are headers that more than --objects sources include.
"""

import argparse
import fnmatch
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from mutations import applied, difference, mutations
from mutate_topics import tests_of

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = "src/libgnd.so"
NOT_COPIED = {".git", ".venv", "out", "__pycache__", ".hypothesis", ".pytest_cache"}
OUTCOMES = ["survived", "killed", "timeout", "unchanged", "does not compile", "not finished"]


class Timeout(Exception):
    pass


class Runs:
    """Commands with a limit on memory and time; none outlives the end."""

    def __init__(self, seconds, memory):
        self.end, self.memory = time.monotonic() + seconds, int(memory * 2**20)  # in KiB, as ulimit has it

    def left(self):
        return self.end - time.monotonic()

    def run(self, command, directory, environment, seconds, limited=True):
        """Returns the exit status and what was written."""
        limit = f"ulimit -v {self.memory}; " if limited else ""
        process = subprocess.Popen(["bash", "-c", f'{limit}ulimit -c 0; exec "$@"', "bash", *map(str, command)],
                                   cwd=directory, env=environment, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                                   errors="replace")
        try:
            output, _ = process.communicate(timeout=max(0.1, min(seconds, self.left())))
            return process.returncode, output
        except subprocess.TimeoutExpired:
            raise Timeout from None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # what it left running, too
            except ProcessLookupError:
                pass
            process.wait()


class Copy:
    """A copy of the tree with its build directory, in a directory of its own."""

    def __init__(self, runs, home, build):
        self.runs, self.tree, self.build = runs, home / "tree", home / "tree" / build
        self.environment = {
            **os.environ, "TMPDIR": str(home / "tmp"), "XDG_CACHE_HOME": str(home / "cache"), "HOME": str(home),
            "GND_DEVICE": "cpu", "GND_LIBRARY": str(self.build / LIBRARY), "GND_NUM_THREADS": "2",
            "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_PERTURB_": "165",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        (home / "tmp").mkdir(parents=True)

    def ninja(self, targets, seconds, jobs=1):
        command = ["ninja", "-C", self.build, f"-j{jobs}", *targets]
        return self.runs.run(command, self.tree, {**self.environment, "HOME": os.environ.get("HOME", "/")}, seconds,
                             limited=False)

    def test(self, name, seconds, deselected=(), first_failure=True):
        """Runs tests/<name>: a C program, or a file of the oracle. Returns its status and what it wrote."""
        if name.endswith(".c"):
            program = self.build / "tests" / Path(name).stem
            return self.runs.run([program], self.build / "tests", self.environment, seconds)
        command = [sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider",
                   Path(name).relative_to("oracle")]
        command += ["-x"] * first_failure + [f"--deselect={test}" for test in deselected]
        return self.runs.run(command, self.tree / "tests" / "oracle", self.environment, seconds)

    def target(self):
        """What ninja calls the library: the file that the link names, which may be still to come."""
        return "src/" + Path(os.path.realpath(self.build / LIBRARY)).name

    def library(self):
        return (self.build / LIBRARY).read_bytes()


class Tests:
    """The files of tests: how long each takes without a change, and what of it fails anyway. A file is run on the
    master when it is first needed."""

    def __init__(self, master, say):
        self.master, self.say = master, say
        self.seconds, self.fails, self.broken = {}, {}, set()
        self.lock, self.locks = threading.Lock(), {}

    def measure(self, name):
        begin = time.monotonic()
        try:
            status, output = self.master.test(name, 900, first_failure=False)
        except Timeout:
            if self.master.runs.left() <= 0:
                raise
            status, output = None, "takes too long"
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+::\S+)", output, re.M)
        self.seconds[name], self.fails[name] = time.monotonic() - begin, failed
        if status not in (0, 1, 5) or status and not failed:
            self.broken.add(name)
            self.say(f"{name} fails without a change and is not used: {output.strip().split(chr(10))[-1][:120]}")
        elif failed:
            self.say(f"{name}: {len(failed)} tests fail without a change and are not used")

    def kill(self, copy, name):
        """Whether a test of this file fails in a copy that did not on the master."""
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self.seconds:
                self.measure(name)
        if name in self.broken:
            return False
        status, _ = copy.test(name, 15 + 4 * self.seconds[name], self.fails[name])
        return status not in (0, 5)


def outcome_of(copy, mutation, names, tests, snapshot, original):
    """Makes the change, builds, and runs its tests. Returns the outcome and the test that told."""
    source = copy.tree / mutation.path
    source.write_text(applied(mutation, source.read_text()))
    try:
        if copy.ninja([copy.target()], 240)[0]:
            return "does not compile", ""
        if copy.library() == original:
            return "unchanged", ""
        for name in names:
            try:
                if tests.kill(copy, name):
                    return "killed", name
            except Timeout:
                return ("timeout" if copy.runs.left() > 0 else "not finished"), name
        return "survived", ""
    except Timeout:
        return ("does not compile" if copy.runs.left() > 0 else "not finished"), "compiler"
    finally:
        restore(copy, snapshot, mutation.path)


# ---- copies of the tree and their builds ------------------------------------------------------------------


def files_of(build):
    """The state of a build directory: file -> (time, size)."""
    return {path: (status.st_mtime_ns, status.st_size)
            for directory, _, names in os.walk(build) for name in names
            for path in [os.path.join(os.path.relpath(directory, build), name)]
            for status in [os.lstat(os.path.join(build, path))]}


def restore(copy, snapshot, path):
    """The source and all that was built of it, as the master has them (times, too, by which ninja goes)."""
    master, state = snapshot
    shutil.copy2(master.tree / path, copy.tree / path)
    now = files_of(copy.build)
    for name in now.keys() - state.keys():
        os.remove(copy.build / name)
    for name, status in state.items():
        if now.get(name) != status:
            shutil.copy2(master.build / name, copy.build / name, follow_symlinks=False)


def not_copied(directory, names):
    return [name for name in names if name in NOT_COPIED or os.path.exists(f"{directory}/{name}/build.ninja")]


def make_master(runs, home, given):
    """A copy of the tree with a build directory of its own, for -O1, or a copy of the one given."""
    shutil.copytree(ROOT, home / "tree", symlinks=True, ignore=not_copied)
    if given:
        shutil.copytree(given, home / "tree" / given.name, symlinks=True)
    master = Copy(runs, home, given.name if given else "build")
    if not given:
        meson = [shutil.which("meson")] if shutil.which("meson") else [sys.executable, "-m", "mesonbuild.mesonmain"]
        status, output = runs.run(
            [*meson, "setup", master.build, "-Dcuda=disabled", "-Dcpu_isa=baseline", "-Doptimization=1"],
            master.tree, os.environ, 300, limited=False)
        if status:
            sys.exit(f"mutate.py: meson failed\n{output[-2000:]}")
    return master


def build(master, targets, jobs):
    try:
        status, output = master.ninja(targets, 3600, jobs)
    except Timeout:
        sys.exit("mutate.py: --minutes are over, and nothing is built yet")
    if status:
        sys.exit(f"mutate.py: the build failed\n{output[-2000:]}")


def build_tests(master, names, jobs):
    """The C programs among these tests, and the modules that programs load."""
    _, known = master.ninja(["-t", "targets", "all"], 60)
    wanted = {Path(name).stem for name in names}
    programs = re.findall(r"^(tests/(?:test_\w+|\S+\.so)): \w+_LINKER", known, re.M)
    build(master, [p for p in programs if p.endswith(".so") or Path(p).name in wanted], jobs)


def objects_of(master):
    """Source -> how many objects of the library are made of it."""
    _, output = master.ninja(["-t", "deps"], 60)
    count, target = Counter(), ""
    for line in output.split("\n"):
        if not line.startswith(" "):
            target = line.split(":")[0]
        elif target.startswith("src/") and line.strip().startswith("../src/"):
            count[line.strip()[3:]] += 1
    return count


# ---- what to change ---------------------------------------------------------------------------------------


def draw(tree, sources, arguments):
    """`count` changes of different lines, of all changes there are; all of those of the lines that --only names."""
    wanted = [(pattern, int(line or 0)) for pattern, _, line in (only.partition(":") for only in arguments.only or "*")]
    lines, named = {}, []
    for path in sorted(sources):
        asked = {line for pattern, line in wanted if fnmatch.fnmatch(path, pattern)}
        for mutation in mutations(path, (tree / path).read_text()) if asked else ():
            if mutation.line in asked:
                named.append(mutation)
            elif 0 in asked:
                lines.setdefault((path, mutation.line), []).append(mutation)
    numbers = random.Random(arguments.seed)
    chosen = numbers.sample(sorted(lines), min(arguments.count, len(lines)))
    return named + [numbers.choice(lines[key]) for key in chosen], len(lines)


def in_parallel(work, items, workers):
    """work(worker, item) for all items, one item at a time on each worker."""
    waiting = queue.SimpleQueue()
    for item in items:
        waiting.put(item)

    def serve(worker):
        while True:
            try:
                item = waiting.get_nowait()
            except queue.Empty:
                return
            work(worker, item)

    threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0].partition(": ")[2])
    parser.add_argument("--count", type=int, default=50, help="how many changes (default 50)")
    parser.add_argument("--seed", type=int, default=1, help="which ones are drawn (default 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="copies at work (default: all cores)")
    parser.add_argument("--only", metavar="GLOB[:LINE]", action="append",
                        help="change these sources alone, as src/math/*; may be given several times")
    parser.add_argument("--minutes", type=float, default=60, help="stop after so many, the build among them")
    parser.add_argument("--build", type=Path, help="a build directory of this tree to copy, instead of building")
    parser.add_argument("--objects", type=int, default=8, help="leave out what more objects are made of (default 8)")
    parser.add_argument("--memory", type=float, default=6, help="GiB of address space for each test (default 6)")
    parser.add_argument("--list", action="store_true", help="print the changes and their tests, run nothing")
    return parser.parse_args()


def report(tree, results, total):
    count = Counter(outcome for _, outcome, _, _ in results)
    print("\n" + ", ".join(f"{count[name]} {name}" for name in OUTCOMES) + f"; of {total} lines drawn from")
    for mutation, outcome, _, names in sorted(results):
        if outcome == "survived":
            print(f"\n{mutation.path}:{mutation.line}: survived {' '.join(names)}")
            print(difference(mutation, (tree / mutation.path).read_text()))


def main():
    arguments = read_arguments()
    begin = time.monotonic()
    runs = Runs(arguments.minutes * 60, arguments.memory)
    with tempfile.TemporaryDirectory(prefix="gnd-mutate-", ignore_cleanup_errors=True) as home:
        home = Path(home)

        def say(text):
            print(f"{time.monotonic() - begin:6.0f} s  {text}", flush=True)

        given = arguments.build and arguments.build.resolve()
        master = make_master(runs, home / "master", given)
        build(master, [master.target()], arguments.jobs)
        objects = objects_of(master)
        sources = {path for path, n in objects.items() if n <= arguments.objects and "cuda" not in path}
        chosen, total = draw(master.tree, sources, arguments)
        wanted = {mutation.path: tests_of(mutation.path, master.tree / "tests") for mutation in chosen}
        for path in sorted(path for path, names in wanted.items() if not names):
            say(f"{path}: no row of mutate_topics.py has tests for it")
        say(f"built the library; {len(chosen)} changes of {len(wanted)} files")
        if arguments.list:
            for m in chosen:
                changes = difference(m, (master.tree / m.path).read_text())
                print(f"\n{m.path}:{m.line}: {' '.join(wanted[m.path])}\n{changes}")
            return

        build_tests(master, {name for names in wanted.values() for name in names}, arguments.jobs)
        snapshot, original = (master, files_of(master.build)), master.library()
        copies = []
        for k in range(min(arguments.jobs, max(len(chosen), 1))):
            shutil.copytree(master.tree, home / str(k) / "tree", symlinks=True)
            copies.append(Copy(runs, home / str(k), master.build.name))
        tests, results = Tests(master, say), []

        def hold(copy, mutation):
            outcome, by = "not finished", ""
            if runs.left() > 0:
                outcome, by = outcome_of(copy, mutation, wanted[mutation.path], tests, snapshot, original)
            names = [name for name in wanted[mutation.path] if name not in tests.broken]
            results.append((mutation, outcome, by, names))
            say(f"{outcome:16} {mutation.path}:{mutation.line} {mutation.old} -> {mutation.new or 'nothing'} {by}")

        in_parallel(hold, chosen, copies)
        say(f"{len(tests.seconds)} files of tests, {sum(tests.seconds.values()):.0f} s without a change")
        report(master.tree, results, total)
        left_out = sum(n > arguments.objects for path, n in objects.items() if "cuda" not in path)
        print(f"\nleft out: {left_out} files of which more than {arguments.objects} objects are made (--objects)")


if __name__ == "__main__":
    main()
