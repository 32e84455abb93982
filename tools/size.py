"""size.py: the bytes of the CUDA kernels, by topic and by family of kernels. ./dev size runs it.

    size.py BUILD                    prints the table of a build directory
    size.py BUILD --write FILE       writes what --check compares: bytes by topic, before compression
    size.py BUILD --check FILE       exits with 1 if a topic has grown by more than a tenth

Machine code and PTX of an object are entries of its section .nv_fatbin, each with its size before and after
compression. An object's topic is the folder of its source. Families are templates of kernels; their sizes are read
from the machine code, where cuobjdump is installed.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

MACHINE_CODE, PTX = 2, 1  # kinds of entries
GROWTH = 1.1
LEAST = 20_000  # bytes: smaller changes of a topic are not growth
LARGE = 1_000_000  # bytes of a module's machine code that a first call notices
ROOT = pathlib.Path(__file__).resolve().parent.parent


def sections(data):
    """Name, offset and size of the sections of a 64-bit ELF file."""
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + 64 * i) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        yield data[start:data.index(b"\0", start)].decode(), header[4], header[5]


def entries(path):
    """Kind, bytes in the file, bytes before compression and architecture of what nvcc put into an object."""
    data = path.read_bytes()
    for name, at, size in sections(data):
        end = at + size
        while name == ".nv_fatbin" and at < end:
            _, _, header, length = struct.unpack_from("<IHHQ", data, at)
            entry, at = at + header, at + header + length
            while entry < at:
                kind, _, header, stored = struct.unpack_from("<HHIQ", data, entry)
                (whole,) = struct.unpack_from("<Q", data, entry + 56) if header >= 64 else (0,)
                (architecture,) = struct.unpack_from("<I", data, entry + 28)
                yield kind, stored, whole or stored, architecture
                entry += header + stored
            at = (at + 7) // 8 * 8


def topics(build):
    """The topic of each object: the folder of its source, or of the template of a source that Meson has filled in."""
    text = (build / "build.ninja").read_text()
    folders = {p.name.split(".")[0]: p.relative_to(ROOT / "src").parts[0] for p in (ROOT / "src").rglob("*.cu*")}
    found = {}
    for name, source in re.findall(r"^build (src/kernels/cuda/\w+\.o).*?: \S+ (\S+)", text, flags=re.M):
        path = pathlib.PurePosixPath(source)
        if path.stem in folders:
            topic = folders[path.stem]
        else:  # made from a template: Meson puts it beside where the template is
            topic = path.parts[path.parts.index("src") + 1]
        found[build / name] = topic
    return found


def measure(build):
    """By topic: objects, machine code before compression, in the library, PTX before compression, in the library."""
    table = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
    for path, topic in topics(build).items():
        if not path.exists():
            continue
        table[topic][0] += 1
        for kind, stored, whole, _ in entries(path):
            first = 1 if kind == MACHINE_CODE else 3
            table[topic][first] += whole
            table[topic][first + 1] += stored
    return dict(table)


def families(build):
    """Kernels and their bytes of machine code by template."""
    found = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in topics(build):
            subprocess.run(["cuobjdump", "-xelf", "all", path], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        names, sizes = [], []
        for cubin in pathlib.Path(folder).glob("*.cubin"):
            for name, _, size in sections(cubin.read_bytes()):
                if name.startswith(".text."):
                    names.append(name[len(".text."):])
                    sizes.append(size)
    plain = subprocess.run(["c++filt"], input="\n".join(names), stdout=subprocess.PIPE, text=True).stdout.split("\n")
    for name, size in zip(plain, sizes):
        family = re.sub(r"^void ", "", name).split("<")[0].split("(")[0]
        found[0][family] += 1
        found[1][family] += size
    return found


def architectures(build):
    """The stored bytes of each image, as sm_90 or (PTX) compute_90, of the objects that are built for several."""
    found = collections.Counter()
    for path in filter(pathlib.Path.exists, topics(build)):
        for kind, stored, _, architecture in entries(path):
            found["sm_" * (kind == MACHINE_CODE) + "compute_" * (kind == PTX) + str(architecture)] += stored
    return found if len(found) > 1 else {}


def show(build):
    table = measure(build)
    if not table:
        sys.exit(f"{build} has no CUDA objects")
    print(f"{'topic':14}{'objects':>8}{'code, KB':>10}{'stored':>9}{'PTX, KB':>10}{'stored':>9}")
    total = [sum(column) for column in zip(*table.values())]
    for topic, row in sorted(table.items(), key=lambda item: -item[1][1] - item[1][3]) + [("all", total)]:
        print(f"{topic:14}{row[0]:8}{row[1] // 1000:10,}{row[2] // 1000:9,}{row[3] // 1000:10,}{row[4] // 1000:9,}")
    for architecture, stored in sorted(architectures(build).items(), key=lambda item: int(item[0].split("_")[1])):
        print(f"{architecture:14}{stored // 1000:26,}")
    library = next((p for p in (build / "src").glob("libgnd.so.*.*.*") if p.is_file()), None)
    if library:
        print(f"{library.name}: {library.stat().st_size / 1e6:.1f} MB")
    largest = sorted((max((whole for _, _, whole, _ in entries(p)), default=0), p.stem) for p in topics(build)
                     if p.exists())
    shown = max(12, sum(size > LARGE for size, _ in largest))  # whole modules are loaded: none should be large
    print("largest modules, KB:", ", ".join(f"{name} {size // 1000:,}" for size, name in largest[:-shown - 1:-1]))
    if total[1] and shutil.which("cuobjdump") and shutil.which("c++filt"):
        counts, sizes = families(build)
        print(f"\n{'family of kernels':50}{'kernels':>8}{'code, KB':>10}")
        for family, size in sizes.most_common(40):
            print(f"{family:50}{counts[family]:8}{size // 1000:10,}")


def kinds(table):
    return {kind for sizes in table.values() for kind in sizes}


def growth(before, now):
    """The topics that have grown, of the kinds that were measured before: a quick build has PTX, another code."""
    measured = kinds(before)
    return [f"{topic}: {kind} {before.get(topic, {}).get(kind, 0):,} -> {size:,} bytes"
            for topic, sizes in now.items() for kind, size in sizes.items()
            if kind in measured and size > GROWTH * before.get(topic, {}).get(kind, 0) + LEAST]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    now = {topic: {kind: size for kind, size in (("code", row[1]), ("ptx", row[3])) if size}
           for topic, row in sorted(measure(build).items())}
    if options.write:
        options.write.write_text(json.dumps(now, indent=1) + "\n")
    elif options.check:
        before = json.loads(options.check.read_text())
        grown = growth(before, now)
        if not kinds(before) & kinds(now):
            print(f"{options.check} has {kinds(before)}, this build {kinds(now)}: nothing to compare")
            return
        if grown:
            sys.exit(f"CUDA kernels have grown; if that is meant, ./dev size --write {options.check}:\n"
                     + "\n".join(grown))
        print("no topic's CUDA kernels have grown by more than a tenth")
    else:
        show(build)


if __name__ == "__main__":
    main()
