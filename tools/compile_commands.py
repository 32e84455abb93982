"""compile_commands.py BUILD: writes compile_commands.json for clangd and clang-tidy, with the CUDA sources.

Meson's own file, BUILD/compile_commands.json, lacks what custom targets compile; these commands of nvcc are in
build.ninja, which ninja lists. ./dev build calls this.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def cuda_commands(build):
    rules = re.findall(r"^rule (CUSTOM_COMMAND\w*)$", (build / "build.ninja").read_text(), flags=re.M)
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "compdb", *rules], check=True, capture_output=True,
                             text=True).stdout
    entries = json.loads(listing[listing.index("["):])
    return [e for e in entries if re.search(r"\bnvcc\b", e["command"]) and e["file"].endswith(".cu")]


def merged(build):
    entries = json.loads((build / "compile_commands.json").read_text())
    return entries + cuda_commands(build)


def main(build):
    entries = merged(pathlib.Path(build).resolve())
    target = ROOT / "compile_commands.json"
    target.write_text(json.dumps(entries, indent=1) + "\n")
    print(f"{target.name}: {len(entries)} commands, {sum(e['file'].endswith('.cu') for e in entries)} of CUDA sources")


if __name__ == "__main__":
    main(*sys.argv[1:])
